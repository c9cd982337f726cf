"""Klipper, KDE's clipboard manager: a program of its own in Plasma 5, a part of the shell in Plasma 6."""
import shutil
from os import environ
from pathlib import Path

from gi.repository import GLib

from .. import bus
from ..process import Running
from .peer import Peer

_NAME, _OBJECT, _INTERFACE = 'org.kde.klipper', '/klipper', 'org.kde.klipper.klipper'


class Klipper(Peer):
    name, package = 'Klipper', 'plasma-workspace'
    program = 'klipper' if shutil.which('klipper') else 'plasmashell'
    processes = (program, 'kactivitymanagerd')
    is_shell = program == 'plasmashell'
    desktops = ('KDE',) if is_shell else ('X11',)
    most = 2_048

    def set_up(self) -> None:
        settings = Path(environ['XDG_CONFIG_HOME'], 'klipperrc')
        settings.write_text(f'[General]\nKeepClipboardContents=true\nMaxClipItems={self.most}\n')

    def launch(self) -> Running:
        # Plasma's shell does not start without kactivitymanagerd.
        for manager in Path('/usr/lib').glob('*/libexec/kactivitymanagerd') if self.is_shell else ():
            Running([str(manager)])
            bus.wait_for('org.kde.ActivityManager')
        return super().launch()

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
