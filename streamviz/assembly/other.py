"""Blocks that are neither text nor calls: server-tool results, media, and what is not known."""

from __future__ import annotations

from array import array
from typing import Any

from ..chunks import BlockIndex, MediaDelta


class ValueBlock:
    """A block that comes whole, as the vendor's own JSON value."""

    __slots__ = ("choice", "chunks", "closed", "id", "key", "kind", "name", "values")

    def __init__(self, kind: str, choice: int, key: BlockIndex, name: str, ident: str | None = None) -> None:
        self.kind = kind
        self.choice = choice
        self.key = key
        self.name = name
        self.id = ident
        self.values: list[Any] = []
        self.chunks = array("L")
        self.closed = False

    def append(self, value: Any, chunk: int) -> None:
        """Add a value."""
        self.values.append(value)
        self.chunks.append(chunk)


class MediaBlock:
    """An image, audio or a file, in the base64 pieces in which it came."""

    __slots__ = ("choice", "chunks", "closed", "key", "meta", "mime_type", "pieces", "transcripts")
    kind = "media"

    def __init__(self, choice: int, key: BlockIndex) -> None:
        self.choice = choice
        self.key = key
        self.mime_type: str | None = None
        self.pieces: list[str] = []
        self.transcripts: list[str] = []
        self.meta: dict[str, Any] = {}
        self.chunks = array("L")
        self.closed = False

    def add(self, delta: MediaDelta, chunk: int) -> None:
        """Add a piece and whatever came with it."""
        self.chunks.append(chunk)
        self.mime_type = delta.mime_type or self.mime_type
        if delta.data:
            self.pieces.append(delta.data)
        if delta.transcript:
            self.transcripts.append(delta.transcript)
        if isinstance(delta.meta, dict):
            self.meta.update(delta.meta)
