"""Down and Enter typed right after the shortcut, as by a user who knows the position of the text."""
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..bench import Bench
from ..figure import Figure
from ..process import Busy
from ..screen import SHORTCUT, NothingDrawn

_ROWS = 10
_GAPS_MS = (50, 25, 0)
_BUSY = 2
# How long to wait for the text on the clipboard.
_PATIENCE_SECONDS = 2


class _Other:
    """The program that has the focus before the shortcut is pressed."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self._is_active = False
        command = [sys.executable, os.fspath(Path(__file__).parents[2] / 'other.py')]
        environment = {**os.environ, 'GSK_RENDERER': 'cairo'}
        self._child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        threading.Thread(target=self._listen, daemon=True).start()

    def __enter__(self) -> '_Other':
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.wait()

    def has_focus(self) -> bool:
        """Whether the program has kept the focus for 0.1 s; a grabbed key takes the focus away for a moment."""
        return self._is_active and not time.sleep(0.1) and self._is_active

    def _listen(self) -> None:
        assert self._child.stdout
        for line in self._child.stdout:
            word, *key = line.split()
            if word == 'key':
                self.keys += key
            else:
                self._is_active = word == 'active'


def measure_typed(bench: Bench) -> list[Figure]:
    """Measures how often the right text was on the clipboard, and how often a key reached the program in front."""
    return [_typed(bench, gap, busy) for busy in (0, _BUSY) for gap in _GAPS_MS]


def _typed(bench: Bench, gap: int, busy: int) -> Figure:
    home = bench.copy_home(_ROWS, 'typed')
    home.set('hide-after-copying', 'true')
    command = [bench.launcher, '--toggle']
    count = bench.rounds * 2
    right = elsewhere = 0
    with bench.start_settled(home), _Other() as other, bench.screen.shortcut(command, home.environment):
        # Copy a row in CopyPasta, which is behind the other window. The text on the clipboard keeps CopyPasta running.
        _until(other.has_focus)
        bench.screen.press(*SHORTCUT)
        bench.screen.settle()
        bench.screen.press('Return')
        _until(other.has_focus)
        with Busy(busy):
            for number in range(count):
                # Choose a different text than in the last round.
                downs = 1 + number % 2
                wanted = home.texts()[-1 - downs]
                other.keys.clear()
                asked = bench.screen.press(*SHORTCUT)
                for key in ['Down'] * downs + ['Return']:
                    time.sleep(gap / 1000)
                    bench.screen.press(key)
                is_right = _until(lambda: 'Return' in other.keys or bench.screen.pasted() == wanted, _PATIENCE_SECONDS)
                is_elsewhere = any(key in ('Down', 'Return') for key in other.keys)
                right += is_right and not is_elsewhere
                elsewhere += is_elsewhere
                if 'Return' in other.keys:
                    # CopyPasta's window still appears, and stays open.
                    with suppress(NothingDrawn):
                        bench.screen.first_frame(asked, timeout=5)
                    bench.screen.settle()
                while not _until(other.has_focus, _PATIENCE_SECONDS):
                    bench.screen.press('Escape')
    beside = f', beside {busy} busy processes' if busy else ''
    what = f'{gap} ms apart' if gap else 'without a gap'
    return Figure(f'Down and Enter behind the shortcut, {what}{beside}: right text', '%', 100 * right / count,
                  note=f'of {count}: {elsewhere} times a key went to another program, '
                       f'{count - right - elsewhere} times it was another text all the same')


def _until(condition: Callable[[], bool], timeout: float = 20) -> bool:
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
