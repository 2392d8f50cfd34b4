"""The values in a JSON text, each with its path and its place among the bytes.

Decoders give values without places; this reader gives places. It reads what the pipeline has read before, and is
therefore lenient: of a text that is broken it gives what stands before the fault.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_UNIT = re.compile(rb"\\u([0-9a-fA-F]{4})|\\.|[^\\]+", re.DOTALL)
Path = tuple[str | int, ...]


class Leaf(NamedTuple):
    """One value of a JSON text."""

    path: Path
    start: int
    end: int
    """Its range in the text, in bytes; of a string, with its quotes."""
    literal: bytes

    @property
    def is_string(self) -> bool:
        """Whether it is a string."""
        return self.literal[:1] == b'"'

    @property
    def value(self) -> Any:
        """The value; what is no JSON is None."""
        return decode(self.literal)


def decode(literal: bytes) -> Any:
    """Return the value of a JSON text, None where it is none; bytes that are no UTF-8 are U+FFFD."""
    try:
        return json.loads(literal.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def leaves(data: bytes) -> Iterator[Leaf]:
    r"""Yield the strings, numbers and words of a JSON text, keys left out, in the order in which they stand.

    Examples
    --------
    >>> [(leaf.path, leaf.start, leaf.value) for leaf in leaves(b'{"a": [1, {"b": "x"}]}')]
    [(('a', 0), 7, 1), (('a', 1, 'b'), 16, 'x')]
    """
    path: list[str | int] = []
    key: Leaf | None = None  # a string in an object, until it is known whether it is a key
    for token in _TOKEN.finditer(data):
        literal = token[0]
        match literal:
            case b"{" | b"[":
                path.append("" if literal == b"{" else 0)
            case b"}" | b"]":
                if key is not None:
                    yield key
                    key = None
                if path:
                    path.pop()
            case b",":
                if key is not None:
                    yield key
                    key = None
                if path and isinstance(path[-1], int):
                    path[-1] += 1
            case b":":
                if key is not None and path:
                    path[-1] = str(key.value)
                key = None
            case _:
                if key is not None:
                    yield key
                key = Leaf(tuple(path), token.start(), token.end(), literal)
    if key is not None:
        yield key


def letter_starts(literal: bytes) -> list[int]:
    r"""Return where each character of a JSON string starts among the bytes of its literal, and where the last ends.

    Examples
    --------
    >>> letter_starts(b'"a\\n\\u00e9"')
    [1, 2, 4, 10]
    """
    starts: list[int] = []
    high = False  # whether the character before is the first half of a pair
    end = len(literal) - (len(literal) > 1 and literal.endswith(b'"'))
    for unit in _UNIT.finditer(literal, 1, end):
        if unit[1]:
            code = int(unit[1], 16)
            if not (high and 0xDC00 <= code < 0xE000):
                starts.append(unit.start())
            high = 0xD800 <= code < 0xDC00
            continue
        high = False
        if unit[0][:1] == b"\\":
            starts.append(unit.start())
        else:
            starts += _utf8_starts(unit[0], unit.start())
    return [*starts, end]


def _utf8_starts(data: bytes, at: int) -> Iterator[int]:
    """Yield where each character starts; what is no UTF-8 is one U+FFFD, as in Python's ``replace``."""
    while data:
        try:
            text, rest = data.decode(), b""
        except UnicodeDecodeError as error:
            text, rest = data[: error.start].decode(), data[error.end :]
            bad: int | None = error.start
        else:
            bad = None
        yield from text_starts(text, at)
        if bad is not None:
            yield at + bad
        at += len(data) - len(rest)
        data = rest


def text_starts(text: str, at: int = 0) -> Iterator[int]:
    """Yield where each character of a text starts in its UTF-8."""
    if text.isascii():
        yield from range(at, at + len(text))
        return
    for character in text:
        yield at
        at += len(character.encode("utf-8", "surrogatepass"))
