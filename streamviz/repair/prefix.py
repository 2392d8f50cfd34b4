"""The order of values that grow: which may be the beginning of which."""

from __future__ import annotations

import json
from typing import Any


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same to JSON: 1 is neither true nor 1.0.

    Examples
    --------
    >>> same({"a": 1}, {"a": True}), same({"a": 1, "b": 2}, {"b": 2, "a": 1})
    (False, True)
    """
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def is_beginning(part: Any, whole: Any) -> bool:
    """Whether a value may have grown into another one: the last element on each level may be shorter.

    Examples
    --------
    >>> is_beginning({"c": "x"}, {"c": "xy", "d": 1}), is_beginning({"c": "x", "d": 1}, {"c": "xy"})
    (True, False)
    """
    while True:
        if type(part) is not type(whole):
            return False
        if isinstance(part, str):
            return bool(whole.startswith(part))
        if not isinstance(part, dict | list):
            return bool(part == whole)  # of one type
        if not part:
            return True
        if isinstance(part, dict):
            keys, others = list(part), list(whole)
            if keys != others[: len(keys)] or not all(same(part[key], whole[key]) for key in keys[:-1]):
                return False
            part, whole = part[keys[-1]], whole[keys[-1]]
        else:
            if len(part) > len(whole) or not same(part[:-1], whole[: len(part) - 1]):
                return False
            part, whole = part[-1], whole[len(part) - 1]
