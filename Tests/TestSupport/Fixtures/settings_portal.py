"""A settings portal on the session bus, which says how programs are to look.

settings_portal.py [KEY VALUE]... has these keys of org.freedesktop.appearance, with values in GVariant's language. It
prints "ready" once it is on the bus; "set KEY VALUE" on its object org.copypasta.Test changes one, and tells of it.
"""
import sys

from gi.repository import Gio, GLib

NAMESPACE = 'org.freedesktop.appearance'
PATH = '/org/freedesktop/portal/desktop'
XML = '''<node>
  <interface name="org.freedesktop.portal.Settings">
    <method name="ReadAll"><arg type="as"/><arg type="a{sa{sv}}" direction="out"/></method>
    <signal name="SettingChanged"><arg type="s"/><arg type="s"/><arg type="v"/></signal>
  </interface>
  <interface name="org.copypasta.Test"><method name="Set"><arg type="s"/><arg type="s"/></method></interface>
</node>'''

values = {}


def called(bus, sender, path, interface, method, arguments, invocation):
    if method == 'ReadAll':
        invocation.return_value(GLib.Variant('(a{sa{sv}})', ({NAMESPACE: values},)))
    elif method == 'Set':
        key, text = arguments.unpack()
        values[key] = GLib.Variant.parse(None, text, None, None)
        bus.emit_signal(None, PATH, 'org.freedesktop.portal.Settings', 'SettingChanged',
                        GLib.Variant('(ssv)', (NAMESPACE, key, values[key])))
        invocation.return_value(None)


for key, text in zip(sys.argv[1::2], sys.argv[2::2]):
    values[key] = GLib.Variant.parse(None, text, None, None)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
for interface in Gio.DBusNodeInfo.new_for_xml(XML).interfaces:
    bus.register_object(PATH, interface, called, None, None)
Gio.bus_own_name_on_connection(
    bus, 'org.freedesktop.portal.Desktop', Gio.BusNameOwnerFlags.NONE,
    lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
