"""Takes the keyboard, as the desktop does while one of its own keys is held down, and then the whole X server.

The program prints "keyboard" and "server" once it has each, and keeps both until it ends.
"""
import signal
import time

from Xlib import X, display

dpy = display.Display()
grabbed = dpy.screen().root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
print('keyboard' if grabbed == X.GrabSuccess else 'refused', flush=True)
# Whoever has just lost the keyboard has noticed by then.
time.sleep(2)
dpy.grab_server()
dpy.sync()
print('server', flush=True)
signal.pause()
