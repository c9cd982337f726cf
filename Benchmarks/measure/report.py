"""Writes the table on the terminal, results.json with all figures, and the tables of RESULTS.md."""
import json
from dataclasses import asdict, dataclass
from pathlib import Path

from .figure import Figure
from .peers.results import PeerResult

# The lines around the written tables; the rest of RESULTS.md is edited by hand.
BEGIN, END = '<!-- written by meson-helpers/bench -->', '<!-- end -->'

# The figures in RESULTS.md, with their names there.
SHOWN = {
    'start to first frame, 100 rows': 'Start to the first frame',
    'start: asked to final': 'Start to the last change on the screen',
    'start to first frame, 1,000,000 rows': 'Start with 1,000,000 items, against 100',
    'popup, D-Bus call: asked to final': 'Popup by a D-Bus call, to the last change',
    'popup, global shortcut: asked to final': 'Popup by the shortcut',
    'popup, global shortcut, beside 4 busy processes: asked to final': 'The same next to four busy processes',
    'first popup after --background: asked to final': 'First popup after `--background`, against the second',
    'End at 1,000,000 rows, key to drawn': 'End at 1,000,000 items, key to drawn',
    'resident, 100 rows': 'Memory (Rss), 100 items',
    'resident, 1,000,000 rows, after End and Home': 'Memory, 1,000,000 items, against 100',
    'recorded of 200 copies 20 ms apart, 100 rows': 'Recorded of 200 copies 20 ms apart',
    'recorded of 200 copies 5 ms apart, 100 rows': 'Recorded of 200 copies 5 ms apart',
    '50 MB text: longest stall of the main loop': 'Longest stall of the main loop, 50 MB text',
    'processor time over 20 s, hidden': 'Processor time of 20 s hidden',
}

_WIDTHS = '{:<50} {:>11} {:>24} {:>11} {:>10}  {}'


def heading() -> str:
    return _WIDTHS.format('', 'CopyPasta', 'reference', 'ratio', 'target', 'note')


def line(figure: Figure) -> str:
    """The figure as a line of the table on the terminal."""
    return _WIDTHS.format(*_cells(figure)).rstrip()


def peers_table(results: list[PeerResult]) -> str:
    table = [_PEER_HEADS, *map(_peer_cells, results)]
    return '\n'.join(['', 'Peers', *(_PEER_WIDTHS.format(*cells).rstrip() for cells in table)])


@dataclass
class Run:
    """The results on one desktop."""

    conditions: str
    figures: list[Figure]
    peers: list[PeerResult]


def keep(file: Path, desktop: str, run: Run, is_whole: bool) -> dict[str, Run]:
    """Stores a run in results.json next to those of the other desktops, and returns all of them.

    A run of only some figures replaces these figures and keeps the others of the last run.
    """
    runs = read(file)
    if not is_whole and (last := runs.get(desktop)):
        figures = {figure.name: figure for figure in [*last.figures, *run.figures]}
        run = Run(last.conditions, list(figures.values()), run.peers or last.peers)
    runs[desktop] = run
    text = json.dumps({desktop: asdict(run) for desktop, run in runs.items()}, indent=1, ensure_ascii=False)
    file.write_text(text + '\n')
    return runs


def read(file: Path) -> dict[str, Run]:
    """The runs in results.json, by desktop."""
    if not file.exists():
        return {}
    return {desktop: Run(run['conditions'],
                         [Figure(**figure) for figure in run['figures']],
                         [PeerResult(**peer | {'kept': {int(gap): share for gap, share in peer['kept'].items()}})
                          for peer in run['peers']])
            for desktop, run in json.loads(file.read_text()).items()}


def write(file: Path, runs: dict[str, Run]) -> None:
    """Replaces the tables in RESULTS.md with the tables of these runs."""
    before, rest = file.read_text().split(BEGIN)
    after = rest.split(END)[1]
    parts = [_markdown(['', *runs], _rows(runs)),
             _markdown(['peer', *_PEER_HEADS[1:-1]],
                       [[f'{cells[0]}, {desktop}', *cells[1:-1]]
                        for desktop, run in runs.items() for cells in map(_peer_cells, run.peers)]),
             *(f'{desktop}: {run.conditions}.' for desktop, run in runs.items())]
    file.write_text('\n\n'.join([before + BEGIN, *parts, END + after]))


def _rows(runs: dict[str, Run]) -> list[list[str]]:
    """A line for each figure of SHOWN, with a column for each desktop."""
    found = [{figure.name: figure for figure in run.figures} for run in runs.values()]
    return [[shown, *(_short(figures[name]) if name in figures else '' for figures in found)]
            for name, shown in SHOWN.items()]


def _short(figure: Figure) -> str:
    """The figure and its comparison in one cell."""
    _, ours, _, comparison, _, _ = _cells(figure)
    return f'{ours} ({comparison})' if comparison and comparison != ours else ours


_PEER_HEADS = ['', 'start', 'first popup', 'popup', 'memory', 'kept, 20 ms apart', 'kept, 5 ms apart', 'note']
_PEER_WIDTHS = '{:<14} {:>10} {:>12} {:>10} {:>10} {:>18} {:>18}  {}'


def _cells(figure: Figure) -> list[str]:
    reference = ''
    if figure.reference is not None:
        reference = f'{_number(figure.reference)} ({figure.reference_name})'
    ours = '-' if figure.ours is None else f'{_number(figure.ours)} {figure.unit}'
    return [figure.name, ours, reference, figure.comparison(), figure.target, figure.note]


def _peer_cells(result: PeerResult) -> list[str]:
    def cell(value: float | None, unit: str) -> str:
        return '-' if value is None else f'{_number(value)} {unit}'

    return [result.name, cell(result.start, 'ms'), cell(result.first_popup, 'ms'), cell(result.popup, 'ms'),
            cell(result.memory, 'MiB'), cell(result.kept.get(20), '%'), cell(result.kept.get(5), '%'), result.note]


def _number(value: float) -> str:
    return f'{value:.3f}' if 0 < abs(value) < 1 else f'{value:,.1f}'.removesuffix('.0')


def _markdown(heads: list[str], rows) -> str:
    lines = [heads, ['---'] + ['---:'] * (len(heads) - 1), *rows]
    return '\n'.join('| ' + ' | '.join(cells) + ' |' for cells in lines)
