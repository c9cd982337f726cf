"""A text of 50 MB that another program copies while the window is active."""
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from ..bench import FEW_ROWS, Bench
from ..bus import LoopPing
from ..clipboard import PASTE, LargeOwner
from ..figure import Figure
from ..process import now_ms, peak_memory

_BYTES = 50_000_000
_RUNS = 3
_PATIENCE_SECONDS = 60


@dataclass
class _Run:
    on_disk: float
    row_drawn: float
    stall: float
    idle_stall: float
    pasted: float
    peak: float


def measure_large_text(bench: Bench) -> list[Figure]:
    """Measures when the text is on disk and when it is drawn, the main loop's longest stall, and the peak memory."""
    runs = [_run(bench, number) for number in range(_RUNS)]

    def middle(field: str) -> float:
        return median(getattr(run, field) for run in runs)

    return [
        Figure('50 MB text: longest stall of the main loop', 'ms', middle('stall'), '< 50 ms', middle('idle_stall'),
               'idle', note=f'worst run {max(run.stall for run in runs):.0f} ms'),
        Figure('50 MB text: copied to on disk', 'ms', middle('on_disk'), 'captured', middle('pasted'),
               f'one paste by {PASTE[0]}'),
        Figure('50 MB text: copied to row drawn', 'ms', middle('row_drawn'), 'shown'),
        Figure('50 MB text: most memory', 'MiB', middle('peak')),
    ]


def _run(bench: Bench, number: int) -> _Run:
    home = bench.copy_home(FEW_ROWS, f'large-{number}')
    file = bench.scratch / f'large-{number}.txt'
    line = f'A line of the large text number {number}, as long as lines usually are.\n'
    file.write_text((line * (_BYTES // len(line) + 1))[:_BYTES])
    with bench.start_settled(home) as running:
        with LoopPing() as idle:
            time.sleep(1)
        newest = home.newest_id()
        with LoopPing() as ping:
            copied = now_ms()
            with LargeOwner(file):
                while home.newest_id() == newest:
                    if now_ms() - copied > _PATIENCE_SECONDS * 1000:
                        raise TimeoutError('the 50 MB text was not recorded')
                    time.sleep(0.002)
                on_disk = now_ms()
                # The row may be drawn shortly before this loop has seen the text on disk.
                row_drawn = bench.screen.redrawn(on_disk - 50, 1000).time
                bench.screen.settle()
        peak = peak_memory(running.pid)
    pasted = _paste_ms(file)
    file.unlink()
    return _Run(on_disk - copied, row_drawn - copied, ping.longest, idle.longest, pasted, peak)


def _paste_ms(file: Path) -> float:
    """Returns how long another program takes to receive the same text, in milliseconds."""
    with LargeOwner(file):
        time.sleep(0.3)
        started = now_ms()
        subprocess.run(PASTE, stdout=subprocess.DEVNULL, check=True, timeout=60)
        return now_ms() - started
