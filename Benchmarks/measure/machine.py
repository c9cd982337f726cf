"""Describes the machine and the circumstances of a measurement."""
import datetime
import os
import platform
import sqlite3
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .bench import Bench


@dataclass(frozen=True)
class Taken:
    """When and on what a row was measured: the load of the machine before, and the number of values."""

    date: str
    commit: str
    machine: str
    load: float
    rounds: int


def taken(bench: Bench, load: float, rounds: int) -> Taken:
    return Taken(str(datetime.date.today()), os.environ['BENCH_COMMIT'], describe(bench), round(load, 2), rounds)


def describe(bench: Bench) -> str:
    """The machine and the versions, in one line."""
    parts = [
        f'{_processor()}, {os.cpu_count()} cores',
        platform.freedesktop_os_release()['PRETTY_NAME'].replace(' GNU/Linux', ''),
        f'GTK {_output("pkg-config", "--modversion", "gtk4")}',
        f'SQLite {sqlite3.sqlite_version}',
        f'Swift {os.environ["BENCH_SWIFT"]}',
        f'{bench.screen.name}, no GPU' + (f', {renderer}' if (renderer := os.environ.get('GSK_RENDERER')) else ''),
    ]
    return '; '.join(parts) + (f'; next to {bench.busy} busy processes' if bench.busy else '')


def _processor() -> str:
    for line in Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.split(':', 1)[1].strip()
    return platform.machine()


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or '?'
