"""A state put aside, so that what it was can be had again while the state itself goes on.

A list of a state only ever grows, or is replaced by another list, so that a checkpoint keeps the list itself and how
much of it there was. What a checkpoint costs is a shell for each block and each call, whatever the length of the texts.
"""

from __future__ import annotations

from array import array
from typing import Any

from msgspec import Struct

from .json_path import PathBuilder
from .other import MediaBlock, ValueBlock
from .state import AssemblyState
from .text import Pieces, PlanBlock, RefusalBlock, TextBlock
from .thinking import ThinkingBlock
from .tool_calls import CallBook, ToolCallBlock
from .usage import UsageAccumulator

_PARTS = (
    *(AssemblyState, CallBook, UsageAccumulator, Pieces),
    *(TextBlock, PlanBlock, RefusalBlock, ThinkingBlock, ToolCallBlock, ValueBlock, MediaBlock),
)
_FIELDS: dict[type, tuple[str, ...]] = {
    part: tuple(slot for cls in part.__mro__ for slot in cls.__dict__.get("__slots__", ())) for part in _PARTS
}
"""What an object of each kind holds; the state itself, which has no slots, holds what is in its ``__dict__``."""
_NOT_KEPT = {"previews"}
"""What is made again when somebody asks."""


class _Prefix(Struct, gc=False):
    """A list that goes on growing, and how much of it there was."""

    items: list[Any] | array[Any]
    length: int


class _Shell(Struct):
    """An object: its kind, and its fields as they were."""

    cls: type
    fields: dict[str, Any]


class Checkpoint:
    """A state as it was.

    Parameters
    ----------
    state : AssemblyState
        The state to put aside; it may go on.

    Examples
    --------
    >>> from streamviz import NormalizedChunk, TextDelta, route_chunk
    >>> state = AssemblyState()
    >>> route_chunk(state, NormalizedChunk((TextDelta("Hel"),)))
    >>> checkpoint = Checkpoint(state)
    >>> route_chunk(state, NormalizedChunk((TextDelta("lo"),)))
    >>> checkpoint.restore().text, state.text
    ('Hel', 'Hello')
    """

    def __init__(self, state: AssemblyState) -> None:
        self.chunks = state.chunks
        self.weight = 0
        """How many things had to be copied: what a checkpoint costs."""
        self._shells: dict[int, _Shell] = {}
        self._root = self._freeze(state)
        del self._shells

    def _freeze(self, value: Any) -> Any:
        match value:
            case list() | array():
                if value and type(value[0]) in _FIELDS:
                    return [self._freeze(item) for item in value]
                return _Prefix(value, len(value))
            case dict():
                self.weight += len(value)
                return {key: self._freeze(item) if type(item) in _FIELDS else item for key, item in value.items()}
            case set():
                self.weight += len(value)
                return value.copy()
            case PathBuilder():
                self.weight += value.leaves
                return value.copy()
        fields = _FIELDS.get(type(value))
        if fields is None:
            return value
        shell = self._shells.get(id(value))
        if shell is None:
            self.weight += 1
            shell = self._shells[id(value)] = _Shell(type(value), {})
            names = fields or [name for name in vars(value) if name not in _NOT_KEPT]
            shell.fields = {name: self._freeze(getattr(value, name)) for name in names}
        return shell

    def restore(self) -> AssemblyState:
        """Return the state, to be routed on apart from the one it was taken from."""
        state = _thaw(self._root, {})
        state.previews = {}
        return state  # type: ignore[no-any-return]


def _thaw(value: Any, made: dict[int, Any]) -> Any:
    match value:
        case _Prefix():
            return value.items[: value.length]
        case list():
            return [_thaw(item, made) for item in value]
        case dict():
            return {key: _thaw(item, made) if type(item) is _Shell else item for key, item in value.items()}
        case set() | PathBuilder():
            return value.copy()
        case _Shell():
            known = made.get(id(value))
            if known is None:
                known = made[id(value)] = object.__new__(value.cls)
                for name, field in value.fields.items():
                    setattr(known, name, _thaw(field, made))
            return known
    return value
