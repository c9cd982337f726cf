"""Diodon: a menu, with its history in Zeitgeist."""
import sqlite3
from contextlib import closing
from os import environ
from pathlib import Path

from .. import bus
from ..clipboard import copy_texts
from .peer import Peer, start_quietly


class Diodon(Peer):
    name, program, package = 'Diodon', 'diodon', 'diodon'
    processes, lasting = ('diodon', 'zeitgeist-daemon'), ('zeitgeist-daemon',)
    most = 100

    def wait_ready(self) -> None:
        bus.wait_for('net.launchpad.Diodon')

    def ask(self) -> float:
        return start_quietly('diodon')

    def fill(self, texts: list[str]) -> None:
        copy_texts(len(texts), 50, 'Row: a line of text as somebody might have copied it,')

    def history(self) -> list[str]:
        file = Path(environ['XDG_DATA_HOME'], 'zeitgeist', 'activity.sqlite')
        with closing(sqlite3.connect(file)) as database:
            rows = database.execute('SELECT text.value FROM event JOIN text ON event.subj_text = text.id')
            return [row[0] for row in rows]
