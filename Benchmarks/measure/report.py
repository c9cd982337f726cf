"""The table, on the terminal and in RESULTS.md."""
import itertools
import pickle
from collections.abc import Iterable
from dataclasses import dataclass
from math import isnan
from pathlib import Path

from .figure import Figure
from .peers.results import PeerResult

# What stands from here on in RESULTS.md is written by people, and stays.
FINDINGS = '## What was found'
_WIDTHS = '{:<50} {:>11} {:>24} {:>11} {:>10}  {}'


def heading() -> str:
    return _WIDTHS.format('', 'CopyPasta', 'reference', 'ratio', 'target', 'note')


def line(figure: Figure) -> str:
    """The figure as a line of the terminal's table."""
    return _WIDTHS.format(*_cells(figure)).rstrip()


def peers_table(results: list[PeerResult]) -> str:
    table = [_PEER_HEADS, *map(_peer_cells, results)]
    return '\n'.join(['', 'Peers', *(_PEER_WIDTHS.format(*cells).rstrip() for cells in table)])


@dataclass
class Run:
    """What was measured on one desktop."""

    conditions: str
    figures: list[Figure]
    peers: list[PeerResult] | None


def keep(file: Path, desktop: str, run: Run, is_whole: bool) -> dict[str, Run]:
    """Keeps a run beside the last ones of other desktops, and answers all of them; only some figures take the places of
    those of the last run."""
    runs: dict[str, Run] = pickle.loads(file.read_bytes()) if file.exists() else {}
    if not is_whole and (last := runs.get(desktop)):
        figures = {figure.name: figure for figure in [*last.figures, *run.figures]}
        run = Run(last.conditions, list(figures.values()), run.peers or last.peers)
    runs[desktop] = run
    file.write_bytes(pickle.dumps(runs))
    return dict(sorted(runs.items(), reverse=True))  # X11 first.


def write(file: Path, runs: dict[str, Run]) -> None:
    """Writes these runs, by desktop, over the last ones; what was found stays."""
    old = file.read_text() if file.exists() else ''
    findings = old[old.index(FINDINGS):] if FINDINGS in old else FINDINGS + '\n'
    parts = ['# Results', _INTRODUCTION, *(f'{desktop}: {run.conditions}.' for desktop, run in runs.items())]
    # Two desktops beside one another are as wide as a page.
    for first in range(0, len(runs), 2):
        two = dict(list(runs.items())[first:first + 2])
        heads = ['', *(head for desktop in two for head in (desktop, 'reference', 'ratio')), 'target', 'note']
        parts.append(_markdown(heads, _rows(two)))
    if any(run.peers for run in runs.values()):
        parts += ['## Peers', _PEERS_INTRODUCTION]
    for desktop, run in runs.items():
        if run.peers:
            parts.append(_markdown([desktop, *_PEER_HEADS[1:]], map(_peer_cells, run.peers)))
    file.write_text('\n\n'.join([*parts, findings.strip()]) + '\n')


def _rows(runs: dict[str, Run]) -> Iterable[list[str]]:
    """A line for each figure, in the order in which they were measured, with a column for each desktop."""
    found = [{figure.name: figure for figure in run.figures} for run in runs.values()]
    for name in dict.fromkeys(name for figures in found for name in figures):
        figures = [figures.get(name) for figures in found]
        cells = [_cells(figure)[1:4] if figure else [''] * 3 for figure in figures]
        known = [figure for figure in figures if figure]
        notes = [f'{desktop}: {figure.note}' for desktop, figure in zip(runs, figures) if figure and figure.note]
        yield [name, *itertools.chain(*cells), known[0].target, '<br>'.join(notes)]


_INTRODUCTION = '''\
Written by `meson-helpers/bench --peers --write-results`, for X11 and once more with `--on wayland`, `--on gnome` and
`--on kde`, which anyone can run. Each figure is a median; where it stands beside a reference of its own kind, both were
run in turn and the ratio is the median of the pairs' ratios. A peer, a paste by another program and the page at the top
were measured in the same run, not in turn: there it is the plain ratio. A target is what was aimed at, not a limit. How
each is measured stands in `measure/figures`. What is on the screen, and when, the X server says (DAMAGE), sway
(wlr-screencopy), which shows a frame every 17 ms at most, or GNOME Shell and KWin (wp_presentation, and
wl_surface.frame for peers that do not ask). The plot is written by `meson-helpers/bench --plot`.

![Start time and memory against the number of rows](start-and-memory.svg)'''

_PEERS_INTRODUCTION = '''\
All from outside, with 100 entries. Start: from launching the program to its history on the screen, which it is asked
for as soon as it answers, and again every 0.6 s (Clipman 0.1 s) until it comes; CopyQ has one command for both.
Popup: from asking for the history, as a shortcut would, to its first frame, the first time after the start and later.
Memory: Rss of all processes that it keeps, with the history on the screen. CopyQ is asked by its command line;
GPaste, Clipman and Diodon by starting their popup programs; Klipper over D-Bus.'''

_PEER_HEADS = ['', 'start', 'first popup', 'popup', 'memory', 'kept, 20 ms apart', 'kept, 5 ms apart', 'note']
_PEER_WIDTHS = '{:<14} {:>10} {:>12} {:>10} {:>10} {:>18} {:>18}  {}'


def _cells(figure: Figure) -> list[str]:
    reference = ''
    if figure.reference is not None:
        reference = f'{_number(figure.reference)} ({figure.reference_name})'
    ours = '-' if isnan(figure.ours) else f'{_number(figure.ours)} {figure.unit}'
    return [figure.name, ours, reference, figure.comparison(), figure.target, figure.note]


def _peer_cells(result: PeerResult) -> list[str]:
    def cell(value: float | None, unit: str) -> str:
        return '-' if value is None else f'{_number(value)} {unit}'

    return [result.name, cell(result.start, 'ms'), cell(result.first_popup, 'ms'), cell(result.popup, 'ms'),
            cell(result.memory, 'MiB'), cell(result.kept.get(20), '%'), cell(result.kept.get(5), '%'), result.note]


def _number(value: float) -> str:
    return f'{value:.3f}' if 0 < abs(value) < 1 else f'{value:,.1f}'.removesuffix('.0')


def _markdown(heads: list[str], rows) -> str:
    lines = [heads, ['---'] + ['---:'] * (len(heads) - 2) + ['---'], *rows]
    return '\n'.join('| ' + ' | '.join(cells) + ' |' for cells in lines)
