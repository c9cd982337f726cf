"""Starts and ends programs, and reads the kernel's figures about them."""
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO


def now_ms() -> float:
    """CLOCK_MONOTONIC in milliseconds, the clock of the screen's log."""
    return time.monotonic_ns() / 1e6


def until(condition: Callable[[], object], timeout: float = 20) -> None:
    """Waits until the condition holds."""
    deadline = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f'it did not happen within {timeout:g} s')
        time.sleep(0.02)


class Running(AbstractContextManager):
    """A started program; `started` is the time just before its start, in milliseconds."""

    # Set by a screen that needs the programs' standard error: its reader, and environment variables for the programs.
    reader: Callable[[IO[str]], None] | None = None
    reader_environment: dict[str, str] = {}

    def __init__(self, command: list[str], environment: dict[str, str] | None = None) -> None:
        errors = subprocess.PIPE if Running.reader else subprocess.DEVNULL
        environment = {**(os.environ if environment is None else environment), **Running.reader_environment}
        self.started = now_ms()
        self._child = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=errors, text=True, errors='replace')
        self.pid = self._child.pid
        if Running.reader:
            threading.Thread(target=Running.reader, args=[self._child.stderr], daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def rest(self) -> None:
        """Waits until the program is idle: none of its threads wakes up for half a second."""
        before = None
        while before is None or activity_since(before, self.pid)[1]:
            before = activity(self.pid)
            time.sleep(0.5)

    def end(self) -> None:
        """Ends the program with SIGTERM, or with SIGKILL after five seconds."""
        if not self.has_ended:
            self._child.send_signal(signal.SIGTERM)
        try:
            self._child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()


def stolen_ms() -> float:
    """The time that the host has stolen from this virtual machine, summed over all processors, in milliseconds.

    It is "steal" of proc_stat(5). During that time, copies may be lost regardless of the recorder.
    """
    return int(Path('/proc/stat').read_text().split()[8]) * 1000 / os.sysconf('SC_CLK_TCK')


@contextmanager
def child(command: Sequence[str | Path], **options) -> Iterator[subprocess.Popen]:
    """A process that is killed at the end."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def busy(count: int) -> Iterator[None]:
    """`count` processes in endless loops, to simulate a busy machine."""
    with ExitStack() as children:
        for _ in range(count):
            children.enter_context(child(['sh', '-c', 'while :; do :; done']))
        yield


def memory(pid: int) -> float:
    """The resident memory in MiB (Rss)."""
    return _number(Path(f'/proc/{pid}/smaps_rollup'), 'Rss:') / 1024


def peak_memory(pid: int) -> float:
    """The peak of the resident memory in MiB (VmHWM)."""
    return _number(Path(f'/proc/{pid}/status'), 'VmHWM:') / 1024


def activity(pid: int) -> dict[str, tuple[int, int]]:
    """How many nanoseconds each thread has run, and how often it has begun to wait.

    Reads schedstat, which counts nanoseconds, because `stat` counts ticks of 10 ms; by thread, because a total falls when
    a thread ends.
    """
    found = {}
    for task in Path(f'/proc/{pid}/task').iterdir():
        with suppress(OSError):  # The thread has ended.
            ran = int((task / 'schedstat').read_text().split()[0])
            found[task.name] = ran, _number(task / 'status', 'voluntary_ctxt_switches:')
    return found


def activity_since(before: dict[str, tuple[int, int]], pid: int) -> tuple[float, int]:
    """The milliseconds that all threads have run since an earlier activity, and the wake-ups."""
    ran, waits = (sum(late[index] - before.get(thread, (0, 0))[index] for thread, late in activity(pid).items())
                  for index in (0, 1))
    return ran / 1e6, waits


def _number(file: Path, label: str) -> int:
    for line in file.read_text().splitlines():
        if line.startswith(label):
            return int(line.split()[1])
    raise ValueError(f'no {label} in {file}')
