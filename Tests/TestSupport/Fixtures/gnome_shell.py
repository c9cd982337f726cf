"""gnome_shell.py CODE: runs JavaScript inside GNOME Shell, and prints the result as JSON."""
import sys

from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SESSION)
done, answer = bus.call_sync('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval',
                             GLib.Variant('(s)', sys.argv[1:]), None, Gio.DBusCallFlags.NO_AUTO_START, -1, None)
if not done:
    sys.exit(answer)
print(answer)
