"""Programs that copy: a program that copies many texts, and a program that offers a large text."""
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .process import child

_COPIER = Path(__file__).with_name('copier.py')
if 'WAYLAND_DISPLAY' in os.environ:
    _COPY = ['wl-copy', '--foreground', '--type', 'text/plain']
    PASTE = ['wl-paste', '--no-newline']
else:
    _COPY = ['xclip', '-quiet', '-selection', 'clipboard', '-in']
    PASTE = ['xclip', '-selection', 'clipboard', '-out']


def copy_texts(count: int, gap_ms: int, label: str) -> list[str]:
    """Copies `count` distinct texts, `gap_ms` apart, from one process. Returns the texts a second after the last."""
    texts = [f'{label} {number}' for number in range(count)]
    copy_each(texts, str(gap_ms), 60 + count * gap_ms / 1000)
    return texts


def copy_each(texts: list[str], how: str = 'fetched', timeout: float = 600) -> None:
    """Copies these texts from one process, each after the previous text has been fetched."""
    subprocess.run([sys.executable, _COPIER, how], input='\n'.join(texts), text=True, check=True, timeout=timeout)


@contextmanager
def offered(file: Path) -> Iterator[None]:
    """Offers a file's content, which xclip transfers in chunks (INCR) and wl-copy through a pipe."""
    silent = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
    with file.open() as content, child(_COPY, stdin=content, **silent):
        yield
