"""What every peer can do, seen from outside."""
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
    """What a command prints; no longer than it should take."""
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL).stdout


def start_quietly(*command: str) -> float:
    """Starts a command that shows something and ends; answers when, in milliseconds."""
    started = now_ms()
    subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return started


class Peer(ABC):
    """A clipboard manager, in the run's scratch home, with its own settings but for how many texts it keeps."""

    name: str
    # The program that tells whether it is installed, and the Debian package.
    program: str
    package: str
    # All that it keeps running.
    processes: tuple[str, ...]
    # The most texts that it is filled with here.
    most: int
    how_filled: str
    # How long it may take to show its history, before it is asked again.
    patience_seconds = 0.6
    # Whether it is filled while it does not run.
    fills_stopped = False
    # Where it sees copies or shows its history, by XDG_CURRENT_DESKTOP; X11 is the bare server.
    desktops: tuple[str, ...] = ('X11',)
    # Whether it is the desktop's shell, which has the keyboard where no window has it: ours would not get Escape.
    is_shell = False
    # A command that starts it and shows its history at once, where it has one.
    start_shown: list[str] | None = None

    @property
    def ending(self) -> tuple[str, ...]:
        """What of it ends with it."""
        return self.processes

    @property
    def runs_here(self) -> bool:
        return DESKTOP in self.desktops

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.program) is not None

    @property
    def version(self) -> str:
        """What Debian's package is of; nothing elsewhere."""
        if not shutil.which('dpkg-query'):
            return ''
        found = output('dpkg-query', '--show', '--showformat=${source:Upstream-Version}', self.package)
        return found.split('+')[0]

    def set_up(self) -> None:
        """Lets it keep as many texts as it can."""

    def launch(self) -> Running:
        """Starts it, without waiting."""
        return Running([self.program])

    @abstractmethod
    def wait_ready(self) -> None:
        """Waits until it answers."""

    @abstractmethod
    def ask(self) -> float:
        """Asks for the history, the way a shortcut would; answers when, in milliseconds."""

    @abstractmethod
    def history(self) -> list[str]:
        """The texts that it holds, or has saved."""

    def fill(self, texts: list[str]) -> None:
        """Adds texts by its own front door; not every peer has one."""
        raise NotImplementedError

    def dismiss(self, screen: Screen) -> None:
        """Takes the history off the screen."""
        screen.settle()
        screen.press('Escape')
        time.sleep(0.7)

    def end(self, running: Running) -> None:
        """Ends it the way a logout would.

        A command that was to show its history may come too late, and become the program itself: it would watch the
        clipboard for the rest of the run.
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
