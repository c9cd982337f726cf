"""Processor time and wake-ups of an idle program."""
import time

from ..bench import FEW_ROWS, Bench
from ..bus import show_copypasta
from ..figure import Figure
from ..process import Running, activity

_SECONDS = 20
# The time after which the work of showing or hiding has ended, and idle threads have exited.
_CALM_SECONDS = 12


def measure_idle(bench: Bench) -> list[Figure]:
    """Measures processor time and wake-ups over 20 s: hidden, and then visible at the same time as the baseline."""
    bench.screen.forget()
    with bench.start_settled(bench.home(FEW_ROWS)) as ours:
        bench.hide()
        hidden, hidden_wake_ups = _watch(ours)[0]
        shown = show_copypasta()
        bench.screen.first_frame(shown)
        bench.screen.settle()
    # Start a new process, which has never been hidden. Start the baseline first, so that CopyPasta's window is active.
    with Running([bench.baseline]) as baseline:
        bench.screen.first_frame(baseline.started)
        with bench.start_settled(bench.home(FEW_ROWS)) as ours:
            (visible, visible_wake_ups), (baseline_time, baseline_wake_ups) = _watch(ours, baseline)
    return [
        Figure(f'processor time over {_SECONDS} s, hidden', 'ms', hidden, '0', note=f'{hidden_wake_ups} wake-ups'),
        Figure(f'processor time over {_SECONDS} s, visible and idle', 'ms', visible, '< 5 ms', baseline_time, 'baseline',
               note=f'{visible_wake_ups} wake-ups; baseline {baseline_wake_ups}'),
    ]


def _watch(*programs: Running) -> list[tuple[float, int]]:
    time.sleep(_CALM_SECONDS)
    before = [activity(program.pid) for program in programs]
    time.sleep(_SECONDS)
    after = [activity(program.pid) for program in programs]
    return [(late.processor_ms(early), late.wake_ups(early)) for early, late in zip(before, after)]
