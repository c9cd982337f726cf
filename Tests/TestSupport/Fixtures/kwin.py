"""KDE's compositor as a user has it: "kwin.py press KEY..." presses and releases keys, of which "ctrl+super+v" is one,
and "kwin.py windows" prints a line for each window: "active" or "inactive", and its application id.

https://github.com/KDE/plasma-wayland-protocols: fake-input.xml and plasma-window-management.xml
"""
import struct
import sys

import wayland

AUTHENTICATE, KEYBOARD_KEY, PRESSED, RELEASED = 0, 10, 1, 0
# As linux/input-event-codes.h has them.
CODES = {'Escape': 1, 'q': 16, 'ctrl': 29, 'Return': 28, 'z': 44, 'x': 45, 'v': 47, 'comma': 51, 'alt': 56, 'F4': 62,
         'Home': 102, 'Down': 108, 'Delete': 111, 'super': 125, 'Menu': 127}
WINDOW_WITH_UUID, GET_WINDOW_BY_UUID = 4, 2
APPLICATION_CHANGED, STATE_CHANGED, UNMAPPED, ACTIVE = 1, 2, 5, 1


class Window:
    def __init__(self):
        self.application, self.state, self.is_mapped = '', 0, True

    def event(self, event, data):
        if event == APPLICATION_CHANGED:
            self.application = wayland.string(data)
        elif event == STATE_CHANGED:
            self.state, = struct.unpack('=I', data)
        elif event == UNMAPPED:
            self.is_mapped = False


def press(connection, keys):
    keyboard = connection.bind('org_kde_kwin_fake_input', version=4)
    connection.request(keyboard, AUTHENTICATE, 'tests', 'pressing keys')
    for key in keys:
        codes = [CODES[part] for part in key.split('+')]
        for code in codes:
            connection.request(keyboard, KEYBOARD_KEY, code, PRESSED)
        for code in reversed(codes):
            connection.request(keyboard, KEYBOARD_KEY, code, RELEASED)
    connection.roundtrip()


def print_windows(connection):
    identifiers, windows = [], []

    def event(event, data):
        if event == WINDOW_WITH_UUID:
            identifiers.append(wayland.string(data[4:]))

    manager = connection.bind('org_kde_plasma_window_management', event, version=17)
    connection.roundtrip()
    for identifier in identifiers:
        window = Window()
        connection.request(manager, GET_WINDOW_BY_UUID, connection.new(window.event), identifier)
        windows.append(window)
    connection.roundtrip()
    for window in windows:
        if window.is_mapped:
            print('active' if window.state & ACTIVE else 'inactive', window.application)


if sys.argv[1] == 'press':
    press(wayland.Connection(), sys.argv[2:])
else:
    print_windows(wayland.Connection())
