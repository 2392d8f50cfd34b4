"""The live view of a tool call: its arguments as far as they have come, fragment by fragment."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..limits import Limits
from ..repair import IncrementalReader
from .tool_calls import ToolCallBlock


class CallPreview(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """The arguments of a call that still arrives. Nothing that was shown is taken back."""

    name: str
    id: str | None
    index: int | str | None
    arguments: Any
    """The value so far, one object that grows in place: copy it to keep it. None as long as there is none."""
    open_path: str | None = None
    """Where in the value the text ends: ``$.items[2].name``."""
    complete: bool = False
    """Whether the value has reached its end."""
    kept: int = 0
    """How many characters of the argument text the value covers."""
    closers: str = ""
    """What makes JSON of those characters: a quote, brackets."""
    fault: int | None = None
    """Position of the first character that cannot be read as it is; see `IncrementalReader`."""


class PreviewReader:
    """Follow the pieces of one call."""

    def __init__(self, call: ToolCallBlock, limits: Limits) -> None:
        self._call = call
        self._limits = limits
        self._restart()

    def _restart(self) -> None:
        self._reader = IncrementalReader(expect="object", limits=self._limits)
        self._version = self._call.pieces.version
        self._read = 0

    def preview(self) -> CallPreview:
        """Read the pieces that are new, and return what they amount to."""
        call, pieces = self._call, self._call.pieces
        if self._version != pieces.version:
            self._restart()
        reader = self._reader
        if call.custom or call.paths is not None:
            value = call.paths.value if call.paths is not None else None
            return CallPreview(name=call.name, id=call.id, index=call.index, arguments=value)
        new = pieces.fragments[self._read :]
        if new:
            reader.feed("".join(new))
        self._read = len(pieces.fragments)
        return CallPreview(
            name=call.name,
            id=call.id,
            index=call.index,
            arguments=reader.value,
            open_path=reader.open_path,
            complete=reader.complete,
            kept=reader.kept,
            closers=reader.closers,
            fault=reader.fault,
        )
