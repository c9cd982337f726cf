"""Shows a frame, a window in it, a child of that, and another window; says their numbers in a line.

Then it gives the focus to each window that a line of standard input names, and says `focused`; with an argument it only
shows them.
"""
import signal
import sys

from Xlib import X, display

dpy = display.Display()


def make(parent):
    window = parent.create_window(0, 0, 10, 10, 0, X.CopyFromParent, override_redirect=True)
    window.map()
    return window


root = dpy.screen().root
frame = make(root)
window = make(frame)
windows = [frame, window, make(window), make(root)]
dpy.sync()
print(*(w.id for w in windows), flush=True)
if len(sys.argv) > 1:
    signal.pause()
for line in sys.stdin:
    dpy.set_input_focus(int(line), X.RevertToPointerRoot, X.CurrentTime)
    dpy.sync()
    print('focused', flush=True)
