"""Popups: the time from the request until the last change of the pixels."""
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import ceil

from .. import bus
from ..bench import Bench, Program
from ..figure import Reading, Row, Subject
from ..process import Running, activity, activity_since, busy
from ..screen import SHORTCUT, Picture

_ROWS = 1_000
# Popups of one process, before the other program has its turn: both have the same name on the bus.
_BLOCK = 10
_BUSY = 4

_BY_CALL = Row('Popup by a D-Bus call, to the last change', 'ms', 'baseline')
_BY_KEY = Row('Popup by the shortcut', 'ms', 'baseline')
_AGAINST_ONCE = Row('Popup by a D-Bus call, against a baseline drawn once', 'ms', 'baseline drawn once')
_PROCESSOR = Row('Processor time of a popup', 'ms', 'baseline')
_FRAMES = Row('Frames of a popup', '', 'baseline')
_NEXT_TO_BUSY = Row('The same next to four busy processes', 'ms', 'baseline')
_FIRST = Row('First popup after `--background`, against the second', 'ms', 'the second')


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    with ExitStack() as running:
        baseline, once, ours, key = _start(bench, program, running)
        for _ in range(min(_BLOCK, bench.rounds)):
            reference, spent_by_baseline = baseline()
            drawn_once, _ = once()
            picture, spent = ours()
            yield _BY_CALL(picture.final, reference.final)
            yield _AGAINST_ONCE(picture.final, drawn_once.final)
            yield _PROCESSOR(spent, spent_by_baseline)
            if bench.screen.counts_frames:
                yield _FRAMES(picture.changes, reference.changes)
            yield _BY_KEY(key()[0].final, reference.final)


def _sample_busy(bench: Bench, program: Program) -> Iterator[Reading]:
    with ExitStack() as running:
        baseline, _, _, key = _start(bench, program, running)
        running.enter_context(busy(_BUSY))
        for _ in range(min(_BLOCK, bench.rounds)):
            reference, _ = baseline()
            yield _NEXT_TO_BUSY(key()[0].final, reference.final)


def _sample_first(bench: Bench, program: Program) -> Iterator[Reading]:
    """Starts the program hidden, and waits until it is idle."""
    with Running([program.path, '--background'], bench.home(program, _ROWS).environment) as running:
        bus.wait_for(bus.COPYPASTA)
        running.rest()
        first = bench.screen.picture(bus.toggle(bus.COPYPASTA))
        bench.hide_again()
        second = bench.screen.picture(bus.toggle(bus.COPYPASTA))
        yield _FIRST(first.final, second.final)


def _start(bench: Bench, program: Program, running: ExitStack) -> list[Callable[[], tuple[Picture, float]]]:
    """Starts both baselines and the program. Returns functions that show a popup of each; the last by the shortcut."""
    baseline, once = (_baseline(bench, running, name) for name in (bus.BASELINE, bus.BASELINE_ONCE))
    home = bench.home(program, _ROWS)
    process = running.enter_context(bench.start_settled(program, home))
    bench.hide()
    running.enter_context(bench.screen.shortcut([bench.launcher, '--toggle'], home.environment))

    def popup(ask: Callable[[], float]) -> tuple[Picture, float]:
        return _timed(process, lambda: bench.screen.picture(ask()), bench.hide_again)

    popups = [baseline, once, lambda: popup(lambda: bus.toggle(bus.COPYPASTA)),
              lambda: popup(lambda: bench.screen.press(*SHORTCUT))]
    for show in popups:
        show()  # The first popup also builds the rows.
    return popups


def _baseline(bench: Bench, running: ExitStack, name: str) -> Callable[[], tuple[Picture, float]]:
    process = running.enter_context(Running([bench.baseline, str(_ROWS), *([name] * (name != bus.BASELINE))]))
    bus.wait_for(name)

    def hide() -> None:
        bench.screen.gone(bus.toggle(name))
        time.sleep(0.2)

    return lambda: _timed(process, lambda: bench.screen.picture(bus.toggle(name)), hide)


def _timed(process: Running, show: Callable[[], Picture], hide: Callable[[], None]) -> tuple[Picture, float]:
    """Shows and hides a popup. Returns its picture, and the processor time that it took."""
    before = activity(process.pid)
    picture = show()
    spent = activity_since(before, process.pid)[0]
    hide()
    return picture, spent


def _blocks(bench: Bench) -> int:
    return ceil(bench.rounds / _BLOCK)


POPUPS = Subject(_sample, _blocks)
BUSY = Subject(_sample_busy, _blocks)
FIRST = Subject(_sample_first, lambda bench: bench.pairs)
