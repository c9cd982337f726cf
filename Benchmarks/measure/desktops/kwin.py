"""KWin: kwin.py of the tests presses keys."""
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..process import child, now_ms
from ..screen import Screen
from ..watcher import watch_programs

_DRIVER = Path(__file__).parents[3] / 'Tests/TestSupport/Fixtures/kwin.py'
_NAMES = {'Control_L': 'ctrl', 'Super_L': 'super'}


class KWinScreen(Screen):
    """The running KWin. Its shortcut, which Tests/Desktop has configured, runs a symbolic link."""

    name = 'Wayland (KWin, on Xvfb)'

    def __init__(self) -> None:
        super().__init__()
        watch_programs(self)
        self._path = os.environ['XDG_RUNTIME_DIR'] + '/bench-driver'
        driver = self.helpers.enter_context(
            child([sys.executable, _DRIVER, self._path], stdout=subprocess.PIPE, text=True))
        assert driver.stdout
        if driver.stdout.readline() != 'ready\n':
            raise RuntimeError('kwin.py does not run')

    def press(self, *keys: str) -> float:
        time = now_ms()
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._path)
            with connection.makefile('rw') as stream:
                stream.write('press ' + '+'.join(_NAMES.get(key, key) for key in keys) + '\n')
                stream.flush()
                stream.read()
        return time

    @contextmanager
    def shortcut(self, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        program = Path(os.environ['XDG_RUNTIME_DIR'], 'shortcut')
        program.unlink(missing_ok=True)
        program.symlink_to(command[0])
        yield
