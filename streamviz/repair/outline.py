"""The brackets of a JSON text, strings left out: which are open at its end, and how deep it goes.

Python's own string methods do the scanning, a whole text at a time; depth costs neither stack frames nor time.
"""

from __future__ import annotations

from itertools import accumulate

from msgspec import Struct

STRING = r'"(?:[^"\\]++|\\.)*+"'
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))
_PAIRS = {ord("}"): ord("{"), ord("]"): ord("[")}
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_SHALLOW = 8
"""How many levels of brackets are taken off a level at a time."""


class Outline(Struct, frozen=True):
    """What is open at the end of a text."""

    masked: str
    """The text with escaped quotes and backslashes hidden: each quote left in it begins or ends a string."""
    brackets: bytes
    """The brackets that are in no string."""
    opened: bytes | None
    """Those of them that have no partner, outermost first; None where one closes nothing, or the wrong kind."""
    open_string: int | None
    """Position of the quote of a string that has no end."""

    def deeper_than(self, depth: int) -> bool:
        """Whether more than so many brackets are open at some place."""
        if len(self.brackets) <= depth:
            return False
        return max(accumulate(map(_STEPS.__getitem__, self.brackets))) > depth


def outline(text: str) -> Outline:
    """Find the brackets of a text.

    Examples
    --------
    >>> found = outline('{"a": [1, {"b": "}"}, "2')
    >>> found.brackets, found.opened, found.open_string
    (b'{[{}', b'{[', 22)
    """
    masked = text.replace("\\\\", "__").replace('\\"', "__") if "\\" in text else text
    pieces = masked.split('"')
    open_string = None if len(pieces) % 2 else len(text) - len(pieces[-1]) - 1
    brackets = "".join(pieces[::2]).encode("utf-8", "surrogatepass").translate(None, _NO_BRACKETS)
    return Outline(masked, brackets, _without_pairs(brackets), open_string)


def _without_pairs(brackets: bytes) -> bytes | None:
    """Return the brackets that have no partner."""
    rest = brackets
    for _ in range(_SHALLOW):
        shorter = rest.replace(b"{}", b"").replace(b"[]", b"")
        if len(shorter) == len(rest):
            break
        rest = shorter
    if b"}" not in rest and b"]" not in rest:
        return rest
    opened = bytearray()
    for bracket in rest:
        if bracket not in _PAIRS:
            opened.append(bracket)
        elif not opened or opened.pop() != _PAIRS[bracket]:
            return None
    return bytes(opened)
