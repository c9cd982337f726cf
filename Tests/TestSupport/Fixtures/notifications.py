"""A notification daemon that prints each notification's title and body, on one line."""
from gi.repository import GLib

import service

NAME = 'org.freedesktop.Notifications'
METHODS = {'GetCapabilities': ('', 'as'), 'GetServerInformation': ('', 's s s s'),
           'Notify': ('s u s s s as a{sv} i', 'u'), 'CloseNotification': ('u', '')}


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


service.serve(NAME, '/org/freedesktop/Notifications', {NAME: METHODS}, called)
