#!/usr/bin/python3
"""Measures CopyPasta and prints one table. meson-helpers/bench builds what this script needs, starts a desktop and
calls the script.

It does not fail if a figure misses its target; the targets are printed only for information.
"""
import argparse
import datetime
import sys
from collections.abc import Callable
from pathlib import Path

from measure import machine, report
from measure.bench import Bench
from measure.figure import Figure
from measure.figures import capture, idle, keys, large_text, memory, pages, popups, show, size, start, typed
from measure.peers import measure as peers
from measure.process import Busy

DESKTOPS = {'x11': 'X11', 'wayland': 'Wayland', 'gnome': 'GNOME', 'kde': 'KDE'}
FIGURES: dict[str, Callable[[Bench], list[Figure]]] = {
    'start-rows': start.measure_start_against_rows,
    'start-baseline': start.measure_start_against_baseline,
    'memory-rows': memory.measure_memory_against_rows,
    'memory-baseline': memory.measure_memory_against_baseline,
    'memory-hidden': memory.measure_memory_hidden,
    'memory-large': memory.measure_memory_against_large_texts,
    'show-start': show.measure_start,
    'show-first': show.measure_first_popup,
    'show': show.measure_popup,
    'show-busy': show.measure_popup_busy,
    'show-slow': show.measure_popup_slow,
    'popups': popups.measure_popups,
    'typed': typed.measure_typed,
    'page': pages.measure_page,
    'end': keys.measure_end,
    'page-down': keys.measure_page_down_held,
    'copies': capture.measure_copies,
    'written': capture.measure_bytes_written,
    'large-text': large_text.measure_large_text,
    'idle': idle.measure_idle,
    'size': size.measure_size,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='bench', description='Measures CopyPasta: one table, medians of paired runs.')
    parser.add_argument('--on', choices=DESKTOPS, default='x11', help='which desktop (default x11)')
    parser.add_argument('--pairs', type=int, default=15, help='pairs of starts (default 15)')
    parser.add_argument('--rounds', type=int, default=100,
                        help='popups in a row; typed keys are tried twice as often (default 100)')
    parser.add_argument('--rows', type=int, default=1_000_000, help='rows of the long history (default 1000000)')
    parser.add_argument('--peers', action='store_true', help='also measure the clipboard managers that are installed')
    parser.add_argument('--busy', type=int, default=0, metavar='N', help='measure next to N busy processes (default 0)')
    parser.add_argument('--only', action='append', choices=[*FIGURES, 'peers'], metavar='NAME',
                        help='only this figure; may be repeated: ' + ', '.join([*FIGURES, 'peers']))
    parser.add_argument('--write-results', action='store_true',
                        help='write Benchmarks/results.json and the tables of RESULTS.md')
    parser.add_argument('--check-arguments', action='store_true', help=argparse.SUPPRESS)
    return parser.parse_args()


def measure(bench: Bench, only: list[str] | None) -> list[Figure]:
    """Measures each figure and prints it immediately. A figure that cannot be measured does not end the run."""
    figures: list[Figure] = []
    for name, function in FIGURES.items():
        if only and name not in only:
            continue
        try:
            found = function(bench)
        except Exception as error:  # Continue with the other figures.
            found = [Figure(name, '', None, note=f'not measured: {error}')]
        for figure in found:
            print(report.line(figure), flush=True)
        figures += found
    return figures


def main() -> None:
    options = arguments()
    if options.check_arguments:
        return
    here = Path(__file__).parent
    bench = Bench(options.pairs, options.rows, options.rounds)
    conditions = machine.describe(bench)
    if options.busy:
        conditions += f'; beside {options.busy} busy processes'
    print(conditions, report.heading(), sep='\n', flush=True)
    with Busy(options.busy):
        figures = measure(bench, options.only)
        results = peers.measure(bench) if options.peers or 'peers' in (options.only or []) else None
    if results:
        peers.compare(figures, results)
        print(report.peers_table(results), flush=True)
    if options.write_results:
        run = report.Run(f'{datetime.date.today()}, {conditions}', figures, results or [])
        runs = report.keep(here / 'results.json', DESKTOPS[options.on], run, is_whole=not options.only)
        report.write(here / 'RESULTS.md', runs)
    bench.screen.close()


if __name__ == '__main__':
    sys.exit(main())
