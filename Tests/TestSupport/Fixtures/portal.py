#!/usr/bin/python3
"""Portals on the session bus, because the test desktops have none: global shortcuts, settings, start at login.

portal.py [--backend] [--change-at-first-question KEY VALUE] [KEY VALUE]...

The settings portal has these keys of org.freedesktop.appearance, with values in GVariant's text format; the method Set of
org.copypasta.Test changes one. Prints "ready" when it is on the bus, then the name of each called method, except for
reads of settings. SIGUSR1 presses the newest shortcut.

--backend is a backend of xdg-desktop-portal instead. Every request is granted.
--change-at-first-question prints "asked" at the first question for settings, answers it a moment later with the current
values, then changes the key and prints "told".
"""
import argparse
import signal
import time

from gi.repository import GLib

import service

PATH = '/org/freedesktop/portal/desktop'
APPEARANCE = 'org.freedesktop.appearance'
PORTAL, BACKEND = 'org.freedesktop.portal.', 'org.freedesktop.impl.portal.'
# The types of the arguments and results of each method.
PORTAL_METHODS = {
    PORTAL + 'GlobalShortcuts': {'CreateSession': ('a{sv}', 'o'), 'BindShortcuts': ('o a(sa{sv}) s a{sv}', 'o')},
    PORTAL + 'Background': {'RequestBackground': ('s a{sv}', 'o')},
    # In a sandbox GTK 4.24 monitors the end of the session, and logs a warning if it cannot.
    PORTAL + 'Inhibit': {'CreateMonitor': ('s a{sv}', 'o')},
    PORTAL + 'Settings': {'ReadAll': ('as', 'a{sa{sv}}'), 'Read': ('s s', 'v')},
    'org.copypasta.Test': {'Set': ('s s', '')},
}
BACKEND_METHODS = {
    BACKEND + 'GlobalShortcuts': {
        'CreateSession': ('o o s a{sv}', 'u a{sv}'), 'BindShortcuts': ('o o a(sa{sv}) s a{sv}', 'u a{sv}'),
        'ListShortcuts': ('o o', 'u a{sv}')},
    BACKEND + 'Background': {'GetAppState': ('', 'a{sv}')},
}


class Portal:
    def __init__(self, options):
        self.options, self.session, self.shortcuts = options, None, []
        self.change = options.change_at_first_question
        self.settings = {key: parsed(text) for key, text in zip(options.settings[::2], options.settings[1::2])}
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGUSR1, self.press)

    def called(self, _bus, sender, _path, _interface, method, arguments, invocation):
        arguments = arguments.unpack()
        if method == 'ReadAll':
            self.read(invocation)
        elif method == 'Read':
            invocation.return_dbus_error('org.freedesktop.portal.Error.NotFound', 'none')
        elif method == 'Set':
            self.set(*arguments)
            invocation.return_value(None)
        elif method == 'GetAppState':
            # Report no programs, so that the portal considers none as running in the background.
            invocation.return_value(GLib.Variant('(a{sv})', ({},)))
        else:
            self.requested(method, arguments, sender, invocation)
            print(method, flush=True)

    def read(self, invocation):
        change, self.change = self.change, None
        if change:
            print('asked', flush=True)
            time.sleep(0.3)
        invocation.return_value(GLib.Variant('(a{sa{sv}})', ({APPEARANCE: self.settings},)))
        if change:
            self.set(*change)
            service.bus.flush_sync()
            print('told', flush=True)

    def set(self, key, text):
        self.settings[key] = parsed(text)
        service.bus.emit_signal(None, PATH, PORTAL + 'Settings', 'SettingChanged',
                             GLib.Variant('(ssv)', (APPEARANCE, key, self.settings[key])))

    def requested(self, method, arguments, sender, invocation):
        """Answers a request: a backend at once, a portal by a signal."""
        options = next((each for each in reversed(arguments) if isinstance(each, dict)), {})
        below = sender[1:].replace('.', '_')
        results = {}
        if method in ('CreateSession', 'CreateMonitor') and not self.options.backend:
            handle = f'{PATH}/session/{below}/{options["session_handle_token"]}'
            results['session_handle'] = GLib.Variant('s', handle)
        elif method == 'RequestBackground':
            results['autostart'] = GLib.Variant('b', options['autostart'])
        elif method == 'BindShortcuts':
            self.session = arguments[1 if self.options.backend else 0]
            self.shortcuts = [
                (name, {'description': GLib.Variant('s', details['description']),
                        'trigger_description': GLib.Variant('s', 'Ctrl+Super+V')})
                for name, details in next(each for each in arguments if isinstance(each, list))]
        if method.endswith('Shortcuts'):
            results['shortcuts'] = GLib.Variant('a(sa{sv})', self.shortcuts)
        answer = GLib.Variant('(ua{sv})', (0, results))
        if self.options.backend:
            return invocation.return_value(answer)
        request = f'{PATH}/request/{below}/{options["handle_token"]}'
        invocation.return_value(GLib.Variant('(o)', (request,)))
        service.bus.emit_signal(sender, request, PORTAL + 'Request', 'Response', answer)

    def press(self):
        if self.shortcuts:
            interface = (BACKEND if self.options.backend else PORTAL) + 'GlobalShortcuts'
            service.bus.emit_signal(None, PATH, interface, 'Activated',
                                 GLib.Variant('(osta{sv})', (self.session, self.shortcuts[-1][0], 0, {})))
        return True


def parsed(text):
    return GLib.Variant.parse(None, text, None, None)


parser = argparse.ArgumentParser()
parser.add_argument('--backend', action='store_true')
parser.add_argument('--change-at-first-question', nargs=2)
parser.add_argument('settings', nargs='*')
options = parser.parse_args()
if options.backend:
    service.serve(BACKEND + 'desktop.try', PATH, BACKEND_METHODS, Portal(options).called)
else:
    service.serve(PORTAL + 'Desktop', PATH, PORTAL_METHODS, Portal(options).called)
