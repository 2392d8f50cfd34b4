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

    __slots__ = ("_depth", "_open", "leaves", "value")

    def __init__(self, limits: Limits) -> None:
        self.value: dict[str, Any] = {}
        self.leaves = 0
        """How many leaves came."""
        self._depth = limits.depth
        self._open: str | None = None  # the path of the string that goes on

    @property
    def open_path(self) -> str | None:
        """The path of the string that goes on."""
        return self._open

    def copy(self) -> PathBuilder:
        """Return the object as it is now, to be built on apart."""
        other = PathBuilder.__new__(PathBuilder)
        other._depth, other._open, other.leaves = self._depth, self._open, self.leaves  # noqa: SLF001 - its own kind
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
        """Put a leaf in its place; return False where it has none."""
        self.leaves += 1
        steps = parse_path(leaf.path)
        if not steps or not isinstance(steps[0], str) or len(steps) > self._depth:
            return False
        node: Any = self.value
        for step, following in pairwise(steps):
            made: Any = [] if isinstance(following, int) else {}
            node = _child(node, step, made)
            if not isinstance(node, dict | list):
                return False
        last = steps[-1]
        goes_on = self._open == leaf.path and isinstance(leaf.value, str)
        self._open = leaf.path if leaf.more else None
        return _put(node, last, leaf.value, append=goes_on)


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
        case list(), int():
            if step - len(node) > _MAX_GAP:
                return False
            node.extend([None] * (step + 1 - len(node)))
            old = node[step]
            node[step] = old + value if append and isinstance(old, str) else value
        case _:
            return False
    return True
