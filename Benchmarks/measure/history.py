"""Makes histories of any size with CopyPasta's own schema, and reads histories."""
import os
import sqlite3
import time
from collections.abc import Iterable
from pathlib import Path

PREVIEW_BYTES = 400
_AGE_SECONDS = 3 * 86_400  # Old enough to be shown in days, so that no row changes during a measurement.
_ROWS_APART_SECONDS = 600


class Home:
    """A separate home folder for the program, with a history."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that uses this home."""
        kinds = ('CONFIG', 'DATA', 'CACHE', 'STATE')
        folders = {f'XDG_{kind}_HOME': str(self._folder / kind.lower()) for kind in kinds}
        return {**os.environ, 'HOME': str(self._folder), **folders}

    @property
    def database(self) -> Path:
        return self._folder / 'data' / 'copypasta' / 'history.sqlite3'

    def set(self, setting: str, value: str) -> None:
        """Sets one of the program's settings, in GVariant's text format, and resets the others to their defaults."""
        file = self._folder / 'config' / 'glib-2.0' / 'settings' / 'keyfile'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[org/copypasta/CopyPasta]\n{setting}={value}\n')

    def fill(self, rows: int) -> None:
        """Adds short rows of some 60 bytes to a history that the program has made."""
        text = "'Row ' || i || ': a line of text as somebody might have copied it'"
        with self._open() as database:
            database.execute(f'''
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
                INSERT INTO clip(captured_at, byte_count, preview, text)
                SELECT ({int(time.time()) - _AGE_SECONDS} - ({rows} - i + 1) * {_ROWS_APART_SECONDS}) * 1000000,
                  length({text}), NULL, {text} FROM n''')
        database.close()

    def add(self, texts: Iterable[str]) -> None:
        """Adds these ASCII texts, with the preview that the program would make."""
        with self._open() as database:
            for text in texts:
                preview = text[:PREVIEW_BYTES] if len(text) > PREVIEW_BYTES else None
                database.execute('INSERT INTO clip(captured_at, byte_count, preview, text) VALUES (?, ?, ?, ?)',
                                 (int(time.time() - _AGE_SECONDS) * 1_000_000, len(text), preview, text))
        database.close()

    def newest_id(self) -> int:
        return self._number('SELECT coalesce(max(id), 0) FROM clip')

    def count(self, after: int = 0) -> int:
        """The number of rows with an id above `after`."""
        return self._number(f'SELECT count(*) FROM clip WHERE id > {after}')

    def bytes_held(self) -> int:
        """The total size of the texts, in bytes."""
        return self._number('SELECT coalesce(sum(byte_count), 0) FROM clip')

    def texts(self, after: int = 0) -> list[str]:
        """The texts with an id above `after`, in the order of recording."""
        database = self._open()
        try:
            return [row[0] for row in database.execute('SELECT text FROM clip WHERE id > ? ORDER BY id', (after,))]
        finally:
            database.close()

    def _number(self, sql: str) -> int:
        database = self._open()
        try:
            return database.execute(sql).fetchone()[0]
        finally:
            database.close()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self.database, timeout=10)
