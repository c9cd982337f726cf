"""The figures of a peer."""
from dataclasses import dataclass, field


@dataclass
class PeerResult:
    """Times in milliseconds, memory in MiB, kept copies in per cent; None if a figure could not be measured."""

    name: str
    start: float | None = None
    popup: float | None = None
    first_popup: float | None = None
    memory: float | None = None
    kept: dict[int, float] = field(default_factory=dict)
    note: str = ''
