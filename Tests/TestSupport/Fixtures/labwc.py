"""Windows and pointer of labwc, by the protocols of wlroots.

Plugs a pointer in, says "ready" once the seat has a keyboard too, and then answers at the socket that its argument
names. A question is a line, one of `Desktop.orders` with its numbers; the answer is the windows, as JSON.

https://gitlab.freedesktop.org/wlroots/wlr-protocols: wlr-foreign-toplevel-management-unstable-v1.xml and
wlr-virtual-pointer-unstable-v1.xml
"""
import json
import select
import socket
import struct
import sys

import wayland

CAPABILITIES, HAS_KEYBOARD = 0, 2
TOPLEVEL = 0
TITLE, APPLICATION, STATE, CLOSED = 0, 1, 4, 6
UNSET_MINIMISED, SET_MINIMISED, ACTIVATE, CLOSE = 3, 2, 4, 5
MAXIMISED, MINIMISED, ACTIVE = 0, 1, 2
MOTION_ABSOLUTE, BUTTON, FRAME, AXIS_SOURCE, AXIS_DISCRETE = 1, 2, 4, 5, 7
WHEEL, VERTICAL, WHEEL_STEP = 0, 0, 15
# Each button by its number in X11, as linux/input-event-codes.h has them.
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}


class Window:
    def __init__(self, number, handle):
        self.number, self.handle, self.title, self.application, self.states = number, handle, '', '', ()

    def described(self):
        return {'id': self.number, 'title': self.title, 'applicationID': self.application,
                'isVisible': MINIMISED not in self.states, 'isActive': ACTIVE in self.states,
                'isMaximised': MAXIMISED in self.states}


class Desktop:
    def __init__(self, width, height):
        self.size, self.windows, self.count, self.capabilities = (width, height), {}, 0, 0
        self.connection = wayland.Connection()
        self.seat = self.connection.bind('wl_seat', self.seat_event)
        manager = self.connection.bind('zwlr_virtual_pointer_manager_v1')
        self.pointer = self.connection.new()
        self.connection.request(manager, 0, 0, self.pointer)  # create_virtual_pointer, on the default seat
        self.connection.bind('zwlr_foreign_toplevel_manager_v1', self.manager_event, version=3)
        self.connection.roundtrip()
        self.orders = {'windows': lambda: None, 'move': self.move, 'click': self.click, 'activate': self.activate,
                       'minimise': self.minimise, 'close': self.close}

    def seat_event(self, event, data):
        if event == CAPABILITIES:
            self.capabilities, = struct.unpack('=I', data)

    def manager_event(self, event, data):
        if event == TOPLEVEL:
            handle, = struct.unpack('=I', data)
            self.count += 1
            window = self.windows[self.count] = Window(self.count, handle)
            self.connection.handlers[handle] = lambda event, data: self.window_event(window, event, data)

    def window_event(self, window, event, data):
        if event == TITLE:
            window.title = wayland.string(data)
        elif event == APPLICATION:
            window.application = wayland.string(data)
        elif event == STATE:
            window.states = struct.unpack(f'={len(data) // 4}I', data)[1:]
        elif event == CLOSED:
            self.windows.pop(window.number, None)

    # What it is told to do.

    def request(self, number, opcode, *arguments):
        if number in self.windows:
            self.connection.request(self.windows[number].handle, opcode, *arguments)

    def activate(self, number):
        self.request(number, UNSET_MINIMISED)
        self.request(number, ACTIVATE, self.seat)

    def minimise(self, number):
        self.request(number, SET_MINIMISED)

    def close(self, number):
        self.request(number, CLOSE)

    def move(self, x, y):
        self.point(MOTION_ABSOLUTE, 0, x, y, *self.size)

    def click(self, button):
        if button in BUTTONS:
            for is_pressed in 1, 0:
                self.point(BUTTON, 0, BUTTONS[button], is_pressed)
        else:
            way = 1 if button == 5 else -1
            self.connection.request(self.pointer, AXIS_SOURCE, WHEEL)
            self.point(AXIS_DISCRETE, 0, VERTICAL, way * WHEEL_STEP * 256 & 0xffffffff, way & 0xffffffff)

    def point(self, opcode, *arguments):
        self.connection.request(self.pointer, opcode, *arguments)
        self.connection.request(self.pointer, FRAME)

    def answer(self, question):
        word, *numbers = question.split()
        self.orders[word](*map(int, numbers))
        self.connection.roundtrip()
        return [window.described() for window in self.windows.values()]


path, width, height = sys.argv[1], *map(int, sys.argv[2:])
desktop = Desktop(width, height)
while not desktop.capabilities & HAS_KEYBOARD:
    desktop.connection.dispatch()
with socket.socket(socket.AF_UNIX) as server:
    server.bind(path)
    server.listen()
    print('ready', flush=True)
    while True:
        # What nobody asks about is read too, or the compositor would end the connection some day.
        ready, _, _ = select.select([server, desktop.connection.socket], [], [])
        if desktop.connection.socket in ready:
            desktop.connection.dispatch()
            continue
        client, _ = server.accept()
        with client, client.makefile('rw') as stream:
            stream.write(json.dumps(desktop.answer(stream.readline())))
