"""The base of labwc.py and kwin.py: tracks a compositor's windows, and accepts orders from tests on a socket.

An order is a line with a name in `Driver.orders` and arguments. The answer is the list of windows, as JSON. A driver has
the methods `move`, `button`, `activate`, `minimise` and `close`.
"""
import json
import select
import socket

import wayland

TITLE, APPLICATION = 0, 1
# The codes of linux/input-event-codes.h, by X11 button number.
BUTTONS = {1: 0x110, 2: 0x112, 3: 0x111}


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
        """Sends a request to a window, if it still exists."""
        if int(number) in self.windows:
            self.connection.request(self.windows[int(number)].handle, opcode, *arguments)

    def window_event(self, window, event, data):
        """Handles the events that have the same numbers in the protocols of both compositors."""
        if event == TITLE:
            window.title = wayland.string(data)
        elif event == APPLICATION:
            window.application = wayland.string(data)

    def click(self, button):
        for is_pressed in 1, 0:
            self.button(BUTTONS[int(button)], is_pressed)

    def answer(self, order):
        word, *words = order.split()
        self.orders[word](*words)
        # Wait twice, because the first roundtrip reports a new window, and the second one its properties.
        for _ in range(2):
            self.connection.roundtrip()
        return [window.described() for window in self.windows.values()]

    def serve(self, path):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            print('ready', flush=True)
            while True:
                # Read events between orders too, because the compositor closes a connection that does not read them.
                ready, _, _ = select.select([server, self.connection.socket], [], [])
                if self.connection.socket in ready:
                    self.connection.dispatch()
                    continue
                client, _ = server.accept()
                with client, client.makefile('rw') as stream:
                    stream.write(json.dumps(self.answer(stream.readline())))
