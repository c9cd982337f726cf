"""The programs, the screen and the histories with which all figures are measured."""
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from .history import Home
from .process import Running, now_ms
from .screen import Screen

FEW_ROWS = 100


@dataclass(frozen=True)
class Program:
    """A CopyPasta: the path of its program, and its name in the results."""

    path: str
    name: str


class Bench:
    """The programs under test, whose paths meson-helpers/bench passes in the environment, and a folder for their files.

    `programs` are CopyPasta and, with --against, an older one. `launcher` is the command that is installed as
    bin/copypasta. `pairs` and `rounds` say how often to measure.
    """

    def __init__(self, screen: Screen, pairs: int, rounds: int, rows: int, against: str | None = None,
                 busy: int = 0) -> None:
        self.programs = [Program(os.environ['BENCH_COPYPASTA'], 'CopyPasta')]
        if against:
            version = subprocess.run([against, '--version'], capture_output=True, text=True, check=True).stdout
            self.programs.append(Program(against, version.split()[-1]))
        self.launcher, self.baseline = os.environ['BENCH_LAUNCHER'], os.environ['BENCH_BASELINE']
        self.pairs, self.rounds, self.rows, self.busy = pairs, rounds, rows, busy
        self.scratch = Path(os.environ['BENCH_SCRATCH'])
        self.screen = screen
        self._homes: dict[str, Home] = {}

    # MARK: Histories

    def home(self, program: Program, rows: int) -> Home:
        """The program's home with `rows` short rows. Do not write to it."""
        name = f'{program.name}-{rows}'
        if name not in self._homes:
            self._homes[name] = self.fresh_home(program, name)
            if rows:
                self._homes[name].fill(rows)
        return self._homes[name]

    def fresh_home(self, program: Program, name: str) -> Home:
        """A home with an empty history that the program has created."""
        home = Home(self._folder(name))
        with self.start(program, home):
            pass
        return home

    def copy_home(self, program: Program, rows: int) -> Home:
        """A writable copy of the home with `rows` rows."""
        original = self.home(program, rows).folder
        return Home(shutil.copytree(original, self._folder(f'{original.name}-copy')))

    def _folder(self, name: str) -> Path:
        folder = self.scratch / 'homes' / name
        shutil.rmtree(folder, ignore_errors=True)
        return folder

    # MARK: Programs

    def start(self, program: Program, home: Home) -> Running:
        """Starts CopyPasta and waits for its first frame."""
        self.screen.forget()
        running = Running([program.path], home.environment)
        self.screen.first_frame(running.started)
        return running

    def start_settled(self, program: Program, home: Home) -> Running:
        """Starts CopyPasta and waits until it has loaded and drawn everything."""
        running = self.start(program, home)
        time.sleep(0.5)
        self.screen.settle(now_ms())
        return running

    def hide(self) -> None:
        """Copies a row and hides CopyPasta's window. The text on the clipboard keeps the process running."""
        self.screen.settle(self.screen.press('Home'))
        self.screen.press('Return')
        time.sleep(0.8)  # Wait for the end of the copied row's flash.
        self.hide_again()

    def hide_again(self) -> None:
        """Hides the window of a process that keeps running."""
        self.screen.settle()
        self.screen.gone(self.screen.press('Escape'))
        time.sleep(0.2)
