"""Where the data of a frame lie in the recording: framing puts field names, line ends and headers between them."""

from __future__ import annotations

import re
from binascii import Error as Base64Error
from binascii import a2b_base64
from typing import NamedTuple

from .leaves import leaves

_LINE = re.compile(rb"([^\r\n]*)(\r\n|\n|\r|\Z)")
_PRELUDE = 12


class Stretch(NamedTuple):
    """A part of the data that lies in one piece."""

    data_start: int
    start: int
    """Its place in the frame's bytes."""
    length: int


class Wire:
    """The bytes of one frame, and which of them its data are made of.

    Parameters
    ----------
    raw : bytes
        All bytes of the frame.
    data : bytes
        The frame's data.
    framing : str
        ``sse``, ``eventstream`` …
    """

    def __init__(self, raw: bytes, data: bytes, framing: str | None) -> None:
        self.data = data
        self._stretches = _STRETCHES.get(framing or "", _plain)(raw, data)

    def range(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the range in the frame's bytes of a range of its data; None where it is not known."""
        first, last = self._at(start), self._at(max(start, end - 1))
        if first is None or last is None:
            return None
        return first, last + (end > start)

    def _at(self, position: int) -> int | None:
        for data_start, start, length in self._stretches:
            if data_start <= position < data_start + length or (position == data_start + length == len(self.data)):
                return start + position - data_start
        return None


def _plain(raw: bytes, data: bytes) -> list[Stretch]:
    """Find an element, a line, a document: nothing but blanks, commas and brackets come before them."""
    at = raw.find(data)
    return [] if at < 0 else [Stretch(0, at, len(data))]


def _sse(raw: bytes, data: bytes) -> list[Stretch]:
    """Find the data lines, which are joined with LF."""
    found: list[Stretch] = []
    position = 0
    offset = 3 if raw.startswith(b"\xef\xbb\xbf") else 0
    while offset < len(raw):
        line = _LINE.match(raw, offset)
        if line is None or line.end() == offset:
            break
        if line[1][:5] == b"data:":
            at = offset + 5 + (line[1][5:6] == b" ")
            length = line.end(1) - at
            if data[position : position + length] == raw[at : at + length]:
                found.append(Stretch(position, at, length))
                position += length + 1
        offset = line.end()
    return found or _plain(raw, data)


def _eventstream(raw: bytes, data: bytes) -> list[Stretch]:
    """Find the payload: behind the prelude and the headers, whose length the prelude tells."""
    at = _PRELUDE + int.from_bytes(raw[4:8])
    return [Stretch(0, at, len(data))] if raw[at : at + len(data)] == data else _plain(raw, data)


_STRETCHES = {"sse": _sse, "eventstream": _eventstream}


class Inner(NamedTuple):
    """A JSON text that stands as base64 inside another one (Bedrock's ``bytes``)."""

    data: bytes
    start: int
    """Where the base64 starts in the outer text, in bytes."""
    end: int

    def outer_range(self, start: int, end: int) -> tuple[int, int]:
        """Return the range of base64 that a range of the inner text lies in: four characters hold three bytes."""
        return self.start + start // 3 * 4, min(self.start + -(-max(end, start + 1) // 3) * 4, self.end)


def inner_of(data: bytes) -> Inner | None:
    """Return the JSON text inside a Bedrock chunk, None where there is none."""
    if b'"bytes"' not in data:
        return None
    for leaf in leaves(data):
        if leaf.path in (("bytes",), ("chunk", "bytes")) and leaf.is_string:
            try:
                return Inner(a2b_base64(leaf.literal[1:-1]), leaf.start + 1, leaf.end - 1)
            except (Base64Error, ValueError):
                return None
    return None
