#!/usr/bin/python3
"""Tests one process of CopyPasta with as much use as in a busy week: copies, deletions with undo, hiding and showing the
window, and the preferences. meson-helpers/bench --soak builds what this script needs, starts a desktop and calls the
script.

Each round copies 1,000 texts, deletes 100 and undoes half of the deletions. Exits with 1 if a copy was not recorded
exactly once, or if the process has grown since its first round.
"""
import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from measure import machine
from measure.bench import Bench
from measure.bus import show_copypasta
from measure.clipboard import copy_each
from measure.history import Home
from measure.process import Running, memory

COPIES = 1_000
DELETIONS = 100
_PATIENCE_SECONDS = 60
# The number of deletions without a pause, half of which are then undone.
_AT_ONCE = 10
# Memory may grow this much, because the list keeps an id for each row, and GTK keeps a few hundred row widgets.
_MEMORY_LIMIT_MIB = 16
# Descriptors may grow by one: libdispatch opens its timer descriptors when they are first used.
_DESCRIPTOR_LIMIT = 1
# Threads may grow by this many, because the number of threads in GLib's pools varies.
_THREAD_LIMIT = 4
# The time after which libdispatch has ended idle threads.
_REST_SECONDS = 10


@dataclass(frozen=True)
class State:
    """The resources that the process and its files take."""

    rows: int
    resident_mib: float
    descriptors: int
    threads: int
    file_mib: float
    held_mib: float

    def __str__(self) -> str:
        return (f'{self.rows:>9,} {self.resident_mib:9.1f} {self.descriptors:12} {self.threads:8} '
                f'{self.file_mib:9.1f} {self.held_mib:9.1f}')


HEADING = '    round      rows  resident  descriptors  threads      file      held  (MiB; held: by the texts)'


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='soak', description='Uses one process of CopyPasta for a long time.')
    parser.add_argument('--rounds', type=int, default=100, help=f'of {COPIES:,} copies each (default 100)')
    parser.add_argument('--check-arguments', action='store_true', help=argparse.SUPPRESS)
    return parser.parse_args()


def texts(round_number: int) -> list[str]:
    """Returns mostly short texts, some texts of 2 kB, and a few of 100 kB."""
    def text(number: int) -> str:
        size = 100_000 if number % 500 == 0 else 2_000 if number % 50 == 0 else 60
        name = f'round {round_number} copy {number} '
        return name + 'x' * (size - len(name))
    return [text(number) for number in range(COPIES)]


def copy(home: Home, round_number: int) -> int:
    """Copies a round's texts, each after the previous text was fetched. Returns the newest id before the first copy."""
    newest, copied = home.newest_id(), texts(round_number)
    copy_each(copied)
    recorded: list[str] = []
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while recorded != copied:
        if time.monotonic() > deadline:
            missing = [number for number, text in enumerate(copied) if text not in recorded]
            raise Failure(f'round {round_number}: not every copy was recorded once, in order; missing: {missing[:9]}')
        time.sleep(0.02)
        recorded = home.texts(newest)
    return newest


def delete_and_undo(bench: Bench, home: Home, after: int) -> None:
    """Deletes rows of the last round with the keyboard, and undoes half of the deletions."""
    left = COPIES
    for _ in range(DELETIONS // _AT_ONCE):
        bench.screen.press('Home')
        for _ in range(_AT_ONCE):
            bench.screen.press('Delete')
        left -= _AT_ONCE
        wait_for(home, after, left)
        for _ in range(_AT_ONCE // 2):
            bench.screen.press('Control_L', 'z')
        left += _AT_ONCE // 2
        wait_for(home, after, left)


def use_windows(bench: Bench) -> None:
    """Opens and closes the preferences, and hides and shows the window."""
    preferences = bench.screen.first_frame(bench.screen.press('Control_L', 'comma')).window
    bench.screen.settle()
    closed = bench.screen.press('Escape')
    bench.screen.wait(lambda event: event.what == 'gone' and event.window == preferences, closed, timeout=20)
    bench.screen.settle()
    # Copy a row first, because its text on the clipboard keeps the hidden process running.
    bench.screen.press('Home')
    bench.screen.press('Return')
    time.sleep(0.8)
    bench.hide_again()
    bench.screen.first_frame(show_copypasta())
    bench.screen.settle()
    bench.screen.forget()


def wait_for(home: Home, after: int, count: int) -> None:
    """Waits until there are `count` rows with an id above `after`."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while (found := home.count(after)) != count:
        if time.monotonic() > deadline:
            raise Failure(f'{found} rows instead of {count}')
        time.sleep(0.02)


def state(running: Running, home: Home) -> State:
    process = Path(f'/proc/{running.pid}')
    files = sum(file.stat().st_size for file in home.database.parent.iterdir())
    return State(
        home.count(), memory(running.pid), sum(1 for _ in (process / 'fd').iterdir()),
        sum(1 for _ in (process / 'task').iterdir()), files / 2**20, home.bytes_held() / 2**20)


def faults(first: State, last: State) -> list[str]:
    """Returns messages for resources that have grown since the first round by more than the rows need."""
    found = []
    if last.resident_mib > first.resident_mib + _MEMORY_LIMIT_MIB:
        found.append(f'memory grew by {last.resident_mib - first.resident_mib:.1f} MiB')
    if last.descriptors > first.descriptors + _DESCRIPTOR_LIMIT:
        found.append(f'descriptors grew by {last.descriptors - first.descriptors}')
    if last.threads > first.threads + _THREAD_LIMIT:
        found.append(f'threads grew by {last.threads - first.threads}')
    # Allow twice the size of the texts, for pages that are not full and for the write-ahead log.
    if last.file_mib > 2 * last.held_mib + 8:
        found.append(f'the files take {last.file_mib:.1f} MiB for {last.held_mib:.1f} MiB of texts')
    return found


class Failure(Exception):
    """The program behaved incorrectly."""


def soak(bench: Bench, rounds: int) -> list[str]:
    home = bench.fresh_home('soak')
    with bench.start_settled(home) as running:
        first = last = None
        for number in range(1, rounds + 1):
            after = copy(home, number)
            # Wait, because new rows at the top would move the row in focus out of sight.
            bench.screen.settle()
            delete_and_undo(bench, home, after)
            use_windows(bench)
            if running.has_ended:
                raise Failure(f'round {number}: the program has ended')
            if number in (1, rounds):
                time.sleep(_REST_SECONDS)
            last = state(running, home)
            first = first or last
            if number in (1, rounds) or number % 10 == 0:
                print(f'{number:9} {last}', flush=True)
    return faults(first, last) if first and last else []


def main() -> int:
    options = arguments()
    if options.check_arguments:
        return 0
    bench = Bench(pairs=1, rows=0)
    print(machine.describe(bench), HEADING, sep='\n', flush=True)
    begun = time.monotonic()
    try:
        found = soak(bench, options.rounds)
    except Failure as failure:
        found = [str(failure)]
    bench.screen.close()
    print(f'{time.monotonic() - begun:.0f} s; ' + ('; '.join(found) or 'nothing lost, nothing grown'))
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
