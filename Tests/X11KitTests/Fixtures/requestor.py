#!/usr/bin/python3
"""requestor.py BEHAVIOUR: requests the text of the X11 CLIPBOARD with the behaviour of one of the functions below.

Prints each result on a line of its own.
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

    def own(self, selection):
        self.window.set_selection_owner(self.atom(selection), X.CurrentTime)
        self.display.sync()

    def ask(self, target, prop, time=X.CurrentTime, window=None):
        prop = self.atom(prop) if prop else X.NONE
        (window or self.window).convert_selection(self.atom('CLIPBOARD'), self.atom(target), prop, time)
        self.display.flush()

    def next_event(self, kind):
        while (happened := self.display.next_event()).type != kind:
            pass
        return happened

    def answer(self):
        """Returns the property of the next answer; None if the request was refused."""
        while (happened := self.next_event(X.SelectionNotify)).requestor != self.window:
            pass
        return happened.property or None

    def take(self, prop, window=None):
        """Deletes a property, and returns its type, format and value (bytes or numbers)."""
        value = (window or self.window).get_full_property(prop, X.AnyPropertyType)
        (window or self.window).delete_property(prop)
        self.display.flush()
        return self.display.get_atom_name(value.property_type), value.format, value.value

    def wait_for_piece(self, *properties):
        """Waits for the next chunk of any of these transfers, and returns its property."""
        while True:
            happened = self.next_event(X.PropertyNotify)
            if happened.state == X.PropertyNewValue and happened.atom in properties:
                return happened.atom

    def next_piece(self, *properties):
        """Returns the property and the bytes of the next chunk of any of these transfers."""
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


def obsolete(requestor):
    """Specifies no property, as obsolete clients do."""
    requestor.ask('UTF8_STRING', None)
    prop = requestor.answer()
    say(requestor.display.get_atom_name(prop), bytes(requestor.take(prop)[2]).decode())


def outdated(requestor):
    """Requests with times before and after the start of the ownership; times wrap around."""
    requestor.ask('TIMESTAMP', 'P')
    since = requestor.take(requestor.answer())[2][0]
    for time in (since + 2**31 + 1, since - 1, since, since + 1, since + 2**30):
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
    """Requests MULTIPLE with an absent list, a list of odd length, a list that is too long, and no property."""
    requestor.ask('MULTIPLE', 'ABSENT')
    say(requestor.answer())
    for atoms in ([requestor.atom('TARGETS')] * 3, [requestor.atom('TARGETS')] * 1000):
        requestor.window.change_property(requestor.atom('LIST'), requestor.atom('ATOM_PAIR'), 32, atoms)
        requestor.ask('MULTIPLE', 'LIST')
        say(requestor.answer())
    requestor.ask('MULTIPLE', None)
    say(requestor.answer())


def two(requestor):
    """Starts two long transfers to one window, and reads the chunks of both as they arrive."""
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
    """Requests the same property again during a transfer, and deletes the pending chunk only afterwards.

    The owner sees this deletion after the new request, and must not mistake it for the receipt of the new answer.
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
    """Reads one chunk, prints a line, and continues after a line on standard input."""
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


def never(requestor):
    """Starts as many transfers as its argument says, and reads no chunk."""
    answers = []
    for number in range(int(sys.argv[2])):
        requestor.ask('UTF8_STRING', f'P{number}')
        answers.append(requestor.answer())
    say('begun', sum(a is not None for a in answers))
    sys.stdin.readline()


def flood(requestor):
    """Sends 200,000 requests, and reads no answer."""
    requestor.display.sync()
    request = struct.pack(
        '=BxHIIIII', 24, 6, requestor.window.id, requestor.atom('CLIPBOARD'), requestor.atom('TARGETS'), requestor.atom('P'), 0)
    for _ in range(200):
        requestor.display.display.socket.sendall(request * 1000)
    say('asked')
    sys.stdin.readline()


def attack(requestor):
    """Kills another client, destroys its window, or gives the property from which it learns the server time a value of
    another type."""
    window = requestor.display.create_resource_object('window', int(sys.argv[3]))
    match sys.argv[2]:
        case 'kill': window.kill_client()
        case 'destroy': window.destroy()
        case 'occupy': window.change_property(requestor.atom('COPYPASTA_TIME'), Xatom.INTEGER, 32, [1])
    requestor.display.sync()
    say('done')


def pranks(requestor):
    """Names the owner's own window and a destroyed window as requestors, and forges a request for another selection."""
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


def rival(requestor):
    """Takes the clipboard each time that the program with the window in the argument has requested the server time, in a
    race with that program, which then takes the clipboard itself."""
    clipboard = requestor.atom('CLIPBOARD')
    window = requestor.display.create_resource_object('window', int(sys.argv[2]))
    window.change_attributes(event_mask=X.PropertyChangeMask)
    requestor.display.sync()
    say('ready')
    while True:
        requestor.next_event(X.PropertyNotify)
        requestor.window.set_selection_owner(clipboard, X.CurrentTime)
        requestor.display.flush()


def manager(requestor):
    """Owns CLIPBOARD_MANAGER, and keeps the text, refuses it or does not answer, as its argument says.

    Prints `ready`, then `asked` with the targets that it was asked to save. If it keeps the text, it prints `has` with the
    number of bytes once it owns the CLIPBOARD."""
    requestor.own('CLIPBOARD_MANAGER')
    say('ready')
    request = requestor.next_event(X.SelectionRequest)
    wanted = request.requestor.get_full_property(request.property, Xatom.ATOM).value
    names = [requestor.display.get_atom_name(target) for target in wanted]
    say('asked', *names)
    keeps = sys.argv[2] == 'keeps'
    if keeps:
        requestor.ask(names[0], 'FIXTURE_TEXT')
        text = requestor.receive(requestor.answer())
        requestor.own('CLIPBOARD')
        say('has', len(text))
    if sys.argv[2] != 'mute':
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=request.property if keeps else X.NONE))
        requestor.display.flush()
    requestor.next_event(X.SelectionClear)


if __name__ == '__main__':
    globals()[sys.argv[1]](Requestor())
