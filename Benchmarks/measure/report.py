"""The report: a line for each figure on the terminal, and the table of RESULTS.md with its cells in results.json."""
import json
from collections.abc import Iterable
from pathlib import Path

from .figure import Figure

# The lines around the written table; the rest of RESULTS.md is edited by hand.
BEGIN, END = '<!-- written by meson-helpers/bench -->', '<!-- end -->'
# The figures that RESULTS.md shows, by the beginnings of their names, and exceptions.
_SHOWN = ('Start to the first', 'Start with', 'Popup by the shortcut', 'The same', 'First popup', 'End', 'Memory', 'Recorded',
          'Longest stall', 'Keys', 'Processor time of 20 s')
_NOT_SHOWN = ('list at its end', 'list in its middle', '25 ms apart: right text')
_WIDTHS = '{:<54} {:>11} {:>18} {:>24} {:>10} {:>10}  {}'


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


def write(folder: Path, desktop: str, figures: list[Figure]) -> None:
    """Stores the cells of this desktop in results.json, and writes the table of RESULTS.md from the cells of all desktops.
    Rows that were not measured stay."""
    file, page = folder / 'results.json', folder / 'RESULTS.md'
    runs = json.loads(file.read_text())
    run = runs.setdefault(desktop, {'taken': '', 'cells': {}})
    for figure in figures:
        if figure.name.startswith(_SHOWN) and not figure.name.endswith(_NOT_SHOWN):
            taken = figure.taken
            run['taken'] = f'{taken.date}, commit {taken.commit}, {taken.machine}'
            run['cells'][figure.name] = [_cell(figure), taken.rounds, taken.load]
    file.write_text(json.dumps(runs, indent=1, ensure_ascii=False) + '\n')
    before, rest = page.read_text().split(BEGIN)
    names = dict.fromkeys(name for run in runs.values() for name in run['cells'])
    table = _markdown(['', *runs, 'rounds', 'load'], (_row(name, runs) for name in names))
    circumstances = [f'{desktop}: {run["taken"]}.' for desktop, run in runs.items()]
    page.write_text('\n\n'.join([before + BEGIN, table, *circumstances, END + rest.split(END)[1]]))


def _row(name: str, runs: dict) -> list[str]:
    """A cell for each desktop, and the rounds and the loads of all."""
    found = [run['cells'].get(name) for run in runs.values()]
    return [name, *(cell[0] if cell else '' for cell in found), *(
        _range(cell[index] for cell in found if cell) for index in (1, 2))]


def _range(values: Iterable[float]) -> str:
    ordered = sorted(set(values))
    return ' to '.join(dict.fromkeys(f'{value:g}' for value in (ordered[0], ordered[-1])))


def _cell(figure: Figure) -> str:
    """The figure with its comparison, and the value of the other program."""
    comparison = f' ({figure.comparison()})' if figure.comparison() else ''
    against = '' if figure.against is None else f'; {figure.against_name}: {_value(figure.against, figure.unit)}'
    return _value(figure.ours, figure.unit) + comparison + against


def _value(value: float | None, unit: str) -> str:
    return '-' if value is None else f'{_number(value)} {unit}'.rstrip()


def _number(value: float) -> str:
    return f'{value:.3f}' if 0 < abs(value) < 1 else f'{value:,.1f}'.removesuffix('.0')


def _markdown(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heads, ['---'] + ['---:'] * (len(heads) - 1), *rows]
    return '\n'.join('| ' + ' | '.join(cells) + ' |' for cells in lines)
