"""Copies the texts "burst 0", "burst 1" and so on at intervals of 5 ms, on X11.

burst.py COUNT ends when another program has read the last text, and after five seconds at the latest.
"""
import select
import sys
import time

from Xlib import X, Xatom, display
from Xlib.protocol import event

dpy = display.Display()
atom = dpy.intern_atom
CLIPBOARD, TARGETS, TEXT = atom('CLIPBOARD'), atom('TARGETS'), atom('UTF8_STRING')


def serve(until, texts):
    """Answers requests until a time; returns whether the newest text was requested."""
    taken = False
    while True:
        while dpy.pending_events():
            request = dpy.next_event()
            if request.type != X.SelectionRequest:
                continue
            accepted = request.property
            if request.target == TARGETS:
                request.requestor.change_property(request.property, Xatom.ATOM, 32, [TARGETS, TEXT])
            elif request.target == TEXT:
                text = texts[request.owner.id]
                request.requestor.change_property(request.property, TEXT, 8, text)
                taken = taken or text == list(texts.values())[-1]
            else:
                accepted = X.NONE
            request.requestor.send_event(event.SelectionNotify(
                time=request.time, requestor=request.requestor, selection=request.selection,
                target=request.target, property=accepted))
            dpy.flush()
        left = until - time.monotonic()
        if left <= 0 or not select.select([dpy], [], [], left)[0]:
            return taken


count = int(sys.argv[1])
offered, taken = {}, False
for number in range(count):
    window = dpy.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    offered[window.id] = f'burst {number}'.encode()
    window.set_selection_owner(CLIPBOARD, X.CurrentTime)
    dpy.flush()
    taken = serve(time.monotonic() + 0.005, offered)
end = time.monotonic() + 5
while not taken and time.monotonic() < end:
    taken = serve(time.monotonic() + 0.1, offered)
