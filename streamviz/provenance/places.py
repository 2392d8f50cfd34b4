"""Where in a frame's data a value stands that the frame's chunk holds.

A value may stand several times in one frame (``"Hi"`` as the text and in the echo of it), and which of them counts is
known to the stream wrapper alone. So it is asked: the place is the one whose change changes the value.
"""

from __future__ import annotations

import json
from binascii import b2a_base64
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from ..chunks import NormalizedChunk
from ..framing.frame import Frame
from .leaves import Leaf, Path, decode, leaves, letter_starts, text_starts
from .wire import Inner, Wire, inner_of

_STRING, _NUMBER = "\ue000 probe", 987654321
"""What is put in the place of a string or of a number, to see whether the value becomes that: nobody sends them."""

Normalize = Callable[[Frame], NormalizedChunk]
Value = Callable[[NormalizedChunk], Any]


class Places:
    """The data of one frame, searched for values.

    Parameters
    ----------
    raw : bytes
        All bytes of the frame.
    frame : Frame
        The frame.
    framing : str
        How it is framed.
    normalize : callable
        What the stream wrapper makes of a frame.
    """

    def __init__(self, raw: bytes, frame: Frame, framing: str | None, normalize: Normalize) -> None:
        self._frame = frame
        self._normalize = normalize
        self._wire = Wire(raw, frame.data, framing)
        self._inner: Inner | None = inner_of(frame.data) if framing == "eventstream" else None
        self._data = self._inner.data if self._inner else frame.data

    def string(self, text: str, value: Value, start: int, end: int) -> tuple[int, int] | None:
        """Return the range of bytes in the frame of ``text[start:end]``, which ``value`` finds in the chunk.

        None where the text stands nowhere in the data as it is.
        """
        leaf = self._leaf([leaf for leaf in leaves(self._data) if leaf.is_string and _is(leaf, text)], value)
        if leaf is not None:
            starts = [leaf.start + letter for letter in letter_starts(leaf.literal)]
            if len(starts) == len(text) + 1:
                return self._range(starts[start], starts[end])
            return self._range(leaf.start, leaf.end)
        return self._verbatim(text, start, end) or self._spelled_otherwise(text, start)

    def number(self, number: Any, path: Path, value: Value) -> tuple[int, int] | None:
        """Return the range of bytes in the frame of a number whose path ends with ``path``."""
        found = [leaf for leaf in leaves(self._data) if _ends_with(leaf, path) and leaf.value == number]
        leaf = self._leaf(found, value)
        return None if leaf is None else self._range(leaf.start, leaf.end)

    def _verbatim(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Find a text that is JSON itself, and stands there as an object: arguments that were sent whole."""
        data = text.encode("utf-8", "surrogatepass")
        at = self._data.find(data) if data else -1
        if at >= 0:
            letters = [*text_starts(text, at), at + len(data)]
            return self._range(letters[start], letters[end])
        return None

    def _spelled_otherwise(self, text: str, at: int) -> tuple[int, int] | None:
        """Find a character of a JSON text that the stream wrapper wrote anew: in the string of the same path."""
        data = text.encode("utf-8", "surrogatepass")
        offset = [*text_starts(text)][at]
        own = next((leaf for leaf in leaves(data) if leaf.is_string and leaf.start < offset < leaf.end - 1), None)
        if own is None:
            return None
        same = [leaf for leaf in leaves(self._data) if _ends_with(leaf, own.path) and leaf.value == own.value]
        if len(same) != 1:
            return None
        letter = bisect_right(letter_starts(own.literal), offset - own.start) - 1
        starts = letter_starts(same[0].literal)
        return self._range(same[0].start + starts[letter], same[0].start + starts[letter + 1])

    def _leaf(self, found: list[Leaf], value: Value) -> Leaf | None:
        """Return the leaf that makes the value."""
        if len(found) < 2:
            return found[0] if found else None
        return next((leaf for leaf in found if self._becomes(leaf, value)), None)

    def _becomes(self, leaf: Leaf, value: Value) -> bool:
        """Whether the value becomes what is put in the place of the leaf."""
        mark = _STRING if leaf.is_string else _NUMBER
        data = self._data[: leaf.start] + json.dumps(mark).encode() + self._data[leaf.end :]
        if self._inner is not None:
            outer = self._frame.data
            data = outer[: self._inner.start] + b2a_base64(data, newline=False) + outer[self._inner.end :]
        return bool(value(self._normalize(replace(self._frame, data=data))) == mark)

    def _range(self, start: int, end: int) -> tuple[int, int] | None:
        if self._inner is not None:
            start, end = self._inner.outer_range(start, end)
        return self._wire.range(start, end)


def _is(leaf: Leaf, text: str) -> bool:
    literal = leaf.literal
    if b"\\" not in literal and text.isascii():
        return literal[1:-1] == text.encode()
    return bool(decode(literal) == text)


def _ends_with(leaf: Leaf, path: Path) -> bool:
    return leaf.path[-len(path) :] == path


def strings_of(chunk: NormalizedChunk) -> Iterator[str]:
    """Yield the texts of a chunk's deltas, its own first, then those of the answer that it repeats."""
    for delta in (*chunk.deltas, *chunk.answer):
        yield str(getattr(delta, "text", None) or getattr(delta, "arguments", None) or "")
