"""The programs, the screen and the histories with which all figures are measured."""
import os
import shutil
import time
from pathlib import Path

from .frames import GnomeScreen, KWinScreen
from .history import Home
from .process import Running
from .screen import DESKTOP, Screen
from .sway import SwayScreen
from .x11 import X11Screen

FEW_ROWS = 100
_SCREENS = {'sway': SwayScreen, 'GNOME': GnomeScreen, 'KDE': KWinScreen}


class Bench:
    """The programs under test, whose paths meson-helpers/bench passes in the environment, and a folder for their files.

    `launcher` is the command that is installed as bin/copypasta.
    """

    def __init__(self, pairs: int, rows: int, rounds: int = 0) -> None:
        self.copypasta = os.environ['BENCH_COPYPASTA']
        self.launcher = os.environ['BENCH_LAUNCHER']
        self.baseline = os.environ['BENCH_BASELINE']
        self.pagequery = os.environ['BENCH_PAGEQUERY']
        self.pairs = pairs
        self.rows = rows
        self.rounds = rounds
        self.scratch = Path(os.environ['BENCH_SCRATCH'])
        self.screen: Screen = _SCREENS.get(DESKTOP, X11Screen)()
        self._homes: dict[str, Home] = {}

    # MARK: Histories

    def home(self, rows: int) -> Home:
        """The shared home with `rows` short rows. Do not write to it."""
        name = f'rows-{rows}'
        if name not in self._homes:
            home = self.fresh_home(name)
            if rows:
                home.fill(rows)
            self._homes[name] = home
        return self._homes[name]

    def fresh_home(self, name: str) -> Home:
        """A home with an empty history that CopyPasta has created."""
        folder = self.scratch / 'homes' / name
        shutil.rmtree(folder, ignore_errors=True)
        home = Home(folder)
        with self.start(home):
            pass
        return home

    def copy_home(self, rows: int, name: str) -> Home:
        """A writable copy of the home with `rows` rows."""
        self.home(rows)
        folder = self.scratch / 'homes' / name
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.scratch / 'homes' / f'rows-{rows}', folder)
        return Home(folder)

    # MARK: Programs

    def start(self, home: Home) -> Running:
        """Starts CopyPasta and waits for its first frame."""
        self.screen.forget()
        running = Running([self.copypasta], home.environment)
        self.screen.first_frame(running.started)
        return running

    def start_settled(self, home: Home) -> Running:
        """Starts CopyPasta and waits until it has loaded and drawn everything."""
        running = self.start(home)
        time.sleep(0.5)
        self.screen.settle()
        return running

    def first_frame_ms(self, command: list[str], environment: dict[str, str] | None = None) -> float:
        """Starts a program, and ends it after its first frame. Returns the time from start to frame, in milliseconds."""
        self.screen.forget()
        with Running(command, environment) as running:
            drawn = self.screen.first_frame(running.started)
        return drawn.time - running.started

    def hide(self) -> None:
        """Copies a row and hides CopyPasta's window. The text on the clipboard keeps the process running."""
        self.screen.press('Home')
        self.screen.settle()
        self.screen.press('Return')
        time.sleep(0.8)  # Wait for the end of the copied row's flash.
        self.hide_again()

    def hide_again(self) -> None:
        """Hides the window of a process that keeps running."""
        self.screen.settle()
        pressed = self.screen.press('Escape')
        self.screen.gone(pressed)
        time.sleep(0.2)
