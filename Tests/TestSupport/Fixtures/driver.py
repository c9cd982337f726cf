"""What labwc.py and kwin.py have in common: windows that a compositor tells of, and a socket where tests give orders.

An order is a line, one of `Driver.orders` with its words; the answer is the windows, as JSON.
"""
import json
import select
import socket

import wayland


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

    def answer(self, order):
        word, *words = order.split()
        self.orders[word](*words)
        # What is new is told of at first, and described then.
        for _ in range(2):
            self.connection.roundtrip()
        return [window.described() for window in self.windows.values()]

    def serve(self, path):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path)
            server.listen()
            print('ready', flush=True)
            while True:
                # What nobody asks about is read too, or the compositor would end the connection some day.
                ready, _, _ = select.select([server, self.connection.socket], [], [])
                if self.connection.socket in ready:
                    self.connection.dispatch()
                    continue
                client, _ = server.accept()
                with client, client.makefile('rw') as stream:
                    stream.write(json.dumps(self.answer(stream.readline())))
