"""rival.py WINDOW: takes the clipboard each time that the program with this window has requested the server time, in a
race with that program, which then takes the clipboard itself."""
import sys

from Xlib import X, display

dpy = display.Display()
clipboard = dpy.intern_atom('CLIPBOARD')
own = dpy.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
dpy.create_resource_object('window', int(sys.argv[1])).change_attributes(event_mask=X.PropertyChangeMask)
dpy.sync()
print('ready', flush=True)
while True:
    if dpy.next_event().type == X.PropertyNotify:
        own.set_selection_owner(clipboard, X.CurrentTime)
        dpy.flush()
