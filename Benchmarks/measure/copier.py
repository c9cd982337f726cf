"""copier.py GAP_MS: copies each line of its standard input, so many milliseconds apart, as one program does that sets
the clipboard again and again. Ends one second after the last copy, so that it can be fetched.

copier.py fetched: copies each as soon as the last was fetched; SIGALRM ends it if one is not, within 20 seconds."""
import select
import signal
import sys
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event

_LAST_OFFER_SECONDS = 1.0
_PATIENCE_SECONDS = 20


class Copier:
    """Owns the CLIPBOARD and serves the text of the moment."""

    def __init__(self) -> None:
        self._display = display.Display()
        atom = self._display.intern_atom
        self._clipboard, self._targets = atom('CLIPBOARD'), atom('TARGETS')
        self._texts = [atom(name) for name in ('UTF8_STRING', 'text/plain;charset=utf-8', 'text/plain')]
        self._window = self._display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self._text = b''
        self._is_fetched = False

    def copy(self, text: str) -> None:
        self._text = text.encode()
        self._is_fetched = False
        self._window.set_selection_owner(self._clipboard, X.CurrentTime)
        self._display.flush()

    def serve_until_fetched(self) -> None:
        """Answers requests until somebody has the text; the program ends if nobody wants it."""
        signal.alarm(_PATIENCE_SECONDS)
        while not self._is_fetched:
            request = self._display.next_event()
            if request.type == X.SelectionRequest:
                self._answer(request)

    def end(self) -> None:
        """Waits for the server: it drops what it has not read yet from a client that has ended."""
        self._display.sync()

    def serve_until(self, deadline: float) -> None:
        """Answers requests until then."""
        while True:
            while self._display.pending_events():
                request = self._display.next_event()
                if request.type == X.SelectionRequest:
                    self._answer(request)
            rest = deadline - time.monotonic()
            if rest <= 0:
                return
            select.select([self._display], [], [], rest)

    def _answer(self, request: event.SelectionRequest) -> None:
        where = request.property or request.target
        if request.target == self._targets:
            request.requestor.change_property(where, Xatom.ATOM, 32, [self._targets, *self._texts])
        elif request.target in self._texts:
            request.requestor.change_property(where, request.target, 8, self._text)
            self._is_fetched = True
        else:
            where = X.NONE
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=where))
        self._display.flush()


def copy_as_fetched(copier: Copier) -> None:
    for line in sys.stdin.read().splitlines():
        copier.copy(line)
        copier.serve_until_fetched()
    copier.end()


def copy_apart(copier: Copier, gap: float) -> None:
    for line in sys.stdin.read().splitlines():
        copier.copy(line)
        # Counted from this copy: catching up after a delay would shorten the next gaps.
        copier.serve_until(time.monotonic() + gap)
    copier.serve_until(time.monotonic() + _LAST_OFFER_SECONDS)


if sys.argv[1] == 'fetched':
    copy_as_fetched(Copier())
else:
    copy_apart(Copier(), int(sys.argv[1]) / 1000)
