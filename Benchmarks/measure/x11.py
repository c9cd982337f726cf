"""X11: damagelog takes the time, and keys are pressed with XTest."""
import os

from Xlib import XK, X, display
from Xlib.ext import xtest

from .process import now_ms
from .screen import LoggedScreen


class X11Screen(LoggedScreen):
    """The X server that DISPLAY names. CopyPasta takes its shortcut by itself there."""

    name = 'X11 (Xvfb)'

    def __init__(self) -> None:
        super().__init__([os.environ['BENCH_DAMAGELOG']])
        self._display = display.Display()
        # Where it marks no row.
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
