"""A figure of the table, and its computation from pairs of runs."""
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median


@dataclass
class Figure:
    """A line of the table: a measured value and its reference."""

    name: str
    unit: str
    # None if the figure could not be measured.
    ours: float | None
    target: str = ''
    reference: float | None = None
    reference_name: str = ''
    # The median of the pairs' ratios; without pairs, the ratio of the two figures.
    ratio: float | None = None
    # Whether the target is a difference and not a ratio.
    is_difference: bool = False
    note: str = ''

    def __post_init__(self) -> None:
        if self.ratio is None and self.reference:
            self.ratio = self.ours / self.reference

    def comparison(self) -> str:
        """The ratio to the reference, or the difference from the reference, formatted for the table."""
        if self.reference is None:
            return ''
        if self.is_difference:
            return f'{self.ours - self.reference:+.1f} {self.unit}'
        return '' if self.ratio is None else f'{self.ratio:.2f}'


Pair = tuple[float, float]


def pairs(count: int, ours: Callable[[], float], reference: Callable[[], float], warm_ups: int = 1) -> list[Pair]:
    """Runs both functions in turn, `count` times after the warm-ups, so that changes in machine speed affect both."""
    runs = [(ours(), reference()) for _ in range(warm_ups + count)]
    return runs[warm_ups:]


def paired(name: str, unit: str, runs: list[Pair], *, of: str, target: str = '', difference: bool = False,
           note: str = '') -> Figure:
    """The figure of paired runs; `of` names the reference."""
    ratios = [ours / reference for ours, reference in runs if reference]
    return Figure(name, unit, median(run[0] for run in runs), target, median(run[1] for run in runs), of,
                  median(ratios) if ratios else None, difference, note)
