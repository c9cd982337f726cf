"""A text of 50 MB that another program copies while the window is active."""
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from ..bench import FEW_ROWS, Bench, Program
from ..bus import LoopPing
from ..clipboard import PASTE, offered
from ..figure import Reading, Row, Subject
from ..process import now_ms, peak_memory, until

_BYTES = 50_000_000
_STALL = Row('Longest stall of the main loop, 50 MB text', 'ms', 'idle', '< 50 ms')
_ON_DISK = Row('50 MB text: copied to on disk', 'ms', f'one paste by {PASTE[0]}')
_DRAWN = Row('50 MB text: copied to row drawn', 'ms')
_PEAK = Row('50 MB text: most memory', 'MiB')


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    home = bench.copy_home(program, FEW_ROWS)
    file = bench.scratch / 'large.txt'
    line = 'A line of the large text, as long as lines usually are.\n'
    file.write_text((line * (_BYTES // len(line) + 1))[:_BYTES])
    with bench.start_settled(program, home) as running:
        with LoopPing() as idle:
            time.sleep(1)
        newest = home.newest_id()
        with LoopPing() as ping:
            copied = now_ms()
            with offered(file):
                until(lambda: home.newest_id() != newest, timeout=60)
                on_disk = now_ms()
                # The row may be drawn shortly before this loop has seen the text on disk.
                drawn = bench.screen.redrawn(on_disk - 50, 1000).time
                bench.screen.settle()
        peak = peak_memory(running.pid)
    yield _STALL(ping.longest, idle.longest)
    yield _ON_DISK(on_disk - copied, _paste_ms(file))
    yield _DRAWN(drawn - copied)
    yield _PEAK(peak)


def _paste_ms(file: Path) -> float:
    """Returns how long another program takes to receive the same text, in milliseconds."""
    def paste() -> int:
        return subprocess.run(PASTE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode

    with offered(file):
        until(lambda: paste() == 0, timeout=60)
        started = now_ms()
        paste()
        return now_ms() - started


LARGE_TEXT = Subject(_sample, lambda bench: max(bench.pairs // 5, 1))
