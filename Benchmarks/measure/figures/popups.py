"""Many popups in a row, with explanations of slow popups."""
from statistics import median

from .. import bus
from ..bench import Bench
from ..figure import Figure
from ..process import Running
from ..trace import Trace

_ROWS = 1_000
_PROGRAMS = 5
_SLOW_MS = 40


def measure_popups(bench: Bench) -> list[Figure]:
    """Measures popups requested over D-Bus in five processes, one after the other. Explains each slow popup immediately."""
    times, slow = [], 0
    for program in range(_PROGRAMS):
        with bench.start_settled(bench.home(_ROWS)) as running:
            bench.hide()
            _popup(bench, running)  # The first popup also builds the rows.
            for number in range(bench.rounds):
                time, why = _popup(bench, running)
                times.append(time)
                if time > _SLOW_MS:
                    slow += 1
                    print(f'  popup {number + 1} of program {program + 1}: {why}', flush=True)
    return [Figure(f'popup, {_PROGRAMS} times {bench.rounds} in a row: asked to final', 'ms', median(times),
                   note=f'worst {max(times):.1f}; above {_SLOW_MS} ms: {slow} of {len(times)}')]


def _popup(bench: Bench, running: Running) -> tuple[float, str]:
    """Returns how long a popup took, in milliseconds, and an explanation."""
    trace = Trace(running.pid)
    asked = bus.toggle(bus.COPYPASTA)
    bench.screen.first_frame(asked)
    why = trace.explain()
    picture = bench.screen.picture(asked)
    bench.hide_again()
    when = f'{picture.final:.0f} ms (mapped {picture.mapped:.0f}, first content {picture.first:.0f})'
    return picture.final, f'{when}; {why}'
