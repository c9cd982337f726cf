"""What a peer cost."""
from dataclasses import dataclass, field


@dataclass
class PeerResult:
    """Milliseconds, MiB and per cent; None where it could not be measured."""

    name: str
    start: float | None = None
    popup: float | None = None
    first_popup: float | None = None
    memory: float | None = None
    kept: dict[int, float] = field(default_factory=dict)
    note: str = ''
