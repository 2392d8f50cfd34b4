"""Which bytes produced which letter, and the other way round."""

from .hexdump import Hexdump, hexdump
from .origin import Origin, chunk_at, origin, origins
from .search import Match, find

__all__ = ["Hexdump", "Match", "Origin", "chunk_at", "find", "hexdump", "origin", "origins"]
