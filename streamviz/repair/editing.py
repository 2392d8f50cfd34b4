"""What every part of the tolerant reader shares: the text, where it is read, and the edits so far."""

from __future__ import annotations

from collections.abc import Container
from enum import IntEnum
from typing import NoReturn

from msgspec import Struct

from .report import Edit, EditLevel


class RefusalError(Exception):
    """A text that cannot be read at this level, and where."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class State(IntEnum):
    """What is due."""

    VALUE = 0
    KEY = 1
    COLON = 2
    NEXT = 3
    """A comma or a closing bracket."""


class Open(Struct):
    """An open list or object."""

    closer: str
    cut: int
    """Where its current member begins, with the comma before it: from here on a half member is dropped."""
    after_comma: bool = False
    blanks_separate: bool = False
    """Whether it is a list of numbers with blanks in place of commas."""
    nests: bool = False
    """Whether a member of it has brackets of the same kind."""
    may_shift: bool = False
    """Whether members follow such a one: if its bracket came too early, they belong into it."""


class Editing:
    """A text that is read from ``at`` on, and what is edited in it.

    Parameters
    ----------
    text : str
        The text.
    at : int
        Where to begin.
    guess : bool
        Whether edits of level ``guess`` are allowed.
    final : bool
        Whether the text is over.
    without : container of str
        Rules that are switched off.
    depth : int
        How deep lists and objects may nest.
    """

    def __init__(
        self, text: str, at: int, *, guess: bool, final: bool = True, without: Container[str] = (), depth: int = 500
    ) -> None:
        self.text = text
        self.start = self.at = at
        self.guess = guess
        self.edits: list[Edit] = []
        self.truncated = False
        self._final = final
        self._without = without
        self._depth = depth
        self._stack: list[Open] = []
        self._quotes = {'"'}  # that strings of this text stand in

    def edit(
        self, rule: str, position: int, removed: str = "", inserted: str = "", level: EditLevel = "lossless"
    ) -> None:
        """Note an edit, if it is allowed."""
        if (level == "guess" and not self.guess) or rule in self._without:
            raise RefusalError(f"{rule} would be needed", position)
        self.edits.append(Edit(rule=rule, level=level, position=position, removed=removed, inserted=inserted))

    def _refuse(self, what: str) -> NoReturn:
        found = repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end"
        raise RefusalError(f"{what} is due, not {found}", self.at)

    def _drop(self, start: int, rule: str) -> None:
        """Drop everything from ``start`` to the end, and what was noted there."""
        while self.edits and self.edits[-1].position >= start:
            self.edits.pop()
        level: EditLevel = "lossless" if rule == "drop-trailing-comma" else "truncation"
        self.edit(rule, start, removed=self.text[start:], level=level)

    def _closers(self) -> str:
        return "".join([inner.closer for inner in self._stack[-4:]])

    def _cut(self, rule: str) -> State:
        """Drop the current member, which is half."""
        if not self._stack:
            self._refuse("a value")
        self._drop(self._stack[-1].cut, rule)
        self.truncated = True
        return State.NEXT
