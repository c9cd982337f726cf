"""A long history against a short one: its start, the key End, and the memory after moving to the end and back."""
import time
from collections.abc import Iterator
from statistics import median

from ..bench import FEW_ROWS, Bench, Program
from ..figure import Reading, Row, Subject
from ..history import Home
from ..process import memory

# A quarter of the window: a scrolled list changes more pixels, and a focus ring or a scroll bar fewer.
_NEW_VIEW_PIXELS = 480 * 640 // 4
_REPETITIONS = 3


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    rows = [
        Row(f'Start with {bench.rows:,} items, against {FEW_ROWS}', 'ms', f'{FEW_ROWS} items', '≤ 1.10'),
        Row(f'End at {bench.rows:,} items, key to drawn', 'ms', f'{FEW_ROWS} items', '< 40 ms'),
        Row(f'Memory, {bench.rows:,} items, against {FEW_ROWS}', 'MiB', f'{FEW_ROWS} items', '≤ +16 MiB', True),
    ]
    many, few = bench.home(program, bench.rows), bench.home(program, FEW_ROWS)
    for _ in range(_REPETITIONS):
        yield rows[0](start_ms(bench, program, many), start_ms(bench, program, few))
    (end, used), (end_of_few, used_of_few) = (end_and_memory(bench, program, home) for home in (many, few))
    yield rows[1](end, end_of_few, 'the rows of few items exist already; of many, GTK builds some 200')
    yield rows[2](used, used_of_few)


def start_ms(bench: Bench, program: Program, home: Home) -> float:
    """The milliseconds from the start of the program to its first frame."""
    with bench.start(program, home) as running:
        return bench.screen.first_frame(running.started).time - running.started


def end_and_memory(bench: Bench, program: Program, home: Home) -> tuple[float, float]:
    """The milliseconds from the key End to the first frame at the end of the list, and the MiB after the key Home."""
    times = []
    with bench.start_settled(program, home) as running:
        for key in ('End', 'Home') * _REPETITIONS:
            pressed = bench.screen.press(key)
            times.append(bench.screen.redrawn(pressed, _NEW_VIEW_PIXELS).time - pressed)
            bench.screen.settle()
        time.sleep(1)
        return median(times[::2]), memory(running.pid)


SCALE = Subject(_sample, lambda bench: max(bench.pairs // 3, 1))
