"""A Wayland client that implements the wire format itself, as far as is needed for virtual pointers and keyboards, the
clipboard, windows and screen copies.

https://wayland.freedesktop.org/docs/html/ch04.html#sect-Protocol-Wire-Format
"""
import array
import os
import socket
import struct

DISPLAY, GET_REGISTRY, SYNC = 1, 1, 0


def ignore(event, data):
    pass


class Connection:
    """A connection to the compositor that WAYLAND_DISPLAY names. Objects are represented by their ids."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(os.environ['XDG_RUNTIME_DIR'], os.environ['WAYLAND_DISPLAY']))
        self.received, self.descriptors = b'', []
        self.last, self.handlers, self.globals = DISPLAY, {DISPLAY: self.display_event}, {}
        self.registry = self.new(self.registry_event)
        self.request(DISPLAY, GET_REGISTRY, self.registry)
        self.roundtrip()

    def new(self, handler=ignore):
        """Returns the id of a new object. `handler` receives its events, with their arguments as bytes.

        Call this right before the id is used, because ids have to reach the compositor in order."""
        self.last += 1
        self.handlers[self.last] = handler
        return self.last

    def bind(self, interface, handler=ignore, version=1):
        """Binds the first global of an interface, in `version` or, if that is older, the compositor's newest version."""
        if interface not in self.globals:
            raise SystemExit(f'the compositor has no {interface}')
        name, newest = self.globals[interface]
        bound = self.new(handler)
        self.request(self.registry, 0, name, interface, min(version, newest), bound)
        return bound

    def plug_in_pointer(self):
        """Makes a virtual pointer on the default seat with wlroots' protocol."""
        manager, pointer = self.bind('zwlr_virtual_pointer_manager_v1'), self.new()
        self.request(manager, 0, 0, pointer)  # create_virtual_pointer
        return pointer

    def request(self, target, opcode, *arguments, descriptors=()):
        body = b''.join(text(a) if isinstance(a, str) else struct.pack('=I', a) for a in arguments)
        message = struct.pack('=II', target, (8 + len(body)) << 16 | opcode) + body
        # Messages are short enough to be sent completely.
        socket.send_fds(self.socket, [message], descriptors)

    def roundtrip(self):
        """Returns when the compositor has handled all requests so far."""
        done = []
        self.request(DISPLAY, SYNC, self.new(lambda event, data: done.append(event)))
        while not done:
            self.dispatch()

    def dispatch(self):
        """Waits for events, and handles them."""
        data, descriptors, _, _ = socket.recv_fds(self.socket, 65536, 28)
        if not data:
            raise SystemExit('the compositor has ended')
        self.received += data
        self.descriptors += descriptors
        while len(self.received) >= 8:
            target, size_and_event = struct.unpack_from('=II', self.received)
            size = size_and_event >> 16
            if len(self.received) < size:
                return
            body, self.received = self.received[8:size], self.received[size:]
            # Objects made by the compositor, such as offers of other programs, have no handler.
            self.handlers.get(target, ignore)(size_and_event & 0xffff, body)

    def display_event(self, event, data):
        if event == 0:
            raise SystemExit(f'a protocol error: {string(data[8:])}')

    def registry_event(self, event, data):
        if event == 0:
            name, = struct.unpack_from('=I', data)
            version, = struct.unpack_from('=I', data, len(data) - 4)
            self.globals.setdefault(string(data[4:]), (name, version))


def text(value):
    """Encodes a string argument: its length including a NUL, the bytes, and padding."""
    data = value.encode() + b'\0'
    return struct.pack('=I', len(data)) + data + b'\0' * (-len(data) % 4)


def string(data):
    """Decodes the string argument at the start of `data`."""
    length, = struct.unpack_from('=I', data)
    return data[4:3 + length].decode()
