"""Arguments that come leaf by leaf, each under a JSON path (Vertex ``partialArgs``)."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from ..chunks import PathArgument
from ..limits import Limits

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_MAX_GAP = 1024
"""Array positions that one path may leave open: a hostile index must not allocate."""


def parse_path(path: str) -> list[str | int] | None:
    """Split ``$.items[0].name`` into its steps; None where it is no such path.

    Examples
    --------
    >>> parse_path("$.items[0]['a b']")
    ['items', 0, 'a b']
    """
    if not path.startswith("$"):
        return None
    steps: list[str | int] = []
    position = 1
    while position < len(path):
        found = _STEP.match(path, position)
        if found is None:
            return None
        name, index, single, double = found.groups()
        if index is not None:
            steps.append(int(index))
        else:
            steps.append(next(s for s in (name, single, double) if s is not None))
        position = found.end()
    return steps


class PathBuilder:
    """One object, built from the leaves in the order in which they come."""

    __slots__ = ("_depth", "_holes", "_open", "leaves", "refused", "value")

    def __init__(self, limits: Limits) -> None:
        self.value: dict[str, Any] = {}
        self.leaves = 0
        """How many leaves came."""
        self.refused = 0
        """How many of them have no place, or took one that was taken."""
        self._depth = limits.depth
        self._open: str | None = None  # the path of the string that goes on
        self._holes: dict[tuple[str | int, ...], set[int]] = {}  # where an array is → positions that are left open

    @property
    def open_path(self) -> str | None:
        """The path of the string that goes on."""
        return self._open

    @property
    def is_doubtful(self) -> bool:
        """Whether the object is not what the leaves say: one was refused, or a position never got its own."""
        return bool(self.refused or self._holes)

    def copy(self) -> PathBuilder:
        """Return the object as it is now, to be built on apart."""
        other = PathBuilder.__new__(PathBuilder)
        other._depth, other._open = self._depth, self._open  # noqa: SLF001 - its own kind
        other._holes = {place: positions.copy() for place, positions in self._holes.items()}  # noqa: SLF001
        other.leaves, other.refused = self.leaves, self.refused
        other.value = {}
        stack: list[tuple[Any, Any]] = [(self.value, other.value)]
        while stack:  # no recursion: the object is as deep as the stream wants it
            old, new = stack.pop()
            for key, item in old.items() if isinstance(old, dict) else enumerate(old):
                made = {} if isinstance(item, dict) else [] if isinstance(item, list) else item
                if isinstance(new, dict):
                    new[key] = made
                else:
                    new.append(made)
                if made is not item:
                    stack.append((item, made))
        return other

    def set(self, leaf: PathArgument) -> bool:
        """Put a leaf in its place; return False where it has none, or another one has it already."""
        self.leaves += 1
        is_placed = self._place(leaf)
        self.refused += not is_placed
        return is_placed

    def _place(self, leaf: PathArgument) -> bool:
        steps = parse_path(leaf.path)
        if not steps or not isinstance(steps[0], str) or len(steps) > self._depth:
            return False
        node: Any = self.value
        for number, (step, following) in enumerate(pairwise(steps)):
            made: Any = [] if isinstance(following, int) else {}
            self._note_holes(node, steps, number)
            node = _child(node, step, made)
            if not isinstance(node, dict | list):
                return False
        last = steps[-1]
        goes_on = self._open == leaf.path and isinstance(leaf.value, str)
        self._open = leaf.path if leaf.more else None
        self._note_holes(node, steps, len(steps) - 1)
        return _put(node, last, leaf.value, append=goes_on)

    def _note_holes(self, node: Any, steps: list[str | int], number: int) -> None:
        """Remember the positions of an array that a later one leaves open, until they get what is theirs."""
        step = steps[number]
        if not isinstance(node, list) or not isinstance(step, int):
            return
        if 0 < step - len(node) <= _MAX_GAP:
            self._holes.setdefault(tuple(steps[:number]), set()).update(range(len(node), step))
        elif self._holes and (left := self._holes.get(place := tuple(steps[:number]))) is not None:
            left.discard(step)
            if not left:
                del self._holes[place]


def _child(node: Any, step: str | int, made: Any) -> Any:
    """Return the container at ``step``, making it where nothing is there."""
    match node, step:
        case dict(), str():
            return node.setdefault(step, made)
        case list(), int():
            if step >= len(node):
                if step - len(node) > _MAX_GAP:
                    return None
                node.extend([None] * (step - len(node)))
                node.append(made)
            elif node[step] is None:
                node[step] = made
            return node[step]
        case _:
            return None


def _put(node: Any, step: str | int, value: Any, *, append: bool) -> bool:
    match node, step:
        case dict(), str():
            old = node.get(step)
            node[step] = old + value if append and isinstance(old, str) else value
            return append or old is None or old == value
        case list(), int():
            if step - len(node) > _MAX_GAP:
                return False
            node.extend([None] * (step + 1 - len(node)))
            old = node[step]
            node[step] = old + value if append and isinstance(old, str) else value
            return append or old is None or old == value
    return False
