"""Owns the program's name on the session bus, in place of the program.

application.py BEHAVIOUR handles calls in one of these ways: "answers", "hangs", "ends", or the name of a D-Bus error to
return. With "starts" it owns the name but has no object yet.
Prints "ready", then each call.
"""
import os
import sys

from gi.repository import Gio, GLib

PATH = '/org/copypasta/CopyPasta'
INTERFACE = '''<node>
  <interface name='org.freedesktop.Application'>
    <method name='Activate'><arg type='a{sv}' direction='in'/></method>
    <method name='ActivateAction'>
      <arg type='s' direction='in'/><arg type='av' direction='in'/><arg type='a{sv}' direction='in'/>
    </method>
  </interface>
</node>'''


def called(_bus, _sender, _path, _interface, method, arguments, invocation):
    print(method, arguments, flush=True)
    if behaviour == 'ends':
        os._exit(0)
    if behaviour == 'answers':
        invocation.return_value(None)
    elif behaviour != 'hangs':
        invocation.return_dbus_error(behaviour, 'as the test wants it')


behaviour = sys.argv[1]
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
if behaviour != 'starts':
    bus.register_object(PATH, Gio.DBusNodeInfo.new_for_xml(INTERFACE).interfaces[0], called)
Gio.bus_own_name_on_connection(bus, 'org.copypasta.CopyPasta', Gio.BusNameOwnerFlags.NONE,
                               lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
