"""The subjects of the benchmark, a module each, by the names of --only."""
from ..figure import Subject
from . import copies, files, idle, large_text, popups, scale, start, typed

SUBJECTS: dict[str, Subject] = {
    'start': start.START,
    'popup': popups.POPUPS,
    'popup-busy': popups.BUSY,
    'popup-first': popups.FIRST,
    'scale': scale.SCALE,
    'files': files.FILES,
    'copies': copies.COPIES,
    'large-text': large_text.LARGE_TEXT,
    'typed': typed.TYPED,
    'idle': idle.IDLE,
}
