#!/usr/bin/python3
"""Measures CopyPasta and prints one table. meson-helpers/bench builds what this script needs, starts a desktop and
calls the script.

It does not fail if a figure misses its target, only if a figure cannot be measured.
"""
import argparse
import os
import sys
from pathlib import Path

from measure import desktops, machine, report
from measure.bench import Bench
from measure.figure import Figure, measure
from measure.figures import SUBJECTS
from measure.process import busy

DESKTOPS = {'X11': 'X11', 'sway': 'Wayland', 'KDE': 'KDE', 'GNOME': 'GNOME'}
HERE = Path(__file__).parent


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog='bench', description='Measures CopyPasta: one table, medians of paired runs.')
    parser.add_argument('--on', action='append', choices=['x11', 'wayland', 'kde', 'gnome', 'all'],
                        help='which desktop (default x11); may be repeated; all: those that are installed')
    parser.add_argument('--pairs', type=int, default=15, help='pairs of starts (default 15)')
    parser.add_argument('--rounds', type=int, default=100,
                        help='popups in a row; typed keys are tried twice as often (default 100)')
    parser.add_argument('--short', action='store_true', help='the same as --pairs 3 --rounds 6')
    parser.add_argument('--rows', type=int, default=1_000_000, help='items of the long history (default 1000000)')
    parser.add_argument('--against', metavar='PROGRAM',
                        help='also measure this CopyPasta, for example an older one, in alternating rounds')
    parser.add_argument('--busy', type=int, default=0, metavar='N', help='measure next to N busy processes (default 0)')
    parser.add_argument('--only', action='append', choices=[*SUBJECTS], metavar='NAME',
                        help='only this subject; may be repeated: ' + ', '.join(SUBJECTS))
    parser.add_argument('--write-results', action='store_true',
                        help='write Benchmarks/results.json and the table of RESULTS.md')
    parser.add_argument('--check-arguments', action='store_true', help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.short:
        options.pairs, options.rounds = 3, 6
    if options.against and not os.access(options.against, os.X_OK):
        parser.error(f'{options.against} is not a program')
    return options


def measure_figures(bench: Bench, only: list[str] | None) -> list[Figure]:
    """Measures each figure and prints it immediately. A figure that cannot be measured does not end the run."""
    figures: list[Figure] = []
    for name, subject in SUBJECTS.items():
        if name not in (only or SUBJECTS):
            continue
        try:
            found = measure(bench, subject)
        except Exception as error:  # Continue with the other figures.
            found = [Figure(name, note=f'not measured: {type(error).__name__} {error}')]
        for figure in found:
            print(report.line(figure), flush=True)
        figures += found
    return figures


def run(bench: Bench, options: argparse.Namespace) -> int:
    print(machine.describe(bench), report.heading(), sep='\n', flush=True)
    with busy(options.busy):
        figures = measure_figures(bench, options.only)
    if options.write_results:
        report.write(HERE, DESKTOPS[desktops.CURRENT], [figure for figure in figures if figure.taken])
    return 0 if all(figure.taken for figure in figures) else 1


def main() -> int:
    options = arguments()
    if options.check_arguments:
        return 0
    screen = desktops.current()
    with screen.helpers:
        bench = Bench(screen, options.pairs, options.rounds, options.rows, options.against, options.busy)
        return run(bench, options)


if __name__ == '__main__':
    sys.exit(main())
