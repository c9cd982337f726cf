#!/usr/bin/python3
"""Pastes as a GTK 4 program does when its window is active, and prints the size and the SHA-256 of the text.

With --version it prints GTK's version.
"""
import hashlib
import sys

import gi

gi.require_version('Gtk', '4.0')
from gi.repository import GLib, Gtk  # noqa: E402


class Requestor:
    def __init__(self):
        Gtk.init()
        self.loop = GLib.MainLoop()
        self.window = Gtk.Window(title='A program that pastes')
        self.window.connect('notify::is-active', lambda *_: self.window.is_active() and self.paste())
        self.window.present()

    def paste(self):
        clipboard = self.window.get_display().get_clipboard()
        # On Wayland the formats arrive just after the focus.
        if clipboard.get_formats().to_string() == '{ }':
            clipboard.connect('changed', lambda *_: self.ask(clipboard))
        else:
            self.ask(clipboard)

    def ask(self, clipboard):
        clipboard.read_text_async(None, self.arrived)

    def arrived(self, clipboard, result):
        text = clipboard.read_text_finish(result).encode()
        print(len(text), hashlib.sha256(text).hexdigest(), flush=True)
        sys.exit()


if __name__ == '__main__':
    if sys.argv[1:] == ['--version']:
        print(Gtk.get_major_version(), Gtk.get_minor_version())
    else:
        Requestor().loop.run()
