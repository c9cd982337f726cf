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
    # A program that exists if the peer is installed, and the peer's Debian package.
    program: str
    package: str
    # The names of the peer's processes.
    processes: tuple[str, ...]
    # The maximum number of texts with which to fill the peer.
    most: int
    how_filled: str
    # The time after which a request to show its history is repeated.
    patience_seconds = 0.6
    # Whether the peer is filled while it does not run.
    fills_stopped = False
    # The desktops on which the peer works, by XDG_CURRENT_DESKTOP; X11 is openbox alone.
    desktops: tuple[str, ...] = ('X11',)
    # Whether the peer is the desktop's shell, whose keyboard focus would keep Escape from CopyPasta's window.
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
        """The texts in the peer's history."""

    def fill(self, texts: list[str]) -> None:
        """Adds texts through the peer's own interface, if it has one."""
        raise NotImplementedError

    def dismiss(self, screen: Screen) -> None:
        """Hides the history."""
        screen.settle()
        screen.press('Escape')
        time.sleep(0.7)

    def end(self, running: Running) -> None:
        """Ends all of the peer's processes with SIGTERM, as a logout does.

        A late command to show the history may have become a second instance, which would watch the clipboard until the
        end of the run.
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
