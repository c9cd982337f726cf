"""The kinds of desktop, by XDG_CURRENT_DESKTOP: openbox alone sets none."""
import os

from ..screen import Screen

CURRENT = os.environ.get('XDG_CURRENT_DESKTOP', 'X11')


def current() -> Screen:
    """Connects to the current desktop."""
    match CURRENT:
        case 'sway':
            from .sway import SwayScreen as Current
        case 'GNOME':
            from .gnome import GnomeScreen as Current
        case 'KDE':
            from .kwin import KWinScreen as Current
        case _:
            from .x11 import X11Screen as Current
    return Current()
