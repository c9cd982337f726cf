"""Draws start time and memory by the number of rows, of CopyPasta and the installed peers."""
import sys
from pathlib import Path
from statistics import median

from .bench import Bench
from .chart import Chart, Series, svg
from .figures.scale import end_and_memory, start_ms
from .peers.measure import fill, measurable, start_and_memory
from .peers.peer import Peer

_COUNTS = [100, 1_000, 10_000, 100_000, 1_000_000]
# The colours in both charts, which are readable on a light and on a dark background.
_COLOURS = {'CopyPasta': '#1c8a4c', 'CopyQ': '#c2571a', 'GPaste': '#8055c8', 'Klipper': '#2a7ab8',
            'Xfce Clipman': '#b8860b', 'Diodon': '#c03a6b'}


def draw(bench: Bench, file: Path) -> None:
    charts = [Chart('Start to the history on the screen', 'ms'), Chart('Memory with the history on the screen', 'MiB')]
    counts = [count for count in _COUNTS if count <= bench.rows]
    for name, peer in {'CopyPasta': None, **{peer.name: peer for peer in measurable()}}.items():
        try:
            lines = _peer(bench, peer, counts) if peer else [_copypasta(bench, count) for count in counts]
        except Exception as error:  # A peer that fails does not end the run.
            print(f'{name}: not measured: {error}', file=sys.stderr)
            continue
        for count, start, memory in lines:
            print(f'{name}, {count:,} rows: {start:.0f} ms, {memory:.0f} MiB', flush=True)
        for chart, column in zip(charts, (1, 2)):
            chart.series.append(Series(name, _COLOURS[name], [(line[0], line[column]) for line in lines]))
    file.write_text(svg(charts, counts))


def _copypasta(bench: Bench, count: int) -> tuple[int, float, float]:
    """The start time, and the memory after End and Home."""
    program = bench.programs[0]
    home = bench.home(program, count)
    start = median(start_ms(bench, program, home) for _ in range(bench.pairs))
    return count, start, end_and_memory(bench, program, home)[1]


def _peer(bench: Bench, peer: Peer, counts: list[int]) -> list[tuple[int, float, float]]:
    """The same for each number of rows up to the most that the peer can hold; memory is that with the history shown."""
    lines, held = [], 0
    peer.set_up()
    for count in sorted({count for count in counts if count <= peer.most} | {min(peer.most, counts[-1])}):
        fill(peer, count, held)
        held = count
        runs = [start_and_memory(bench, peer) for _ in range(min(bench.pairs, 5))]
        lines.append((count, *map(median, zip(*runs))))
    return lines
