"""Grabs the keyboard, as the desktop does while one of its shortcuts is held down, and then the X server.

Prints "keyboard" and "server" when it has grabbed each, and holds both grabs until it ends. With the argument "keyboard",
grabs the keyboard alone.
"""
import signal
import sys
import time

from Xlib import X, display

dpy = display.Display()
grabbed = dpy.screen().root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
print('keyboard' if grabbed == X.GrabSuccess else 'refused', flush=True)
if sys.argv[1:] == ['keyboard']:
    signal.pause()
# Give the program that has lost the keyboard time to notice it.
time.sleep(2)
dpy.grab_server()
dpy.sync()
print('server', flush=True)
signal.pause()
