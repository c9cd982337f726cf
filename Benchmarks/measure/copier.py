"""copier.py GAP_MS: copies each line of its standard input, GAP_MS milliseconds apart, from one process. Ends one second
after the last copy, so that the last text can be fetched.

copier.py fetched: copies each line after the previous line was fetched. SIGALRM ends the program if a line is not
fetched within 20 seconds."""
import json
import os
import select
import signal
import sys
import time

import wayland
from gi.repository import GLib
from Xlib import X, Xatom, display
from Xlib.protocol import event

from measure import bus

_LAST_OFFER_SECONDS = 1.0
_PATIENCE_SECONDS = 20
_TYPES = ('text/plain;charset=utf-8', 'UTF8_STRING', 'text/plain')
# The opcodes of ext-data-control-v1 and wlr-data-control-unstable-v1.
_CREATE_SOURCE, _GET_DEVICE, _SET_SELECTION, _OFFER, _SEND = 0, 1, 0, 0, 0


class X11Copier:
    """Owns the clipboard and serves the current text."""

    def __init__(self) -> None:
        self._display = display.Display()
        atom = self._display.intern_atom
        self._clipboard, self._targets = atom('CLIPBOARD'), atom('TARGETS')
        self._types = [atom(name) for name in _TYPES]
        self._window = self._display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)

    def copy(self, text: str) -> None:
        """Takes the clipboard with a new text, even if this process already owns the clipboard."""
        self._text, self.is_fetched = text.encode(), False
        self._window.set_selection_owner(self._clipboard, X.CurrentTime)
        self._display.flush()

    def serve(self, timeout: float | None) -> None:
        """Waits for requests and answers them."""
        # Without a time limit, let Xlib wait, because it may still have to send a part of a long text.
        if timeout is not None and not self._display.pending_events():
            select.select([self._display], [], [], timeout)
        while timeout is None or self._display.pending_events():
            request = self._display.next_event()
            if request.type == X.SelectionRequest:
                self._answer(request)
            if timeout is None:
                return

    def end(self) -> None:
        """Waits until the server has read all requests, because it drops the unread requests of a client that exits."""
        self._display.sync()

    def _answer(self, request: event.SelectionRequest) -> None:
        where = request.property or request.target
        if request.target == self._targets:
            request.requestor.change_property(where, Xatom.ATOM, 32, [self._targets, *self._types])
        elif request.target in self._types:
            request.requestor.change_property(where, request.target, 8, self._text)
            self.is_fetched = True
        else:
            where = X.NONE
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=where))
        self._display.flush()


class WaylandCopier:
    """Copies with ext-data-control or wlr-data-control, as wl-copy does, without a window and the focus."""

    def __init__(self) -> None:
        self._connection = wayland.Connection()
        seat = self._connection.bind('wl_seat')
        names = ('ext_data_control_manager_v1', 'zwlr_data_control_manager_v1')
        self._manager = self._connection.bind(next(name for name in names if name in self._connection.globals))
        self._device = self._connection.new()
        self._connection.request(self._manager, _GET_DEVICE, self._device, seat)

    def copy(self, text: str) -> None:
        def asked(event: int, data: bytes) -> None:
            if event == _SEND:
                try:
                    with os.fdopen(self._connection.descriptors.pop(0), 'wb') as pipe:
                        pipe.write(text.encode())
                    self.is_fetched = True
                except BrokenPipeError:
                    pass  # The requestor has abandoned this text for a newer one.

        self.is_fetched = False
        source = self._connection.new(asked)
        self._connection.request(self._manager, _CREATE_SOURCE, source)
        for name in _TYPES:
            self._connection.request(source, _OFFER, name)
        self._connection.request(self._device, _SET_SELECTION, source)

    def serve(self, timeout: float | None) -> None:
        if select.select([self._connection.socket], [], [], timeout)[0]:
            self._connection.dispatch()

    def end(self) -> None:
        self._connection.roundtrip()


class GnomeCopier:
    """Copies inside GNOME Shell, because the shell denies the clipboard to inactive programs. The shell serves the text,
    and does not report that it was fetched."""

    is_fetched = False

    def copy(self, text: str) -> None:
        assert bus.call('org.gnome.Shell', '/org/gnome/Shell', 'org.gnome.Shell', 'Eval',
                        GLib.Variant('(s)', (f'tests.copy({json.dumps(text)})',)))[0]

    def serve(self, timeout: float) -> None:
        time.sleep(timeout)

    def end(self) -> None:
        pass


if os.environ.get('XDG_CURRENT_DESKTOP') == 'GNOME':
    copier = GnomeCopier()
else:
    copier = WaylandCopier() if 'WAYLAND_DISPLAY' in os.environ else X11Copier()


def serve_until(deadline: float) -> None:
    while (rest := deadline - time.monotonic()) > 0:
        copier.serve(rest)


for line in sys.stdin.read().splitlines():
    copier.copy(line)
    if sys.argv[1] == 'fetched':
        signal.alarm(_PATIENCE_SECONDS)
        while not copier.is_fetched:
            copier.serve(None)
    else:
        # Count the gap from this copy, because catching up after a delay would shorten the next gaps.
        serve_until(time.monotonic() + int(sys.argv[1]) / 1000)
copier.end()
if sys.argv[1] != 'fetched':
    serve_until(time.monotonic() + _LAST_OFFER_SECONDS)
