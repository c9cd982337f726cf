"""sway: copylog.py logs the frames, and a virtual keyboard presses keys."""
import json
import os
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import wayland

from .process import now_ms
from .screen import LoggedScreen

# Message types of sway-ipc(7).
COMMAND, SUBSCRIBE, TREE = 0, 2, 4
_MAGIC = b'i3-ipc'

_CREATE_KEYBOARD, _KEYMAP, _KEY, _MODIFIERS = 0, 0, 1, 2
_FORMAT_TEXT = 1
_LAYOUT = b'''xkb_keymap {
  xkb_keycodes { include "evdev" }; xkb_types { include "complete" };
  xkb_compat { include "complete" }; xkb_symbols { include "pc+us" };
};\0'''
# Key codes of linux/input-event-codes.h, and the bits of modifiers.
_CODES = {'Escape': 1, 'Return': 28, 'Control_L': 29, 'v': 47, 'Home': 102, 'End': 107, 'Down': 108, 'Next': 109,
          'Super_L': 125}
_BITS = {'Control_L': 4, 'Super_L': 64}


class Sway:
    """A connection to the socket that SWAYSOCK names."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(os.environ['SWAYSOCK'])

    def fileno(self) -> int:
        return self._socket.fileno()

    def ask(self, kind: int, words: str = ''):
        """Sends a message, and returns the answer."""
        data = words.encode()
        self._socket.sendall(_MAGIC + struct.pack('=II', len(data), kind) + data)
        return self.next()

    def next(self):
        """The next event after SUBSCRIBE; None after `end`."""
        header = self._receive(len(_MAGIC) + 8)
        return json.loads(self._receive(struct.unpack_from('=I', header, len(_MAGIC))[0])) if header else None

    def end(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)

    def _receive(self, count: int) -> bytes:
        return self._socket.recv(count, socket.MSG_WAITALL)


def windows(node: dict) -> list[dict]:
    """The windows in sway's tree: the nodes with a process."""
    found = [node] if node.get('pid') else []
    return found + [window for child in node['nodes'] + node['floating_nodes'] for window in windows(child)]


class SwayScreen(LoggedScreen):
    """The running sway."""

    name = 'Wayland (sway, headless)'

    def __init__(self) -> None:
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
        super().__init__([sys.executable, os.fspath(Path(__file__).parents[1] / 'copylog.py')])

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
        listener = Sway()
        listener.ask(SUBSCRIBE, '["binding"]')

        def listen() -> None:
            while listener.next():
                subprocess.Popen(command, env=environment)

        threading.Thread(target=listen, daemon=True).start()
        Sway().ask(COMMAND, 'bindsym --no-repeat Ctrl+Mod4+v nop')
        try:
            yield
        finally:
            Sway().ask(COMMAND, 'unbindsym Ctrl+Mod4+v')
            listener.end()

    def _move(self, key: str, state: int) -> None:
        self._connection.request(self._keyboard, _KEY, int(now_ms()), _CODES[key], state)
        if key in _BITS:
            self._held ^= _BITS[key]
            self._connection.request(self._keyboard, _MODIFIERS, self._held, 0, 0, 0)
