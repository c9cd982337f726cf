"""KDE's compositor as a user has it: "kwin.py press KEY..." presses and releases keys, of which "ctrl+super+v" is one;
"kwin.py windows" prints a line for each window: "active" or "inactive", and its application id; "kwin.py click
APPLICATION X Y" clicks at a place in the newest window of an application; and "kwin.py plug" plugs in what the others
press and click with, and says "ready". Until that ends no program sees a device come or go, which loses what was just
pressed.

https://github.com/KDE/plasma-wayland-protocols: fake-input.xml and plasma-window-management.xml
"""
import struct
import sys

import wayland

AUTHENTICATE, BUTTON, POINTER_MOTION_ABSOLUTE, KEYBOARD_KEY = 0, 2, 9, 10
PRESSED, RELEASED = 1, 0
# As linux/input-event-codes.h has them.
CODES = {'Escape': 1, 'ctrl': 29, 'Return': 28, 'z': 44, 'x': 45, 'v': 47, 'comma': 51, 'alt': 56, 'F4': 62,
         'Home': 102, 'Down': 108, 'Delete': 111, 'super': 125}
LEFT_BUTTON = 0x110
WINDOW_WITH_UUID, GET_WINDOW_BY_UUID = 4, 2
APPLICATION_CHANGED, STATE_CHANGED, UNMAPPED, GEOMETRY = 1, 2, 5, 8
ACTIVE = 1


class Window:
    def __init__(self):
        self.application, self.state, self.place, self.is_mapped = '', 0, (0, 0), True

    def event(self, event, data):
        if event == APPLICATION_CHANGED:
            self.application = wayland.string(data)
        elif event == STATE_CHANGED:
            self.state, = struct.unpack('=I', data)
        elif event == UNMAPPED:
            self.is_mapped = False
        elif event == GEOMETRY:
            self.place = struct.unpack_from('=ii', data)


def fake_input(connection, version):
    devices = connection.bind('org_kde_kwin_fake_input', version=version)
    connection.request(devices, AUTHENTICATE, 'tests', 'keys and clicks')
    return devices


def press(connection, keys):
    keyboard = fake_input(connection, version=4)
    for key in keys:
        codes = [CODES[part] for part in key.split('+')]
        for code in codes:
            connection.request(keyboard, KEYBOARD_KEY, code, PRESSED)
        for code in reversed(codes):
            connection.request(keyboard, KEYBOARD_KEY, code, RELEASED)
    connection.roundtrip()


def click(connection, application, x, y):
    left, top = [window.place for window in windows(connection) if window.application == application][-1]
    pointer = fake_input(connection, version=3)
    # The numbers have 8 bits behind the point.
    connection.request(pointer, POINTER_MOTION_ABSOLUTE, (left + x) * 256, (top + y) * 256)
    for state in PRESSED, RELEASED:
        connection.request(pointer, BUTTON, LEFT_BUTTON, state)
    connection.roundtrip()


def windows(connection):
    identifiers, found = [], []

    def event(event, data):
        if event == WINDOW_WITH_UUID:
            identifiers.append(wayland.string(data[4:]))

    manager = connection.bind('org_kde_plasma_window_management', event, version=17)
    connection.roundtrip()
    for identifier in identifiers:
        window = Window()
        connection.request(manager, GET_WINDOW_BY_UUID, connection.new(window.event), identifier)
        found.append(window)
    connection.roundtrip()
    return [window for window in found if window.is_mapped]


def print_windows(connection):
    for window in windows(connection):
        print('active' if window.state & ACTIVE else 'inactive', window.application)


def plug(connection):
    fake_input(connection, version=4)
    connection.roundtrip()
    print('ready', flush=True)
    while True:
        connection.dispatch()


if sys.argv[1] == 'plug':
    plug(wayland.Connection())
elif sys.argv[1] == 'press':
    press(wayland.Connection(), sys.argv[2:])
elif sys.argv[1] == 'click':
    click(wayland.Connection(), sys.argv[2], *map(int, sys.argv[3:]))
else:
    print_windows(wayland.Connection())
