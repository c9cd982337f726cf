"""A notification daemon that prints each notification's title and body, on one line."""
from gi.repository import Gio, GLib

XML = '''<node><interface name="org.freedesktop.Notifications">
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/>
  </method>
  <method name="Notify">
    <arg type="s"/><arg type="u"/><arg type="s"/><arg type="s"/><arg type="s"/><arg type="as"/><arg type="a{sv}"/>
    <arg type="i"/><arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u"/></method>
</interface></node>'''


def called(bus, sender, path, interface, method, arguments, invocation):
    if method == 'Notify':
        title, body = arguments.unpack()[3:5]
        print(f'{title}|{body}', flush=True)
        invocation.return_value(GLib.Variant('(u)', (1,)))
    elif method == 'GetCapabilities':
        invocation.return_value(GLib.Variant('(as)', (['body'],)))
    elif method == 'GetServerInformation':
        invocation.return_value(GLib.Variant('(ssss)', ('test', 'test', '1', '1.2')))
    else:
        invocation.return_value(None)


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.register_object('/org/freedesktop/Notifications', Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], called, None, None)
Gio.bus_own_name_on_connection(
    bus, 'org.freedesktop.Notifications', Gio.BusNameOwnerFlags.NONE, lambda *_: print('ready', flush=True), None)
GLib.MainLoop().run()
