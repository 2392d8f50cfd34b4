"""From a vendor's events to its bytes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import cycle

from ..framing.encode import bedrock_event, compact, event_stream_message, server_sent_event

__all__ = ["bedrock_event", "compact", "cut", "event_stream_message", "server_sent_event"]


def cut(text: str, sizes: Iterable[int]) -> list[str]:
    """Cut a text into pieces of the sizes given, over and over.

    Examples
    --------
    >>> cut("abcdefgh", [1, 3])
    ['a', 'bcd', 'e', 'fgh']
    """
    pieces: list[str] = []
    start = 0
    for size in cycle(sizes):
        if start >= len(text):
            return pieces
        pieces.append(text[start : start + size])
        start += size
    return pieces
