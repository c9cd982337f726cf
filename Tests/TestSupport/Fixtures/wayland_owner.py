"""wayland_owner.py BEHAVIOUR: owns the clipboard of a Wayland desktop with one of the behaviours below or in owners.py.

Prints "ready" when it is the owner, then the type of each request, and "lost" when it loses the ownership; then it ends.
Like wl-copy, it uses ext-data-control or wlr-data-control, which need no window and no focus. GNOME has no such protocol:
there it shows a window of the application clipboard-owner until this window has the focus.

On Wayland a request is a pipe, so an owner can only misbehave in what it writes and when it closes the pipe.
"""
import os
import struct
import sys
import time
from itertools import repeat

import owners
import wayland
from owners import HINT, TEXT, say

# Two versions of the same protocol.
CONTROLS = 'ext_data_control_manager_v1', 'zwlr_data_control_manager_v1'
CREATE_SOURCE, GET_DEVICE, OFFER = 0, 1, 0
SELECT_BY_CONTROL, SELECT = 0, 1
# The events of data-control; without it, the numbers are shifted by the events for dragging.
SEND, CANCELLED = 0, 1
GET_KEYBOARD, KEYMAP, ENTER = 1, 0, 1
SIZE, FORMAT = 16, 1


class Owner(owners.Owner):
    """Owns the clipboard while `run` runs. `offers` has the answer to each type."""

    def __init__(self, offers):
        self.early = []
        self.connection = connection = wayland.Connection()
        seat = connection.bind('wl_seat')
        control = next((name for name in CONTROLS if name in connection.globals), None)
        self.has_control, self.serial = control is not None, ()
        self.manager = connection.bind(control or 'wl_data_device_manager')
        self.device = connection.new()
        connection.request(self.manager, GET_DEVICE, self.device, seat)
        destroy = (lambda: None) if self.has_control else self.show_window(seat)
        self.copy(offers)
        connection.roundtrip()
        destroy()
        connection.roundtrip()

    def copy(self, offers):
        """Takes the clipboard with new offers, even if this process already owns the clipboard."""
        self.offers, connection = offers, self.connection
        self.source = source = connection.new(lambda *event: self.event(source, *event))
        connection.request(self.manager, CREATE_SOURCE, source)
        for name in offers:
            connection.request(source, OFFER, name)
        connection.request(self.device, SELECT_BY_CONTROL if self.has_control else SELECT, source, *self.serial)

    def show_window(self, seat):
        """Shows a window and waits for the focus, which is required to copy. Returns a function that destroys the window."""
        connection = self.connection

        def keyboard_event(event, data):
            if event == KEYMAP:
                os.close(connection.descriptors.pop(0))
            elif event == ENTER:
                self.serial = struct.unpack_from('=I', data)

        def surface_event(event, data):
            connection.request(xdg_surface, 4, *struct.unpack('=I', data))  # ack_configure
            connection.request(surface, 1, buffer, 0, 0)  # attach
            connection.request(surface, 6)  # commit

        def pong(event, data):
            connection.request(shell, 3, *struct.unpack('=I', data))

        connection.request(seat, GET_KEYBOARD, connection.new(keyboard_event))
        pixels = os.memfd_create('pixels')
        os.ftruncate(pixels, SIZE * SIZE * 4)
        memory = connection.bind('wl_shm')
        pool = connection.new()
        connection.request(memory, 0, pool, SIZE * SIZE * 4, descriptors=[pixels])
        buffer = connection.new()
        connection.request(pool, 0, buffer, 0, SIZE, SIZE, SIZE * 4, FORMAT)
        compositor, shell = connection.bind('wl_compositor'), connection.bind('xdg_wm_base', pong)
        surface = connection.new()
        connection.request(compositor, 0, surface)
        xdg_surface = connection.new(surface_event)
        connection.request(shell, 2, xdg_surface, surface)
        window = connection.new()
        connection.request(xdg_surface, 1, window)
        connection.request(window, 3, 'clipboard-owner')  # set_app_id
        connection.request(surface, 6)  # commit
        while not self.serial:
            connection.dispatch()

        def destroy():
            for target in window, xdg_surface, surface:
                connection.request(target, 0)

        return destroy

    def run(self):
        say('ready')
        early, self.early = self.early, None
        for event in early:
            self.event(*event)
        while True:
            self.connection.dispatch()

    def event(self, source, event, data):
        kind = event - (not self.has_control)
        if self.early is not None:
            # Defer requests that arrive before this program knows that it is the owner.
            self.early.append((source, event, data))
        elif kind == CANCELLED and source == self.source:
            self.lost()
            sys.exit()
        elif kind == SEND:
            name = wayland.string(data)
            say(name)
            self.give(self.connection.descriptors.pop(0), self.offers[name])

    def put(self, descriptor, data):
        with os.fdopen(descriptor, 'wb') as pipe:
            pipe.write(data)

    def trickle(self, pipe, pieces):
        try:
            for piece in pieces:
                os.write(pipe, piece)
                say('piece')
                time.sleep(0.05)
        except BrokenPipeError:
            pass

    # The steps of answers.

    def closed(self, pipe):
        os.close(pipe)

    refused = closed

    def dies(self, pipe):
        os._exit(0)

    def half(self, pipe):
        os.write(pipe, b'half of ')
        say('piece')

    def much(self, pipe):
        """Writes more than a pipe can hold, so that the reader must have begun to read."""
        for _ in range(10):
            os.write(pipe, b'half of ' * 10_000)

    def drip(self, pipe):
        """Writes single bytes, without an end."""
        self.trickle(pipe, repeat(b'x'))

    def long(self, pipe):
        """Writes so slowly that another program can take over the clipboard in the middle."""
        self.trickle(pipe, [b'abc' * 1000] * 20)

    def public(self, pipe):
        self.put(pipe, b'public')

    def secret(self, pipe):
        """Copies a secret."""
        self.copy({FORM: b'hunter2', HINT: b'secret'})
        say('swapped')


FORM = 'text/plain;charset=utf-8'
BEHAVIOURS = owners.behaviours(FORM) | {
    'NulsAtEnd': {FORM: TEXT + b'\0\0'},
    'Nothing': {FORM: b''},
    'DieMidway': {FORM: 'half-200-dies'},
    'DieMidwayOfMuch': {FORM: 'much-dies'},
    # The window can lose the focus in between.
    'DieLate': {FORM: 'half-1500-dies'},
    'Stall': {FORM: 'half-mute'},
    'Drip': {FORM: 'drip-closed'},
    'Long': {FORM: 'long-closed'},
    # Copies a secret after it has answered that the previous text is not a secret.
    'SecretAfterHint': {FORM: b'no secret', HINT: 'public-20-secret'},
}

if __name__ == '__main__':
    Owner(owners.behaviour(BEHAVIOURS)).run()
