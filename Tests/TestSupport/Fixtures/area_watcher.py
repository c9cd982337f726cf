#!/usr/bin/python3
"""area_watcher.py KIND X Y WIDTH HEIGHT: prints a checksum each time that this part of the screen has changed.

Because this is a separate process, it also sees what is shown for only a few seconds while the tests are delayed.
"""
import subprocess
import sys
import time
import zlib


def x11(x: int, y: int, width: int, height: int):
    from Xlib import X, display
    root = display.Display().screen().root
    return lambda: root.get_image(x, y, width, height, X.ZPixmap, 0xffffffff).data


def wayland(x: int, y: int, width: int, height: int):
    command = ['grim', '-t', 'ppm', '-g', f'{x},{y} {width}x{height}', '-']
    return lambda: subprocess.run(command, capture_output=True, check=True).stdout


picture = {'x11': x11, 'wayland': wayland}[sys.argv[1]](*map(int, sys.argv[2:]))
last = None
while True:
    seen = zlib.crc32(picture())
    if seen != last:
        print(seen, flush=True)
        last = seen
    time.sleep(0.5)
