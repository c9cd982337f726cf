"""The portal that provides CopyPasta's shortcut on GNOME 48 and later. A dialog asks the user to allow the shortcut."""
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from . import bus

# The services in the order of their dependencies, with their names on the session bus.
_SERVICES = {
    'org.gnome.Settings.GlobalShortcutsProvider': '/usr/libexec/gnome-control-center-global-shortcuts-provider',
    'org.freedesktop.impl.portal.desktop.gnome': '/usr/libexec/xdg-desktop-portal-gnome',
    'org.freedesktop.portal.Desktop': '/usr/libexec/xdg-desktop-portal',
}
_DIALOG_IS_SHOWN = ('global.display.focus_window?.get_wm_class() === "org.gnome.Settings.GlobalShortcutsProvider"')
_IS_GRANTED = 'Main.shellDBusService._grabbedAccelerators.size > 0'
# The keys that move from the list of shortcuts to the button "Add" and press it.
_KEYS = 'Tab', 'Tab', 'Tab', 'space'


class GnomePortal:
    """Runs the portal's services, and allows the shortcut that CopyPasta requests."""

    @staticmethod
    def is_installed() -> bool:
        return all(os.path.exists(program) for program in _SERVICES.values())

    def __init__(self, evaluate: Callable[[str], object], press: Callable[[str], float]) -> None:
        self._evaluate, self._press = evaluate, press
        self._services: list[subprocess.Popen] = []

    def __enter__(self) -> 'GnomePortal':
        # Only installed programs get a shortcut.
        folder = Path(os.environ['XDG_DATA_HOME'], 'applications')
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f'{bus.COPYPASTA}.desktop').write_text(
            f'[Desktop Entry]\nType=Application\nName=CopyPasta\nExec={os.environ["BENCH_COPYPASTA"]}\n')
        for name, program in _SERVICES.items():
            self._services.append(subprocess.Popen([program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
            bus.wait_for(name)
        self._wait_for(f'{_DIALOG_IS_SHOWN} || {_IS_GRANTED}')
        if self._evaluate(_DIALOG_IS_SHOWN):
            time.sleep(1)  # The dialog still changes after its first frame.
            for key in _KEYS:
                self._press(key)
                time.sleep(0.2)
        self._wait_for(_IS_GRANTED)
        return self

    def __exit__(self, *_: object) -> None:
        for service in reversed(self._services):
            service.kill()
            service.wait()

    def _wait_for(self, condition: str) -> None:
        deadline = time.monotonic() + 20
        while not self._evaluate(condition):
            if time.monotonic() > deadline:
                raise TimeoutError(condition)
            time.sleep(0.05)
