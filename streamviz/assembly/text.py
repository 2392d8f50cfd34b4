"""Text that grows piece by piece, and the blocks made of it."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from operator import sub
from typing import Any, ClassVar

from ..chunks import BlockIndex


def join_surrogates(text: str) -> str:
    r"""Join surrogate halves that came in neighbouring pieces; a lone half becomes U+FFFD.

    JSON lets a vendor cut an escaped pair in two (``"\ud83c"`` in one chunk, ``"\udf78"`` in the next); Python keeps
    the halves as they are, and nothing can print or encode them.

    Examples
    --------
    >>> join_surrogates("\ud83c" + "\udf78") == "🍸"
    True
    """
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Pieces:
    """A text in the pieces in which it came, each with the number of its chunk.

    A list and one join, not ``+=``: joining at every piece is quadratic on an attribute. A list of pieces only ever
    grows (another text gets another list), so that the text after any chunk is a prefix of it.
    """

    __slots__ = ("chunks", "fragments", "version")

    def __init__(self) -> None:
        self.fragments: list[str] = []
        self.chunks = array("L")
        self.version = 1
        """Goes up when the pieces are replaced by other text."""

    def append(self, fragment: str, chunk: int) -> None:
        """Add the next piece."""
        self.fragments.append(fragment)
        self.chunks.append(chunk)

    def replace(self, text: str, chunk: int) -> bool:
        """Put an authoritative whole text in place of the pieces; return whether it contradicts them.

        An equal text changes nothing, and keeps each piece's origin; one that goes on where the pieces end adds a
        piece.
        """
        so_far = "".join(self.fragments)
        if text.startswith(so_far):
            if len(text) > len(so_far):
                self.append(text[len(so_far) :], chunk)
            return False
        self.fragments = [text]  # whoever put the old list aside keeps what it held
        self.chunks = array("L", [chunk])
        self.version += 1
        return True

    @property
    def text(self) -> str:
        """All pieces joined."""
        return join_surrogates("".join(self.fragments))

    def locate(self, position: int) -> tuple[int, int]:
        """Return (number of the piece, its chunk) that holds the character at ``position``."""
        ends = self.ends()
        piece = min(bisect_right(ends, position), len(ends) - 1)
        return piece, self.chunks[piece]

    def ends(self) -> list[int]:
        """Return where each piece ends in the joined text."""
        pairs = zip(self.fragments, self.fragments[1:], strict=False)
        halved = [is_pair(left[-1:], right[:1]) for left, right in pairs]  # two halves are one character of the text
        return list(accumulate(map(sub, map(len, self.fragments), [0, *halved])))

    def parts(self, ranges: Iterable[tuple[int, int]]) -> list[Excerpt]:
        """Return ranges of the joined text, each in its pieces, with their chunks."""
        text, ends = self.text, self.ends()
        found = []
        for start, end in ranges:
            part = Excerpt(self)
            piece = bisect_right(ends, start)
            while start < end:
                stop = min(ends[piece], end)
                if stop > start:
                    part.starts.append(start)
                    part.append(text[start:stop], self.chunks[piece])
                start, piece = stop, piece + 1
            found.append(part)
        return found


class Excerpt(Pieces):
    """A part of a text in its pieces."""

    __slots__ = ("starts", "whole")

    def __init__(self, whole: Pieces) -> None:
        super().__init__()
        self.whole = whole
        """The text that it is a part of."""
        self.starts = array("Q")
        """Where each piece starts in that text."""


def is_pair(high: str, low: str) -> bool:
    """Whether two characters are the halves of one."""
    return "\ud800" <= high <= "\udbff" and "\udc00" <= low <= "\udfff"


class TextBlock:
    """A run of visible text, of a refusal, or (see `thinking`) of reasoning."""

    __slots__ = ("choice", "citations", "closed", "key", "pieces", "signatures")
    kind: ClassVar[str] = "text"

    def __init__(self, choice: int, key: BlockIndex) -> None:
        self.choice = choice
        self.key = key
        self.pieces = Pieces()
        self.citations: list[Any] = []
        self.signatures: list[str] = []
        self.closed = False

    @property
    def signature(self) -> str | None:
        """The signature, its pieces joined; None where none was sent."""
        return "".join(self.signatures) or None


class PlanBlock(TextBlock):
    """A run of a plan of calls."""

    __slots__ = ()
    kind = "plan"


class RefusalBlock(TextBlock):
    """A run of refusal text."""

    __slots__ = ()
    kind = "refusal"
