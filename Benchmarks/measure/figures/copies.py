"""The copies of another program that are recorded while the window is active."""
import time
from collections.abc import Iterator

from ..bench import FEW_ROWS, Bench, Program
from ..bus import LoopPing
from ..clipboard import copy_texts
from ..figure import Reading, Row, Subject
from ..history import Home
from ..process import stolen_ms

COUNT = 200
GAPS_MS = (20, 5)
_ROWS = {20: Row(f'Recorded of {COUNT} copies 20 ms apart', '%', target='100 %'),
         5: Row(f'Recorded of {COUNT} copies 5 ms apart', '%', target='≥ 99 %')}
# The keys that scroll the list to a place, where arriving rows may not move the rows on the screen.
_PLACES = {'': (), ', list at its end': ('End',), ', list in its middle': ('End', 'Page_Up', 'Page_Up')}
_STALLS = {place: Row(f'Longest stall of the main loop, {COUNT} copies 5 ms apart{place}', 'ms', target='≤ 16 ms')
           for place in _PLACES}


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    home = bench.copy_home(program, FEW_ROWS)
    for gap, place in [(20, ''), *((5, place) for place in _PLACES)]:
        with bench.start_settled(program, home), LoopPing() as ping:
            for key in _PLACES[place]:
                bench.screen.settle(bench.screen.press(key))
            ping.longest = 0
            before, stolen = home.newest_id(), stolen_ms()
            copied = copy_texts(COUNT, gap, f'copy {gap} {time.monotonic_ns()}')
            _wait_for_rest(home)
            stolen = stolen_ms() - stolen
        if gap == 5:
            yield _STALLS[place](ping.longest)
        if place:
            continue
        kept = home.texts(before)
        faults = [f'{stolen:.0f} ms stolen'] * (stolen > 20 and len(kept) < COUNT)
        faults += ['some twice'] * (len(set(kept)) < len(kept))
        faults += ['out of order'] * (kept != [text for text in copied if text in kept])
        yield _ROWS[gap](100 * len(set(kept) & set(copied)) / COUNT, note=', '.join(faults))


def _wait_for_rest(home: Home) -> None:
    count = -1
    while count != home.count():
        count = home.count()
        time.sleep(0.3)


COPIES = Subject(_sample, lambda bench: max(bench.pairs // 5, 1))
