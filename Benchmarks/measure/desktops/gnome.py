"""GNOME Shell: gnome_shell.js of the tests, which runs inside the shell, presses keys."""
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from gi.repository import GLib

from .. import bus
from ..process import child, until
from ..screen import Screen
from ..watcher import watch_programs

# The services of the portal in the order of their dependencies, with their names on the session bus.
_SERVICES = {
    'org.gnome.Settings.GlobalShortcutsProvider': '/usr/libexec/gnome-control-center-global-shortcuts-provider',
    'org.freedesktop.impl.portal.desktop.gnome': '/usr/libexec/xdg-desktop-portal-gnome',
    'org.freedesktop.portal.Desktop': '/usr/libexec/xdg-desktop-portal',
}
_DIALOG_IS_SHOWN = 'global.display.focus_window?.get_wm_class() === "org.gnome.Settings.GlobalShortcutsProvider"'
_IS_GRANTED = 'Main.shellDBusService._grabbedAccelerators.size > 0'
# The keys that move from the list of shortcuts to the button "Add" and press it.
_KEYS = 'Tab', 'Tab', 'Tab', 'space'


class GnomeScreen(Screen):
    """The running GNOME Shell. The shortcut uses the portal, which GNOME 48 and later have, if it is installed."""

    name = 'Wayland (GNOME Shell, headless)'

    def __init__(self) -> None:
        super().__init__()
        watch_programs(self)

    def press(self, *keys: str) -> float:
        combination = json.dumps('+'.join(keys))
        return self._evaluate(f'[GLib.get_monotonic_time(), tests.press({combination})][0]') / 1000

    @contextmanager
    def shortcut(self, command: list[str], environment: dict[str, str]) -> Iterator[None]:
        with ExitStack() as stack:
            if all(map(os.path.exists, _SERVICES.values())):
                self._start_portal(stack)
                self._allow_shortcut()
            else:
                # The shell starts the command in its own environment, of which the command needs only the bus address.
                self._evaluate(f'tests.bind("<Control><Super>v", {json.dumps(command)})')
            yield

    def pasted(self) -> str:
        """The text of the shell's previous read, because the shell reads asynchronously."""
        return self._evaluate('[tests.pasted ?? "", tests.paste()][0]')

    def _start_portal(self, stack: ExitStack) -> None:
        # Only installed programs get a shortcut.
        folder = Path(os.environ['XDG_DATA_HOME'], 'applications')
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f'{bus.COPYPASTA}.desktop').write_text(
            f'[Desktop Entry]\nType=Application\nName=CopyPasta\nExec={os.environ["BENCH_COPYPASTA"]}\n')
        for name, program in _SERVICES.items():
            stack.enter_context(child([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            bus.wait_for(name)

    def _allow_shortcut(self) -> None:
        """Answers the dialog in which the user allows the shortcut that CopyPasta requests."""
        until(lambda: self._evaluate(f'{_DIALOG_IS_SHOWN} || {_IS_GRANTED}'))
        if self._evaluate(_DIALOG_IS_SHOWN):
            time.sleep(1)  # The dialog still changes after its first frame.
            for key in _KEYS:
                self.press(key)
                time.sleep(0.2)
        until(lambda: self._evaluate(_IS_GRANTED))

    def _evaluate(self, code: str):
        done, answer = bus.call('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval',
                                GLib.Variant('(s)', (code,)))
        if not done:
            raise RuntimeError(answer)
        return json.loads(answer)
