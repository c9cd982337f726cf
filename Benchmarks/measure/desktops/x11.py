"""X11: XTest presses keys."""
from Xlib import XK, X, display
from Xlib.ext import xtest

from ..process import now_ms
from ..screen import Screen
from ..watcher import watch_display


class X11Screen(Screen):
    """The X server that DISPLAY names. CopyPasta grabs its shortcut itself there."""

    name = 'X11 (Xvfb)'
    counts_frames = False

    def __init__(self) -> None:
        super().__init__()
        watch_display(self)
        self._display = display.Display()
        # Move the pointer away from the rows, because a row under the pointer is highlighted.
        self._display.screen().root.warp_pointer(0, 0)
        self._display.sync()

    def press(self, *keys: str) -> float:
        codes = [self._display.keysym_to_keycode(XK.string_to_keysym(key)) for key in keys]
        time = now_ms()
        for code in codes:
            xtest.fake_input(self._display, X.KeyPress, code)
        for code in reversed(codes):
            xtest.fake_input(self._display, X.KeyRelease, code)
        self._display.sync()
        return time
