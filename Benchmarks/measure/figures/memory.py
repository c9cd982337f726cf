"""Memory as the kernel counts it: Rss of smaps_rollup, with Pss in the note."""
import time
from statistics import median

from .. import bus
from ..bench import FEW_ROWS, Bench
from ..figure import Figure, paired, pairs
from ..history import Home
from ..process import Running, memory

_RUNS = 3
_LARGE_TEXTS = 100
_LARGE_TEXT_BYTES = 1_000_000


def after_end_and_home(bench: Bench, home: Home, pss: list[float] | None = None) -> float:
    """Returns the memory in MiB one second after moving to the last row and back to the first."""
    with bench.start_settled(home) as running:
        for key in ('End', 'Home'):
            bench.screen.press(key)
            bench.screen.settle()
        return _later(running, pss)


def measure_memory_against_rows(bench: Bench) -> list[Figure]:
    """Compares the memory with many rows to that with few, each after End and Home."""
    ours: list[float] = []
    theirs: list[float] = []
    many, few = bench.home(bench.rows), bench.home(FEW_ROWS)
    runs = pairs(_RUNS, lambda: after_end_and_home(bench, many, ours), lambda: after_end_and_home(bench, few, theirs))
    return [paired(f'resident, {bench.rows:,} rows, after End and Home', 'MiB', runs, of=f'{FEW_ROWS} rows, the same',
                   target='≤ +16 MiB', difference=True, note=_proportional(ours, theirs))]


def measure_memory_against_baseline(bench: Bench) -> list[Figure]:
    """Compares the memory with few rows to that of the baseline, both measured one second after the first frame."""
    ours: list[float] = []
    theirs: list[float] = []

    def copypasta() -> float:
        with bench.start(bench.home(FEW_ROWS)) as running:
            return _later(running, ours)

    def baseline() -> float:
        bench.screen.forget()
        with Running([bench.baseline]) as running:
            bench.screen.first_frame(running.started)
            return _later(running, theirs)

    return [paired(f'resident, {FEW_ROWS} rows', 'MiB', pairs(_RUNS, copypasta, baseline), of='baseline', target='≤ 1.35',
                   note=_proportional(ours, theirs))]


def measure_memory_hidden(bench: Bench) -> list[Figure]:
    """Compares the memory of a program that was started hidden and never shown with the baseline's in the same state."""
    ours: list[float] = []
    theirs: list[float] = []
    home = bench.home(FEW_ROWS)

    def hidden(command: list[str], name: str, pss: list[float]) -> float:
        with Running(command, home.environment) as running:
            bus.wait_for(name)
            running.rest()
            pss.append(memory(running.pid, 'Pss'))
            return memory(running.pid)

    runs = pairs(_RUNS, lambda: hidden([bench.copypasta, '--background'], bus.COPYPASTA, ours),
                 lambda: hidden([bench.baseline, str(FEW_ROWS)], bus.BASELINE, theirs))
    return [paired(f'resident, hidden since its start, {FEW_ROWS} rows', 'MiB', runs, of='baseline',
                   note=_proportional(ours, theirs))]


def measure_memory_against_large_texts(bench: Bench) -> list[Figure]:
    """Compares the memory with 100 texts of 1 MB in the list to that with 100 words, each after End and Home."""
    large, words = bench.fresh_home('large-texts'), bench.fresh_home('words')
    large.add((f'text {number} ' * (_LARGE_TEXT_BYTES // 8))[:_LARGE_TEXT_BYTES] for number in range(_LARGE_TEXTS))
    words.add(f'word{number}' for number in range(_LARGE_TEXTS))
    runs = pairs(_RUNS, lambda: after_end_and_home(bench, large), lambda: after_end_and_home(bench, words))
    return [paired(f'resident, {_LARGE_TEXTS} texts of 1 MB in the list', 'MiB', runs, of=f'{_LARGE_TEXTS} words',
                   target='≤ +8 MiB', difference=True)]


def _later(running: Running, pss: list[float] | None) -> float:
    time.sleep(1)
    if pss is not None:
        pss.append(memory(running.pid, 'Pss'))
    return memory(running.pid)


def _proportional(ours: list[float], theirs: list[float]) -> str:
    return f'Rss; as Pss {median(ours):.1f} and {median(theirs):.1f} MiB'
