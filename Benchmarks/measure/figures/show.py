"""The time to show a window: until it is mapped, until it first shows content, and until its last change."""
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from statistics import median

from .. import bus
from ..bench import Bench
from ..figure import Figure, paired
from ..peers import measure as peers
from ..process import Busy, Quota, Running, now_ms, processes_named
from ..screen import SHORTCUT, NothingDrawn, Picture

_ROWS = 1_000
_ROUNDS = 20
_BUSY = 4
_KEY = 'global shortcut'
_WAYS = ['D-Bus call', '--toggle', _KEY]


@dataclass
class _Way:
    """A way to show a window, and the way to hide it again."""

    name: str
    show: Callable[[], Picture]
    hide: Callable[[], None]
    processes: Callable[[], list[int]]


def measure_start(bench: Bench) -> list[Figure]:
    """Measures the time from the start of the program, compared with the baseline."""
    home = bench.home(_ROWS)

    def start(program: str) -> Picture:
        bench.screen.forget()
        with Running([program], home.environment) as running:
            return bench.screen.picture(running.started)

    rounds = [(start(bench.copypasta), start(bench.baseline)) for _ in range(_ROUNDS + 1)][1:]
    return [_figure('start', rounds, 'baseline')]


def measure_first_popup(bench: Bench) -> list[Figure]:
    """Starts a program hidden, waits until it is idle, and compares its first popup with its second."""
    home = bench.home(_ROWS)

    def popups() -> tuple[Picture, Picture]:
        with Running([bench.copypasta, '--background'], home.environment) as running:
            bus.wait_for(bus.COPYPASTA)
            running.rest()
            first = bench.screen.picture(bus.toggle(bus.COPYPASTA))
            bench.hide_again()
            second = bench.screen.picture(bus.toggle(bus.COPYPASTA))
        bench.screen.settle()
        return first, second

    return [_figure('first popup after --background', [popups() for _ in range(_ROUNDS)], 'the second one')]


def measure_popup(bench: Bench) -> list[Figure]:
    """Measures how fast windows are shown again: in turn those of CopyPasta, the baselines and the installed peers."""
    return _measure_popups(bench, '', bench.rounds, _WAYS, nullcontext())


def measure_popup_busy(bench: Bench) -> list[Figure]:
    """Measures the same windows while four other processes are busy."""
    return _measure_popups(bench, f', beside {_BUSY} busy processes', bench.rounds, [_KEY], Busy(_BUSY))


def measure_popup_slow(bench: Bench) -> list[Figure]:
    """Measures the same windows with half of a processor for each program."""
    return _measure_popups(bench, ', half of a processor', bench.rounds, [_KEY], Quota(0.5))


def _measure_popups(bench: Bench, how: str, count: int, ways: list[str],
                    stress: AbstractContextManager) -> list[Figure]:
    with ExitStack() as running:
        baseline = _baseline(bench, running, bus.BASELINE)
        others = [_baseline(bench, running, bus.BASELINE_ONCE), *_copypasta(bench, running, ways),
                  *_peers(bench, running)]
        rounds: dict[str, list[tuple[Picture, Picture]]] = {way.name: [] for way in others}
        running.enter_context(stress)
        if isinstance(stress, Quota):
            for way in (baseline, *others):
                for pid in way.processes():
                    stress.limit(pid)
        for _ in range(count + 1):
            reference = _popup(baseline)
            for way in others:
                picture = _popup(way)
                if reference and picture:
                    rounds[way.name].append((picture, reference))
    # Leave out the first round, in which the programs build their rows.
    return [_figure(f'popup, {way.name}{how}', rounds[way.name][1:], 'baseline')
            for way in others if rounds[way.name][1:]]


def _popup(way: _Way) -> Picture | None:
    """Returns the times of a popup; None if it did not appear, which happens with peers."""
    try:
        return way.show()
    except NothingDrawn:
        return None
    finally:
        way.hide()


def _figure(name: str, rounds: list[tuple[Picture, Picture]], of: str) -> Figure:
    ours, theirs = zip(*rounds)
    return paired(f'{name}: asked to final', 'ms', [(one.final, other.final) for one, other in rounds], of=of,
                  note=f'{_described(ours)}; {of}: {_described(theirs)}')


def _described(pictures: tuple[Picture, ...]) -> str:
    mapped, first = (median(getattr(picture, what) for picture in pictures) for what in ('mapped', 'first'))
    return f'mapped {mapped:.1f}, first content {first:.1f}, worst {max(picture.final for picture in pictures):.1f}'


def _baseline(bench: Bench, running: ExitStack, name: str) -> _Way:
    def hide() -> None:
        bench.screen.gone(bus.toggle(name))
        time.sleep(0.2)

    is_drawn_once = name == bus.BASELINE_ONCE
    program = running.enter_context(Running([bench.baseline, str(_ROWS), *([name] if is_drawn_once else [])]))
    bus.wait_for(name)
    return _Way('baseline drawn once' if is_drawn_once else 'baseline',
                lambda: bench.screen.picture(bus.toggle(name)), hide, lambda: [program.pid])


def _copypasta(bench: Bench, running: ExitStack, ways: list[str]) -> list[_Way]:
    home = bench.home(_ROWS)
    program = running.enter_context(bench.start_settled(home))
    bench.hide()
    command = [bench.launcher, '--toggle']
    running.enter_context(bench.screen.shortcut(command, home.environment))

    def launch() -> Picture:
        started = now_ms()
        with Running(command, home.environment):
            return bench.screen.picture(started)

    calls = {'D-Bus call': lambda: bench.screen.picture(bus.toggle(bus.COPYPASTA)), '--toggle': launch,
             _KEY: lambda: bench.screen.picture(bench.screen.press(*SHORTCUT))}
    return [_Way(name, calls[name], bench.hide_again, lambda: [program.pid]) for name in ways]


def _peers(bench: Bench, running: ExitStack) -> list[_Way]:
    ways = []
    for peer in peers.measurable():
        if peer.is_shell:
            continue
        peer.set_up()
        peers.fill(bench, peer, min(_ROWS, peer.most))
        running.callback(peer.end, peer.launch())
        peer.wait_ready()
        ways.append(_Way(peer.name, lambda peer=peer: bench.screen.picture(peers.show(bench, peer)[0]),
                         lambda peer=peer: peer.dismiss(bench.screen),
                         lambda peer=peer: processes_named(*peer.processes)))
    return ways
