"""Starts and ends programs, and reads the kernel's figures about them."""
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

MIB = 1 << 20


def now_ms() -> float:
    """CLOCK_MONOTONIC in milliseconds, the clock of the screen's log."""
    return time.monotonic_ns() / 1e6


class Running:
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

    def __enter__(self) -> 'Running':
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @property
    def has_ended(self) -> bool:
        return self._child.poll() is not None

    def rest(self) -> None:
        """Waits until the program is idle: none of its threads wakes up for half a second."""
        before = None
        while before is None or activity(self.pid).wake_ups(before):
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


class Quota:
    """Limits processes and their children to a share of one processor, with a control group. Needs root.

    The period is 10 ms, because the default of 100 ms would not affect short work.
    """

    _PERIOD_US = 10_000

    def __init__(self, share: float) -> None:
        quota = round(share * self._PERIOD_US)
        self._parent = Path('/sys/fs/cgroup')
        self._limits = {'cpu.max': f'{quota} {self._PERIOD_US}'}
        if (self._parent / 'cpu').exists():  # Control groups, version 1.
            self._parent /= 'cpu'
            self._limits = {'cpu.cfs_period_us': str(self._PERIOD_US), 'cpu.cfs_quota_us': str(quota)}
        self._group = self._parent / f'copypasta-bench-{os.getpid()}'

    def __enter__(self) -> 'Quota':
        self._group.mkdir()
        for name, value in self._limits.items():
            (self._group / name).write_text(value)
        return self

    def __exit__(self, *_: object) -> None:
        for pid in (self._group / 'cgroup.procs').read_text().split():
            self._move(pid, self._parent)
        self._group.rmdir()

    def limit(self, pid: int) -> None:
        self._move(pid, self._group)

    @staticmethod
    def _move(pid: int | str, group: Path) -> None:
        with suppress(ProcessLookupError):  # The process has ended.
            (group / 'cgroup.procs').write_text(str(pid))


class Busy:
    """`count` processes in endless loops, to simulate a busy machine."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._children: list[subprocess.Popen] = []

    def __enter__(self) -> 'Busy':
        self._children = [subprocess.Popen(['sh', '-c', 'while :; do :; done']) for _ in range(self._count)]
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            child.kill()
            child.wait()


def memory(pid: int, what: str = 'Rss') -> float:
    """The memory in MiB, from smaps_rollup: `Rss` in total, or `Pss` with shared pages divided by their users."""
    for line in Path(f'/proc/{pid}/smaps_rollup').read_text().splitlines():
        if line.startswith(what + ':'):
            return int(line.split()[1]) / 1024
    raise ValueError(f'no {what} of process {pid}')


def peak_memory(pid: int) -> float:
    """The peak of the resident memory in MiB (VmHWM)."""
    return _number(Path(f'/proc/{pid}/status'), 'VmHWM:') / 1024


def bytes_written(pid: int) -> int:
    """The bytes sent to storage, in whole pages of the page cache; `wchar` would also count the X connection."""
    return _number(Path(f'/proc/{pid}/io'), 'write_bytes:')


@dataclass(frozen=True)
class Activity:
    """The processor time and the waits of a process so far, by thread, because a total falls when a thread ends."""

    nanoseconds: dict[str, int]
    waits: dict[str, int]

    def processor_ms(self, since: 'Activity') -> float:
        """The processor time of all threads in milliseconds."""
        return _growth(self.nanoseconds, since.nanoseconds) / 1e6

    def wake_ups(self, since: 'Activity') -> int:
        """The number of wake-ups, counted as the times that a thread has begun to wait."""
        return _growth(self.waits, since.waits)


def activity(pid: int) -> Activity:
    """Reads schedstat, which counts nanoseconds, because `stat` counts ticks of 10 ms."""
    nanoseconds, waits = {}, {}
    for task in Path(f'/proc/{pid}/task').iterdir():
        try:
            nanoseconds[task.name] = int((task / 'schedstat').read_text().split()[0])
            waits[task.name] = _number(task / 'status', 'voluntary_ctxt_switches:')
        except OSError:
            pass  # The thread has ended.
    return Activity(nanoseconds, waits)


def _growth(late: dict[str, int], early: dict[str, int]) -> int:
    return sum(value - early.get(thread, 0) for thread, value in late.items())


def processes_named(*names: str) -> list[int]:
    """The processes with these names on this desktop. Compares 15 characters, because the kernel stores no more."""
    found = []
    bus = f'DBUS_SESSION_BUS_ADDRESS={os.environ["DBUS_SESSION_BUS_ADDRESS"]}'.encode()
    for folder in Path('/proc').glob('[0-9]*'):
        try:
            is_here = bus in (folder / 'environ').read_bytes().split(b'\0')
            if is_here and (folder / 'comm').read_text().strip() in {name[:15] for name in names}:
                found.append(int(folder.name))
        except OSError:
            pass  # The process has ended, or belongs to another user.
    return found


def _number(file: Path, label: str) -> int:
    for line in file.read_text().splitlines():
        if line.startswith(label):
            return int(line.split()[1])
    raise ValueError(f'no {label} in {file}')
