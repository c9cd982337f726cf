"""The window of another program (GTK 3) to drag from or to drop on.

dragging.py source TEXT offers a text. dragging.py utf8 HEX offers bytes as UTF8_STRING only. dragging.py secret TEXT
offers a text with a password manager's hint, and prints each format that is requested. dragging.py mute prints "asked"
when its text is requested, and then does nothing more. dragging.py target prints each drop in hexadecimal. A source
prints "done" or "refused" after a drag.
"""
import sys
import time

import gi
gi.require_version('Gtk', '3.0')
gi.require_version('Gdk', '3.0')
from gi.repository import Gdk, Gtk

window = Gtk.Window(title='Dragging', default_width=300, default_height=200)
area = Gtk.EventBox()
window.add(area)
area.add(Gtk.Label(label='drag from or to here'))

HINT = 'x-kde-passwordManagerHint'
FORMATS = {
    'source': [], 'utf8': ['UTF8_STRING'], 'mute': ['UTF8_STRING'], 'secret': ['text/plain;charset=utf-8', HINT]}


def offer_secret(_area, _context, data, _info, _time):
    name = data.get_target().name()
    print(name, flush=True)
    data.set(data.get_target(), 8, b'secret' if name == HINT else sys.argv[2].encode())


def never_answer(*_):
    print('asked', flush=True)
    time.sleep(1000)


if sys.argv[1] in FORMATS:
    targets = [Gtk.TargetEntry.new(name, 0, 0) for name in FORMATS[sys.argv[1]]]
    area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, targets, Gdk.DragAction.COPY)
    if sys.argv[1] == 'secret':
        area.connect('drag-data-get', offer_secret)
    elif sys.argv[1] == 'mute':
        area.connect('drag-data-get', never_answer)
    elif sys.argv[1] == 'utf8':
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
