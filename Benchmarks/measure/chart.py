"""Line charts in SVG with a logarithmic axis for the number of rows, readable on a light and on a dark background."""
from dataclasses import dataclass, field
from math import ceil, log10

_WIDTH, _HEIGHT = 420, 300
_LEFT, _TOP, _RIGHT, _BOTTOM = 48, 44, 16, 44
_LEGEND = 34


@dataclass
class Series:
    """A line of a chart. Each point is a number of rows and a value."""

    name: str
    colour: str
    points: list[tuple[float, float]]


@dataclass
class Chart:
    """A chart with its lines."""

    title: str
    unit: str
    series: list[Series] = field(default_factory=list)


def svg(charts: list[Chart], rows: list[int]) -> str:
    """Draws the charts next to each other above one legend; `rows` are the ticks of the horizontal axis."""
    width, height = _WIDTH * len(charts), _HEIGHT + _LEGEND
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
             f'width="{width}" height="{height}" font-family="system-ui, sans-serif" font-size="12">', _STYLE,
             f'<rect class="ground" width="{width}" height="{height}" rx="10"/>']
    for index, chart in enumerate(charts):
        parts += [f'<g transform="translate({index * _WIDTH} 0)">', *_chart(chart, rows), '</g>']
    return '\n'.join([*parts, *_legend(charts[0].series), '</svg>\n'])


_STYLE = '''<style>
.ground { fill: #ffffff } .text { fill: #3a3a3a } .faint { fill: #6b6b6b } .grid { stroke: #e2e2e2 }
@media (prefers-color-scheme: dark) {
  .ground { fill: #1e1e1e } .text { fill: #e6e6e6 } .faint { fill: #a5a5a5 } .grid { stroke: #3a3a3a }
}
.line { fill: none; stroke-width: 2; stroke-linejoin: round } .own { stroke-width: 3.5 }
</style>'''


def _chart(chart: Chart, rows: list[int]) -> list[str]:
    top = max((value for series in chart.series for _, value in series.points), default=1)
    step = _step(top)
    marks = [step * number for number in range(ceil(top / step) + 1)]

    def x(count: float) -> float:
        return _LEFT + (log10(count) - log10(rows[0])) / (log10(rows[-1]) - log10(rows[0])) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - value / marks[-1] * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text class="text" x="{_LEFT}" y="24" font-size="14" font-weight="600">'
             f'{chart.title}, {chart.unit}</text>']
    for mark in marks:
        parts += [f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y(mark):.1f}" y2="{y(mark):.1f}"/>',
                  f'<text class="faint" x="{_LEFT - 8}" y="{y(mark) + 4:.1f}" text-anchor="end">{mark:g}</text>']
    for count in rows:
        anchor = 'end' if count == rows[-1] else 'middle'
        parts.append(f'<text class="faint" x="{x(count):.1f}" y="{_HEIGHT - _BOTTOM + 18}" text-anchor="{anchor}">'
                     f'{count:,}</text>')
    parts.append(f'<text class="faint" x="{_LEFT}" y="{_HEIGHT - 8}">rows in the history</text>')
    for series in reversed(chart.series):  # Draw the first line on top of the others.
        weight = ' own' if series is chart.series[0] else ''
        line = ' '.join(f'{x(count):.1f},{y(value):.1f}' for count, value in series.points)
        parts.append(f'<polyline class="line{weight}" stroke="{series.colour}" points="{line}"/>')
        parts += [f'<circle cx="{x(count):.1f}" cy="{y(value):.1f}" r="3.5" fill="{series.colour}"/>'
                  for count, value in series.points]
    return parts


def _legend(series: list[Series]) -> list[str]:
    parts, place = [], _LEFT
    for one in series:
        parts += [f'<circle cx="{place}" cy="{_HEIGHT + 12}" r="5" fill="{one.colour}"/>',
                  f'<text class="text" x="{place + 11}" y="{_HEIGHT + 16}">{one.name}</text>']
        place += 40 + 7 * len(one.name)
    return parts


def _step(top: float) -> float:
    """A round distance between grid lines, so that at most six lines reach from 0 to `top`."""
    size = 10 ** int(log10(top))
    return next(size * part for part in (0.1, 0.2, 0.25, 0.5, 1, 2) if top / (size * part) <= 6)
