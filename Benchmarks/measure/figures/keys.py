"""Keys in a long list: End, and Page Down held down."""
import time
from statistics import median

from ..bench import FEW_ROWS, Bench
from ..bus import LoopPing
from ..figure import Figure, Pair, paired, pairs
from ..history import Home

# A quarter of the window: a scrolled list changes more pixels, and a focus ring or a scroll bar fewer.
_NEW_VIEW_PIXELS = 480 * 640 // 4
_NEW_MARK_PIXELS = 5_000  # The focus ring of a row.
_JUMPS = 5
_HELD_SECONDS = 3.0
_REPEAT_SECONDS = 1 / 30
_HOLDS = 3
_OTHER_ROWS = 10_000


def measure_end(bench: Bench) -> list[Figure]:
    """Compares the time from pressing End to the first frame at the end of the list, for many rows and for few."""
    many, few = bench.home(bench.rows), bench.home(FEW_ROWS)
    runs = pairs(max(bench.pairs // 3, 3), lambda: _end_ms(bench, many), lambda: _end_ms(bench, few))
    return [paired(f'End at {bench.rows:,} rows, key to drawn', 'ms', runs, of=f'{FEW_ROWS} rows', target='< 40 ms',
                   note='few rows are built already; of many, GTK builds some 200 anew')]


def measure_page_down_held(bench: Bench) -> list[Figure]:
    """Measures the longest frame while Page Down is held down for 3 s, with 30 repetitions a second.

    Debian's build of GTK has no frame times (GDK_DEBUG=frames), and the gaps between frames depend on the key's
    repetition. So the duration of a frame is taken as the stall of the main loop, which is what the user notices. The
    second figure is the longest time from a key to the next frame, which includes up to 17 ms until the frame is due.
    """
    many, fewer = bench.home(bench.rows), bench.home(_OTHER_ROWS)
    slowest: list[Pair] = []
    longest = pairs(_HOLDS, lambda: _hold(bench, many, slowest), lambda: _hold(bench, fewer, slowest), warm_ups=0)
    ours, theirs = slowest[::2], slowest[1::2]
    to_frame = [(one[0], other[0]) for one, other in zip(ours, theirs)]
    of = f'{_OTHER_ROWS:,} rows'
    return [
        paired('Page Down held: longest frame', 'ms', longest, of=of, target='≤ 25 ms',
               note='longest time that the main loop did not turn'),
        paired('Page Down held: slowest key to drawn', 'ms', to_frame, of=of,
               note=f'median {median(one[1] for one in ours):.1f} ms'),
    ]


def _end_ms(bench: Bench, home: Home) -> float:
    times = []
    with bench.start_settled(home):
        for _ in range(_JUMPS):
            pressed = bench.screen.press('End')
            times.append(bench.screen.redrawn(pressed, _NEW_VIEW_PIXELS).time - pressed)
            bench.screen.settle()
            bench.screen.press('Home')
            bench.screen.settle()
    return median(times)


def _hold(bench: Bench, home: Home, to_frame: list[Pair]) -> float:
    """Returns the longest stall of the main loop. Appends the longest and the median time to a frame to `to_frame`."""
    with bench.start_settled(home), LoopPing() as ping:
        pressed = []
        due = time.monotonic()
        while len(pressed) < _HELD_SECONDS / _REPEAT_SECONDS:
            pressed.append(bench.screen.press('Next'))
            due += _REPEAT_SECONDS
            time.sleep(max(due - time.monotonic(), 0))
        bench.screen.settle()
    drawn = [event.time for event in bench.screen.drawn(pressed[0]) if event.pixels >= _NEW_MARK_PIXELS]
    waits = [min((time - key for time in drawn if time >= key), default=float('inf')) for key in pressed[:-1]]
    to_frame.append((max(waits), median(waits)))
    return ping.longest
