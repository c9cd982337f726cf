"""Shows a window and prints its id, then `key` and the keycode of each key that is typed in the window.

For each line on standard input, gives the window the focus and prints `focused`.
"""
import select
import sys

from Xlib import X, display

dpy = display.Display()
window = dpy.screen().root.create_window(
    0, 0, 10, 10, 0, X.CopyFromParent, override_redirect=True, event_mask=X.KeyPressMask)
window.map()
dpy.sync()
print(window.id, flush=True)
while True:
    while dpy.pending_events():
        event = dpy.next_event()
        if event.type == X.KeyPress:
            print('key', event.detail, flush=True)
    if sys.stdin in select.select([sys.stdin, dpy.fileno()], [], [])[0]:
        if not sys.stdin.readline():
            break
        window.set_input_focus(X.RevertToPointerRoot, X.CurrentTime)
        dpy.sync()
        print('focused', flush=True)
