"""gnome_shell.py SOCKET: runs JavaScript inside GNOME Shell. A question is a line with the code as a JSON string, the answer
the code's result as JSON, in the form of `VirtualDesktop.ask`."""
import json
import socket
import sys

from gi.repository import Gio, GLib

bus = Gio.bus_get_sync(Gio.BusType.SESSION)


def answer(code):
    try:
        done, result = bus.call_sync('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval',
                                     GLib.Variant('(s)', [code]), None, Gio.DBusCallFlags.NO_AUTO_START, -1, None)
    except GLib.Error as error:
        return {'error': error.message}
    return {'answer' if done else 'error': result}


with socket.socket(socket.AF_UNIX) as server:
    server.bind(sys.argv[1])
    server.listen()
    print('ready', flush=True)
    while True:
        client, _ = server.accept()
        with client, client.makefile('rw') as stream:
            stream.write(json.dumps(answer(json.loads(stream.readline()))))
