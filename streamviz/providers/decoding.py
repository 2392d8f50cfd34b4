"""From a frame's data to a typed event: straight from the bytes where that works, through plain JSON where not.

The typed decode is strict about containers and open at the leaves, and by far the fastest way. What it refuses (lone
surrogates, NaN, bytes that are no UTF-8, a list where an object was due) goes through the standard library and
`conform` into the same types, so that one piece of code gives every event its meaning.
"""

from __future__ import annotations

import json
import types
import typing
from functools import cache
from typing import Any, TypeVar, get_args, get_origin

import msgspec

from ..diagnostics import Note

T = TypeVar("T", bound=msgspec.Struct)

TYPED_ERRORS = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
"""What the typed decoder raises; ``ValidationError`` is a ``DecodeError``, ``RecursionError`` is no ``ValueError``."""


def decode_plain(data: bytes) -> tuple[Any, tuple[Note, ...]]:
    """Decode JSON with the standard library, taking what it can.

    Returns
    -------
    (value, notes)
        The value is `NOTHING` where the data is no JSON; the notes say why, or what had to be bent.
    """
    notes: list[Note] = []
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        notes.append(Note("bad-utf8", f"byte {data[error.start]:#04x} at {error.start} is not UTF-8", error.start))
        text = data.decode("utf-8", "replace")
    if "\ufeff" in text[:1]:
        text = text[1:]
    try:
        return json.loads(text, strict=False), tuple(notes)
    except RecursionError:
        notes.append(Note("too-deep", "JSON nested too deep to be read"))
    except ValueError as error:
        position = getattr(error, "pos", None)
        notes.append(Note("bad-json", f"{error}: {text[:80]!r}", position))
    return NOTHING, tuple(notes)


class _Nothing:
    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()
"""No value at all, as ``null`` is one."""


def conform(cls: type[T], value: dict[str, Any]) -> T:
    """Build ``cls`` from decoded JSON as the typed decoder would, leaving out what does not fit.

    Examples
    --------
    >>> class Event(msgspec.Struct):
    ...     names: list[str] | None = None
    ...     n: Any = 0
    >>> conform(Event, {"names": "not a list", "n": 3})
    Event(names=None, n=3)
    """
    fields: dict[str, Any] = {}
    for attribute, key, kind, inner in _plan(cls):
        if key not in value:
            continue
        item = value[key]
        match kind:
            case "any":
                fields[attribute] = item
            case "raw":
                fields[attribute] = msgspec.Raw(json.dumps(item, separators=(",", ":")).encode())
            case "struct" if isinstance(item, dict):
                fields[attribute] = conform(inner, item)
            case "structs" if isinstance(item, list):
                fields[attribute] = [conform(inner, i) for i in item if isinstance(i, dict)]
            case "dict" if isinstance(item, dict):
                fields[attribute] = item
            case "list" if isinstance(item, list):
                fields[attribute] = item
            case "str" if isinstance(item, str):
                fields[attribute] = item
    return cls(**fields)


def decode_as(cls: type[T], data: bytes) -> T:
    """Decode JSON as ``cls``, by the typed decoder or, where that refuses, by the plain one."""
    try:
        return msgspec.json.decode(data, type=cls)
    except TYPED_ERRORS:
        value, _ = decode_plain(data)
        return conform(cls, value if isinstance(value, dict) else {})


@cache
def _plan(cls: type[msgspec.Struct]) -> tuple[tuple[str, str, str, Any], ...]:
    """Return (attribute, JSON key, kind, inner type) for each field."""
    hints = typing.get_type_hints(cls)
    return tuple((field.name, field.encode_name, *_kind(hints[field.name])) for field in msgspec.structs.fields(cls))


def _kind(hint: Any) -> tuple[str, Any]:
    options = get_args(hint) if get_origin(hint) in (types.UnionType, typing.Union) else (hint,)
    for option in options:
        if option is Any:
            return "any", None
        if option is msgspec.Raw:
            return "raw", None
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return "struct", option
        origin = get_origin(option) or option
        if origin is list:
            inner = next(iter(get_args(option)), Any)
            is_struct = isinstance(inner, type) and issubclass(inner, msgspec.Struct)
            return ("structs", inner) if is_struct else ("list", None)
        if origin is dict:
            return "dict", None
        if origin is str:
            return "str", None
    return "any", None


def block_index(value: Any) -> int | str | None:
    """Return a vendor's number or name of a block or call, None where it is neither."""
    match value:
        case bool():
            return None
        case int() | str():
            return value
        case float() if value.is_integer():
            return int(value)
        case _:
            return None
