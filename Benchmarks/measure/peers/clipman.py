"""Xfce Clipman: a tray icon with a menu."""
from os import environ
from pathlib import Path

from gi.repository import GLib

from .. import bus
from .peer import Peer, output, start_quietly

_NAME = 'org.xfce.clipman'


class Clipman(Peer):
    name, program, package = 'Xfce Clipman', 'xfce4-clipman', 'xfce4-clipman'
    processes = ('xfce4-clipman',)
    most = 1_000
    fills_stopped = saves_at_end = True
    patience_seconds = 0.1

    def set_up(self) -> None:
        output('xfconf-query', '-c', 'xfce4-panel', '-p', '/plugins/clipman/settings/max-texts-in-history', '-n', '-t',
               'uint', '-s', str(self.most))

    def wait_ready(self) -> None:
        bus.wait_for(_NAME)

    def ask(self) -> float:
        return start_quietly('xfce4-popup-clipman')

    def history(self) -> list[str]:
        file = self._file()
        saved = GLib.KeyFile()
        saved.load_from_file(str(file), GLib.KeyFileFlags.NONE)
        return saved.get_string_list('texts', 'texts')

    def fill(self, texts: list[str]) -> None:
        saved = GLib.KeyFile()
        saved.set_string_list('texts', 'texts', texts)
        self._file().parent.mkdir(parents=True, exist_ok=True)
        saved.save_to_file(str(self._file()))

    @staticmethod
    def _file() -> Path:
        return Path(environ['XDG_CACHE_HOME'], 'xfce4', 'clipman', 'textsrc')
