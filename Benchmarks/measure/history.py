"""Makes histories of any size with CopyPasta's own schema, and reads histories."""
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path

_AGE_SECONDS = 3 * 86_400  # Old enough to be shown in days, so that no row changes during a measurement.
_ROWS_APART_SECONDS = 600


class Home:
    """A separate home folder for the program, with a history."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a program that uses this home."""
        kinds = ('CONFIG', 'DATA', 'CACHE', 'STATE')
        folders = {f'XDG_{kind}_HOME': str(self.folder / kind.lower()) for kind in kinds}
        return {**os.environ, 'HOME': str(self.folder), **folders}

    @property
    def database(self) -> Path:
        return self.folder / 'data' / 'copypasta' / 'history.sqlite3'

    def set(self, setting: str, value: str) -> None:
        """Sets one of the program's settings, in GVariant's text format, and resets the others to their defaults."""
        file = self.folder / 'config' / 'glib-2.0' / 'settings' / 'keyfile'
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'[org/copypasta/CopyPasta]\n{setting}={value}\n')

    def fill(self, rows: int) -> None:
        """Adds short rows of some 60 bytes to a history that the program has made."""
        text = "'Row ' || i || ': a line of text as somebody might have copied it'"
        self._run(f'''
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {rows})
            INSERT INTO clip(captured_at, byte_count, preview, text)
            SELECT ({int(time.time()) - _AGE_SECONDS} - ({rows} - i + 1) * {_ROWS_APART_SECONDS}) * 1000000,
              length({text}), NULL, {text} FROM n''')

    def newest_id(self) -> int:
        return self._number('SELECT coalesce(max(id), 0) FROM clip')

    def count(self, after: int = 0) -> int:
        """The number of rows with an id above `after`."""
        return self._number(f'SELECT count(*) FROM clip WHERE id > {after}')

    def texts(self, after: int = 0) -> list[str]:
        """The texts with an id above `after`, in the order of recording."""
        return [row[0] for row in self._run(f'SELECT text FROM clip WHERE id > {after} ORDER BY id')]

    def _number(self, sql: str) -> int:
        return self._run(sql)[0][0]

    def _run(self, sql: str) -> list[tuple]:
        with closing(sqlite3.connect(self.database, timeout=10)) as database, database:
            return database.execute(sql).fetchall()
