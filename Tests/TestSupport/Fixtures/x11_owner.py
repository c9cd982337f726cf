#!/usr/bin/python3
"""x11_owner.py BEHAVIOUR [SELECTION]: owns the X11 CLIPBOARD, or another selection, with one of the behaviours below or
in owners.py.

Prints `ready` when it owns the selection, then the name of each requested target, and `lost` when it loses the ownership.
"""
import sys
import time
from itertools import repeat

from Xlib import X, Xatom, display
from Xlib.ext import xfixes
from Xlib.protocol import event

import owners
from owners import HINT, TEXT, say

PIECE = 200_000  # python-xlib limits requests to 256 KiB.


class Owner(owners.Owner):
    """Owns a selection while `run` runs. `offers` has the answer to each target: as in owners.py, or the chunks of an INCR
    transfer and the announced size."""

    copied = 0

    def __init__(self, offers, selection='CLIPBOARD'):
        self.display, self.offers, self.selection = display.Display(), offers, selection
        self.begin()

    def begin(self):
        self.window = self.make_window()
        self.own()
        self.transfers = {}
        say('ready')

    def make_window(self):
        screen = self.display.screen()
        return screen.root.create_window(
            0, 0, 1, 1, 0, screen.root_depth, event_mask=X.PropertyChangeMask)

    def own(self):
        self.window.set_selection_owner(self.atom(self.selection), X.CurrentTime)
        self.display.sync()

    def atom(self, name):
        return self.display.intern_atom(name)

    def run(self):
        while True:
            self.handle(self.display.next_event())

    def handle(self, happened):
        if happened.type == X.SelectionClear:
            self.lost()
        elif happened.type == X.SelectionRequest:
            name = self.display.get_atom_name(happened.target)
            say(name)
            self.asked(happened, name)
        elif happened.type == X.PropertyNotify and happened.state == X.PropertyDelete:
            pieces = self.transfers.get((happened.window.id, happened.atom))
            if pieces is not None:
                self.taken(happened.window, happened.atom, pieces)

    def lost(self):
        super().lost()
        if not self.transfers and self.offers.get('TARGETS') != 'mute':
            # Wait for the server, because unsent requests would be lost with the connection.
            self.dies()

    def asked(self, request, name):
        answer = self.offers.get(name, 'listed' if name == 'TARGETS' else 'refused')
        if isinstance(answer, tuple):
            pieces, size = answer
            self.announce(request, iter(pieces), size)
        else:
            self.give(request, answer)

    def announce(self, request, pieces, size):
        """Begins an INCR transfer of `pieces`, the last of which must be empty."""
        request.requestor.change_attributes(event_mask=X.PropertyChangeMask)
        self.transfers[request.requestor.id, request.property] = pieces
        request.requestor.change_property(request.property, self.atom('INCR'), 32, [size])
        self.answer(request)

    def taken(self, window, prop, pieces):
        piece = next(pieces, None)
        if piece is not None:
            self.send(window, prop, piece)
            self.display.flush()

    def send(self, window, prop, piece):
        window.change_property(prop, self.atom('UTF8_STRING'), 8, piece)

    def put(self, request, data, kind=None):
        request.requestor.change_property(request.property, kind or request.target, 8, data)
        self.answer(request)

    def append(self, request, kind, size, values):
        """Answers with 20 times these values, in a single property."""
        for _ in range(20):
            request.requestor.change_property(request.property, kind, size, values, X.PropModeAppend)
        self.answer(request)

    def answer(self, request, prop=None, target=None):
        prop = request.property if prop is None else prop
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection,
            target=target or request.target, property=prop))
        self.display.flush()

    # The steps of answers.

    def listed(self, request):
        atoms = [self.atom(name) for name in dict.fromkeys(['TARGETS', *self.offers])]
        request.requestor.change_property(request.property, Xatom.ATOM, 32, atoms)
        self.answer(request)

    def refused(self, request):
        self.answer(request, X.NONE)

    def dies(self, request=None):
        self.display.sync()
        sys.exit()

    def closes(self, request=None):
        """Destroys its window without exiting."""
        self.window.destroy()
        self.display.flush()

    def promised(self, request):
        """Sends a SelectionNotify without setting the property first."""
        self.answer(request)

    def large(self, request):
        self.append(request, request.target, 8, b'0123456789' * (PIECE // 10))

    def many(self, request):
        """Lists a million targets."""
        self.append(request, Xatom.ATOM, 32, [self.atom('UTF8_STRING')] * (PIECE // 4))

    def numbers(self, request):
        request.requestor.change_property(request.property, request.target, 32, [1, 2, 3])
        self.answer(request)

    def atoms(self, request):
        self.put(request, TEXT, Xatom.ATOM)

    def forged(self, request):
        """Sends forged events: for a different target, a different property, and a destroyed window."""
        other = self.atom('FIXTURE_OTHER')
        request.requestor.change_property(other, request.target, 8, b'not this')
        self.answer(request, other)
        self.answer(request, X.NONE, target=other)
        request.requestor.send_event(event.DestroyNotify(event=self.window, window=self.window))

    def destroyed(self, request):
        """Destroys the requestor's window, and behaves correctly from then on."""
        request.requestor.destroy()
        self.display.sync()
        self.offers = {'UTF8_STRING': TEXT}

    def told(self, request):
        sys.stdin.readline()

    def late(self, request):
        self.put(request, b'too late')
        say('answered')

    def moved(self, request):
        self.window = self.make_window()

    def secret(self, request):
        """Copies a secret."""
        self.offers = BEHAVIOURS['Secret']
        self.own()

    def replaced(self, request):
        """Refuses, and copies a secret as another client, without a moment in between."""
        self.first, self.display = self.display, display.Display()
        self.offers, self.window = BEHAVIOURS['Secret'], self.make_window()
        selection = self.atom(self.selection)
        requestor = self.display.create_resource_object('window', request.requestor.id)
        # The requests are sent together, with the next round trip.
        requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=requestor, selection=request.selection, target=request.target,
            property=X.NONE))
        self.window.set_selection_owner(selection, X.CurrentTime)
        self.display.sync()

    def again(self, request):
        self.put(request, self.offers['UTF8_STRING'])

    def burst(self, request):
        """Serves a text, and copies the next one; serves the last of 200 texts again and again."""
        self.put(request, b'text %d' % self.copied)
        if self.copied < 199:
            self.copied += 1
            self.own()


class IncrMixed(Owner):
    """Sends chunks of two types."""

    kind = 'UTF8_STRING'

    def send(self, window, prop, piece):
        window.change_property(prop, self.atom(self.kind), 8, piece)
        self.kind = 'STRING'


class IncrAppend(Owner):
    """Writes each chunk in two steps before the reader sees it, so that there are two events for one property."""

    def send(self, window, prop, piece):
        self.display.grab_server()
        super().send(window, prop, piece[:10])
        window.change_property(prop, self.atom('UTF8_STRING'), 8, piece[10:], X.PropModeAppend)
        self.display.ungrab_server()


class Manager(Owner):
    """A clipboard manager that immediately takes over each text, and answers without a delay."""

    def make_window(self):
        window = super().make_window()
        self.display.xfixes_query_version()
        self.display.xfixes_select_selection_input(
            window, self.atom('CLIPBOARD'), xfixes.XFixesSetSelectionOwnerNotifyMask)
        return window

    def handle(self, happened):
        if happened.type == X.SelectionNotify and happened.property != X.NONE:
            prop = self.window.get_full_property(happened.property, X.AnyPropertyType)
            self.offers = {'UTF8_STRING': prop.value}
            self.own()
            say('took over')
        elif type(happened).__name__ == 'SetSelectionOwnerNotify' and happened.owner.id != self.window.id:
            self.window.convert_selection(
                self.atom('CLIPBOARD'), self.atom('UTF8_STRING'), self.atom('FIXTURE_TEXT'), X.CurrentTime)
            self.display.flush()
        elif happened.type != X.SelectionClear:
            super().handle(happened)


class Slowly:
    """Chunks with pauses. Each transfer iterates over them from the start."""

    def __init__(self, pieces):
        self.pieces = pieces

    def __iter__(self):
        for piece in self.pieces:
            time.sleep(0.05)
            say('piece')
            yield piece


def dying(pieces):
    yield from pieces
    sys.exit()


CHUNK = b'abc' * 1000
CHUNKS = [CHUNK] * 5 + [b'']

BEHAVIOURS = owners.behaviours('UTF8_STRING') | {
    'Owner': {'UTF8_STRING': TEXT},
    'Manager': {'UTF8_STRING': TEXT},
    'Late': {'UTF8_STRING': 'told-late'},
    'Burst': {'UTF8_STRING': 'burst'},
    # It keeps running when it loses the ownership.
    'Mute': {'TARGETS': 'mute'},
    'NoTargets': {'TARGETS': 'refused'},
    'TextForTargets': {'TARGETS': 'served'},
    'ManyTargets': {'TARGETS': 'many'},
    'DieOnTargets': {'TARGETS': 'dies'},
    'DestroyRequestor': {'TARGETS': 'destroyed'},
    'TargetsWhenTold': {'TARGETS': 'told-listed', 'UTF8_STRING': TEXT},
    'Refuse': {'UTF8_STRING': 'refused'},
    'DestroyWindow': {'UTF8_STRING': 'closes'},
    'AnswerAndDie': {'UTF8_STRING': 'served-dies'},
    'EmptyPromise': {'UTF8_STRING': 'promised'},
    'Numbers': {'UTF8_STRING': 'numbers'},
    'AtomsForText': {'UTF8_STRING': 'atoms'},
    'Forger': {'UTF8_STRING': 'forged-served'},
    'Large': {'UTF8_STRING': 'large'},
    'Empty': {'UTF8_STRING': b''},
    'Latin1': {'STRING': b'caf\xe9'},
    'StringInUTF8': {'STRING': 'café'.encode()},
    'Image': {'image/png': b'\x89PNG'},
    'Html': {'text/html': b'<b>bold</b>', 'text/plain': b'worse', 'text/plain;charset=utf-8': b'bold'},
    'UpperCharset': {'text/plain;charset=UTF-8': b'upper', 'STRING': b'worse'},
    'Incr': {'UTF8_STRING': (CHUNKS, 15_000)},
    'IncrMixed': {'UTF8_STRING': (CHUNKS, 15_000)},
    'IncrAppend': {'UTF8_STRING': (CHUNKS, 15_000)},
    'IncrZero': {'UTF8_STRING': (CHUNKS, 0)},
    'IncrLie': {'UTF8_STRING': (CHUNKS, 0xFFFFFFFF)},
    'IncrEmpty': {'UTF8_STRING': ([b''], 0)},
    'IncrStall': {'UTF8_STRING': (CHUNKS[:3], 15_000)},
    'IncrDie': {'UTF8_STRING': (dying(CHUNKS[:3]), 15_000)},
    # Single bytes, without an end.
    'IncrDrip': {'UTF8_STRING': (Slowly(repeat(b'x')), 15_000)},
    'IncrEndless': {'UTF8_STRING': (repeat(b'x' * PIECE), 15_000)},
    # So slow that another program can take over the clipboard in the middle.
    'IncrLong': {'UTF8_STRING': (Slowly([CHUNK] * 20 + [b'']), 60_000)},
    'Secret': {'UTF8_STRING': b'hunter2', HINT: b'secret'},
    # A secret that is also offered in the format that GDK passes on unchanged.
    'SecretOfGtk': {'text/plain;charset=utf-8': b'hunter2', HINT: b'secret'},
    'LongHint': {'UTF8_STRING': TEXT, HINT: b'secret' * 1000},
    # A secret that replaces the text, with the same window, before the request for the text is answered.
    'SecretBeforeText': {'UTF8_STRING': 'secret-again'},
    # The same, with a different window, between the answer to TARGETS and the next request.
    'SecretAfterTargets': {'TARGETS': 'listed-moved-secret', 'UTF8_STRING': TEXT},
    # The same, between the refusal of the first form and the request for the next one.
    'SecretAfterRefusal': {'UTF8_STRING': 'replaced', 'STRING': TEXT},
}


if __name__ == '__main__':
    selection = sys.argv[2:3] if sys.argv[1] != 'Offers' else []
    globals().get(sys.argv[1], Owner)(owners.behaviour(BEHAVIOURS), *selection).run()
