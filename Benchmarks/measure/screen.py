"""The screen of a desktop: records what is drawn and when, and presses keys. `desktops` has each kind of desktop."""
import subprocess
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass

from .clipboard import PASTE
from .process import now_ms

# The global shortcut, for `Screen.press`.
SHORTCUT = ('Control_L', 'Super_L', 'v')


class NothingDrawn(Exception):
    """Thrown if an expected event, usually a frame, did not occur in time."""


@dataclass(frozen=True)
class Event:
    """`what` is `first` (a window's first frame with content), `drawn` (a later change) or `gone`."""

    time: float
    what: str
    window: int
    pixels: int


@dataclass(frozen=True)
class Picture:
    """The times of a window in milliseconds since it was requested: until it first showed content, and until the last
    change of its pixels; and the number of changes."""

    first: float
    final: float
    changes: int


class Screen(ABC):
    """Receives the events of a watcher (see `watcher`), and presses keys."""

    # How the results describe the desktop.
    name: str
    # Whether each change is a whole frame; on X11 it is one of the frame's rectangles.
    counts_frames = True

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._last = 0.0
        self._news = threading.Condition()
        # The processes that belong to the screen.
        self.helpers = ExitStack()

    def note(self, event: Event) -> None:
        with self._news:
            self._events.append(event)
            self._last = now_ms()
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
            times = [event.time for event in self._events
                     if event.window == first.window and event.time >= asked and event.what in ('first', 'drawn')]
        return Picture(first.time - asked, max(times) - asked, len(times))

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
            if event := self._news.wait_for(find, timeout):
                return event
        raise NothingDrawn(f'the expected event did not occur within {timeout} s')

    def settle(self, since: float = 0, quiet: float = 0.3, timeout: float = 10) -> None:
        """Waits until nothing has been drawn for `quiet` seconds after the time `since`, for example that of a key."""
        deadline = now_ms() + timeout * 1000
        with self._news:
            while (rest := max(self._last, since) + quiet * 1000 - now_ms()) > 0 and now_ms() < deadline:
                self._news.wait(rest / 1000)

    def forget(self) -> None:
        """Drops all events so far."""
        with self._news:
            self._events.clear()
