"""Showing a window that was hidden."""
from statistics import median

from ..bench import Bench
from ..bus import show_copypasta
from ..figure import Figure
from ..process import Running

# Klipper 5.27, measured with the design of CopyPasta; in a run with --peers the best one of that run takes its place.
_RECORDED_BEST = 17.0


def measure_show(bench: Bench) -> list[Figure]:
    """From the shortcut, the call over D-Bus, and a second launch, to the first frame; at many rows."""
    home = bench.home(bench.rows)
    pressed, called, launched = [], [], []
    with bench.start_settled(home):
        bench.hide()
        for _ in range(bench.pairs):
            asked = bench.screen.press('Control_L', 'Super_L', 'v')
            pressed.append(bench.screen.first_frame(asked).time - asked)
            bench.hide_again()
            asked = show_copypasta()
            called.append(bench.screen.first_frame(asked).time - asked)
            bench.hide_again()
            with Running([bench.copypasta], home.environment) as second:
                launched.append(bench.screen.first_frame(second.started).time - second.started)
            bench.hide_again()
    return [
        Figure('show the hidden window, D-Bus call to drawn', 'ms', median(called), '≤ 1.0', _RECORDED_BEST,
               'Klipper, recorded'),
        Figure('the same, global shortcut pressed to drawn', 'ms', median(pressed)),
        Figure('the same by launching it a second time', 'ms', median(launched)),
    ]
