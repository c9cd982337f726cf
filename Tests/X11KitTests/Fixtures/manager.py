#!/usr/bin/python3
"""manager.py keeps|refuses|mute: owns CLIPBOARD_MANAGER with one of these behaviours.

Prints `ready`, then `asked` with the targets that it was asked to save. If it keeps the text, it prints `has` with the
number of bytes once it owns the CLIPBOARD.
"""
import sys

from Xlib import X, Xatom, display
from Xlib.protocol import event

MANAGER = display.Display()
WINDOW = MANAGER.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)


def atom(name):
    return MANAGER.intern_atom(name)


def next_event(kind, matches=lambda happened: True):
    while True:
        happened = MANAGER.next_event()
        if happened.type == kind and matches(happened):
            return happened


def take(prop):
    answer = WINDOW.get_full_property(prop, X.AnyPropertyType)
    WINDOW.delete_property(prop)
    MANAGER.flush()
    return answer


def fetch(target):
    """Returns the text of the CLIPBOARD, which its owner may send in chunks."""
    prop = atom('FIXTURE_TEXT')
    WINDOW.convert_selection(atom('CLIPBOARD'), target, prop, X.CurrentTime)
    next_event(X.SelectionNotify)
    answer = take(prop)
    if answer.property_type != atom('INCR'):
        return bytes(answer.value)
    text = b''
    while True:
        next_event(X.PropertyNotify, lambda at: at.atom == prop and at.state == X.PropertyNewValue)
        piece = bytes(take(prop).value)
        if not piece:
            return text
        text += piece


def answer(request, prop):
    request.requestor.send_event(event.SelectionNotify(
        time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
        property=prop))
    MANAGER.flush()


def main(behaviour):
    WINDOW.set_selection_owner(atom('CLIPBOARD_MANAGER'), X.CurrentTime)
    MANAGER.sync()
    print('ready')
    request = next_event(X.SelectionRequest)
    wanted = request.requestor.get_full_property(request.property, Xatom.ATOM).value
    print('asked', *[MANAGER.get_atom_name(target) for target in wanted])
    if behaviour == 'keeps':
        text = fetch(wanted[0])
        WINDOW.set_selection_owner(atom('CLIPBOARD'), X.CurrentTime)
        answer(request, request.property)
        print('has', len(text))
    elif behaviour == 'refuses':
        answer(request, X.NONE)
    next_event(X.SelectionClear)


main(sys.argv[1])
