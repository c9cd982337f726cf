"""Controls windows, pointer and keyboard of KDE's compositor through its own protocols.

Plugs in a pointer and a keyboard, and accepts orders on the socket that its argument names. Keys are named as on an
American keyboard.

https://github.com/KDE/plasma-wayland-protocols: fake-input.xml and plasma-window-management.xml
"""
import struct
import sys

import driver
import wayland

AUTHENTICATE, BUTTON, POINTER_MOTION_ABSOLUTE, KEYBOARD_KEY = 0, 2, 9, 10
PRESSED, RELEASED = 1, 0
# The codes of linux/input-event-codes.h.
CODES = {'Escape': 1, 'BackSpace': 14, 'Tab': 15, 'Return': 28, 'ctrl': 29, 'shift': 42, 'comma': 51, 'alt': 56,
         'space': 57, 'F4': 62, 'F10': 68, 'Home': 102, 'Up': 103, 'Page_Up': 104, 'Left': 105, 'Right': 106,
         'End': 107, 'Down': 108, 'Page_Down': 109, 'Delete': 111, 'super': 125, 'Menu': 127}
for first, keys in (2, '1234567890'), (16, 'qwertyuiop'), (30, 'asdfghjkl'), (44, 'zxcvbnm'):
    CODES |= {key: first + index for index, key in enumerate(keys)}

WINDOW_WITH_UUID, GET_WINDOW_BY_UUID = 4, 2
STATE, UNMAPPED, GEOMETRY = 2, 5, 8
SET_STATE, CLOSE = 0, 4
ACTIVE, MINIMISED = 1, 2


class KWin(driver.Driver):
    def __init__(self):
        super().__init__()
        # Keep the devices plugged in, because programs that see a device appear or disappear lose keys just pressed.
        self.devices = self.connection.bind('org_kde_kwin_fake_input', version=4)
        self.connection.request(self.devices, AUTHENTICATE, 'tests', 'keys and clicks')
        self.manager = self.connection.bind('org_kde_plasma_window_management', self.manager_event, version=17)
        self.orders['press'] = self.press
        self.connection.roundtrip()

    def manager_event(self, event, data):
        if event == WINDOW_WITH_UUID:
            number, = struct.unpack_from('=I', data)
            window = self.windows[number] = driver.Window(number, None)
            window.handle = self.connection.new(lambda event, data: self.window_event(window, event, data))
            self.connection.request(self.manager, GET_WINDOW_BY_UUID, window.handle, wayland.string(data[4:]))

    def window_event(self, window, event, data):
        super().window_event(window, event, data)
        if event == STATE:
            state, = struct.unpack('=I', data)
            window.is_visible, window.is_active = not state & MINIMISED, bool(state & ACTIVE)
        elif event == GEOMETRY:
            window.frame = struct.unpack('=iiII', data)
        elif event == UNMAPPED:
            self.windows.pop(window.number, None)

    def activate(self, number):
        self.request(number, SET_STATE, ACTIVE | MINIMISED, ACTIVE)

    def minimise(self, number):
        self.request(number, SET_STATE, MINIMISED, MINIMISED)

    def close(self, number):
        self.request(number, CLOSE)

    def input(self, opcode, *arguments):
        self.connection.request(self.devices, opcode, *(number & 0xffffffff for number in arguments))

    def press(self, *keys):
        for key in keys:
            codes = [CODES[part] for part in key.split('+')]
            for code in codes:
                self.input(KEYBOARD_KEY, code, PRESSED)
            for code in reversed(codes):
                self.input(KEYBOARD_KEY, code, RELEASED)

    def move(self, x, y):
        # Fixed-point numbers with 8 fractional bits.
        self.input(POINTER_MOTION_ABSOLUTE, int(x) * 256, int(y) * 256)

    def button(self, code, is_pressed):
        self.input(BUTTON, code, is_pressed)


KWin().serve(sys.argv[1])
