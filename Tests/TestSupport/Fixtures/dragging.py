"""The window of another program (GTK 3) to drag from or to drop on.

dragging.py source TEXT offers a text. dragging.py utf8 HEX offers bytes as UTF8_STRING only. dragging.py target prints
each drop in hexadecimal. A source prints "done" or "refused" after a drag.
"""
import sys

import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk

window = Gtk.Window(title='Dragging', default_width=300, default_height=200)
area = Gtk.EventBox()
window.add(area)
area.add(Gtk.Label(label='drag from or to here'))

if sys.argv[1] != 'target':
    targets = [Gtk.TargetEntry.new('UTF8_STRING', 0, 0)] if sys.argv[1] == 'utf8' else []
    area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, targets, Gdk.DragAction.COPY)
    if sys.argv[1] == 'utf8':
        area.connect('drag-data-get', lambda _a, _c, data, _i, _t:
                     data.set(data.get_target(), 8, bytes.fromhex(sys.argv[2])))
    else:
        area.drag_source_add_text_targets()
        area.connect('drag-data-get', lambda _a, _c, data, _i, _t: data.set_text(sys.argv[2], -1))
    area.connect('drag-end', lambda *_: print('done', flush=True))
    area.connect('drag-failed', lambda *_: print('refused', flush=True))
else:
    area.drag_dest_set(Gtk.DestDefaults.ALL, [], Gdk.DragAction.COPY)
    area.drag_dest_add_text_targets()
    area.connect('drag-data-received',
                 lambda _a, _c, _x, _y, data, _i, _t: print((data.get_text() or '').encode().hex(), flush=True))

window.connect('destroy', Gtk.main_quit)
window.show_all()
window.move(900, 40)
Gtk.main()
