"""Measures the installed peers: start, popup, memory, and copies."""
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median

from .. import desktops, machine
from ..bench import FEW_ROWS, Bench
from ..clipboard import copy_texts
from ..figures.copies import COUNT, GAPS_MS
from ..process import Running
from ..screen import Event, NothingDrawn
from .clipman import Clipman
from .copyq import CopyQ
from .diodon import Diodon
from .gpaste import GPaste
from .klipper import Klipper
from .peer import SETTLE_SECONDS, Peer

PEERS: list[type[Peer]] = [CopyQ, GPaste, Klipper, Clipman, Diodon]
_MOST_RUNS = 5
_PATIENCE_SECONDS = 24


@dataclass
class PeerResult:
    """Times in milliseconds, memory in MiB, kept copies in per cent by their gap; None if it could not be measured."""

    name: str
    start: float | None = None
    first_popup: float | None = None
    popup: float | None = None
    memory: float | None = None
    kept: dict[int, float] = field(default_factory=dict)
    note: str = ''
    taken: machine.Taken | None = None


def measurable() -> list[Peer]:
    """The peers that run on this desktop and are installed. Prints how to install the others."""
    here = [make() for make in PEERS if desktops.CURRENT in make.desktops]
    if missing := [peer.package for peer in here if not shutil.which(peer.program)]:
        print('Not installed: apt-get install --no-install-recommends ' + ' '.join(missing))
    return [peer for peer in here if shutil.which(peer.program)]


def measure(bench: Bench, peer: Peer) -> PeerResult:
    """Measures a peer. What fails is noted, and does not end the run."""
    result = PeerResult(f'{peer.name} {peer.version}'.strip())
    runs = min(bench.pairs, _MOST_RUNS)
    result.taken = machine.taken(bench, os.getloadavg()[0], runs)

    def attempt(what: str, action: Callable[[], None]) -> None:
        try:
            action()
        except Exception as error:
            result.note += f'{what}: {type(error).__name__} {error}' + '; '

    def start() -> None:
        fill(peer, FEW_ROWS)
        values = [start_and_memory(bench, peer) for _ in range(runs)]
        result.start, result.memory = (median(column) for column in zip(*values))

    def popups() -> None:
        with _running(peer):
            # The first popup also builds the window.
            result.first_popup, *later = (_popup_ms(bench, peer) for _ in range(runs + 1))
            result.popup = median(later)

    def copies(gap: int) -> None:
        with _running(peer):
            copied = copy_texts(COUNT, gap, f'copy {gap} {time.monotonic_ns()}')
            time.sleep(SETTLE_SECONDS)
            kept = [] if peer.saves_at_end else peer.history()
        kept = kept or peer.history()
        result.kept[gap] = 100 * len(set(kept) & set(copied)) / COUNT

    attempt('set up', peer.set_up)
    attempt('start', start)
    attempt('popup', popups)
    for gap in GAPS_MS:
        attempt(f'copies {gap} ms apart', lambda: copies(gap))
    return result


def fill(peer: Peer, rows: int, held: int = 0) -> None:
    """Adds texts to a peer's history, which has `held` texts, until it has `rows` texts."""
    texts = [f'Row {number}: a line of text as somebody might have copied it' for number in range(rows)]
    if peer.fills_stopped:
        peer.fill(texts)
        return
    with _running(peer):
        peer.fill(texts[held:])
        time.sleep(SETTLE_SECONDS)


def start_and_memory(bench: Bench, peer: Peer) -> tuple[float, float]:
    """The time from the start to the history on the screen, in milliseconds, and the memory a second later, in MiB."""
    bench.screen.forget()
    running = Running(peer.start_shown) if peer.start_shown else peer.launch()
    try:
        if peer.start_shown:
            drawn = bench.screen.first_frame(running.started)
        else:
            peer.wait_ready()
            _, drawn = _show(bench, peer)
        time.sleep(1)
        used = peer.memory()
        peer.dismiss(bench.screen)
    finally:
        peer.end(running)
    return drawn.time - running.started, used


def _popup_ms(bench: Bench, peer: Peer) -> float:
    bench.screen.forget()
    asked, drawn = _show(bench, peer)
    peer.dismiss(bench.screen)
    return drawn.time - asked


def _show(bench: Bench, peer: Peer) -> tuple[float, Event]:
    """Repeats the request until the history is shown, because some peers own their bus name before they answer."""
    begun = time.monotonic()
    while time.monotonic() < begun + _PATIENCE_SECONDS:
        asked = peer.ask()
        try:
            return asked, bench.screen.first_frame(asked, peer.patience_seconds)
        except NothingDrawn:
            pass
    raise NothingDrawn('its history was never shown')


@contextmanager
def _running(peer: Peer) -> Iterator[None]:
    running = peer.launch()
    try:
        peer.wait_ready()
        time.sleep(SETTLE_SECONDS)
        yield
    finally:
        peer.end(running)
