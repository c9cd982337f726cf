"""One process with as much use as in a busy week: copies, deletions with undo, hiding and showing, the preferences.

Each round copies 1,000 texts, deletes 100 and undoes half of the deletions. Fails if a copy is not recorded exactly once
and in order.
"""
import time
from collections.abc import Iterator
from pathlib import Path

from .. import bus
from ..bench import Bench, Program
from ..clipboard import copy_each
from ..figure import Reading, Row, Subject
from ..history import Home
from ..process import Running, memory, until

_COPIES = 1_000
_DELETIONS = 100
# The number of deletions without a pause, half of which are then undone.
_AT_ONCE = 10
_PATIENCE_SECONDS = 60
# The time after which libdispatch has ended idle threads.
_REST_SECONDS = 10
_AFTER_FIRST = 'the first round'
_ROWS = [
    # The list keeps an id for each row, and GTK keeps a few hundred row widgets.
    Row('Soak: memory', 'MiB', _AFTER_FIRST, '≤ +16 MiB', True),
    # libdispatch opens its timer descriptors when they are first used.
    Row('Soak: descriptors', '', _AFTER_FIRST, '≤ +1', True),
    # The number of threads in GLib's pools varies.
    Row('Soak: threads', '', _AFTER_FIRST, '≤ +4', True),
    # Pages are not full, and there is the write-ahead log.
    Row('Soak: files', 'MiB', 'their texts', '≤ 2 and 8 MiB'),
]


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    home = bench.fresh_home(program, f'{program.name}-soak')
    begun = time.monotonic()
    states = []
    with bench.start_settled(program, home) as running:
        for number in range(1, bench.rounds + 1):
            _round(bench, home, running, number)
            if number in (1, bench.rounds):
                time.sleep(_REST_SECONDS)
                states.append(_state(running, home))
    first, last = states[0], states[-1]
    note = f'{bench.rounds * _COPIES:,} copies in {time.monotonic() - begun:.0f} s; {home.count():,} rows'
    for row, value, reference in zip(_ROWS, last, [*first[:3], home.bytes_held() / 2**20]):
        yield row(value, reference, note)


def _round(bench: Bench, home: Home, running: Running, number: int) -> None:
    after = _copy(home, number)
    # Wait, because new rows at the top would move the row in focus out of sight.
    bench.screen.settle()
    _delete_and_undo(bench, home, after)
    _use_windows(bench)
    if running.has_ended:
        raise RuntimeError(f'the program ended in round {number}')


def _copy(home: Home, number: int) -> int:
    """Copies a round's texts, each after the previous text was fetched. Returns the newest id before the first copy.

    Most texts are short, some have 2 kB, and a few 100 kB.
    """
    sizes = (100_000 if copy % 500 == 0 else 2_000 if copy % 50 == 0 else 60 for copy in range(_COPIES))
    copied = [f'round {number} copy {copy} '.ljust(size, 'x') for copy, size in enumerate(sizes)]
    newest = home.newest_id()
    copy_each(copied)
    until(lambda: home.texts(newest) == copied, _PATIENCE_SECONDS)
    return newest


def _delete_and_undo(bench: Bench, home: Home, after: int) -> None:
    """Deletes rows of the last round with the keyboard, and undoes half of the deletions."""
    left = _COPIES
    for _ in range(_DELETIONS // _AT_ONCE):
        bench.screen.press('Home')
        for keys, count, change in ((['Delete'], _AT_ONCE, -1), (['Control_L', 'z'], _AT_ONCE // 2, 1)):
            for _ in range(count):
                bench.screen.press(*keys)
            left += count * change
            until(lambda: home.count(after) == left, _PATIENCE_SECONDS)


def _use_windows(bench: Bench) -> None:
    """Opens and closes the preferences, and hides and shows the window."""
    preferences = bench.screen.first_frame(bench.screen.press('Control_L', 'comma')).window
    bench.screen.settle()
    closed = bench.screen.press('Escape')
    bench.screen.wait(lambda event: event.what == 'gone' and event.window == preferences, closed, timeout=20)
    bench.screen.settle()
    bench.hide()
    bench.screen.first_frame(bus.toggle(bus.COPYPASTA))
    bench.screen.settle()
    bench.screen.forget()


def _state(running: Running, home: Home) -> list[float]:
    """The values in the order of the rows."""
    process = Path(f'/proc/{running.pid}')
    descriptors, threads = (sum(1 for _ in (process / folder).iterdir()) for folder in ('fd', 'task'))
    files = sum(file.stat().st_size for file in home.database.parent.iterdir())
    return [memory(running.pid), descriptors, threads, files / 2**20]


SOAK = Subject(_sample, lambda bench: 1)
