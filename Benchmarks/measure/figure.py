"""The rows of the results, and how a figure is computed from alternating rounds."""
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import mean, median

from . import machine
from .bench import Bench, Program


@dataclass(frozen=True)
class Row:
    """A row of the results: what is measured, and what its reference is."""

    name: str
    unit: str
    reference: str = ''
    target: str = ''
    # Whether to compare by the difference from the reference, not by the ratio.
    is_difference: bool = False

    def __call__(self, ours: float, reference: float | None = None, note: str = '') -> 'Reading':
        return Reading(self, ours, reference, note)


@dataclass(frozen=True)
class Reading:
    """The value of one row in one round, and its reference from the same round."""

    row: Row
    ours: float
    reference: float | None
    note: str


@dataclass(frozen=True)
class Subject:
    """What is measured together. `sample` measures one program once and yields a reading or several for each row."""

    sample: Callable[[Bench, Program], Iterable[Reading]]
    rounds: Callable[[Bench], int]
    warm_ups: int = 0


@dataclass
class Figure:
    """A row with its values: medians of the rounds (means of shares), and medians of the ratios of each round."""

    name: str
    unit: str = ''
    # None if the figure could not be measured.
    ours: float | None = None
    worst: float | None = None
    reference_name: str = ''
    reference: float | None = None
    ratio: float | None = None
    is_difference: bool = False
    # The program of --against, its value, and the ratio of ours to it.
    against_name: str = ''
    against: float | None = None
    against_ratio: float | None = None
    target: str = ''
    note: str = ''
    taken: machine.Taken | None = None

    def comparison(self) -> str:
        """The ratio to the reference, or the difference from it, formatted for a table."""
        if self.ours is None or self.reference is None:
            return ''
        if self.is_difference:
            return f'{self.ours - self.reference:+.1f} {self.unit}'
        return '' if self.ratio is None else f'{self.ratio:.2f}'


def measure(bench: Bench, subject: Subject) -> list[Figure]:
    """Measures the programs of `bench` in turn, so that changes in the machine's speed affect all of them."""
    load = os.getloadavg()[0]
    found: list[dict[Row, list[Reading]]] = [{} for _ in bench.programs]
    for number in range(subject.warm_ups + subject.rounds(bench)):
        for program, readings in zip(bench.programs, found):
            for reading in subject.sample(bench, program):
                if number >= subject.warm_ups:
                    readings.setdefault(reading.row, []).append(reading)
    ours, *others = found
    return [_figure(bench, row, readings, others[0].get(row, []) if others else [], load)
            for row, readings in ours.items()]


def _figure(bench: Bench, row: Row, readings: list[Reading], others: list[Reading], load: float) -> Figure:
    values, theirs = [reading.ours for reading in readings], [reading.ours for reading in others]
    references = [reading.reference for reading in readings if reading.reference is not None]
    notes = '; '.join(dict.fromkeys(reading.note for reading in readings if reading.note))
    typical, worst = (mean, min(values)) if row.unit == '%' else (median, max(values))
    return Figure(
        row.name, row.unit, typical(values), worst, row.reference, median(references) if references else None,
        _ratio([(reading.ours, reading.reference) for reading in readings]), row.is_difference,
        bench.programs[-1].name if theirs else '', typical(theirs) if theirs else None, _ratio(zip(values, theirs)),
        row.target, notes, machine.taken(bench, load, len(values)))


def _ratio(pairs: Iterable[tuple[float, float | None]]) -> float | None:
    ratios = [value / reference for value, reference in pairs if reference]
    return median(ratios) if ratios else None
