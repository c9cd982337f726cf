"""The copies that are recorded while the window is active, and the bytes written for them."""
import time
from statistics import median

from ..bench import FEW_ROWS, Bench
from ..bus import LoopPing
from ..clipboard import copy_texts
from ..figure import Figure, paired, pairs
from ..history import Home
from ..process import bytes_written, stolen_ms

COPIES = 200
_RUNS = 3
_CAPTURES = 50
_CAPTURE_GAP_MS = 60


def measure_copies(bench: Bench) -> list[Figure]:
    """Measures how many of one program's 200 copies are recorded while the list is shown, and in which order."""
    return [figure for rows in (FEW_ROWS, bench.rows) for gap, target in ((20, '100 %'), (5, '≥ 99 %'))
            for figure in _recorded(bench, rows, gap, target)]


def measure_bytes_written(bench: Bench) -> list[Figure]:
    """Compares the bytes written for a capture (the average of 50) for a history of many rows and one of few rows."""
    many, few = bench.copy_home(bench.rows, 'captures-many'), bench.copy_home(FEW_ROWS, 'captures-few')
    runs = pairs(_RUNS, lambda: _kib_per_capture(bench, many), lambda: _kib_per_capture(bench, few), warm_ups=0)
    return [paired(f'written for one capture, {bench.rows:,} rows', 'KiB', runs, of=f'{FEW_ROWS} rows',
                   target='≤ 1.2', note=f'write_bytes of {_CAPTURES} captures, in whole pages')]


def _recorded(bench: Bench, rows: int, gap: int, target: str) -> list[Figure]:
    shares, stalls, stolen, faults, missing = [], [], [], set(), []
    home = bench.copy_home(rows, f'copies-{rows}')
    for run in range(_RUNS):
        with bench.start_settled(home):
            before, stolen_before = home.newest_id(), stolen_ms()
            with LoopPing() as ping:
                copied = copy_texts(COPIES, gap, f'copy {gap} {run}')
                _wait_for_rest(home)
            stolen.append(stolen_ms() - stolen_before)
        kept = home.texts(before)
        missing += [number for number, text in enumerate(copied) if text not in kept]
        shares.append(100 * len(set(kept) & set(copied)) / COPIES)
        stalls.append(ping.longest)
        if len(set(kept)) < len(kept):
            faults.add('some twice')
        if kept != [text for text in copied if text in kept]:
            faults.add('out of order')
    note = ', '.join(sorted(faults)) or 'in order, each once'
    if missing:
        note += f'; missing: nr {", ".join(map(str, missing[:6]))}' + ('…' if len(missing) > 6 else '')
    worst = min(zip(shares, stolen))
    what = f'{COPIES} copies {gap} ms apart, {rows:,} rows'
    return [Figure(f'recorded of {what}', '%', median(shares), target,
                   note=f'{note}; worst run {worst[0]:g} %, {worst[1]:.0f} ms stolen'),
            Figure(f'longest stall of the main loop: {what}', 'ms', median(stalls), '< 25 ms',
                   note=f'worst run {max(stalls):.0f} ms')]


def _wait_for_rest(home: Home) -> None:
    count = -1
    while count != home.count():
        count = home.count()
        time.sleep(0.3)


def _kib_per_capture(bench: Bench, home: Home) -> float:
    with bench.start_settled(home) as running:
        before, newest = bytes_written(running.pid), home.newest_id()
        copy_texts(_CAPTURES, _CAPTURE_GAP_MS, f'capture {time.monotonic_ns()}')
        _wait_for_rest(home)
        return (bytes_written(running.pid) - before) / 1024 / (home.newest_id() - newest)
