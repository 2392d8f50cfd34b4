"""The strict parser: the standard library's, with integers exact and no number that is none.

Its recursion is bounded by the depth that is checked beforehand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NoReturn

from .numbers import exact_int

Step = str | None
"""One step of a path: a key, or None for the last item of a list."""

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


class NoJSONError(ValueError):
    """A word that Python reads and JSON does not know."""


class BeyondLimitError(ValueError):
    """JSON that is more than may be read: no repair helps."""


class _Spelled(float):
    """A number that would not be written again as it was sent."""

    lexeme: str


def strict_loads(text: str, integer_digits: int) -> tuple[Any, dict[str, str]]:
    """Parse a text; return the value, and the numbers that a float does not write again as they were sent, by path.

    Parameters
    ----------
    text : str
        JSON as RFC 8259 has it, of bounded depth.
    integer_digits : int
        How many digits an integer may have.

    Raises
    ------
    json.JSONDecodeError
        It is no JSON, with the position.
    NoJSONError
        It holds ``NaN`` or ``Infinity``.
    BeyondLimitError
        It holds too long an integer, or is too deep for what is left of the stack.

    Examples
    --------
    >>> strict_loads('{"a": [1, 1e400]}', 100)
    ({'a': [1, inf]}, {'$.a[1]': '1e400'})
    """
    spelled: list[_Spelled] = []

    def number(lexeme: str) -> float:
        value = float(lexeme)
        if repr(value) != lexeme:
            value = _Spelled(value)
            value.lexeme = lexeme
            spelled.append(value)
        return value

    def integer(lexeme: str) -> int:
        if len(lexeme) > integer_digits:
            raise BeyondLimitError(f"an integer of more than {integer_digits} digits")
        return exact_int(lexeme)

    try:
        value = json.loads(text, parse_constant=_refuse, parse_float=number)
    except (json.JSONDecodeError, NoJSONError):
        raise
    except RecursionError:
        raise BeyondLimitError("nested too deep for this interpreter's stack") from None
    except ValueError:  # an integer of more digits than Python converts by default
        spelled.clear()
        value = json.loads(text, parse_constant=_refuse, parse_float=number, parse_int=integer)
    if isinstance(value, _Spelled):
        return float(value), {"$": value.lexeme}
    return value, _lexemes(value) if spelled else {}


def _refuse(name: str) -> NoReturn:
    raise NoJSONError(f"{name} is no JSON")


def _lexemes(root: Any) -> dict[str, str]:
    """Find such numbers in a value, and put plain floats in their places."""
    found: dict[str, str] = {}
    stack: list[tuple[Any, list[str | int]]] = [(root, [])]
    while stack:
        value, steps = stack.pop()
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(items):
            if isinstance(item, _Spelled):
                found[path_of(root, [*steps, key])] = item.lexeme
                value[key] = float(item)
            elif isinstance(item, dict | list):
                stack.append((item, [*steps, key]))
    return found


def path_of(value: Any, steps: Sequence[str | int | None]) -> str:
    """Write the steps into ``value`` as a path; None is the last item of a list.

    Examples
    --------
    >>> path_of({"items": [1, {"a b": "x"}]}, ["items", None, "a b"])
    "$.items[1]['a b']"
    """
    path = "$"
    for step in steps:
        if step is None:
            step = len(value) - 1
        path += f".{step}" if isinstance(step, str) and _PLAIN_NAME.match(step) else f"[{step!r}]"
        value = value[step]
    return path
