"""Services on the session bus, in place of those that the test desktops lack. `service.py NAME` only owns a name."""
import sys

from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def described(interfaces):
    """Returns the introspection data of interfaces, whose methods have the types of their arguments and of their results."""
    def arguments(types, direction):
        return ''.join(f'<arg type="{each}" direction="{direction}"/>' for each in types.split())
    return Gio.DBusNodeInfo.new_for_xml('<node>' + ''.join(
        f'<interface name="{interface}"><property name="version" type="u" access="read"/>' + ''.join(
            f'<method name="{name}">{arguments(taken, "in")}{arguments(given, "out")}</method>'
            for name, (taken, given) in methods.items()) + '</interface>'
        for interface, methods in interfaces.items()) + '</node>').interfaces


def serve(name, path, interfaces, called):
    """Exports an object, owns a name, prints "ready", and passes each call to `called`."""
    for interface in described(interfaces):
        bus.register_object(path, interface, called, lambda *_: GLib.Variant('u', 1))
    Gio.bus_own_name_on_connection(
        bus, name, Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)
    GLib.MainLoop().run()


if __name__ == '__main__':
    serve(sys.argv[1], '/', {}, None)
