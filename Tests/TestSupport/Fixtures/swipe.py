"""swipe.py X Y RIGHT WIDTH HEIGHT: moves the pointer to a position on a screen of that size, then moves
two fingers on a touchpad by RIGHT pixels. The content follows the fingers, which start slowly, as a
person's do."""
import sys
import time

import wayland

STEPS, FINGER, HORIZONTAL = 10, 1, 1
MOTION_ABSOLUTE, AXIS, FRAME, AXIS_SOURCE, AXIS_STOP = 1, 3, 4, 5, 6


def fixed(number):
    return round(number * 256) & 0xffffffff


x, y, right, width, height = map(int, sys.argv[1:])
connection = wayland.Connection()
pointer = connection.plug_in_pointer()
connection.request(pointer, MOTION_ABSOLUTE, 0, x, y, width, height)
connection.request(pointer, FRAME)
connection.roundtrip()
for step in range(STEPS):
    part = (step + 1) / sum(range(1, STEPS + 1))
    connection.request(pointer, AXIS, 20 * step, HORIZONTAL, fixed(-right * part))
    # wlroots applies the source to the axis that was sent last.
    connection.request(pointer, AXIS_SOURCE, FINGER)
    connection.request(pointer, FRAME)
    connection.roundtrip()
    time.sleep(0.02)
connection.request(pointer, AXIS_STOP, 20 * STEPS, HORIZONTAL)
connection.request(pointer, AXIS_SOURCE, FINGER)
connection.request(pointer, FRAME)
connection.roundtrip()
# Wait, because sway drops pending events of an unplugged pointer.
time.sleep(0.2)
