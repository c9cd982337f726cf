"""Owns the clipboard of a Wayland desktop, and says on standard output what it is asked for.

wayland_owner.py TYPE:HEX... offers each type with these bytes; a TYPE without ":" is listed and never answered.
It prints "ready" once it is the owner, then one line for each request, and ends when another program takes over.
By wlr-data-control it owns the clipboard as wl-copy does: without a window, and so without the focus.
"""
import os
import sys

import wayland

CREATE_SOURCE, GET_DEVICE, SET_SELECTION, OFFER = 0, 1, 0, 0
SEND, CANCELLED = 0, 1


class Owner:
    """Owns the clipboard as long as `run` runs. `offers` are bytes by type; None is never answered."""

    def __init__(self, offers):
        self.unanswered, self.early = [], []
        self.connection = connection = wayland.Connection()
        seat = connection.bind('wl_seat')
        self.manager = connection.bind('zwlr_data_control_manager_v1')
        self.device = connection.new()
        connection.request(self.manager, GET_DEVICE, self.device, seat)
        self.copy(offers)
        connection.roundtrip()

    def copy(self, offers):
        """Takes the clipboard, also from itself."""
        self.offers, connection = offers, self.connection
        source = connection.new(self.event)
        connection.request(self.manager, CREATE_SOURCE, source)
        for name in offers:
            connection.request(source, OFFER, name)
        connection.request(self.device, SET_SELECTION, source)

    def run(self):
        print('ready', flush=True)
        early, self.early = self.early, None
        for event, data in early:
            self.event(event, data)
        while True:
            self.connection.dispatch()

    def event(self, event, data):
        if self.early is not None:
            # Some ask before we know that we are the owner.
            self.early.append((event, data))
        elif event == CANCELLED:
            self.lost()
        elif event == SEND:
            name = wayland.string(data)
            print(name, flush=True)
            self.asked(name, self.connection.descriptors.pop(0))

    # What a behaviour may do in another way.

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
