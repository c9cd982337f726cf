"""A settings portal on the session bus, with settings for the appearance.

settings_portal.py [KEY VALUE]... has these keys of org.freedesktop.appearance, with values in GVariant's text format. It
prints "ready" when it is on the bus. The method Set of org.copypasta.Test changes a key and emits the signal.

settings_portal.py --at-first-question KEY VALUE [KEY VALUE]... prints "asked" at the first call, answers it a moment
later with the current values, then changes the first key and prints "told".
"""
import sys
import time

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


def change(bus, key, text):
    values[key] = GLib.Variant.parse(None, text, None, None)
    bus.emit_signal(None, PATH, 'org.freedesktop.portal.Settings', 'SettingChanged',
                    GLib.Variant('(ssv)', (NAMESPACE, key, values[key])))


def called(bus, sender, path, interface, method, arguments, invocation):
    global questions
    if method == 'ReadAll':
        questions += 1
        is_first = at_first and questions == 1
        if is_first:
            print('asked', flush=True)
            time.sleep(0.3)
        invocation.return_value(GLib.Variant('(a{sa{sv}})', ({NAMESPACE: values},)))
        if is_first:
            change(bus, *at_first)
            bus.flush_sync()
            print('told', flush=True)
    elif method == 'Set':
        change(bus, *arguments.unpack())
        invocation.return_value(None)


questions = 0
at_first = None
if sys.argv[1:2] == ['--at-first-question']:
    at_first = sys.argv[2:4]
    del sys.argv[1:4]
for key, text in zip(sys.argv[1::2], sys.argv[2::2]):
    values[key] = GLib.Variant.parse(None, text, None, None)
bus = Gio.bus_get_sync(Gio.BusType.SESSION)
for interface in Gio.DBusNodeInfo.new_for_xml(XML).interfaces:
    bus.register_object(PATH, interface, called, None, None)
Gio.bus_own_name_on_connection(
    bus, 'org.freedesktop.portal.Desktop', Gio.BusNameOwnerFlags.NONE,
    lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
