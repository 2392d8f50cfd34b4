"""JSON for reading: indented, exact, and never longer than asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

_INDENT = "  "


def pretty_json(value: Any, most: int) -> tuple[str, bool]:
    """Return a value as indented JSON of at most ``most`` characters, and whether that is all of it.

    Works without recursion: values may be nested as deep as the limits allow. Integers are written out exactly.

    Parameters
    ----------
    value : JSON value
        Dicts, lists, strings, numbers, booleans, None.
    most : int
        Where to stop.

    Examples
    --------
    >>> print(pretty_json({"city": "Paris", "days": [1, 2]}, 1000)[0])
    {
      "city": "Paris",
      "days": [
        1,
        2
      ]
    }
    >>> pretty_json("abcdefghij", 5)
    ('"abcd', False)
    """
    pieces: list[str] = []
    size = 0
    for piece in _pieces(value, most):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            return "".join(pieces)[:most], False
    return "".join(pieces), True


def one_line_json(value: Any, most: int) -> str:
    """Return the beginning of a value as JSON on one line.

    Examples
    --------
    >>> one_line_json({"a": [1, {"b": None}]}, 100)
    '{"a": [1, {"b": null}]}'
    >>> one_line_json({"a": [1, {"b": None}]}, 8)
    '{"a": [1…'
    """
    pieces: list[str] = []
    size = 0
    for piece in _pieces(value, most):
        flat = ", " if piece.startswith(",") else "" if piece.startswith("\n") else piece
        pieces.append(flat)
        size += len(flat)
        if size > most:
            return "".join(pieces)[:most] + "…"
    return "".join(pieces)


def _pieces(value: Any, most: int) -> Iterator[str]:
    """Yield an indented JSON text piece by piece; line breaks begin a piece of their own."""
    opened: list[tuple[Iterator[tuple[Any, Any]], str]] = []
    item = value
    while True:
        first = False
        if isinstance(item, dict) and item:
            opened.append((iter(item.items()), "}"))
            yield "{"
            first = True
        elif isinstance(item, list | tuple) and item:
            opened.append((((None, member) for member in item), "]"))
            yield "["
            first = True
        else:
            yield _scalar(item, most)
        while opened:
            entries, closer = opened[-1]
            entry = next(entries, None)
            if entry is None:
                opened.pop()
                yield "\n" + _INDENT * len(opened)
                yield closer
                first = False
                continue
            yield ("" if first else ",") + "\n" + _INDENT * len(opened)
            key, item = entry
            if closer == "}":
                yield _string(str(key), most) + ": "
            break
        else:
            return


def _scalar(value: Any, most: int) -> str:
    match value:
        case str():
            return _string(value, most)
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return digits(value)
        case float():
            return repr(value)
        case dict():
            return "{}"
        case list() | tuple():
            return "[]"
        case _:
            return _string(str(value), most)


def _string(text: str, most: int) -> str:
    """Write a string; one character more than is wanted is enough to see that it does not end there."""
    return json.dumps(text[: most + 1], ensure_ascii=False)


def digits(number: int) -> str:
    """Return an integer in decimal digits; one so long that Python refuses to is in hexadecimal.

    Examples
    --------
    >>> digits(12345678901234567890)
    '12345678901234567890'
    """
    try:
        return str(number)
    except ValueError:
        return hex(number)
