"""Measures the installed peers."""
import time
from collections.abc import Callable
from statistics import median

from ..bench import FEW_ROWS, Bench
from ..clipboard import copy_texts
from ..figure import Figure
from ..figures.capture import COPIES
from ..process import Running
from ..screen import Event, NothingDrawn
from .clipman import Clipman
from .copyq import CopyQ
from .diodon import Diodon
from .gpaste import GPaste
from .klipper import Klipper
from .peer import Peer
from .results import PeerResult

PEERS: list[type[Peer]] = [CopyQ, GPaste, Klipper, Clipman, Diodon]
_RUNS = 5
_SETTLE_SECONDS = 1.5
_ASKS = 40


def measurable() -> list[Peer]:
    """The peers that are installed and run on this desktop."""
    return [peer for peer in (make() for make in PEERS) if peer.runs_here and peer.is_installed]


def measure(bench: Bench) -> list[PeerResult]:
    """Measures each installed peer. Prints how to install the missing peers."""
    peers = [make() for make in PEERS]
    missing = [peer.package for peer in peers if peer.runs_here and not peer.is_installed]
    if missing:
        print('Not installed: apt-get install --no-install-recommends ' + ' '.join(missing))
    elsewhere = [PeerResult(peer.name, note='not on this desktop') for peer in peers if not peer.runs_here]
    return [_measure(bench, peer) for peer in measurable()] + elsewhere


def compare(figures: list[Figure], results: list[PeerResult]) -> None:
    """Sets the reference of the figures for recorded copies to the best peer's share in this run."""
    for figure in figures:
        for gap in (20, 5):
            kept = [(result.kept[gap], result.name) for result in results if gap in result.kept]
            if figure.name.startswith('recorded') and f' {gap} ms' in figure.name and max(kept, default=(0,))[0]:
                figure.reference, figure.reference_name = max(kept)
                figure.ratio = figure.ours / figure.reference


def fill(bench: Bench, peer: Peer, rows: int, held: int = 0) -> None:
    """Adds texts to a peer's history, which has `held` texts, until it has `rows` texts."""
    texts = [f'Row {number}: a line of text as somebody might have copied it' for number in range(rows)]
    if peer.fills_stopped:
        peer.fill(texts)
        return
    texts = texts[held:]
    running = peer.launch()
    peer.wait_ready()
    if isinstance(peer, Diodon):
        time.sleep(_SETTLE_SECONDS)
        copy_texts(len(texts), 50, 'Row: a line of text as somebody might have copied it,')
    else:
        peer.fill(texts)
    time.sleep(_SETTLE_SECONDS)
    peer.end(running)


def show(bench: Bench, peer: Peer) -> tuple[float, Event]:
    """Repeats the request until the history is shown, because some peers own their bus name before they answer."""
    for _ in range(_ASKS):
        asked = peer.ask()
        try:
            return asked, bench.screen.first_frame(asked, peer.patience_seconds)
        except NothingDrawn:
            pass
    raise NothingDrawn('its history was never shown')


def start_and_memory(bench: Bench, peer: Peer) -> tuple[float, float]:
    """The time from the start to the history on the screen, in milliseconds, and the memory a second later, in MiB."""
    bench.screen.forget()
    running = Running(peer.start_shown) if peer.start_shown else peer.launch()
    try:
        if peer.start_shown:
            drawn = bench.screen.first_frame(running.started)
        else:
            peer.wait_ready()
            _, drawn = show(bench, peer)
        time.sleep(1)
        used = peer.memory()
        peer.dismiss(bench.screen)
    finally:
        peer.end(running)
    return drawn.time - running.started, used


def _measure(bench: Bench, peer: Peer) -> PeerResult:
    result = PeerResult(f'{peer.name} {peer.version}'.strip(), note=f'filled by {peer.how_filled}')
    _try(result, 'set up', peer.set_up)
    _try(result, 'start', lambda: _start(bench, peer, result))
    _try(result, 'popup', lambda: _popup(bench, peer, result))
    for gap in (20, 5):
        _try(result, f'copies {gap} ms apart', lambda: _copies(bench, peer, result, gap))
    return result


def _try(result: PeerResult, what: str, action: Callable[[], None]) -> None:
    """Runs an action. If it fails, adds the error to the result's note instead of ending the run."""
    try:
        action()
    except Exception as error:
        result.note += f'; {what}: {type(error).__name__} {error}'.replace('\n', ' ')


def _start(bench: Bench, peer: Peer, result: PeerResult) -> None:
    fill(bench, peer, FEW_ROWS)
    runs = [start_and_memory(bench, peer) for _ in range(_RUNS)]
    result.start, result.memory = median(run[0] for run in runs), median(run[1] for run in runs)


def _popup(bench: Bench, peer: Peer, result: PeerResult) -> None:
    running = _running(peer)
    try:
        times = []
        for _ in range(_RUNS + 1):
            bench.screen.forget()
            asked, drawn = show(bench, peer)
            times.append(drawn.time - asked)
            peer.dismiss(bench.screen)
        # The first popup also builds the window.
        result.first_popup, result.popup = times[0], median(times[1:])
    finally:
        peer.end(running)


def _copies(bench: Bench, peer: Peer, result: PeerResult, gap: int) -> None:
    running = _running(peer)
    try:
        copied = copy_texts(COPIES, gap, f'copy {gap} {time.monotonic_ns()}')
        time.sleep(_SETTLE_SECONDS)
        if not isinstance(peer, Clipman):
            kept = peer.history()
    finally:
        peer.end(running)
    if isinstance(peer, Clipman):
        kept = peer.history()  # Clipman saves its history when it exits.
    result.kept[gap] = 100 * len(set(kept) & set(copied)) / COPIES


def _running(peer: Peer) -> Running:
    running = peer.launch()
    peer.wait_ready()
    time.sleep(_SETTLE_SECONDS)
    return running
