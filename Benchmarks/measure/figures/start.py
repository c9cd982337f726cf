"""The start of the program with its window, and its memory a second later."""
import time
from collections.abc import Iterator

from ..bench import FEW_ROWS, Bench, Program
from ..figure import Reading, Row, Subject
from ..process import Running, activity_since, memory

_ROWS = [
    Row('Start to the first frame', 'ms', 'baseline'),
    Row('Start to the last change on the screen', 'ms', 'baseline'),
    Row('Processor time of a start', 'ms', 'baseline'),
    Row(f'Memory (Rss), {FEW_ROWS} items', 'MiB', 'baseline', '≤ 1.35'),
    Row('Frames of a start', '', 'baseline'),
]


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    home = bench.home(program, FEW_ROWS)
    ours, theirs = (_start(bench, [path], home.environment) for path in (program.path, bench.baseline))
    for row, value, reference in zip(_ROWS, ours, theirs):
        yield row(value, reference)


def _start(bench: Bench, command: list[str], environment: dict[str, str]) -> list[float]:
    """Starts a program, and returns its values in the order of the rows."""
    bench.screen.forget()
    with Running(command, environment) as running:
        picture = bench.screen.picture(running.started)
        spent = activity_since({}, running.pid)[0]
        time.sleep(0.7)
        values = [picture.first, picture.final, spent, memory(running.pid)]
    return values + [picture.changes] * bench.screen.counts_frames


START = Subject(_sample, lambda bench: bench.pairs, warm_ups=1)
