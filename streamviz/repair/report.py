"""What the reading of an argument text amounts to, and every edit that it took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct

EditLevel = Literal["lossless", "truncation", "guess"]
"""``lossless``: no character of the value is lost or invented. ``truncation``: an unfinished piece at a cut was
dropped, or a number was kept that may go on. ``guess``."""

RepairStatus = Literal["exact", "empty", "repaired", "incomplete", "text", "invalid"]


class Edit(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """One change to a text."""

    rule: str
    """The name of what was done: ``close-string``, ``close-container``, ``drop-partial-key`` …"""
    level: EditLevel
    position: int
    """Where, in characters of the joined text as it was sent."""
    removed: str = ""
    inserted: str = ""
    fragment: int | None = None
    """Number of the fragment (from 0) that the position falls in."""
    chunk: int | None = None
    """Number of the chunk that brought the fragment."""


class RepairReport(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """How the arguments of a tool call were read.

    Examples
    --------
    >>> from streamviz import repair_tool_call_arguments
    >>> report = repair_tool_call_arguments('{"city": "Par')
    >>> report.status, report.value, report.text
    ('incomplete', {'city': 'Par'}, '{"city": "Par"}')
    >>> [(edit.rule, edit.position, edit.inserted) for edit in report.edits]
    [('close-string', 13, '"'), ('close-container', 13, '}')]
    """

    raw: str
    """The text as it was sent."""
    value: dict[str, Any] | None
    """The arguments; None where they cannot be read."""
    status: RepairStatus
    """``exact``: valid JSON as sent. ``empty``: nothing, blanks, ``null`` or ``""`` was sent. ``repaired``: read with
    edits. ``incomplete``: the text ends inside the value, and ``value`` holds what had arrived. ``text``: free text.
    ``invalid``: it cannot be read, or is no object."""
    complete: bool
    """Whether the text reaches the end of the value."""
    edits: tuple[Edit, ...] = ()
    message: str | None = None
    """What is wrong, in words."""
    position: int | None = None
    """Where it is wrong, in characters of the text as sent."""
    open_path: str | None = None
    """Where in the value the text ends: ``$.items[2].name``. None where it does not end inside the value."""
    lexemes: dict[str, str] = {}
    """Numbers beyond the range of a double (``1e400``) as they were sent, by path; in ``value`` they are infinite."""

    @property
    def text(self) -> str:
        """The text with all edits done: for a value that was read, strict JSON of it."""
        return self.replay()

    def replay(self) -> str:
        """Do the edits again on the text as sent.

        Raises
        ------
        ValueError
            An edit removes what is not there.
        """
        return replay(self.raw, self.edits)

    def executable(self, *, allow_repaired: bool = False) -> bool:
        """Whether a call may be run with these arguments.

        Parameters
        ----------
        allow_repaired : bool
            Accept a complete value that took edits, if every one of them is lossless. A value that is cut off is
            never accepted.
        """
        if self.status in ("exact", "empty"):
            return True
        lossless = all(edit.level == "lossless" for edit in self.edits)
        return allow_repaired and self.status == "repaired" and self.complete and lossless

    def _repr_html_(self) -> str:
        from ..display import repair_html

        return repair_html(self)

    def __repr__(self) -> str:
        edits = f", {len(self.edits)} edit{'s' * (len(self.edits) != 1)}" if self.edits else ""
        where = f", ends at {self.open_path}" if self.open_path else ""
        why = f", {self.message} at position {self.position}" if self.message else ""
        return f"<RepairReport: {self.status}{edits}{where}{why}>"


def replay(raw: str, edits: Iterable[Edit]) -> str:
    """Do edits on a text; they stand in the order of their positions, all in characters of ``raw``."""
    pieces: list[str] = []
    done = 0
    for edit in edits:
        if edit.position < done or not raw.startswith(edit.removed, edit.position):
            raise ValueError(f"{edit.rule} at {edit.position}: {edit.removed!r:.80} is not there")
        pieces += (raw[done : edit.position], edit.inserted)
        done = edit.position + len(edit.removed)
    pieces.append(raw[done:])
    return "".join(pieces)
