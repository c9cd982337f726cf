"""Describes the machine on which the figures were measured."""
import os
import platform
import sqlite3
import subprocess
from pathlib import Path

from .bench import Bench


def describe(bench: Bench) -> str:
    """The machine, the versions and the load at the start, in one line."""
    parts = [
        f'{_processor()}, {os.cpu_count()} cores',
        f'{_distribution()}, Linux {platform.release()}',
        f'GTK {_output("pkg-config", "--modversion", "gtk4")}',
        f'SQLite {sqlite3.sqlite_version}',
        f'Swift {os.environ.get("BENCH_SWIFT", "?")}',
        f'{bench.screen.name}, no GPU, {_renderer()}',
        f'load {os.getloadavg()[0]:.2f}',
        f'{bench.pairs} pairs',
    ]
    return '; '.join(parts)


def _renderer() -> str:
    return os.environ.get('GSK_RENDERER', "each program's default renderer")


def _processor() -> str:
    for line in Path('/proc/cpuinfo').read_text().splitlines():
        if line.startswith('model name'):
            return line.split(':', 1)[1].strip()
    return platform.machine()


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()['PRETTY_NAME']
    except OSError:
        return 'unknown system'


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or '?'
