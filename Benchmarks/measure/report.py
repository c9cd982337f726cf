"""The report: a line for each figure on the terminal, results.json with all figures, and the tables of RESULTS.md."""
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

from .figure import Figure
from .machine import Taken
from .peers.measure import PeerResult

# The lines around the written tables; the rest of RESULTS.md is edited by hand.
BEGIN, END = '<!-- written by meson-helpers/bench -->', '<!-- end -->'
# The figures that RESULTS.md shows, by the beginnings of their names. results.json has all of them.
_SHOWN = ('Start', 'Popup by a D-Bus call, to', 'Popup by the shortcut', 'The same', 'First popup', 'End', 'Memory',
          'Recorded', 'Longest stall', 'Keys', 'Processor time of 20 s')
_WIDTHS = '{:<54} {:>11} {:>18} {:>24} {:>10} {:>10}  {}'
_PEER_HEADS = ['start', 'first popup', 'popup', 'memory', 'kept, 20 ms apart', 'kept, 5 ms apart']


def heading() -> str:
    return _WIDTHS.format('', 'CopyPasta', 'against', 'reference', 'ratio', 'target', 'note')


def line(figure: Figure) -> str:
    """The figure as a line on the terminal."""
    reference = '' if figure.reference is None else f'{_number(figure.reference)} ({figure.reference_name})'
    against = '' if figure.against is None else f'{_number(figure.against)} ({figure.against_ratio or 0:.2f})'
    worst = '' if figure.worst in (None, figure.ours) else f'worst {_number(figure.worst)}'
    note = '; '.join(filter(None, [worst, figure.note]))
    return _WIDTHS.format(figure.name, _value(figure.ours, figure.unit), against, reference, figure.comparison(),
                          figure.target, note).rstrip()


def peer_line(result: PeerResult) -> str:
    """The peer as a line on the terminal."""
    cells = (f'{head} {cell}' for head, cell in zip(_PEER_HEADS, _peer_cells(result)))
    return f'{result.name}: {", ".join(cells)}; {result.note}'


@dataclass
class Run:
    """The results on one desktop."""

    figures: list[Figure]
    peers: list[PeerResult]


def keep(file: Path, desktop: str, run: Run) -> dict[str, Run]:
    """Stores a run in results.json, and returns the runs of all desktops. Rows that were not measured stay."""
    runs = _read(file)
    last = runs.get(desktop, Run([], []))
    runs[desktop] = Run(*(list({row.name: row for row in [*old, *new]}.values())
                          for old, new in ((last.figures, run.figures), (last.peers, run.peers))))
    text = json.dumps({desktop: asdict(run) for desktop, run in runs.items()}, indent=1, ensure_ascii=False)
    file.write_text(text + '\n')
    return runs


def _read(file: Path) -> dict[str, Run]:
    def row(kind: type, values: dict):
        return kind(**values | {'taken': Taken(**values['taken'])})

    def peer(values: dict) -> PeerResult:
        return row(PeerResult, values | {'kept': {int(gap): share for gap, share in values['kept'].items()}})

    return {desktop: Run([row(Figure, values) for values in run['figures']], [peer(values) for values in run['peers']])
            for desktop, run in json.loads(file.read_text()).items()}


def write(file: Path, runs: dict[str, Run]) -> None:
    """Replaces the tables in RESULTS.md with the tables of these runs."""
    before, rest = file.read_text().split(BEGIN)
    after = rest.split(END)[1]
    names = dict.fromkeys(figure.name for run in runs.values() for figure in run.figures
                          if figure.name.startswith(_SHOWN))
    peers = [[f'{peer.name}, {desktop}', *_peer_cells(peer)] for desktop, run in runs.items() for peer in run.peers]
    parts = [_markdown(['', *runs, 'rounds', 'load'], (_cells(name, runs) for name in names)),
             _markdown(['peer', *_PEER_HEADS], peers), *_circumstances(runs)]
    file.write_text('\n\n'.join([before + BEGIN, *parts, END + after]))


def _cells(name: str, runs: dict[str, Run]) -> list[str]:
    """The line of a figure: a cell for each desktop, and the rounds and the loads of all."""
    found = [next((figure for figure in run.figures if figure.name == name), None) for run in runs.values()]
    taken = [figure.taken for figure in found if figure and figure.taken]
    return [name, *(_short(figure) if figure else '' for figure in found),
            _range(str(one.rounds) for one in taken), _range(f'{one.load:.1f}' for one in taken)]


def _range(values: Iterable[str]) -> str:
    ordered = sorted(set(values), key=float)
    return ' to '.join(dict.fromkeys([ordered[0], ordered[-1]]))


def _short(figure: Figure) -> str:
    """The figure in a cell: with its comparison, and the value of the other program."""
    comparison = f' ({figure.comparison()})' if figure.comparison() else ''
    against = '' if figure.against is None else f'; {figure.against_name}: {_value(figure.against, figure.unit)}'
    return _value(figure.ours, figure.unit) + comparison + against


def _circumstances(runs: dict[str, Run]) -> list[str]:
    """A paragraph for each desktop, and date, commit and machine; rows that differ from most are named."""
    lines = []
    for desktop, run in runs.items():
        groups: dict[str, list[str]] = {}
        for row in (*run.figures, *run.peers):
            if row.taken:
                where = f'{row.taken.date}, commit {row.taken.commit}, {row.taken.machine}'
                groups.setdefault(where, []).append(row.name)
        for where, names in sorted(groups.items(), key=lambda group: -len(group[1])):
            is_largest = len(names) == max(map(len, groups.values()))
            lines.append(f'{desktop}: {where}.' if is_largest else f'{desktop}, {"; ".join(names)}: {where}.')
    return lines


def _peer_cells(result: PeerResult) -> list[str]:
    return [_value(result.start, 'ms'), _value(result.first_popup, 'ms'), _value(result.popup, 'ms'),
            _value(result.memory, 'MiB'), _value(result.kept.get(20), '%'), _value(result.kept.get(5), '%')]


def _value(value: float | None, unit: str) -> str:
    return '-' if value is None else f'{_number(value)} {unit}'.rstrip()


def _number(value: float) -> str:
    return f'{value:.3f}' if 0 < abs(value) < 1 else f'{value:,.1f}'.removesuffix('.0')


def _markdown(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heads, ['---'] + ['---:'] * (len(heads) - 1), *rows]
    return '\n'.join('| ' + ' | '.join(cells) + ' |' for cells in lines)
