"""Services on the session bus, in place of those that the test desktops lack.

service.py NAME [PATH INTERFACE ANSWER METHOD:TYPES:TYPES...]: owns the name. With an object, prints each call of its methods,
and answers all of them in one way: with a tuple in GVariant's text format, with a D-Bus error, or "hangs" or "ends".
"""
import os
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


def called(_bus, _sender, _path, _interface, method, arguments, invocation):
    print(method, arguments, flush=True)
    if answer == 'ends':
        os._exit(0)
    if answer.startswith('('):
        invocation.return_value(GLib.Variant.parse(None, answer, None, None))
    elif answer != 'hangs':
        invocation.return_dbus_error(answer, 'as the test wants it')


if __name__ == '__main__':
    name, *rest = sys.argv[1:]
    path, interface, answer, *methods = rest or ['/', '', '']
    serve(name, path, {interface: {method: types for method, *types in (each.split(':') for each in methods)}}
          if interface else {}, called)
