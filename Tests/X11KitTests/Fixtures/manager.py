#!/usr/bin/python3
"""manager.py keeps|refuses|mute: owns CLIPBOARD_MANAGER with one of these behaviours.

Prints `ready`, then `asked` with the targets that it was asked to save. If it keeps the text, it prints `has` with the
number of bytes once it owns the CLIPBOARD.
"""
import sys

from Xlib import X, Xatom
from Xlib.protocol import event

from requestor import Requestor, say


def main(behaviour):
    manager = Requestor()
    manager.own('CLIPBOARD_MANAGER')
    say('ready')
    request = manager.next_event(X.SelectionRequest)
    wanted = request.requestor.get_full_property(request.property, Xatom.ATOM).value
    names = [manager.display.get_atom_name(target) for target in wanted]
    say('asked', *names)
    if behaviour == 'keeps':
        manager.ask(names[0], 'FIXTURE_TEXT')
        text = manager.receive(manager.answer())
        manager.own('CLIPBOARD')
        say('has', len(text))
    if behaviour != 'mute':
        request.requestor.send_event(event.SelectionNotify(
            time=request.time, requestor=request.requestor, selection=request.selection, target=request.target,
            property=request.property if behaviour == 'keeps' else X.NONE))
        manager.display.flush()
    manager.next_event(X.SelectionClear)


main(sys.argv[1])
