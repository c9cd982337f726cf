"""CopyQ: a Qt window and a server that holds every text in memory."""
import json
import os

from ..process import Running, until
from .peer import Peer, output, start_quietly


class CopyQ(Peer):
    name, program, package = 'CopyQ', 'copyq', 'copyq'
    processes = ('copyq',)
    most = 10_000
    desktops = ('X11', 'sway', 'GNOME', 'KDE')
    start_shown = ['copyq', '--start-server', 'show']

    def set_up(self) -> None:
        with self.launch() as running:
            self.wait_ready()
            output('copyq', 'config', 'maxitems', str(self.most))
            if 'WAYLAND_DISPLAY' in os.environ:
                # Without a tray, CopyQ minimises its window at startup; if it cannot, the window stays visible.
                output('copyq', 'config', 'hide_main_window', 'true')
            self.end(running)

    def wait_ready(self) -> None:
        until(lambda: output('copyq', 'eval', 'print(1)') == '1')

    def ask(self) -> float:
        return start_quietly('copyq', 'show')

    def history(self) -> list[str]:
        script = "var all = []; for (var i = 0; i < size(); ++i) all.push(str(read(i))); print(JSON.stringify(all))"
        return json.loads(output('copyq', 'eval', script))

    def fill(self, texts: list[str]) -> None:
        for first in range(0, len(texts), 500):
            output('copyq', 'eval', f'add.apply(this, {json.dumps(texts[first:first + 500])})')

    def end(self, running: Running) -> None:
        output('copyq', 'exit')
        super().end(running)
