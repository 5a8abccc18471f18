"""How large a file may be."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Most bytes as sent, most bytes when unpacked, most characters of a line or field."""

    packed: int = 64 << 20
    unpacked: int = 64 << 20
    field: int = 131072
