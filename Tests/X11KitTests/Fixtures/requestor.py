#!/usr/bin/python3
"""Asks the owner of the X11 CLIPBOARD for its text in the way that its argument names: requestor.py BEHAVIOUR.

The program prints what came of it, a fact a line.
"""
import hashlib
import struct
import sys

from Xlib import X, Xatom, display
from Xlib.protocol import event


class Requestor:
    def __init__(self):
        self.display = display.Display()
        self.window = self.make_window()

    def make_window(self):
        screen = self.display.screen()
        return screen.root.create_window(
            0, 0, 1, 1, 0, screen.root_depth, event_mask=X.PropertyChangeMask)

    def atom(self, name):
        return self.display.intern_atom(name)

    def ask(self, target, prop, time=X.CurrentTime, window=None):
        prop = self.atom(prop) if prop else X.NONE
        (window or self.window).convert_selection(self.atom('CLIPBOARD'), self.atom(target), prop, time)
        self.display.flush()

    def answer(self):
        """The next answer's property, None where it is a refusal."""
        while True:
            happened = self.display.next_event()
            if happened.type == X.SelectionNotify and happened.requestor == self.window:
                return happened.property or None

    def take(self, prop, window=None):
        """(type, format, bytes or numbers) of a property, which is deleted."""
        value = (window or self.window).get_full_property(prop, X.AnyPropertyType)
        (window or self.window).delete_property(prop)
        self.display.flush()
        return self.display.get_atom_name(value.property_type), value.format, value.value

    def wait_for_piece(self, *properties):
        """The property that the next piece of one of several transfers lies in."""
        while True:
            happened = self.display.next_event()
            if (happened.type == X.PropertyNotify and happened.state == X.PropertyNewValue
                    and happened.atom in properties):
                return happened.atom

    def next_piece(self, *properties):
        """(property, bytes) of the next piece of one of several transfers."""
        prop = self.wait_for_piece(*properties)
        return prop, bytes(self.take(prop)[2])

    def receive(self, prop):
        kind, _, value = self.take(prop)
        if kind != 'INCR':
            return bytes(value)
        text = b''
        while True:
            piece = self.next_piece(prop)[1]
            if not piece:
                return text
            text += piece


def say(*words):
    print(*words, flush=True)


def digest(data):
    return len(data), hashlib.sha256(data).hexdigest()


def types(requestor):
    """Prints the answer to each text target."""
    for target in sys.argv[2:]:
        requestor.ask(target, 'P')
        kind, size, value = requestor.take(requestor.answer())
        say(target, kind, size, bytes(value).decode())


def unknown(requestor):
    """Asks for many targets that nobody has."""
    for number in range(50):
        requestor.ask(f'FIXTURE_UNKNOWN_{number}', 'P')
    say('refused', sum(requestor.answer() is None for _ in range(50)))


def obsolete(requestor):
    """Names no property."""
    requestor.ask('UTF8_STRING', None)
    prop = requestor.answer()
    say(requestor.display.get_atom_name(prop), bytes(requestor.take(prop)[2]).decode())


def outdated(requestor):
    """Asks in the name of times before and after the owner's; they wrap around."""
    requestor.ask('TIMESTAMP', 'P')
    since = requestor.take(requestor.answer())[2][0]
    for time in (since - 2**30, since - 1, since, since + 1, since + 2**30):
        requestor.ask('UTF8_STRING', 'P', time % 2**32)
        say('refused' if requestor.answer() is None else 'served')


def multiple(requestor):
    pairs = ['UTF8_STRING', 'A', 'FIXTURE_UNKNOWN', 'B', 'TARGETS', 'C', 'MULTIPLE', 'D', 'UTF8_STRING', None]
    atoms = [requestor.atom(name) if name else X.NONE for name in pairs]
    requestor.window.change_property(requestor.atom('LIST'), requestor.atom('ATOM_PAIR'), 32, atoms)
    requestor.ask('MULTIPLE', 'LIST')
    kind, _, left = requestor.take(requestor.answer())
    say(kind, *(requestor.display.get_atom_name(a) if a else 'None' for a in left))
    say(bytes(requestor.take(requestor.atom('A'))[2]).decode())
    say(len(requestor.take(requestor.atom('C'))[2]))


def multiple_badly(requestor):
    """Lists that are none: absent, of an odd number, too long, and no property at all."""
    requestor.ask('MULTIPLE', 'ABSENT')
    say(requestor.answer())
    for atoms in ([requestor.atom('TARGETS')] * 3, [requestor.atom('TARGETS')] * 1000):
        requestor.window.change_property(requestor.atom('LIST'), requestor.atom('ATOM_PAIR'), 32, atoms)
        requestor.ask('MULTIPLE', 'LIST')
        say(requestor.answer())
    requestor.ask('MULTIPLE', None)
    say(requestor.answer())


def two(requestor):
    """Two long transfers at once to one window, taken in turns."""
    requestor.ask('UTF8_STRING', 'A')
    requestor.ask('STRING', 'B')
    texts = {}
    for _ in range(2):
        prop = requestor.answer()
        assert requestor.take(prop)[0] == 'INCR'
        texts[prop] = b''
    left = set(texts)
    while left:
        prop, piece = requestor.next_piece(*left)
        texts[prop] += piece
        if not piece:
            left.remove(prop)
    for text in texts.values():
        say(*digest(text))


def again(requestor):
    """Asks again for a property in the middle of a transfer, and only then deletes the piece that lies there.

    To the owner that deletion comes after the new request, and yet it is no sign that the new answer was taken.
    """
    requestor.ask('UTF8_STRING', 'A')
    prop = requestor.answer()
    requestor.take(prop)
    requestor.next_piece(prop)
    requestor.wait_for_piece(prop)
    requestor.display.grab_server()
    requestor.ask('UTF8_STRING', 'A')
    requestor.window.delete_property(prop)
    requestor.display.ungrab_server()
    say(*digest(requestor.receive(requestor.answer())))


def slowly(requestor):
    """Takes one piece, says so, and goes on when it is told."""
    requestor.ask('UTF8_STRING', 'A')
    prop = requestor.answer()
    kind, _, _ = requestor.take(prop)
    text = requestor.next_piece(prop)[1]
    say('begun', kind)
    sys.stdin.readline()
    while True:
        piece = requestor.next_piece(prop)[1]
        if not piece:
            break
        text += piece
    say(*digest(text))


def die(requestor):
    """Leaves after the first piece."""
    requestor.ask('UTF8_STRING', 'A')
    prop = requestor.answer()
    requestor.take(prop)
    requestor.next_piece(prop)
    say('leaving')


def never(requestor):
    """Begins as many transfers as it is told, and takes nothing."""
    answers = []
    for number in range(int(sys.argv[2])):
        requestor.ask('UTF8_STRING', f'P{number}')
        answers.append(requestor.answer())
    say('begun', sum(a is not None for a in answers))
    sys.stdin.readline()


def flood(requestor):
    """Asks 200,000 times without waiting for an answer, and reads none."""
    requestor.display.sync()
    request = struct.pack(
        '=BxHIIIII', 24, 6, requestor.window.id, requestor.atom('CLIPBOARD'), requestor.atom('TARGETS'), requestor.atom('P'), 0)
    for _ in range(200):
        requestor.display.display.socket.sendall(request * 1000)
    say('asked')
    sys.stdin.readline()


def kill(requestor):
    """Has the server close the connection of the client that made a window."""
    requestor.display.create_resource_object('window', int(sys.argv[2])).kill_client()
    requestor.display.sync()
    say('killed')


def destroy(requestor):
    """Destroys another client's window."""
    requestor.display.create_resource_object('window', int(sys.argv[2])).destroy()
    requestor.display.sync()
    say('destroyed')


def occupy(requestor):
    """Gives the property that the owner learns the time by a value of another type."""
    window = requestor.display.create_resource_object('window', int(sys.argv[2]))
    window.change_property(requestor.atom('COPYPASTA_TIME'), Xatom.INTEGER, 32, [1])
    requestor.display.sync()
    say('occupied')


def pranks(requestor):
    """Names the owner's own window as the requestor, and one that is gone; forges a request for another selection."""
    owner = requestor.display.get_selection_owner(requestor.atom('CLIPBOARD'))
    for prop in ('P', 'COPYPASTA_TIME'):
        requestor.ask('UTF8_STRING', prop, window=owner)
    gone = requestor.make_window()
    requestor.ask('UTF8_STRING', 'P', window=gone)
    requestor.ask('MULTIPLE', 'P', window=gone)
    gone.destroy()
    forged = event.SelectionRequest(
        time=X.CurrentTime, owner=owner, requestor=requestor.window, selection=requestor.atom('PRIMARY'),
        target=requestor.atom('UTF8_STRING'), property=requestor.atom('P'))
    owner.send_event(forged)
    requestor.ask('UTF8_STRING', 'Q')
    say(requestor.display.get_atom_name(requestor.answer()))


if __name__ == '__main__':
    globals()[sys.argv[1]](Requestor())
