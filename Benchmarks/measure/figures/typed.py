"""Down and Enter typed right after the shortcut, as by a user who knows the position of the text."""
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from ..bench import Bench, Program
from ..figure import Reading, Row, Subject
from ..process import child, until
from ..screen import SHORTCUT, NothingDrawn

_ROWS = 10
_GAPS_MS = {50: '50 ms apart', 25: '25 ms apart', 0: 'without a gap'}
# How long to wait for the text on the clipboard.
_PATIENCE_SECONDS = 2


class _Other:
    """What the program that has the focus before the shortcut is pressed prints."""

    def __init__(self, lines: IO[str]) -> None:
        self.keys: list[str] = []
        self._is_active = False
        threading.Thread(target=self._listen, args=[lines], daemon=True).start()

    def has_focus(self) -> bool:
        """Whether the program has kept the focus for 0.1 s; a grabbed key takes the focus away for a moment."""
        return self._is_active and not time.sleep(0.1) and self._is_active

    def _listen(self, lines: IO[str]) -> None:
        for line in lines:
            word, *key = line.split()
            if word == 'key':
                self.keys += key
            else:
                self._is_active = word == 'active'


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    home = bench.copy_home(program, _ROWS)
    program_in_front = [sys.executable, Path(__file__).parents[2] / 'other.py']
    with (bench.start_settled(program, home),
          child(program_in_front, stdout=subprocess.PIPE, text=True, env=os.environ | {'GSK_RENDERER': 'cairo'}) as front,
          bench.screen.shortcut([bench.launcher, '--toggle'], home.environment)):
        other = _Other(front.stdout)
        # Copy a row in CopyPasta, which is behind the other window. The text on the clipboard keeps CopyPasta running.
        until(other.has_focus)
        bench.screen.settle(bench.screen.press(*SHORTCUT))
        bench.screen.press('Return')
        until(other.has_focus)
        for gap, how in _GAPS_MS.items():
            # Choose a different text than in the last round.
            for downs in (1, 2) * bench.rounds:
                result = _type(bench, other, gap, downs, home.texts()[-1 - downs])
                yield Row(f'Keys after the shortcut, {how}: right text', '%')(100 * (result == 'right'))
                yield Row(f'Of these, a key reached the other program, {how}', '%')(100 * (result == 'elsewhere'))


def _type(bench: Bench, other: _Other, gap: int, downs: int, wanted: str) -> str:
    """Chooses a row. Returns `right`, `wrong`, or `elsewhere` if the other program received a key."""
    other.keys.clear()
    asked = bench.screen.press(*SHORTCUT)
    for key in ['Down'] * downs + ['Return']:
        time.sleep(gap / 1000)
        bench.screen.press(key)
    is_right = _holds(lambda: 'Return' in other.keys or bench.screen.pasted() == wanted)
    result = 'elsewhere' if {'Down', 'Return'} & set(other.keys) else 'right' if is_right else 'wrong'
    if 'Return' in other.keys:
        # CopyPasta's window still appears, and stays open.
        with suppress(NothingDrawn):
            bench.screen.first_frame(asked, timeout=5)
        bench.screen.settle()
    while not _holds(other.has_focus):
        bench.screen.press('Escape')
    return result


def _holds(condition: Callable[[], bool]) -> bool:
    """Whether the condition holds within `_PATIENCE_SECONDS`."""
    try:
        until(condition, _PATIENCE_SECONDS)
    except TimeoutError:
        return False
    return True


TYPED = Subject(_sample, lambda bench: 1)
