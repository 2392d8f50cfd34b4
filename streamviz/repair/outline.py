"""The brackets of a JSON text, strings left out: which are open at its end, and how deep it goes.

Python's own string methods do the scanning, a whole text at a time; depth costs neither stack frames nor time.
"""

from __future__ import annotations

from itertools import accumulate

from msgspec import Struct

STRING = r'"(?:[^"\\]++|\\.)*+"'
_BRACKETS = b"{}[]"
_BRACKETS_AND_QUOTES = b'{}[]"'
_EVERY = bytes(range(256))
_PAIRS = {ord("}"): ord("{"), ord("]"): ord("[")}
_STEPS = {ord("{"): 1, ord("["): 1, ord("}"): -1, ord("]"): -1}
_FEW = 256
"""Up to so many quotes, the text between them is looked at alone: a long string costs a search for its end."""
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
    quotes = _few_quotes(masked)
    if quotes is None:
        # Two quotes with nothing between them that counts change nothing for what stands behind them.
        marks = _only(_BRACKETS_AND_QUOTES, masked).replace(b'""', b"").split(b'"')
        brackets, is_open = b"".join(marks[::2]), len(marks) % 2 == 0
    else:
        edges = [-1, *quotes, len(masked)]
        pieces = [masked[start + 1 : end] for start, end in zip(edges[::2], edges[1::2], strict=False)]
        brackets, is_open = _only(_BRACKETS, "".join(pieces)), len(quotes) % 2 == 1
    return Outline(masked, brackets, _without_pairs(brackets), masked.rfind('"') if is_open else None)


def _few_quotes(text: str) -> list[int] | None:
    """Return where the quotes are, None where they are many."""
    found: list[int] = []
    position = text.find('"')
    while position >= 0:
        if len(found) == _FEW:
            return None
        found.append(position)
        position = text.find('"', position + 1)
    return found


def _only(characters: bytes, text: str) -> bytes:
    """Return those of some ASCII characters that a text holds, in their order."""
    return text.encode("utf-8", "surrogatepass").translate(None, _EVERY.translate(None, characters))


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
