"""Klipper: the clipboard manager of KDE's desktop, as a program of its own."""
from os import environ
from pathlib import Path

from gi.repository import GLib

from .. import bus
from .peer import Peer

_NAME, _OBJECT, _INTERFACE = 'org.kde.klipper', '/klipper', 'org.kde.klipper.klipper'


class Klipper(Peer):
    name, program, package = 'Klipper', 'klipper', 'plasma-workspace'
    processes = ('klipper',)
    most = 2_048
    how_filled = 'D-Bus (setClipboardContents)'

    def set_up(self) -> None:
        settings = Path(environ['XDG_CONFIG_HOME'], 'klipperrc')
        settings.write_text(f'[General]\nKeepClipboardContents=true\nMaxClipItems={self.most}\n')

    def wait_ready(self) -> None:
        bus.wait_for(_NAME)

    def ask(self) -> float:
        return bus.send(_NAME, _OBJECT, _INTERFACE, 'showKlipperPopupMenu')

    def history(self) -> list[str]:
        return bus.call(_NAME, _OBJECT, _INTERFACE, 'getClipboardHistoryMenu').unpack()[0]

    def fill(self, texts: list[str]) -> None:
        for text in texts:
            bus.call(_NAME, _OBJECT, _INTERFACE, 'setClipboardContents', GLib.Variant('(s)', (text,)))
        bus.call(_NAME, _OBJECT, _INTERFACE, 'saveClipboardHistory')
