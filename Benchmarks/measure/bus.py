"""The session bus: shows windows, and measures the stalls of main loops."""
import threading
import time

from gi.repository import Gio, GLib

from .process import now_ms, until

COPYPASTA = 'org.copypasta.CopyPasta'
BASELINE = 'org.copypasta.Baseline'
# The bus name of the baseline that draws each popup only once.
BASELINE_ONCE = 'org.copypasta.BaselineOnce'
_OBJECT = '/org/copypasta/CopyPasta'


def connection() -> Gio.DBusConnection:
    return Gio.bus_get_sync(Gio.BusType.SESSION)


def call(name: str, path: str, interface: str, method: str, arguments: GLib.Variant | None = None):
    """Calls a method and waits for its answer, but not for long: a peer that never answers must not stop the run."""
    return connection().call_sync(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 10_000, None)


def send(name: str, path: str, interface: str, method: str, arguments: GLib.Variant | None = None) -> float:
    """Calls a method without waiting for the answer. Returns the time of the call in milliseconds."""
    bus = connection()
    time_sent = now_ms()
    bus.call(name, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 60_000, None, None)
    bus.flush_sync()
    return time_sent


def toggle(name: str) -> float:
    """Calls the action `toggle`, as a desktop's shortcut does. Returns the time of the call in milliseconds."""
    arguments = GLib.Variant('(sava{sv})', ('toggle', [], {}))
    return send(name, '/' + name.replace('.', '/'), 'org.freedesktop.Application', 'ActivateAction', arguments)


def has_owner(name: str) -> bool:
    arguments = GLib.Variant('(s)', (name,))
    answer = call('org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus', 'NameHasOwner', arguments)
    return answer.unpack()[0]


def wait_for(name: str, timeout: float = 20) -> None:
    """Waits until a program owns its name on the bus."""
    until(lambda: has_owner(name), timeout)


class LoopPing:
    """Measures the longest stall of CopyPasta's main loop with a D-Bus call every 2 ms.

    The main loop itself answers `org.gtk.Actions.List`, so a call waits while the loop is stalled. The longest round
    trip is the longest stall plus the 0.2 ms of a call. `org.freedesktop.DBus.Peer` would not show stalls, because
    GLib's worker thread answers it.
    """

    _PAUSE = 0.002

    def __init__(self) -> None:
        self.longest = 0.0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> 'LoopPing':
        self._ask()  # The first call on a new connection is slower.
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.is_set():
            asked = now_ms()
            self._ask()
            self.longest = max(self.longest, now_ms() - asked)
            time.sleep(self._PAUSE)

    def _ask(self) -> None:
        call(COPYPASTA, _OBJECT, 'org.gtk.Actions', 'List')
