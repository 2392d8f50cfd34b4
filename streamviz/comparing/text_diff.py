"""Where two texts differ, word by word."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Literal, NamedTuple

_WORDS = re.compile(r"\w+|\s+|[^\w\s]")
_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_MOST_PAIRS = 4_000_000
"""How many pairs of tokens are looked at, at most: the search takes time in proportion."""


class Piece(NamedTuple):
    """A piece of one of two texts."""

    sign: Literal["=", "-", "+"]
    """In both, in the first only, in the second only."""
    text: str


def text_diff(first: str, second: str) -> list[Piece]:
    """Return the pieces that lead from one text to another: by words, by lines where the texts are long.

    Examples
    --------
    >>> [tuple(piece) for piece in text_diff("a red fox", "a blue fox")]
    [('=', 'a '), ('-', 'red'), ('+', 'blue'), ('=', ' fox')]
    """
    for pattern in (_WORDS, _LINES):
        a, b = pattern.findall(first), pattern.findall(second)
        head = _common(a, b)
        tail = _common(a[head:][::-1], b[head:][::-1])
        middle = a[head : len(a) - tail], b[head : len(b) - tail]
        if len(middle[0]) * len(middle[1]) <= _MOST_PAIRS:
            pieces = [Piece("=", "".join(a[:head])), *_pieces(*middle), Piece("=", "".join(a[len(a) - tail :]))]
            return [piece for piece in pieces if piece.text]
    return [piece for piece in (Piece("-", first), Piece("+", second)) if piece.text]


def common_length(first: str, second: str) -> int:
    """Return how many characters two texts have in common at their beginning.

    Examples
    --------
    >>> common_length("stream", "strong")
    3
    """
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common(a: Sequence[str], b: Sequence[str]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))


def _pieces(a: Sequence[str], b: Sequence[str]) -> Iterator[Piece]:
    from difflib import SequenceMatcher

    for tag, start, end, other_start, other_end in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "equal":
            yield Piece("=", "".join(a[start:end]))
            continue
        yield Piece("-", "".join(a[start:end]))
        yield Piece("+", "".join(b[other_start:other_end]))
