"""An accessibility bus that accepts connections and never answers. Prints "ready" when its address is available."""
import socket
import sys

from gi.repository import Gio, GLib

XML = '<node><interface name="org.a11y.Bus"><method name="GetAddress"><arg type="s" direction="out"/></method></interface></node>'


def called(bus, sender, path, interface, method, arguments, invocation):
    invocation.return_value(GLib.Variant('(s)', ('unix:path=' + sys.argv[1],)))


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object('/org/a11y/bus', Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called, None, None)
Gio.bus_own_name_on_connection(
    bus, 'org.a11y.Bus', Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
