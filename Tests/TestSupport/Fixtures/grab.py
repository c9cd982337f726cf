"""Grabs the keyboard, as the desktop does while one of its shortcuts is held down.

Prints "keyboard" when it has the grab, and holds the grab until it ends.
"""
import signal

from Xlib import X, display

root = display.Display().screen().root
grabbed = root.grab_keyboard(True, X.GrabModeAsync, X.GrabModeAsync, X.CurrentTime)
print('keyboard' if grabbed == X.GrabSuccess else 'refused', flush=True)
signal.pause()
