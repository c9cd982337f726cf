"""The screen of a desktop: records what is drawn and when, and presses keys. Each kind of desktop has a subclass."""
import os
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from .clipboard import PASTE
from .process import now_ms

# The current desktop.
DESKTOP = os.environ.get('XDG_CURRENT_DESKTOP', 'X11')
# The global shortcut, for `Screen.press`.
SHORTCUT = ('Control_L', 'Super_L', 'v')


class NothingDrawn(Exception):
    """Thrown if an expected event, usually a frame, did not occur in time."""


@dataclass(frozen=True)
class Event:
    """A line of the log. `what` is `mapped`, `first` (a window's first frame), `drawn` (a later change) or `gone`."""

    time: float
    what: str
    window: int
    pixels: int


@dataclass(frozen=True)
class Picture:
    """The times of a window in milliseconds since it was requested: until it was mapped, until it first showed content,
    and until the last change of its pixels."""

    mapped: float
    first: float
    final: float


class Screen(ABC):
    """Records the events on a desktop, and presses keys."""

    # How the results describe the desktop.
    name: str

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._news = threading.Condition()

    def close(self) -> None:
        """Ends the processes that the screen has started."""

    def note(self, event: Event) -> None:
        with self._news:
            self._events.append(event)
            self._news.notify_all()

    @abstractmethod
    def press(self, *keys: str) -> float:
        """Presses keys together, by their X11 names, and releases them. Returns the time in milliseconds."""

    def pasted(self) -> str:
        """The text on the clipboard, as another program reads it."""
        return subprocess.run(PASTE, capture_output=True, text=True, timeout=20).stdout

    def shortcut(self, command: list[str], environment: dict[str, str]) -> AbstractContextManager:
        """Binds SHORTCUT to a command in the desktop's settings, if a program cannot grab the keys itself."""
        return nullcontext()

    def first_frame(self, since: float, timeout: float = 20) -> Event:
        """The first frame of a window that is shown after the time `since`, in milliseconds."""
        return self.wait(lambda event: event.what == 'first', since, timeout)

    def picture(self, asked: float) -> Picture:
        """The times of the window that was requested at `asked`. Returns when it no longer changes."""
        first = self.first_frame(asked)
        self.settle()
        with self._news:
            events = [event for event in self._events if event.window == first.window and event.time >= asked]
        # The log may lack the event that a new window was mapped.
        mapped = max((event.time for event in events if event.what == 'mapped' and event.time <= first.time),
                     default=first.time)
        final = max(event.time for event in events if event.what in ('first', 'drawn'))
        return Picture(mapped - asked, first.time - asked, final - asked)

    def gone(self, since: float, timeout: float = 5) -> Event:
        """The event at which a window was unmapped."""
        return self.wait(lambda event: event.what == 'gone', since, timeout)

    def redrawn(self, since: float, pixels: int, timeout: float = 5) -> Event:
        """The first change of at least `pixels` pixels."""
        return self.wait(lambda event: event.what == 'drawn' and event.pixels >= pixels, since, timeout)

    def wait(self, wanted: Callable[[Event], bool], since: float, timeout: float) -> Event:
        def find() -> Event | None:
            return next((event for event in self._events if event.time >= since and wanted(event)), None)

        with self._news:
            if not self._news.wait_for(lambda: find() is not None, timeout):
                raise NothingDrawn(f'the expected event did not occur within {timeout} s')
            event = find()
            assert event
            return event

    def drawn(self, since: float) -> list[Event]:
        """The frames after `since`."""
        with self._news:
            return [event for event in self._events if event.time >= since and event.what in ('first', 'drawn')]

    def settle(self, quiet: float = 0.3, timeout: float = 10) -> None:
        """Waits until nothing has been drawn for `quiet` seconds."""
        deadline = now_ms() + timeout * 1000
        with self._news:
            while self._news.wait(quiet) and now_ms() < deadline:
                pass

    def forget(self) -> None:
        """Drops all events so far."""
        with self._news:
            self._events.clear()


class LoggedScreen(Screen):
    """Reads the events from `log`, a command that prints them with their times."""

    def __init__(self, log: list[str]) -> None:
        super().__init__()
        self._log = subprocess.Popen(log, stdout=subprocess.PIPE, text=True)
        if self._output().readline() != 'ready\n':
            raise RuntimeError(f'{log[-1]} does not run')
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self) -> None:
        self._log.kill()
        self._log.wait()

    def _output(self):
        assert self._log.stdout
        return self._log.stdout

    def _listen(self) -> None:
        for line in self._output():
            time, what, *numbers = line.split()
            self.note(Event(float(time), what, *map(int, numbers)))
