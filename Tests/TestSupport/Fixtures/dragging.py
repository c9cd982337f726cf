"""The window of another program (GTK 3) to drag from.

dragging.py source TEXT offers a text. dragging.py utf8 HEX offers bytes as UTF8_STRING only. Prints "done" or "refused"
after a drag.
"""
import sys

import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk

kind, content = sys.argv[1:]
window = Gtk.Window(title='Dragging', default_width=300, default_height=200)
area = Gtk.EventBox()
window.add(area)
area.add(Gtk.Label(label='drag from here'))
targets = [Gtk.TargetEntry.new('UTF8_STRING', 0, 0)] if kind == 'utf8' else []
area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, targets, Gdk.DragAction.COPY)
if kind == 'utf8':
    area.connect('drag-data-get', lambda _a, _c, data, _i, _t:
                 data.set(data.get_target(), 8, bytes.fromhex(content)))
else:
    area.drag_source_add_text_targets()
    area.connect('drag-data-get', lambda _a, _c, data, _i, _t: data.set_text(content, -1))
area.connect('drag-end', lambda *_: print('done', flush=True))
area.connect('drag-failed', lambda *_: print('refused', flush=True))
window.connect('destroy', Gtk.main_quit)
window.show_all()
window.move(900, 40)
Gtk.main()
