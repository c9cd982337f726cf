"""Diodon: a menu, with its history in Zeitgeist."""
import sqlite3
from os import environ
from pathlib import Path

from .. import bus
from .peer import Peer, start_quietly


class Diodon(Peer):
    name, program, package = 'Diodon', 'diodon', 'diodon'
    processes = ('diodon', 'zeitgeist-daemon')
    most = 100
    how_filled = 'copying, 50 ms apart'

    def wait_ready(self) -> None:
        bus.wait_for('net.launchpad.Diodon')

    def ask(self) -> float:
        return start_quietly('diodon')

    def history(self) -> list[str]:
        file = Path(environ['XDG_DATA_HOME'], 'zeitgeist', 'activity.sqlite')
        database = sqlite3.connect(file)
        try:
            rows = database.execute('SELECT text.value FROM event JOIN text ON event.subj_text = text.id')
            return [row[0] for row in rows]
        finally:
            database.close()

    @property
    def ending(self) -> tuple[str, ...]:
        return ('diodon',)  # Zeitgeist keeps running.
