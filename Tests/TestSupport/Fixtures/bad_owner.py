#!/usr/bin/python3
"""bad_owner.py BEHAVIOUR [SELECTION]: owns the X11 CLIPBOARD, or another selection, with the behaviour of one of the
classes below. "Forms:TARGET=ANSWER,..." lists these targets, and gives each its own answer.

bad_owner.py Offers TARGET:HEX... offers each target with these bytes; a TARGET without ":" is listed but never answered.

Prints `ready` when it owns the clipboard, then the name of each requested target, and `lost` when it loses the ownership.
Unless a behaviour needs a different text, the text is "the owner's text".
"""
import sys
import time

from Xlib import X, Xatom, display
from Xlib.ext import xfixes
from Xlib.protocol import event

TEXT = b"the owner's text"
HINT = 'x-kde-passwordManagerHint'
PIECE = 200_000  # python-xlib limits requests to 256 KiB.


class Owner:
    """An owner that behaves correctly, with the bytes of each target in `offers`. Behaviours override parts of it."""

    offers = {'UTF8_STRING': TEXT}

    selection = 'CLIPBOARD'

    def __init__(self):
        self.display = display.Display()
        self.window = self.make_window()
        self.window.change_property(self.atom('FIXTURE_TIME'), Xatom.STRING, 8, b'')
        self.window.set_selection_owner(self.atom(self.selection), self.display.next_event().time)
        self.display.sync()
        self.transfers = {}
        say('ready')

    def make_window(self):
        screen = self.display.screen()
        return screen.root.create_window(
            0, 0, 1, 1, 0, screen.root_depth, event_mask=X.PropertyChangeMask)

    def atom(self, name):
        return self.display.intern_atom(name)

    def run(self):
        while True:
            happened = self.display.next_event()
            if happened.type == X.SelectionClear:
                self.tell_loss()
                self.lost()
            elif happened.type == X.SelectionRequest:
                name = self.display.get_atom_name(happened.target)
                say(name)
                self.targets(happened) if name == 'TARGETS' else self.asked(happened, name)
            elif happened.type == X.PropertyNotify and happened.state == X.PropertyDelete:
                pieces = self.transfers.get((happened.window.id, happened.atom))
                if pieces is not None:
                    self.taken(happened.window, happened.atom, pieces)

    # Behaviours may override these.

    def tell_loss(self):
        say('lost')

    def lost(self):
        if not self.transfers:
            # Wait for the server, because unsent requests would be lost with the connection.
            self.display.sync()
            sys.exit()

    def targets(self, request):
        names = ['TARGETS', *self.offers]
        request.requestor.change_property(request.property, Xatom.ATOM, 32, [self.atom(n) for n in names])
        self.answer(request)

    def asked(self, request, name):
        if name in self.offers:
            self.put(request, self.offers[name], request.target)
        else:
            self.answer(request, X.NONE)

    def taken(self, window, prop, pieces):
        if pieces:
            window.change_property(prop, self.atom('UTF8_STRING'), 8, pieces.pop(0))
            self.display.flush()

    # Helpers.

    def put(self, request, data, kind):
        request.requestor.change_property(request.property, kind, 8, data)
        self.answer(request)

    def answer(self, request, prop=None, target=None):
        prop = request.property if prop is None else prop
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection,
            target=target or request.target, property=prop))
        self.display.flush()

    def announce(self, request, pieces, size):
        """Begins an INCR transfer of `pieces`, the last of which must be empty."""
        request.requestor.change_attributes(event_mask=X.PropertyChangeMask)
        self.transfers[request.requestor.id, request.property] = list(pieces)
        request.requestor.change_property(request.property, self.atom('INCR'), 32, [size])
        self.answer(request)


class Mute(Owner):
    def targets(self, request):
        pass

    def lost(self):
        pass


class NoTargets(Owner):
    """Refuses TARGETS."""
    def targets(self, request):
        self.answer(request, X.NONE)


class TextForTargets(Owner):
    def targets(self, request):
        self.put(request, TEXT, request.target)


class ManyTargets(Owner):
    """Answers TARGETS with a list of a megabyte."""
    def targets(self, request):
        for _ in range(6):
            request.requestor.change_property(
                request.property, Xatom.ATOM, 32, [self.atom('UTF8_STRING')] * (PIECE // 4), X.PropModeAppend)
        self.answer(request)


class NoAnswer(Owner):
    def asked(self, request, name):
        pass


class Refuse(Owner):
    def asked(self, request, name):
        self.answer(request, X.NONE)


class Die(Owner):
    def asked(self, request, name):
        sys.exit()


class DieOnTargets(Owner):
    def targets(self, request):
        sys.exit()


class DestroyWindow(Owner):
    """Destroys its window without exiting."""
    def asked(self, request, name):
        self.window.destroy()
        self.display.flush()


class AnswerAndDie(Owner):
    def asked(self, request, name):
        self.put(request, TEXT, request.target)
        self.display.sync()
        sys.exit()


class EmptyPromise(Owner):
    """Sends a SelectionNotify without setting the property first."""
    def asked(self, request, name):
        self.answer(request)


class Numbers(Owner):
    """Answers with 32-bit elements."""
    def asked(self, request, name):
        request.requestor.change_property(request.property, request.target, 32, [1, 2, 3])
        self.answer(request)


class AtomsForText(Owner):
    def asked(self, request, name):
        self.put(request, TEXT, Xatom.ATOM)


class Forger(Owner):
    """Sends forged events before its answer: for a different target, a different property, and a destroyed window."""
    def asked(self, request, name):
        other = self.atom('FIXTURE_OTHER')
        request.requestor.change_property(other, request.target, 8, b'not this')
        self.answer(request, other)
        self.answer(request, X.NONE, target=other)
        request.requestor.send_event(event.DestroyNotify(event=self.window, window=self.window))
        self.put(request, TEXT, request.target)


class Incr(Owner):
    pieces, size = [b'abc' * 1000] * 5 + [b''], 15_000

    def asked(self, request, name):
        self.announce(request, self.pieces, self.size)


class IncrZero(Incr):
    size = 0


class IncrMixed(Incr):
    """Sends chunks of two types."""
    def taken(self, window, prop, pieces):
        kind = self.atom('UTF8_STRING') if len(pieces) > 3 else Xatom.STRING
        if pieces:
            window.change_property(prop, kind, 8, pieces.pop(0))
            self.display.flush()


class IncrLie(Incr):
    size = 0xFFFFFFFF


class IncrEmpty(Incr):
    pieces, size = [b''], 0


class IncrAppend(Incr):
    """Writes each chunk in two steps before the reader sees it, so that there are two events for one property."""
    def taken(self, window, prop, pieces):
        if pieces:
            piece, kind = pieces.pop(0), self.atom('UTF8_STRING')
            self.display.grab_server()
            window.change_property(prop, kind, 8, piece[:10])
            window.change_property(prop, kind, 8, piece[10:], X.PropModeAppend)
            self.display.ungrab_server()
            self.display.flush()


class IncrStall(Incr):
    def taken(self, window, prop, pieces):
        if len(pieces) > 3:
            super().taken(window, prop, pieces)


class IncrDie(Incr):
    def taken(self, window, prop, pieces):
        if len(pieces) <= 3:
            sys.exit()
        super().taken(window, prop, pieces)


class IncrDrip(Incr):
    """Sends single bytes, without an end."""
    def taken(self, window, prop, pieces):
        time.sleep(0.05)
        window.change_property(prop, self.atom('UTF8_STRING'), 8, b'x')
        self.display.flush()


class IncrEndless(Incr):
    def taken(self, window, prop, pieces):
        window.change_property(prop, self.atom('UTF8_STRING'), 8, b'x' * PIECE)
        self.display.flush()


class IncrLong(Incr):
    """Sends slowly, so that another program can take over the clipboard in the middle.

    Prints "piece" after each chunk, and "complete" after the empty chunk at the end."""
    pieces, size = [b'abc' * 1000] * 20 + [b''], 60_000

    def taken(self, window, prop, pieces):
        time.sleep(0.05)
        super().taken(window, prop, pieces)
        say('piece' if pieces else 'complete')

    def lost(self):
        pass


class Large(Owner):
    """Sends 4 MB in a single property."""
    def asked(self, request, name):
        for _ in range(20):
            request.requestor.change_property(
                request.property, request.target, 8, b'0123456789' * (PIECE // 10), X.PropModeAppend)
        self.answer(request)


class Forms(Owner):
    """Answers each form in its own way: served, refused, empty, mute, dies, wrong (a type that no program knows), or
    refused-dies."""
    spec = ''

    def __init__(self):
        self.answers = dict(pair.rsplit('=', 1) for pair in self.spec.split(',')) if self.spec else {}
        # The order of the list does not matter.
        self.offers = dict.fromkeys(reversed(self.answers))
        super().__init__()

    def asked(self, request, name):
        for answer in self.answers[name].split('-'):
            match answer:
                case 'served': self.put(request, TEXT, request.target)
                case 'refused': self.answer(request, X.NONE)
                case 'empty': self.put(request, b'', request.target)
                case 'wrong': self.put(request, TEXT, self.atom('FIXTURE_TYPE'))
                case 'dies':
                    self.display.sync()
                    sys.exit()


class ThousandForms(Forms):
    """Lists a thousand targets, all text forms among them, and serves none."""
    spec = ','.join(f'{name}=refused' for name in [
        'UTF8_STRING', 'text/plain;charset=utf-8', 'text/plain;charset=UTF-8', 'text/plain', 'STRING', 'TEXT',
        *(f'FIXTURE_{number}' for number in range(994))])


class HintRefused(Owner):
    def targets(self, request):
        self.offers = {'UTF8_STRING': b'hunter2', HINT: b''}
        super().targets(request)

    def asked(self, request, name):
        if name == HINT:
            self.answer(request, X.NONE)
        else:
            super().asked(request, name)


class HintUnanswered(Owner):
    offers = {'UTF8_STRING': b'hunter2', HINT: b''}

    def asked(self, request, name):
        if name != HINT:
            super().asked(request, name)


class SecretBeforeText(Owner):
    """Copies a secret, with the same window, before it answers the request for the previous text."""
    def asked(self, request, name):
        if name == 'UTF8_STRING' and HINT not in self.offers:
            self.offers = {'UTF8_STRING': b'hunter2', HINT: b'secret'}
            self.window.set_selection_owner(self.atom('CLIPBOARD'), X.CurrentTime)
            self.display.sync()
            print('swapped')
        super().asked(request, name)


class SecretAfterTargets(Owner):
    """Replaces the text with a secret, using a different window, between the answer to TARGETS and the next request."""
    def targets(self, request):
        super().targets(request)
        if HINT not in self.offers:
            self.offers = {'UTF8_STRING': b'hunter2', HINT: b'secret'}
            self.make_window().set_selection_owner(self.atom('CLIPBOARD'), X.CurrentTime)
            self.display.sync()
            print('swapped')

    def lost(self):
        if not self.swapped:
            self.swapped = True
        else:
            super().lost()

    swapped = False


class TargetsWhenTold(Owner):
    """Answers TARGETS after a line on standard input."""
    def targets(self, request):
        sys.stdin.readline()
        super().targets(request)


class Burst(Owner):
    """Copies 200 texts with the same window, each when the previous one was requested."""
    count = 0

    def asked(self, request, name):
        self.put(request, b'text %d' % self.count, request.target)
        self.count += 1
        if self.count < 200:
            self.window.set_selection_owner(self.atom('CLIPBOARD'), X.CurrentTime)
            self.display.flush()


class DestroyRequestor(Owner):
    """Destroys the requestor's window at the first request."""
    def targets(self, request):
        if self.destroyed:
            return super().targets(request)
        self.destroyed = True
        request.requestor.destroy()
        self.display.sync()

    destroyed = False


class Slow(Owner):
    """Answers the request for the text after a second, so that the user can do something else in between."""
    def asked(self, request, name):
        time.sleep(1)
        super().asked(request, name)


class Manager(Owner):
    """A clipboard manager that immediately takes over each text, and answers without a delay."""
    def __init__(self):
        super().__init__()
        self.display.xfixes_query_version()
        self.display.xfixes_select_selection_input(
            self.window, self.atom('CLIPBOARD'), xfixes.XFixesSetSelectionOwnerNotifyMask)
        self.display.flush()

    def run(self):
        while True:
            self.handle(self.display.next_event())

    def handle(self, happened):
        name = type(happened).__name__
        if happened.type == X.SelectionRequest:
            name = self.display.get_atom_name(happened.target)
            self.targets(happened) if name == 'TARGETS' else self.asked(happened, name)
        elif happened.type == X.SelectionNotify and happened.property != X.NONE:
            prop = self.window.get_full_property(happened.property, X.AnyPropertyType)
            self.offers = {'UTF8_STRING': prop.value}
            self.window.set_selection_owner(self.atom('CLIPBOARD'), X.CurrentTime)
            self.display.flush()
            say('took over')
        elif name == 'SetSelectionOwnerNotify' and happened.owner.id != self.window.id:
            self.window.convert_selection(
                self.atom('CLIPBOARD'), self.atom('UTF8_STRING'), self.atom('FIXTURE_TEXT'), X.CurrentTime)
            self.display.flush()


class Late(Owner):
    """Answers the request for the text after a line on standard input, even if it is no longer the owner."""
    def asked(self, request, name):
        sys.stdin.readline()
        self.put(request, b'too late', request.target)
        say('answered')

    def lost(self):
        pass


class Offers(Owner):
    """Offers what the command line lists. Does not print that it is no longer the owner."""
    def __init__(self):
        pairs = [argument.rpartition(':') for argument in sys.argv[2:]]
        self.offers = {target or digits: bytes.fromhex(digits) if colon else None for target, colon, digits in pairs}
        super().__init__()

    def asked(self, request, name):
        if self.offers.get(name, b'') is not None:
            super().asked(request, name)

    def tell_loss(self):
        pass


# Owners that behave correctly, with what they offer.
OFFERS = {
    'Image': {'image/png': b'\x89PNG'},
    'Html': {'text/html': b'<b>bold</b>', 'text/plain': b'worse', 'text/plain;charset=utf-8': b'bold'},
    'UpperCharset': {'text/plain;charset=UTF-8': b'upper', 'STRING': b'worse'},
    'Empty': {'UTF8_STRING': b''},
    'Secret': {'UTF8_STRING': b'hunter2', HINT: b'secret'},
    # A secret that is also offered in the format that GDK passes on unchanged.
    'SecretOfGtk': {'text/plain;charset=utf-8': b'hunter2', HINT: b'secret'},
    'SecretLine': {'UTF8_STRING': b'hunter2', HINT: b'secret\n\0'},
    'Public': {'UTF8_STRING': TEXT, HINT: b'public'},
    'LongHint': {'UTF8_STRING': TEXT, HINT: b'secret' * 1000},
    'HintEmpty': {'UTF8_STRING': b'hunter2', HINT: b''},
    'Invalid': {'UTF8_STRING': b'caf\xe9'},
    'Nul': {'UTF8_STRING': b'ab\0cd'},
    'Latin1': {'STRING': b'caf\xe9'},
    'StringInUTF8': {'STRING': 'café'.encode()},
}


def say(line):
    print(line, flush=True)


if __name__ == '__main__':
    name, _, spec = sys.argv[1].partition(':')
    if spec:
        Forms.spec = spec
    if name != 'Offers' and len(sys.argv) > 2:
        Owner.selection = sys.argv[2]
    behaviour = type(name, (Owner,), {'offers': OFFERS[name]}) if name in OFFERS else globals()[name]
    behaviour().run()
