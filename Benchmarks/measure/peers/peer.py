"""The interface to a peer."""
import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress

from ..process import Running, memory, now_ms, processes_named
from ..screen import DESKTOP, Screen


def output(*command: str) -> str:
    """The output of a command, within a time limit."""
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL).stdout


def start_quietly(*command: str) -> float:
    """Starts a command that shows something and then exits. Returns the time of the start in milliseconds."""
    started = now_ms()
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return started


class Peer(ABC):
    """A clipboard manager in the run's scratch home, with its default settings except for the number of texts."""

    name: str
    # The program whose presence shows an installation, and the Debian package.
    program: str
    package: str
    # The names of its processes.
    processes: tuple[str, ...]
    # The maximum number of texts to fill it with.
    most: int
    how_filled: str
    # The time after which a request to show its history is repeated.
    patience_seconds = 0.6
    # Whether the peer is filled while it does not run.
    fills_stopped = False
    # The desktops on which the peer works, by XDG_CURRENT_DESKTOP; X11 is openbox alone.
    desktops: tuple[str, ...] = ('X11',)
    # Whether the peer is the desktop's shell, whose keyboard focus would keep Escape from our window.
    is_shell = False
    # The command that starts the peer and immediately shows its history, if there is one.
    start_shown: list[str] | None = None

    @property
    def ending(self) -> tuple[str, ...]:
        """The processes that end with the peer."""
        return self.processes

    @property
    def runs_here(self) -> bool:
        return DESKTOP in self.desktops

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.program) is not None

    @property
    def version(self) -> str:
        """The upstream version of the Debian package; empty on other distributions."""
        if not shutil.which('dpkg-query'):
            return ''
        found = output('dpkg-query', '--show', '--showformat=${source:Upstream-Version}', self.package)
        return found.split('+')[0]

    def set_up(self) -> None:
        """Sets the limit on the number of texts in its history as high as possible."""

    def launch(self) -> Running:
        """Starts the peer without waiting."""
        return Running([self.program])

    @abstractmethod
    def wait_ready(self) -> None:
        """Waits until the peer answers."""

    @abstractmethod
    def ask(self) -> float:
        """Requests the history as a shortcut does. Returns the time of the request in milliseconds."""

    @abstractmethod
    def history(self) -> list[str]:
        """The texts in its history."""

    def fill(self, texts: list[str]) -> None:
        """Adds texts through its own interface, which not every peer has."""
        raise NotImplementedError

    def dismiss(self, screen: Screen) -> None:
        """Hides the history."""
        screen.settle()
        screen.press('Escape')
        time.sleep(0.7)

    def end(self, running: Running) -> None:
        """Ends it as a logout does, with all processes that have its names.

        A late command to show its history may have become a second instance, which would watch the clipboard for the rest
        of the run.
        """
        running.end()
        deadline = time.monotonic() + 5
        while left := processes_named(*self.ending):
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL if time.monotonic() > deadline else signal.SIGTERM)
            time.sleep(0.1)

    def memory(self) -> float:
        return sum(memory(pid) for pid in processes_named(*self.processes))
