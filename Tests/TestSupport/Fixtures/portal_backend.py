#!/usr/bin/python3
"""A backend of xdg-desktop-portal for global shortcuts and background programs, because the test desktops have none. It
grants every request.

Prints "ready", then "bound" for each session that binds shortcuts. SIGUSR1 presses the newest shortcut.
"""
import signal

from gi.repository import Gio, GLib

PATH = '/org/freedesktop/portal/desktop'
INTERFACES = Gio.DBusNodeInfo.new_for_xml('''<node>
  <interface name='org.freedesktop.impl.portal.GlobalShortcuts'>
    <property name='version' type='u' access='read'/>
    <method name='CreateSession'>
      <arg type='o' direction='in'/><arg type='o' direction='in'/><arg type='s' direction='in'/>
      <arg type='a{sv}' direction='in'/><arg type='u' direction='out'/><arg type='a{sv}' direction='out'/>
    </method>
    <method name='BindShortcuts'>
      <arg type='o' direction='in'/><arg type='o' direction='in'/><arg type='a(sa{sv})' direction='in'/>
      <arg type='s' direction='in'/><arg type='a{sv}' direction='in'/>
      <arg type='u' direction='out'/><arg type='a{sv}' direction='out'/>
    </method>
    <method name='ListShortcuts'>
      <arg type='o' direction='in'/><arg type='o' direction='in'/>
      <arg type='u' direction='out'/><arg type='a{sv}' direction='out'/>
    </method>
    <signal name='Activated'><arg type='o'/><arg type='s'/><arg type='t'/><arg type='a{sv}'/></signal>
  </interface>
  <interface name='org.freedesktop.impl.portal.Background'>
    <method name='GetAppState'><arg type='a{sv}' direction='out'/></method>
  </interface>
</node>''').interfaces


class Backend:
    def __init__(self):
        self.session, self.shortcuts = None, []
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for interface in INTERFACES:
            self.bus.register_object(PATH, interface, self.called, lambda *_: GLib.Variant('u', 1))
        Gio.bus_own_name_on_connection(self.bus, 'org.freedesktop.impl.portal.desktop.try', Gio.BusNameOwnerFlags.NONE,
                                       lambda *_: print('ready', flush=True), None)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, self.press)

    def called(self, _bus, _sender, _path, _interface, method, arguments, invocation):
        if method == 'GetAppState':
            # Report no programs, so that the portal considers none as running in the background.
            return invocation.return_value(GLib.Variant('(a{sv})', ({},)))
        if method == 'BindShortcuts':
            _handle, self.session, shortcuts, _parent, _options = arguments.unpack()
            self.shortcuts = [(name, {'description': GLib.Variant('s', details['description']),
                                      'trigger_description': GLib.Variant('s', 'Ctrl+Super+V')})
                              for name, details in shortcuts]
            print('bound', flush=True)
        results = {} if method == 'CreateSession' else {'shortcuts': GLib.Variant('a(sa{sv})', self.shortcuts)}
        return invocation.return_value(GLib.Variant('(ua{sv})', (0, results)))

    def press(self):
        if self.shortcuts:
            self.bus.emit_signal(None, PATH, INTERFACES[0].name, 'Activated',
                                 GLib.Variant('(osta{sv})', (self.session, self.shortcuts[-1][0], 0, {})))
        return True


Backend()
GLib.MainLoop().run()
