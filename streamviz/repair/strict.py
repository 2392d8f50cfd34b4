"""The strict parser: the standard library's, with integers exact and no number that is none.

Its recursion is bounded by the depth that is checked beforehand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from msgspec import Struct

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


class Parsed(Struct, frozen=True):
    """What a valid text holds."""

    value: Any
    lexemes: dict[str, str] = {}
    """Numbers that a float does not write again as they were sent, by path."""
    duplicates: dict[str, list[Any]] = {}
    """Where an object names a key more than once: all values that it has, by path."""
    named_last: dict[int, str] = {}
    """Of such objects, by identity, the key that the text names last."""


def strict_loads(text: str, integer_digits: int) -> Parsed:
    """Parse a text; of a key that is named more than once the last value wins, and all are told.

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
        It holds too long an integer.

    Notes
    -----
    What is too deep for the interpreter's stack is read by `IncrementalReader`, which has its own; lexemes and
    duplicates are not told then.

    Examples
    --------
    >>> parsed = strict_loads('{"a": [1, 1e400], "b": 1, "b": 2}', 100)
    >>> parsed.value, parsed.lexemes, parsed.duplicates
    ({'a': [1, inf], 'b': 2}, {'$.a[1]': '1e400'}, {'$.b': [1, 2]})
    """
    spelled: list[_Spelled] = []
    repeating: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []

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

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            repeating.append((value, pairs))
        return value

    options: dict[str, Any] = {"parse_constant": _refuse, "parse_float": number, "object_pairs_hook": members}
    try:
        value = json.loads(text, **options)
    except (json.JSONDecodeError, NoJSONError):
        raise
    except RecursionError:
        return Parsed(_deep_value(text, integer_digits))
    except ValueError:  # an integer of more digits than Python converts by default
        spelled.clear()
        repeating.clear()
        value = json.loads(text, parse_int=integer, **options)
    if isinstance(value, _Spelled):
        return Parsed(float(value), {"$": value.lexeme})
    if not spelled and not repeating:
        return Parsed(value)
    lexemes = _lexemes(value) if spelled else {}
    named_last = {id(value): pairs[-1][0] for value, pairs in repeating}
    return Parsed(value, lexemes, _duplicates(value, repeating) if repeating else {}, named_last)


def _deep_value(text: str, integer_digits: int) -> Any:
    from ..limits import Limits
    from .incremental import IncrementalReader

    size = len(text) + 1
    reader = IncrementalReader(
        repair="off", limits=Limits(depth=size, argument_bytes=size, integer_digits=integer_digits)
    )
    reader.feed(text)
    reader.feed(" ")
    if reader.fault is not None or not reader.complete:
        raise json.JSONDecodeError("Expecting a value", text, len(text) if reader.fault is None else reader.fault)
    return reader.value


def _refuse(name: str) -> NoReturn:
    raise NoJSONError(f"{name} is no JSON")


def _items(root: Any) -> Iterator[tuple[list[str | int], Any, str | int, Any]]:
    """Go through a value: steps, container, key, item."""
    stack: list[tuple[Any, list[str | int]]] = [(root, [])]
    while stack:
        value, steps = stack.pop()
        items: Any = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in list(items):
            yield steps, value, key, item
            if isinstance(item, dict | list):
                stack.append((item, [*steps, key]))


def _lexemes(root: Any) -> dict[str, str]:
    """Find the numbers that have a spelling of their own, and put plain floats in their places."""
    found: dict[str, str] = {}
    for steps, container, key, item in _items(root):
        if isinstance(item, _Spelled):
            found[path_of(root, [*steps, key])] = item.lexeme
            container[key] = float(item)
    return found


def _duplicates(root: Any, repeating: list[tuple[dict[str, Any], list[tuple[str, Any]]]]) -> dict[str, list[Any]]:
    """Collect the values of repeated keys. What lies in a value that was overwritten has no path of its own."""
    sent = {id(value): pairs for value, pairs in repeating}
    found: dict[str, list[Any]] = {}

    def collect(value: Any, steps: list[str | int]) -> None:
        values: dict[str, list[Any]] = {}
        for key, item in sent.get(id(value), ()):
            values.setdefault(key, []).append(item)
        for key, items in values.items():
            if len(items) > 1:
                _lexemes(items)
                found[path_of(root, [*steps, key])] = items

    collect(root, [])
    for steps, _, key, item in _items(root):
        collect(item, [*steps, key])
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
