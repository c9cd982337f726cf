#!/usr/bin/python3
"""frame_watcher.py WINDOW: prints "frame" each time that a hidden window is drawn, and "gone" first and when it is hidden."""
import sys

from Xlib import X, display
from Xlib.ext import damage

server = display.Display()
server.damage_query_version()
window = server.create_resource_object('window', int(sys.argv[1]))
window.change_attributes(event_mask=X.StructureNotifyMask)
window.damage_create(damage.DamageReportRawRectangles)
server.sync()
print('gone', flush=True)
last = None
while True:
    event = server.next_event()
    if event.type == X.UnmapNotify:
        print('gone', flush=True)
    elif event.type == server.extension_event.DamageNotify and event.timestamp != last:
        # The rectangles of a frame have the same time.
        last = event.timestamp
        print('frame', flush=True)
