"""The table, on the terminal and in RESULTS.md."""
import datetime
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


def write(file: Path, conditions: str, figures: list[Figure], peers: list[PeerResult] | None) -> None:
    """Writes the run over the last one; what was found stays."""
    old = file.read_text() if file.exists() else ''
    findings = old[old.index(FINDINGS):] if FINDINGS in old else FINDINGS + '\n'
    parts = ['# Results', _INTRODUCTION, f'{datetime.date.today()}: {conditions}.',
             _markdown(['', 'CopyPasta', 'reference', 'ratio', 'target', 'note'], map(_cells, figures))]
    if peers:
        parts += ['## Peers', _PEERS_INTRODUCTION, _markdown(_PEER_HEADS, map(_peer_cells, peers))]
    file.write_text('\n\n'.join([*parts, findings.strip()]) + '\n')


_INTRODUCTION = '''\
Written by `meson-helpers/bench --peers --write-results`, which anyone can run. Each figure is a median; where it
stands beside a reference of its own kind, both were run in turn and the ratio is the median of the pairs' ratios. A
peer, a paste by xclip and the page at the top were measured in the same run, not in turn: there it is the plain ratio.
A target is what was aimed at, not a limit. How each is measured stands in `measure/figures`. The plot is written by
`meson-helpers/bench --plot`.

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
