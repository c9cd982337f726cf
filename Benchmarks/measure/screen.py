"""The display: what is drawn on it and when, and the keys that a user presses."""
import subprocess
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from Xlib import XK, X, display
from Xlib.ext import xtest

from .process import now_ms


class NothingDrawn(Exception):
    """What was waited for was not drawn in time."""


@dataclass(frozen=True)
class Event:
    """A line of damagelog.c: a window is `mapped`, its `first` frame since then, what was `drawn` later, or it is `gone`.
    """

    time: float
    what: str
    window: int
    width: int
    height: int
    pid: int


@dataclass(frozen=True)
class Picture:
    """How a window came to the screen, in milliseconds since it was asked for: until it was mapped, until it first
    showed content, and until the last change of its pixels."""

    mapped: float
    first: float
    final: float


class Screen:
    """Listens to `damagelog`, which takes the time; presses keys with XTest."""

    def __init__(self, damagelog: Path) -> None:
        self._events: list[Event] = []
        self._news = threading.Condition()
        self._log = subprocess.Popen([damagelog], stdout=subprocess.PIPE, text=True)
        if self._output().readline() != 'ready\n':
            raise RuntimeError('damagelog does not run')
        threading.Thread(target=self._listen, daemon=True).start()
        self._display = display.Display()
        # Where it marks no row.
        self._display.screen().root.warp_pointer(0, 0)
        self._display.sync()

    def close(self) -> None:
        self._log.kill()
        self._log.wait()

    def press(self, *keys: str) -> float:
        """Presses and releases keys, held together; answers when, in milliseconds."""
        codes = [self._display.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
        time = now_ms()
        for code in codes:
            xtest.fake_input(self._display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()
        return time

    def first_frame(self, since: float, timeout: float = 20, of: int | None = None) -> Event:
        """The first frame of a window that is shown (of this process), after a moment in milliseconds."""
        return self.wait(lambda event: event.what == 'first' and of in (None, event.pid), since, timeout)

    def picture(self, asked: float, timeout: float = 20, of: int | None = None) -> Picture:
        """How the window (of this process) came that was asked for at a moment; returns when it changes no more."""
        first = self.first_frame(asked, timeout, of)
        self.settle()
        with self._news:
            events = [event for event in self._events if event.window == first.window and event.time >= asked]
        # A new window may be mapped before it is followed.
        mapped = max((event.time for event in events if event.what == 'mapped' and event.time <= first.time),
                     default=first.time)
        final = max(event.time for event in events if event.what in ('first', 'drawn'))
        return Picture(mapped - asked, first.time - asked, final - asked)

    def gone(self, since: float, timeout: float = 5) -> Event:
        """The moment at which a window went."""
        return self.wait(lambda event: event.what == 'gone', since, timeout)

    def redrawn(self, since: float, pixels: int, timeout: float = 5) -> Event:
        """The first change of at least so many pixels at once: a new view, not only a mark on it."""
        return self.wait(lambda event: event.what == 'drawn' and event.width * event.height >= pixels, since, timeout)

    def wait(self, wanted: Callable[[Event], bool], since: float, timeout: float) -> Event:
        def find() -> Event | None:
            return next((event for event in self._events if event.time >= since and wanted(event)), None)

        with self._news:
            if not self._news.wait_for(lambda: find() is not None, timeout):
                raise NothingDrawn(f'nothing of what was waited for was drawn within {timeout} s')
            event = find()
            assert event
            return event

    def drawn(self, since: float) -> list[Event]:
        """All that was drawn after a moment."""
        with self._news:
            return [event for event in self._events if event.time >= since and event.what in ('first', 'drawn')]

    def settle(self, quiet: float = 0.3, timeout: float = 10) -> None:
        """Waits until nothing has been drawn for some time."""
        deadline = now_ms() + timeout * 1000
        with self._news:
            while self._news.wait(quiet) and now_ms() < deadline:
                pass

    def forget(self) -> None:
        """Drops what was drawn so far."""
        with self._news:
            self._events.clear()

    def _output(self):
        assert self._log.stdout
        return self._log.stdout

    def _listen(self) -> None:
        for line in self._output():
            time, what, *numbers = line.split()
            with self._news:
                self._events.append(Event(float(time), what, *map(int, numbers)))
                self._news.notify_all()
