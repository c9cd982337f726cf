"""Owns the program's name on the session bus, in place of the program.

application.py BEHAVIOUR handles calls in one of these ways: "answers", "hangs", "ends", or the name of a D-Bus error to
return. With "starts" it owns the name but has no object yet.
Prints "ready", then each call.
"""
import os
import sys

import service

METHODS = {'org.freedesktop.Application': {'Activate': ('a{sv}', ''), 'ActivateAction': ('s av a{sv}', '')}}


def called(_bus, _sender, _path, _interface, method, arguments, invocation):
    print(method, arguments, flush=True)
    if behaviour == 'ends':
        os._exit(0)
    if behaviour == 'answers':
        invocation.return_value(None)
    elif behaviour != 'hangs':
        invocation.return_dbus_error(behaviour, 'as the test wants it')


behaviour = sys.argv[1]
service.serve(
    'org.copypasta.CopyPasta', '/org/copypasta/CopyPasta', {} if behaviour == 'starts' else METHODS, called)
