"""Where in a JSON text the values stand."""

from __future__ import annotations

import json
import re
from collections.abc import Collection

_TOKEN = re.compile(r'[ \t\n\r,:]*+(?:([{\[])|([}\]])|("(?:[^"\\]++|\\.)*+")|([^ \t\n\r,:{}\[\]"]++))', re.DOTALL)
Path = tuple[str | int, ...]


def spans(text: str, paths: Collection[Path]) -> dict[Path, tuple[int, int]]:
    """Find values by their paths, in one pass.

    Parameters
    ----------
    text : str
        Valid JSON.
    paths : collection of tuple
        Keys and positions in lists. Of a key that is named more than once the last value counts.

    Examples
    --------
    >>> spans('{"a": [1, "x"], "b": {}}', {("a", 1), ("b",), ()})
    {('a', 1): (10, 13), ('b',): (21, 23), (): (0, 24)}
    """
    found: dict[Path, tuple[int, int]] = {}
    path: list[str | int] = []  # of the value that is due
    begins: list[int] = []
    in_object: list[bool] = []
    key_due = False
    for token in _TOKEN.finditer(text):
        opener, closer, string, _ = token.groups()
        start = token.end() - len(token[token.lastindex or 0])
        if closer:
            in_object.pop()
            path.pop()
            start = begins.pop()
        elif key_due:
            path[-1] = json.loads(string)
            key_due = False
            continue
        elif opener:
            begins.append(start)
            in_object.append(opener == "{")
            key_due = in_object[-1]
            path.append("" if key_due else 0)
            continue
        where = tuple(path)
        if where in paths:
            found.pop(where, None)
            found[where] = (start, token.end())
        if in_object:
            key_due = in_object[-1]
            if not key_due:
                path[-1] += 1  # type: ignore[operator]
    return found
