#!/usr/bin/python3
"""The window of another program, which prints "active" and "inactive" and each key that it receives."""
import gi

gi.require_versions({'Gdk': '4.0', 'Gtk': '4.0'})
from gi.repository import Gdk, GLib, Gtk  # noqa: E402


def say(*words):
    print(*words, flush=True)


Gtk.init()
window = Gtk.Window(title='Other', default_width=300, default_height=200)
keys = Gtk.EventControllerKey()
keys.connect('key-pressed', lambda _keys, key, _code, _state: say('key', Gdk.keyval_name(key)))
window.add_controller(keys)
window.connect('notify::is-active', lambda *_: say('active' if window.props.is_active else 'inactive'))
window.present()
GLib.MainLoop().run()
