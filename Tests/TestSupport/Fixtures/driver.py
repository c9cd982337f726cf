"""The base of labwc.py and kwin.py: windows that a compositor tells of, and a socket where tests give orders.

An order is a line, one of `Driver.orders` with its words; the answer is the windows, as JSON. A driver has the methods
`move`, `button`, `scroll`, `activate`, `minimise` and `close`.
"""
import json
import select
import socket

import wayland

TITLE, APPLICATION = 0, 1
# Each button by its number in X11, as linux/input-event-codes.h has them; 4 and 5 scroll.
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}
WHEEL_STEP = 15 * 256


class Window:
    def __init__(self, number, handle):
        self.number, self.handle, self.title, self.application = number, handle, '', ''
        self.is_visible, self.is_active, self.frame = True, False, None

    def described(self):
        return {'id': self.number, 'title': self.title, 'applicationID': self.application,
                'isVisible': self.is_visible, 'isActive': self.is_active,
                'frame': self.frame and dict(zip(('x', 'y', 'width', 'height'), self.frame))}


class Driver:
    def __init__(self):
        self.connection, self.windows = wayland.Connection(), {}
        self.orders = {'windows': lambda: None, 'move': self.move, 'click': self.click, 'activate': self.activate,
                       'minimise': self.minimise, 'close': self.close}

    def request(self, number, opcode, *arguments):
        """A request of a window, if it is still there."""
        if int(number) in self.windows:
            self.connection.request(self.windows[int(number)].handle, opcode, *arguments)

    def window_event(self, window, event, data):
        """Both compositors' protocols have these by the same numbers."""
        if event == TITLE:
            window.title = wayland.string(data)
        elif event == APPLICATION:
            window.application = wayland.string(data)

    def click(self, button):
        button = int(button)
        if button in BUTTONS:
            for is_pressed in 1, 0:
                self.button(BUTTONS[button], is_pressed)
        else:
            self.scroll(1 if button == 5 else -1)

    def answer(self, order):
        word, *words = order.split()
        self.orders[word](*words)
        # A new window is told of at first, and described then.
        for _ in range(2):
            self.connection.roundtrip()
        return [window.described() for window in self.windows.values()]

    def serve(self, path):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            print('ready', flush=True)
            while True:
                # Events that nobody asks about are read too, or the compositor would end the connection some day.
                ready, _, _ = select.select([server, self.connection.socket], [], [])
                if self.connection.socket in ready:
                    self.connection.dispatch()
                    continue
                client, _ = server.accept()
                with client, client.makefile('rw') as stream:
                    stream.write(json.dumps(self.answer(stream.readline())))
