"""The frame watcher: tells a screen which windows are drawn and unmapped, and when.

Works with programs of any toolkit: on X11 the server reports the frames with DAMAGE (damagelog.c), on Wayland the
program itself. There, WAYLAND_DEBUG makes libwayland print all messages of a program. The event `presented` of
wp_presentation means that a frame is on the screen, with its time on CLOCK_MONOTONIC. For a program that does not request
it, the callback of wl_surface.frame is used, which is called when the next frame may be drawn. X11 compares the pixels;
on Wayland every frame counts as a change, even if it looks the same.
"""
import os
import re
import subprocess
import threading
from itertools import count
from typing import IO

from .process import Running, child, now_ms
from .screen import Event, Screen

_MESSAGE = re.compile(r'(-> )?(\w+)[@#](\d+)\.(\w+)\((.*)\)$')
_OBJECT = re.compile(r'\w+[@#](\d+)')


def watch_display(screen: Screen) -> None:
    """Watches all windows of the X server."""
    log = screen.helpers.enter_context(child([os.environ['BENCH_DAMAGELOG']], stdout=subprocess.PIPE, text=True))
    assert log.stdout
    if log.stdout.readline() != 'ready\n':
        raise RuntimeError('damagelog does not run')

    def listen(lines: IO[str]) -> None:
        for line in lines:
            time, what, *numbers = line.split()
            screen.note(Event(float(time), what, *map(int, numbers)))

    threading.Thread(target=listen, args=[log.stdout], daemon=True).start()


def watch_programs(screen: Screen) -> None:
    """Watches the windows of each program that `Running` starts from now on."""
    Running.reader_environment = {'WAYLAND_DEBUG': 'client'}
    Running.reader = lambda lines: _Client(screen).read(lines)


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
