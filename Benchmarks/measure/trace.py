"""Explains why something took long: which programs had the processors, and what the main thread waited for."""
import threading
import time
from collections import Counter
from pathlib import Path

from .process import now_ms, stolen_ms

_PAUSE = 0.001
_MOST_PROGRAMS = 4
# States of proc_pid_stat(5); in all others the thread sleeps.
_STATES = {'R': 'running or ready', 'D': 'waiting for a disk'}


class Trace:
    """Observes a program from the initialiser until `explain`.

    Reads the processor time of each thread of the machine at the beginning and at the end (schedstat), and samples where
    the main thread sleeps (wchan) every millisecond.
    """

    def __init__(self, pid: int) -> None:
        self._process = Path(f'/proc/{pid}')
        self._before = _threads()
        self._stolen = stolen_ms()
        self._begun = now_ms()
        self._seen: list[str] = []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample)
        self._thread.start()

    def explain(self) -> str:
        """Ends the observation, and returns the explanation in one line."""
        self._stopped.set()
        self._thread.join()
        length = now_ms() - self._begun
        stolen = stolen_ms() - self._stolen
        ran, waited = Counter(), Counter()
        for thread, (process, run, wait) in _threads().items():
            _, earlier_run, earlier_wait = self._before.get(thread, (process, 0, 0))
            program = 'CopyPasta' if process == self._process else _name(process)
            ran[program] += (run - earlier_run) / 1e6
            waited[program] += (wait - earlier_wait) / 1e6
        others = [name for name, spent in ran.most_common() if name != 'CopyPasta' and spent >= 1][:_MOST_PROGRAMS]
        programs = ', '.join(f'{name} {ran[name]:.0f}+{waited[name]:.0f}' for name in ('CopyPasta', *others))
        where = ', '.join(f'{100 * count / len(self._seen):.0f} % {place}'
                          for place, count in Counter(self._seen).most_common(3))
        return (f'watched {length:.0f} ms; ran and waited for a processor: {programs} ms; stolen {stolen:.0f} ms; '
                f'main thread: {where or "not seen"}')

    def _sample(self) -> None:
        while not self._stopped.wait(_PAUSE):
            try:
                state = (self._process / 'stat').read_text().rpartition(')')[2].split()[0]
                self._seen.append(_STATES.get(state) or f'in {(self._process / "wchan").read_text()}')
            except OSError:
                return  # The program has ended.


def _threads() -> dict[str, tuple[Path, int, int]]:
    """The process of each thread of the machine, and the nanoseconds that it ran and that it waited for a processor."""
    found = {}
    for process in Path('/proc').glob('[0-9]*'):
        try:
            for thread in (process / 'task').iterdir():
                run, wait, _ = map(int, (thread / 'schedstat').read_text().split())
                found[thread.name] = (process, run, wait)
        except OSError:
            pass  # The process has ended.
    return found


def _name(process: Path) -> str:
    try:
        return (process / 'comm').read_text().strip()
    except OSError:
        return 'ended'
