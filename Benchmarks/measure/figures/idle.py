"""Processor time and wake-ups of the hidden program."""
import time
from collections.abc import Iterator

from ..bench import FEW_ROWS, Bench, Program
from ..figure import Reading, Row, Subject
from ..process import activity, activity_since

_SECONDS = 20
# The time after which the work of hiding has ended, and idle threads have exited.
_CALM_SECONDS = 12
_ROW = Row(f'Processor time of {_SECONDS} s hidden', 'ms', target='0')


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    with bench.start_settled(program, bench.home(program, FEW_ROWS)) as running:
        bench.hide()
        time.sleep(_CALM_SECONDS)
        before = activity(running.pid)
        time.sleep(_SECONDS)
        ran, wake_ups = activity_since(before, running.pid)
    yield _ROW(ran, note=f'{wake_ups} wake-ups')


IDLE = Subject(_sample, lambda bench: 1)
