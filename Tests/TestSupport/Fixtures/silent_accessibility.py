"""An accessibility bus that accepts connections and never answers. Prints "ready" when its address is available."""
import socket
import sys

from gi.repository import GLib

import service


def called(bus, sender, path, interface, method, arguments, invocation):
    invocation.return_value(GLib.Variant('(s)', ('unix:path=' + sys.argv[1],)))


listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen()
service.serve('org.a11y.Bus', '/org/a11y/bus', {'org.a11y.Bus': {'GetAddress': ('', 's')}}, called)
