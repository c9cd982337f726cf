"""grab.py [server]: grabs the keyboard, as the desktop does while one of its shortcuts is held down, or the X server.

Prints "keyboard" or "server" when it has the grab, and holds the grab until it ends.
"""
import signal
import sys

from Xlib import X, display

connection = display.Display()
if sys.argv[1:] == ['server']:
    connection.grab_server()
    connection.sync()
    print('server', flush=True)
else:
    grabbed = connection.screen().root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
    print('keyboard' if grabbed == X.GrabSuccess else 'refused', flush=True)
signal.pause()
