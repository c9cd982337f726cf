"""A page of rows from the database at different depths, read with the list's own query as a prepared statement."""
import re
import subprocess
from pathlib import Path

from ..bench import Bench
from ..figure import Figure

_SOURCE = Path(__file__).parents[3] / 'Sources' / 'ClipHistory' / 'HistoryReader.swift'
_PAGE_SIZE = 64


def measure_page(bench: Bench) -> list[Figure]:
    """Compares reading a page in the middle, and a page near the end, with reading the first page."""
    rows = bench.rows
    depths = {'at the top': rows, 'at 50 %': rows // 2, 'at 99.9 %': rows // 1000 + 1}
    command = [bench.pagequery, bench.home(rows).database, _page_query(), str(_PAGE_SIZE), *map(str, depths.values())]
    times = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    top, *deeper = (float(time) / 1000 for time in times)
    return [Figure(f'a page of {_PAGE_SIZE} rows {depth}', 'ms', time, '< 0.2 ms', top, 'at the top')
            for depth, time in zip(list(depths)[1:], deeper)]


def _page_query() -> str:
    """Returns the query in the program's source."""
    found = re.search(r'pageQuery = """\n(.*?)"""', _SOURCE.read_text(), re.DOTALL)
    if not found:
        raise LookupError(f'no pageQuery in {_SOURCE.name}')
    return found.group(1)
