"""Portals on the session bus: global shortcuts, start at login, and those that GTK calls.

portal.py ANSWER answers RequestBackground with "granted" or "refused"; a shortcut is always granted. Prints "ready", then
the name of each called method, except for reads of settings. SIGUSR1 presses the shortcut.
"""
import signal
import sys

from gi.repository import Gio, GLib

PATH = '/org/freedesktop/portal/desktop'
SHORTCUTS = 'org.freedesktop.portal.GlobalShortcuts'
INTERFACES = '''<node>
  <interface name='org.freedesktop.portal.GlobalShortcuts'>
    <method name='CreateSession'><arg type='a{sv}' direction='in'/><arg type='o' direction='out'/></method>
    <method name='BindShortcuts'>
      <arg type='o' direction='in'/><arg type='a(sa{sv})' direction='in'/><arg type='s' direction='in'/>
      <arg type='a{sv}' direction='in'/><arg type='o' direction='out'/>
    </method>
    <signal name='Activated'><arg type='o'/><arg type='s'/><arg type='t'/><arg type='a{sv}'/></signal>
  </interface>
  <interface name='org.freedesktop.portal.Settings'>
    <method name='ReadAll'><arg type='as' direction='in'/><arg type='a{sa{sv}}' direction='out'/></method>
    <method name='Read'>
      <arg type='s' direction='in'/><arg type='s' direction='in'/><arg type='v' direction='out'/>
    </method>
  </interface>
  <interface name='org.freedesktop.portal.Inhibit'>
    <method name='CreateMonitor'>
      <arg type='s' direction='in'/><arg type='a{sv}' direction='in'/><arg type='o' direction='out'/>
    </method>
  </interface>
  <interface name='org.freedesktop.portal.Background'>
    <method name='RequestBackground'>
      <arg type='s' direction='in'/><arg type='a{sv}' direction='in'/><arg type='o' direction='out'/>
    </method>
  </interface>
</node>'''


class Portal:
    def __init__(self, answer):
        self.answer = answer
        self.session = None
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        for interface in Gio.DBusNodeInfo.new_for_xml(INTERFACES).interfaces:
            self.bus.register_object(PATH, interface, self.called)
        Gio.bus_own_name_on_connection(self.bus, 'org.freedesktop.portal.Desktop', Gio.BusNameOwnerFlags.NONE,
                                       lambda *_: print('ready', flush=True), None)
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, self.press)

    def called(self, _bus, sender, _path, _interface, method, arguments, invocation):
        # In a sandbox GTK reads the desktop's settings through the portal; answer that there are none.
        if method == 'ReadAll':
            return invocation.return_value(GLib.Variant('(a{sa{sv}})', ({},)))
        if method == 'Read':
            return invocation.return_dbus_error('org.freedesktop.portal.Error.NotFound', 'none')
        print(method, flush=True)
        arguments = arguments.unpack()
        options = arguments[-1] if method != 'CreateSession' else arguments[0]
        caller = sender[1:].replace('.', '_')
        request = f'{PATH}/request/{caller}/{options["handle_token"]}'
        invocation.return_value(GLib.Variant('(o)', (request,)))
        code, results = getattr(self, method)(caller, arguments, options)
        self.bus.emit_signal(sender, request, 'org.freedesktop.portal.Request', 'Response',
                             GLib.Variant('(ua{sv})', (code, results)))

    def CreateSession(self, caller, _arguments, options):
        self.session = f'{PATH}/session/{caller}/{options["session_handle_token"]}'
        return 0, {'session_handle': GLib.Variant('s', self.session)}

    def BindShortcuts(self, _caller, arguments, _options):
        granted = [(name, {'trigger_description': GLib.Variant('s', 'Ctrl+Meta+V')}) for name, _ in arguments[1]]
        return 0, {'shortcuts': GLib.Variant('a(sa{sv})', granted)}

    # In a sandbox GTK 4.24 monitors the end of the session, and logs a warning if it cannot.
    def CreateMonitor(self, caller, _arguments, options):
        session = f'{PATH}/session/{caller}/{options["session_handle_token"]}'
        return 0, {'session_handle': GLib.Variant('s', session)}

    def RequestBackground(self, _caller, _arguments, options):
        if self.answer == 'refused':
            return 1, {}
        return 0, {'autostart': GLib.Variant('b', options['autostart'])}

    def press(self):
        if self.session:
            self.bus.emit_signal(None, PATH, SHORTCUTS, 'Activated',
                                 GLib.Variant('(osta{sv})', (self.session, 'toggle-history', 0, {})))
        return True


Portal(sys.argv[1])
GLib.MainLoop().run()
