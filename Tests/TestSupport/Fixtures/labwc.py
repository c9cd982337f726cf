"""Controls windows and pointer of labwc through the protocols of wlroots.

labwc.py SOCKET WIDTH HEIGHT plugs in a pointer, waits until the seat also has a keyboard, and then accepts orders on
the socket.

https://gitlab.freedesktop.org/wlroots/wlr-protocols: wlr-foreign-toplevel-management-unstable-v1.xml and
wlr-virtual-pointer-unstable-v1.xml
"""
import struct
import sys

import driver
import wayland

CAPABILITIES, HAS_KEYBOARD = 0, 2
TOPLEVEL = 0
STATE, CLOSED = 4, 6
UNSET_MINIMISED, SET_MINIMISED, ACTIVATE, CLOSE = 3, 2, 4, 5
MAXIMISED, MINIMISED, ACTIVE = 0, 1, 2
MOTION_ABSOLUTE, BUTTON, FRAME = 1, 2, 4


class Labwc(driver.Driver):
    def __init__(self, width, height):
        super().__init__()
        self.size, self.count, self.capabilities = (width, height), 0, 0
        self.seat = self.connection.bind('wl_seat', self.seat_event)
        self.pointer = self.connection.plug_in_pointer()
        self.connection.bind('zwlr_foreign_toplevel_manager_v1', self.manager_event, version=3)
        self.connection.roundtrip()

    def seat_event(self, event, data):
        if event == CAPABILITIES:
            self.capabilities, = struct.unpack('=I', data)

    def manager_event(self, event, data):
        if event == TOPLEVEL:
            handle, = struct.unpack('=I', data)
            self.count += 1
            window = self.windows[self.count] = driver.Window(self.count, handle)
            self.connection.handlers[handle] = lambda event, data: self.window_event(window, event, data)

    def window_event(self, window, event, data):
        super().window_event(window, event, data)
        if event == STATE:
            states = struct.unpack(f'={len(data) // 4}I', data)[1:]
            window.is_visible, window.is_active = MINIMISED not in states, ACTIVE in states
            # labwc reports no positions, but a maximised window is at 0, 0.
            window.frame = (0, 0, *self.size) if MAXIMISED in states else None
        elif event == CLOSED:
            self.windows.pop(window.number, None)

    def activate(self, number):
        self.request(number, UNSET_MINIMISED)
        self.request(number, ACTIVATE, self.seat)

    def minimise(self, number):
        self.request(number, SET_MINIMISED)

    def close(self, number):
        self.request(number, CLOSE)

    def move(self, x, y):
        self.point(MOTION_ABSOLUTE, 0, int(x), int(y), *self.size)

    def button(self, code, is_pressed):
        self.point(BUTTON, 0, code, is_pressed)

    def point(self, opcode, *arguments):
        self.connection.request(self.pointer, opcode, *arguments)
        self.connection.request(self.pointer, FRAME)


labwc = Labwc(*map(int, sys.argv[2:]))
while not labwc.capabilities & HAS_KEYBOARD:
    labwc.connection.dispatch()
labwc.serve(sys.argv[1])
