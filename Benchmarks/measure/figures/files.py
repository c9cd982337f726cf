"""The import, the check and the export of a long history."""
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress

from ..bench import Bench, Program
from ..figure import Reading, Row, Subject
from ..process import now_ms, peak_memory


def _sample(bench: Bench, program: Program) -> Iterator[Reading]:
    homes = {option: bench.home(program, bench.rows) for option in ('--export', '--check')}
    homes['--import'] = bench.fresh_home(program, f'{program.name}-import')
    file = bench.scratch / 'export'
    for option, home in homes.items():
        with file.open('wb') if option == '--export' else file.open('rb') as stream:
            streams = {'stdout' if option == '--export' else 'stdin': stream}
            started = now_ms()
            child = subprocess.Popen([program.path, option], env=home.environment, stderr=subprocess.DEVNULL,
                                     **{'stdout': subprocess.DEVNULL} | streams)
            peak = 0.0
            while child.poll() is None:
                with suppress(ValueError):  # The program has just ended.
                    peak = peak_memory(child.pid)
                time.sleep(0.005)
            spent = now_ms() - started
        if child.returncode:
            raise RuntimeError(f'{option} failed')
        yield Row(f'`{option}` of {bench.rows:,} items', 's')(spent / 1000)
        yield Row(f'Most memory of `{option}`', 'MiB')(peak)
    file.unlink()


FILES = Subject(_sample, lambda bench: 1)
