"""Owns the X11 CLIPBOARD, and prints the requests.

owner.py TARGET:HEX... offers each target with these bytes; a TARGET without ":" is listed but never answered.
Prints "ready" when it is the selection owner, then a line for each request, and ends when it loses the ownership.
"""
import sys

from Xlib import X, Xatom, display
from Xlib.protocol import event

dpy = display.Display()
atom = dpy.intern_atom
CLIPBOARD, TARGETS, TIMESTAMP = atom('CLIPBOARD'), atom('TARGETS'), atom('TIMESTAMP')


def parse(arguments):
    offers = {}
    for argument in arguments:
        target, separator, digits = argument.rpartition(':')
        offers[atom(target if separator else digits)] = bytes.fromhex(digits) if separator else None
    return offers


def own():
    """Takes the clipboard, and returns the server time of the ownership, which answers TIMESTAMP requests."""
    root = dpy.screen().root
    window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
    window.change_property(atom('COPYPASTA_TIME'), Xatom.STRING, 8, b'')
    time = dpy.next_event().time
    window.set_selection_owner(CLIPBOARD, time)
    if dpy.get_selection_owner(CLIPBOARD) != window:
        sys.exit('another program took the clipboard')
    return time


def answer(request, accepted):
    request.requestor.send_event(event.SelectionNotify(
        time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
        property=request.property if accepted else X.NONE))
    dpy.flush()


def serve(offers, since):
    while True:
        request = dpy.next_event()
        if request.type == X.SelectionClear:
            return
        if request.type != X.SelectionRequest:
            continue
        print(dpy.get_atom_name(request.target), flush=True)
        if request.target == TARGETS:
            listed = [TARGETS, TIMESTAMP, *offers]
            request.requestor.change_property(request.property, Xatom.ATOM, 32, listed)
            answer(request, True)
        elif request.target == TIMESTAMP:
            request.requestor.change_property(request.property, Xatom.INTEGER, 32, [since])
            answer(request, True)
        elif request.target not in offers:
            answer(request, False)
        elif offers[request.target] is not None:
            request.requestor.change_property(request.property, request.target, 8, offers[request.target])
            answer(request, True)


offers = parse(sys.argv[1:])
since = own()
print('ready', flush=True)
serve(offers, since)
