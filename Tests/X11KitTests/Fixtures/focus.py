"""Shows a frame that contains a window with a child window, and a separate window; prints the four ids in one line.

Then it gives the focus to each window whose id it reads from standard input, and prints `focused`. With an argument, it
only shows the windows.
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
