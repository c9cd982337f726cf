"""GPaste: a daemon on the bus, and a GTK program that shows its history."""
import os
import signal
from pathlib import Path
from uuid import uuid4

from .. import bus
from ..process import Running, processes_named
from .peer import Peer, output, start_quietly

_NAME = 'org.gnome.GPaste'


class GPaste(Peer):
    name, program, package = 'GPaste', 'gpaste-client', 'gpaste-2'
    processes = ('gpaste-daemon', 'gpaste-ui')
    most = 10_000
    fills_stopped = True

    def set_up(self) -> None:
        for key, value in (('max-history-size', self.most), ('max-displayed-history-size', self.most)):
            output('gsettings', 'set', 'org.gnome.GPaste', key, str(value))

    def launch(self) -> Running:
        folders = (Path('/usr/libexec/gpaste'), Path('/usr/lib/gpaste'))
        return Running([next(str(folder / 'gpaste-daemon') for folder in folders if folder.exists())])

    def wait_ready(self) -> None:
        bus.wait_for(_NAME)

    def ask(self) -> float:
        return start_quietly('gpaste-client', 'ui')

    def history(self) -> list[str]:
        return output('gpaste-client', 'history', '--raw').splitlines()

    def fill(self, texts: list[str]) -> None:
        # Write its file, because adding 10,000 texts by D-Bus takes minutes.
        items = ''.join(f'  <item kind="Text" uuid="{uuid4()}">\n    <value><![CDATA[{text}]]></value>\n  </item>\n'
                        for text in reversed(texts))
        file = Path(os.environ['XDG_DATA_HOME'], 'gpaste', 'history.xml')
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'<?xml version="1.0" encoding="UTF-8"?>\n<history version="2.0">\n{items}</history>\n')

    def end(self, running: Running) -> None:
        for pid in processes_named('gpaste-ui'):
            os.kill(pid, signal.SIGTERM)
        super().end(running)
