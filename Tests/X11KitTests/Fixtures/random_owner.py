#!/usr/bin/python3
"""random_owner.py SEED: owns the X11 CLIPBOARD and behaves at random.

For each line on standard input, it takes the clipboard again with a new random behaviour. It prints `ready`, and at the
next line `sent DIGEST...`: the digests of all texts that a reader may have received completely since `ready`.
"""
import hashlib
import random
import select
import sys
from os.path import dirname

from Xlib import X

sys.path.insert(0, dirname(dirname(dirname(__file__))) + '/TestSupport/Fixtures')
from owners import HINT, say
from x11_owner import Owner

TEXTS = ['UTF8_STRING', 'text/plain;charset=utf-8', 'text/plain', 'TEXT', 'STRING']


class RandomOwner(Owner):
    window = None

    def __init__(self, seed):
        self.random = random.Random(seed)
        super().__init__({})
        # Ignore errors, because a reader may already have destroyed its window.
        self.display.set_error_handler(lambda *_: None)

    def begin(self):
        """Takes the clipboard with a new window and a new probability of misbehaviour."""
        if self.window is not None and self.random.random() < 0.5:
            self.window.destroy()
        self.sent = set()
        self.temper = self.random.choice([0.0, 0.1, 0.5])  # the probability of misbehaviour
        super().begin()

    def run(self):
        while True:
            while self.display.pending_events():
                self.handle(self.display.next_event())
            readable, _, _ = select.select([self.display.fileno(), sys.stdin], [], [])
            if sys.stdin in readable:
                if not sys.stdin.readline():
                    return
                say(' '.join(['sent', *self.sent]))
                self.begin()

    def report(self, name):
        pass

    def lost(self):
        pass

    def asked(self, request, name):
        if self.misbehaves():
            # Return after these actions: a second answer in the same property would form a text of unknown digest.
            if self.random.random() < 0.5:
                self.random.choice([
                    lambda: None, lambda: self.answer(request), lambda: self.begin_pieces(request, self.kind()),
                    lambda: self.put_text(request, self.text(), self.kind(), self.random.choice([8, 16, 32])),
                ])()
                return
            self.random.choice([
                self.closes, lambda: self.answer(request, X.NONE),
                lambda: self.answer(request, self.atom('FIXTURE_OTHER')),
            ])()
        if name == 'TARGETS':
            self.offers = self.random.sample(TEXTS, self.random.randint(1, 5))
            if self.random.random() < 0.2:
                self.offers.append(HINT)
            self.listed(request)
        elif name == HINT:
            self.put(request, b'public', self.atom('UTF8_STRING'))
        elif self.random.random() < 0.5:
            self.put_text(request, self.text(), self.kind(), 8)
        else:
            self.begin_pieces(request, self.kind())

    def taken(self, window, prop, transfer):
        pieces, kind, whole = transfer
        if self.misbehaves() and self.random.random() < 0.3:
            choice = self.random.randint(0, 2)
            if choice == 0:
                return
            if choice == 1:
                self.closes()
                return
            # If the type differs from that of the earlier chunks, the reader has to refuse the whole text.
            kind = self.kind()
        piece = pieces.pop(0) if pieces else b''
        if not piece:
            self.note(whole)
            del self.transfers[window.id, prop]
        window.change_property(prop, kind, 8, piece)
        self.display.flush()

    # Helpers.

    def misbehaves(self):
        return self.random.random() < self.temper

    def text(self):
        size = self.random.choice([0, 1, 3, 100, 4096, 200_000])
        return bytes(self.random.randrange(0x61, 0x7b) for _ in range(min(size, 50))) * max(1, size // 50)

    def kind(self):
        return self.atom(self.random.choice(['UTF8_STRING'] * 6 + ['STRING', 'INCR', 'ATOM', 'FIXTURE_OTHER']))

    def note(self, data):
        self.sent.add(hashlib.sha256(data).hexdigest())

    def put_text(self, request, data, kind, size):
        data = data[:len(data) // (size // 8) * (size // 8)]
        self.note(data)
        if size > 8:
            data = [0] * (len(data) // (size // 8))
        request.requestor.change_property(request.property, kind, size, data)
        self.answer(request)

    def begin_pieces(self, request, kind):
        pieces = [piece for piece in (self.text() for _ in range(self.random.randint(0, 5))) if piece]
        self.announce(request, (pieces, kind, b''.join(pieces)), self.random.choice([0, 1, 0xFFFFFFFF]))


if __name__ == '__main__':
    RandomOwner(int(sys.argv[1])).run()
