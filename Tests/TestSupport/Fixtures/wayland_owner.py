"""Owns the clipboard of a Wayland desktop, and prints the requests.

wayland_owner.py TYPE:HEX... offers each type with these bytes; a TYPE without ":" is listed but never answered.
Prints "ready" when it is the owner, then a line for each request, and ends when it loses the ownership. Like wl-copy, it
uses ext-data-control or wlr-data-control, which need no window and no focus. GNOME has no such protocol: there it shows
a window of the application clipboard-owner until this window has the focus.
"""
import os
import struct
import sys

import wayland

# Two versions of the same protocol.
CONTROLS = 'ext_data_control_manager_v1', 'zwlr_data_control_manager_v1'
CREATE_SOURCE, GET_DEVICE, OFFER = 0, 1, 0
SELECT_BY_CONTROL, SELECT = 0, 1
# The events of data-control; without it, the numbers are shifted by the events for dragging.
SEND, CANCELLED = 0, 1
GET_KEYBOARD, KEYMAP, ENTER = 1, 0, 1
SIZE, FORMAT = 16, 1


class Owner:
    """Owns the clipboard while `run` runs. `offers` has the bytes by type; a type with None is never answered."""

    def __init__(self, offers):
        self.unanswered, self.early = [], []
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
        source = connection.new(lambda event, data: self.event(event - (not self.has_control), data))
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
        print('ready', flush=True)
        early, self.early = self.early, None
        for event, data in early:
            self.event(event, data)
        while True:
            self.connection.dispatch()

    def event(self, event, data):
        if self.early is not None:
            # Defer requests that arrive before this program knows that it is the owner.
            self.early.append((event, data))
        elif event == CANCELLED:
            self.lost()
        elif event == SEND:
            name = wayland.string(data)
            print(name, flush=True)
            self.asked(name, self.connection.descriptors.pop(0))

    # Behaviours may override these.

    def lost(self):
        sys.exit()

    def asked(self, name, descriptor):
        if self.offers[name] is None:
            self.unanswered.append(descriptor)
        else:
            with os.fdopen(descriptor, 'wb') as pipe:
                pipe.write(self.offers[name])


def parse(arguments):
    offers = {}
    for argument in arguments:
        name, separator, digits = argument.rpartition(':')
        offers[name if separator else digits] = bytes.fromhex(digits) if separator else None
    return offers


if __name__ == '__main__':
    Owner(parse(sys.argv[1:])).run()
