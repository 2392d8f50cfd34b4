"""The brackets of a JSON text, strings stepped over: which are open at its end, and how deep it goes.

Everything between two brackets is one step of the regular-expression engine, so that a long string or a long list of
numbers costs what reading it once costs, and depth costs a list entry instead of a stack frame.
"""

from __future__ import annotations

import re

from msgspec import Struct

STRING = r'"(?:[^"\\]++|\\.)*+"'
_TO_BRACKET = re.compile(rf'(?:[^"{{}}\[\]]++|{STRING})*+', re.DOTALL)
_PAIRS = {"}": "{", "]": "["}


class Outline(Struct, frozen=True):
    """What is open at the end of a text."""

    opened: tuple[int, ...]
    """Positions of the brackets without a partner, outermost first."""
    edges: tuple[int, ...]
    """For each of them, the position behind the bracket that comes before it in the text; 0 for the first."""
    edge: int
    """Position behind the last bracket that is not in a string."""
    deepest: int
    """How many brackets were open at most."""
    open_string: int | None = None
    """Position of the quote of a string that has no end."""
    mismatch: int | None = None
    """Position of the first closing bracket that closes nothing, or the wrong kind; nothing is read behind it."""


def outline(text: str) -> Outline:
    """Find the brackets of a text.

    Examples
    --------
    >>> outline('{"a": [1, {"b": "}"}, 2')
    Outline(opened=(0, 6), edges=(0, 1), edge=20, deepest=3, open_string=None, mismatch=None)
    """
    opened: list[int] = []
    edges: list[int] = []
    deepest = edge = position = 0
    while True:
        position = _TO_BRACKET.match(text, position).end()  # type: ignore[union-attr]  # it matches nothing at least
        bracket = text[position : position + 1]
        if bracket in ("", '"'):  # the end, or a string that has none
            return Outline(tuple(opened), tuple(edges), edge, deepest, position if bracket else None)
        if bracket in "{[":
            opened.append(position)
            edges.append(edge)
            deepest = max(deepest, len(opened))
        elif opened and text[opened[-1]] == _PAIRS[bracket]:
            opened.pop()
            edges.pop()
        else:
            return Outline(tuple(opened), tuple(edges), edge, deepest, mismatch=position)
        position = edge = position + 1


def many_brackets(text: str, depth: int) -> bool:
    """Return whether a text has so many opening brackets that it might nest deeper than ``depth``."""
    return text.count("{") + text.count("[") > depth
