"""What the reading of an argument text amounts to, and every edit that it took."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from msgspec import Struct, to_builtins

EditLevel = Literal["lossless", "truncation", "guess"]
"""``lossless``: no character of the value is lost or invented. ``truncation``: an unfinished piece at a cut was
dropped, or a number was kept that may go on. ``guess``."""

RepairStatus = Literal["exact", "empty", "repaired", "incomplete", "text", "invalid"]


class Edit(Struct, frozen=True, repr_omit_defaults=True, kw_only=True, gc=False):
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


class Root(Struct, frozen=True, repr_omit_defaults=True):
    """One of several values in a text that should hold one."""

    start: int
    end: int
    """Its range in the text as sent, in characters."""
    value: Any


class SchemaViolation(Struct, frozen=True, repr_omit_defaults=True):
    """What a value has that the tool's JSON Schema does not allow."""

    path: str
    """Where in the value: ``$.items[2].name``."""
    keyword: str
    """The word of the schema: ``type``, ``required``, ``enum`` …"""
    message: str


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
    value: Any
    """The value; None where it cannot be read."""
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
    """Numbers that a float does not write again as they were sent, by path: beyond its range (``1e400``, in ``value``
    infinite), more exact than it is (``0.12345678901234567890``), or spelled otherwise (``1.10``, ``1E5``)."""

    duplicates: dict[str, list[Any]] = {}
    """Where an object names a key more than once: all values that it has, by path. The last one is in ``value``."""
    schema_violations: tuple[SchemaViolation, ...] | None = None
    """What a JSON Schema does not allow in the value; None where none was given. Of a value that is cut off, only what
    is complete is looked at."""
    roots: tuple[Root, ...] = ()
    """Where different values stand in a row: each of them. Then nothing was read."""

    @property
    def safe(self) -> bool:
        """Whether no character of the value was lost, invented or guessed at."""
        return all(edit.level == "lossless" for edit in self.edits)

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

    def diff(self, context: int = 40) -> str:
        r"""Return the text with ``[-removed-]`` and ``{+inserted+}`` marked in it, as wdiff does.

        Parameters
        ----------
        context : int
            How many characters of what stayed are shown on each side of an edit.

        Examples
        --------
        >>> from streamviz import repair_json
        >>> repair_json("{'a': 1,}").diff()
        '{[-\'-]{+"+}a[-\'-]{+"+}: 1[-,-]}'
        """
        pieces: list[str] = []
        done = 0
        for edit in self.edits:
            kept = self.raw[done : edit.position]
            pieces.append(kept if len(kept) <= 2 * context else f"{kept[:context]} … {kept[-context:]}")
            pieces.append(f"[-{edit.removed}-]" if edit.removed else "")
            pieces.append(f"{{+{edit.inserted}+}}" if edit.inserted else "")
            done = edit.position + len(edit.removed)
        rest = self.raw[done:]
        return "".join([*pieces, rest if len(rest) <= context else f"{rest[:context]} …"])

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values, the value and the text as sent among them."""
        return {
            "status": self.status,
            "complete": self.complete,
            "safe": self.safe,
            "value": self.value,
            "edits": [to_builtins(edit) for edit in self.edits],
            "message": self.message,
            "position": self.position,
            "open_path": self.open_path,
            "lexemes": self.lexemes,
            "duplicates": self.duplicates,
            "schema_violations": to_builtins(self.schema_violations),
            "roots": [to_builtins(root, enc_hook=repr) for root in self.roots],
            "raw": self.raw,
        }

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
        return allow_repaired and self.status == "repaired" and self.complete and self.safe

    def _repr_html_(self) -> str:
        from ..display import repair_html

        return repair_html(self)

    def __repr__(self) -> str:
        from ..display.untrusted import visible_line

        edits = f", {len(self.edits)} edit{'s' * (len(self.edits) != 1)}" if self.edits else ""
        where = f", ends at {visible_line(self.open_path):.200}" if self.open_path else ""
        place = "" if self.position is None else f" at position {self.position}"
        why = f", {visible_line(self.message):.400}{place}" if self.message else ""
        count = len(self.schema_violations or ())
        broken = f", {count} schema violation{'s' * (count != 1)}" if count else ""
        return f"<RepairReport: {self.status}{edits}{where}{why}{broken}>"


def replay(raw: str, edits: Iterable[Edit]) -> str:
    """Do edits on a text; they stand in the order of their positions, all in characters of ``raw``."""
    pieces: list[str] = []
    add = pieces.append
    done = 0
    for edit in edits:
        position, removed = edit.position, edit.removed
        if position < done or not raw.startswith(removed, position):
            raise ValueError(f"{edit.rule} at {position}: {removed!r:.80} is not there")
        add(raw[done:position])
        add(edit.inserted)
        done = position + len(removed)
    add(raw[done:])
    return "".join(pieces)
