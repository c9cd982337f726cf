"""Shows a frame that contains a window with a child window, and a separate window; prints the four ids in one line.

Then it prints `key` and the keycode of each key that is typed in one of them. It gives the focus to each window whose id
it reads from standard input, and prints `focused`. With an argument, it does not read from standard input.
"""
import select
import sys

from Xlib import X, display

dpy = display.Display()


def make(parent):
    window = parent.create_window(
        0, 0, 10, 10, 0, X.CopyFromParent, override_redirect=True, event_mask=X.KeyPressMask)
    window.map()
    return window


root = dpy.screen().root
frame = make(root)
window = make(frame)
windows = [frame, window, make(window), make(root)]
dpy.sync()
print(*(w.id for w in windows), flush=True)
sources = [dpy.fileno()] if len(sys.argv) > 1 else [dpy.fileno(), sys.stdin]
while True:
    while dpy.pending_events():
        event = dpy.next_event()
        if event.type == X.KeyPress:
            print('key', event.detail, flush=True)
    if sys.stdin in select.select(sources, [], [])[0]:
        line = sys.stdin.readline()
        if not line:
            break
        dpy.set_input_focus(int(line), X.RevertToPointerRoot, X.CurrentTime)
        dpy.sync()
        print('focused', flush=True)
