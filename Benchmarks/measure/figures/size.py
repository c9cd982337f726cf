"""The program's size."""
import shutil
import subprocess

from ..bench import Bench
from ..figure import Figure
from ..process import MIB


def measure_size(bench: Bench) -> list[Figure]:
    """Measures the statically linked program without its symbols, after `strip`."""
    stripped = bench.scratch / 'copypasta-stripped'
    shutil.copy(bench.copypasta, stripped)
    subprocess.run(['strip', stripped], check=True)
    size = stripped.stat().st_size
    return [Figure('the static, stripped program', 'MB', size / 1e6, '< 12 MB', note=f'{size / MIB:.1f} MiB')]
