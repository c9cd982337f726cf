"""Times frames on GNOME Shell and KWin, which have no wlr-screencopy, from the messages that a program receives.

WAYLAND_DEBUG makes libwayland print all messages of a program. The event `presented` of wp_presentation means that a
frame is on the screen, with its time on CLOCK_MONOTONIC. For a program that does not request it, the callback of
wl_surface.frame is used, which is called when the next frame may be drawn. Every frame that the toolkit draws counts as a
change, even if it looks the same.
"""
import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO

from gi.repository import GLib

from . import bus
from .gnome_portal import GnomePortal
from .process import Running, now_ms
from .screen import Event, Screen

_MESSAGE = re.compile(r'(-> )?(\w+)[@#](\d+)\.(\w+)\((.*)\)$')
_OBJECT = re.compile(r'\w+[@#](\d+)')


class _Client:
    """The Wayland messages between one program and the compositor."""

    _numbers = count(1)

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        # Maps by protocol id, which may be reused: from a role or request to its surface, from a surface to its window.
        self._surfaces: dict[str, str] = {}
        self._windows: dict[str, int] = {}
        self._feedback: dict[str, str] = {}
        self._callbacks: dict[str, str] = {}
        self._asks_for_feedback = False
        self._shown: set[str] = set()
        self._pixels: dict[str, int] = {}

    def read(self, lines: IO[str]) -> None:
        for line in lines:
            if found := _MESSAGE.search(line):
                _, kind, number, name, arguments = found.groups()
                self._message(f'{kind}.{name}', number, arguments)
        for surface in list(self._windows):
            self._forget(surface)

    def _message(self, message: str, number: str, arguments: str) -> None:
        match message:
            case 'xdg_wm_base.get_xdg_surface':
                role, surface = _OBJECT.findall(arguments)
                self._surfaces[role] = surface
            case 'xdg_surface.get_toplevel':
                self._surfaces['toplevel ' + _OBJECT.findall(arguments)[0]] = self._surfaces[number]
            case 'xdg_toplevel.destroy':
                self._forget(self._surfaces.pop('toplevel ' + number))
            case 'wl_surface.attach' if arguments.startswith('nil'):
                self._forget(number)
            case 'wl_surface.attach' if number not in self._windows and self._is_toplevel(number):
                self._windows[number] = next(self._numbers)
                self._note(now_ms(), 'mapped', number)
            case 'wl_surface.damage_buffer' | 'wl_surface.damage':
                *_, width, height = map(int, arguments.split(', '))
                self._pixels[number] = self._pixels.get(number, 0) + width * height
            case 'wp_presentation.feedback':
                surface, feedback = _OBJECT.findall(arguments)
                self._feedback[feedback] = surface
                self._asks_for_feedback = True
            case 'wp_presentation_feedback.presented':
                high, low, nanoseconds = map(int, arguments.split(', ')[:3])
                self._on_screen(self._feedback.pop(number), (high << 32 | low) * 1e3 + nanoseconds / 1e6)
            case 'wl_surface.frame':
                self._callbacks[_OBJECT.findall(arguments)[0]] = number
            case 'wl_callback.done' if surface := self._callbacks.pop(number, None):
                if not self._asks_for_feedback:
                    self._on_screen(surface, now_ms())

    def _on_screen(self, surface: str, time: float) -> None:
        if surface in self._windows:
            what = 'drawn' if surface in self._shown else 'first'
            self._shown.add(surface)
            self._note(time, what, surface, self._pixels.pop(surface, 0))

    def _is_toplevel(self, surface: str) -> bool:
        return any(role.startswith('toplevel') and of == surface for role, of in self._surfaces.items())

    def _forget(self, surface: str) -> None:
        if surface in self._windows:
            self._note(now_ms(), 'gone', surface)
            del self._windows[surface]
            self._shown.discard(surface)

    def _note(self, time: float, what: str, surface: str, pixels: int = 0) -> None:
        self._screen.note(Event(time, what, self._windows[surface], pixels))


class _FrameScreen(Screen):
    """Follows the messages of each program that is started."""

    def __init__(self) -> None:
        super().__init__()
        Running.reader_environment = {'WAYLAND_DEBUG': 'client'}
        Running.reader = lambda lines: _Client(self).read(lines)


class GnomeScreen(_FrameScreen):
    """The running GNOME Shell, with gnome_shell.js in it. The shortcut uses the portal if the portal is installed."""

    name = 'Wayland (GNOME Shell, headless)'

    def press(self, *keys: str) -> float:
        combination = json.dumps('+'.join(keys))
        return self._evaluate(f'[GLib.get_monotonic_time(), tests.press({combination})][0]') / 1000

    @contextmanager
    def shortcut(self, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        if GnomePortal.is_installed():
            with GnomePortal(self._evaluate, self.press):
                yield
        else:
            # The shell starts the command in its own environment, of which the command needs only the bus address.
            self._evaluate(f'tests.bind("<Control><Super>v", {json.dumps(command)})')
            yield

    def pasted(self) -> str:
        """The text of the shell's previous read, because the shell reads asynchronously."""
        return self._evaluate('tests.paste()')

    def _evaluate(self, code: str):
        done, answer = bus.call('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval',
                                GLib.Variant('(s)', (code,)))
        if not done:
            raise RuntimeError(answer)
        return json.loads(answer)


class KWinScreen(_FrameScreen):
    """The running KWin. Its shortcut, which Tests/Desktop has configured, runs a symbolic link."""

    name = 'Wayland (KWin, on Xvfb)'
    _NAMES = {'Control_L': 'ctrl', 'Super_L': 'super', 'Next': 'Page_Down'}

    def __init__(self) -> None:
        super().__init__()
        self._path = os.environ['XDG_RUNTIME_DIR'] + '/bench-driver'
        fixtures = Path(__file__).parents[2] / 'Tests/TestSupport/Fixtures'
        self._driver = subprocess.Popen([sys.executable, os.fspath(fixtures / 'kwin.py'), self._path],
                                        stdout=subprocess.PIPE, text=True)
        assert self._driver.stdout
        if self._driver.stdout.readline() != 'ready\n':
            raise RuntimeError('kwin.py does not run')

    def close(self) -> None:
        self._driver.kill()
        self._driver.wait()

    def press(self, *keys: str) -> float:
        time = now_ms()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._path)
            with connection.makefile('rw') as stream:
                stream.write('press ' + '+'.join(self._NAMES.get(key, key) for key in keys) + '\n')
                stream.flush()
                stream.read()
        return time

    @contextmanager
    def shortcut(self, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        program = Path(os.environ['XDG_RUNTIME_DIR'], 'shortcut')
        program.unlink(missing_ok=True)
        program.symlink_to(command[0])
        yield
