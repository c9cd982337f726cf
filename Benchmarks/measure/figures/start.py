"""The time from the start of the program to its first frame."""
from ..bench import FEW_ROWS, Bench
from ..figure import Figure, paired, pairs


def measure_start_against_rows(bench: Bench) -> list[Figure]:
    """Compares the start with many rows and with few."""
    many, few = bench.home(bench.rows), bench.home(FEW_ROWS)
    runs = pairs(bench.pairs, lambda: bench.first_frame_ms([bench.copypasta], many.environment),
                 lambda: bench.first_frame_ms([bench.copypasta], few.environment), warm_ups=2)
    return [paired(f'start to first frame, {bench.rows:,} rows', 'ms', runs, of=f'{FEW_ROWS} rows', target='≤ 1.10')]


def measure_start_against_baseline(bench: Bench) -> list[Figure]:
    """Compares the start with few rows and the baseline's start."""
    few = bench.home(FEW_ROWS)
    runs = pairs(bench.pairs, lambda: bench.first_frame_ms([bench.copypasta], few.environment),
                 lambda: bench.first_frame_ms([bench.baseline]), warm_ups=2)
    return [paired(f'start to first frame, {FEW_ROWS} rows', 'ms', runs, of='baseline')]
