"""sway: a virtual keyboard presses keys."""
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import wayland

from ..process import child, now_ms
from ..screen import Screen
from ..watcher import watch_programs

_CREATE_KEYBOARD, _KEYMAP, _KEY, _MODIFIERS = 0, 0, 1, 2
_FORMAT_TEXT = 1
_LAYOUT = b'''xkb_keymap {
  xkb_keycodes { include "evdev" }; xkb_types { include "complete" };
  xkb_compat { include "complete" }; xkb_symbols { include "pc+us" };
};\0'''
# Key codes of linux/input-event-codes.h, and the bits of modifiers.
_CODES = {'Escape': 1, 'Return': 28, 'Control_L': 29, 'z': 44, 'v': 47, 'comma': 51, 'Home': 102, 'Page_Up': 104,
          'End': 107, 'Down': 108, 'Delete': 111, 'Super_L': 125}
_BITS = {'Control_L': 4, 'Super_L': 64}


class SwayScreen(Screen):
    """The running sway."""

    name = 'Wayland (sway, headless)'

    def __init__(self) -> None:
        super().__init__()
        watch_programs(self)
        self._connection = wayland.Connection()
        manager = self._connection.bind('zwp_virtual_keyboard_manager_v1')
        seat = self._connection.bind('wl_seat')
        self._keyboard = self._connection.new()
        self._connection.request(manager, _CREATE_KEYBOARD, seat, self._keyboard)
        descriptor = os.memfd_create('keymap')
        os.write(descriptor, _LAYOUT)
        self._connection.request(self._keyboard, _KEYMAP, _FORMAT_TEXT, len(_LAYOUT), descriptors=[descriptor])
        os.close(descriptor)
        self._connection.roundtrip()
        self._held = 0

    def press(self, *keys: str) -> float:
        time = now_ms()
        for key in keys:
            self._move(key, 1)
        for key in reversed(keys):
            self._move(key, 0)
        self._connection.roundtrip()
        return time

    @contextmanager
    def shortcut(self, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        """Starts the command in this process when sway reports the key.

        sway does not start it, because sway's programs may lack access to the session bus: if sway is started as root,
        it runs as a different user.
        """
        def listen(events: IO[str]) -> None:
            for _ in events:
                subprocess.Popen(command, env=environment)

        subscribe = ['swaymsg', '--raw', '--monitor', '--type', 'subscribe', '["binding", "tick"]']
        with child(subscribe, stdout=subprocess.PIPE, text=True) as listener:
            listener.stdout.readline()  # A tick, which means that the subscription is active.
            threading.Thread(target=listen, args=[listener.stdout], daemon=True).start()
            subprocess.run(['swaymsg', '--quiet', 'bindsym --no-repeat Ctrl+Mod4+v nop'], check=True)
            yield
            subprocess.run(['swaymsg', '--quiet', 'unbindsym Ctrl+Mod4+v'], check=True)

    def _move(self, key: str, state: int) -> None:
        self._connection.request(self._keyboard, _KEY, int(now_ms()), _CODES[key], state)
        if key in _BITS:
            self._held ^= _BITS[key]
            self._connection.request(self._keyboard, _MODIFIERS, self._held, 0, 0, 0)
