"""The interface to a peer."""
import os
import shutil
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from contextlib import suppress

from ..process import Running, memory, now_ms, processes_named, until
from ..screen import Screen

# The time after which a peer has done what it was asked.
SETTLE_SECONDS = 1.5


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
    # Those of the processes that do not end with the peer.
    lasting: tuple[str, ...] = ()
    # The maximum number of texts with which to fill the peer.
    most: int
    # The time after which a request to show its history is repeated.
    patience_seconds = 0.6
    # Whether the peer is filled while it does not run.
    fills_stopped = False
    # Whether the peer saves its history only when it ends.
    saves_at_end = False
    # The desktops on which the peer works.
    desktops: tuple[str, ...] = ('X11',)
    # The command that starts the peer and immediately shows its history, if there is one.
    start_shown: list[str] | None = None

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

    @abstractmethod
    def fill(self, texts: list[str]) -> None:
        """Adds texts through the peer's own interface, or by copying."""

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
        begun = time.monotonic()

        def has_ended() -> bool:
            left = processes_named(*set(self.processes).difference(self.lasting))
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGTERM if time.monotonic() < begun + 5 else signal.SIGKILL)
            return not left

        until(has_ended, timeout=10)

    def memory(self) -> float:
        return sum(memory(pid) for pid in processes_named(*self.processes))
