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
from msgspec import Struct

from ..diagnostics import Note

T = TypeVar("T", bound=Struct)

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


class Misfit(Struct, frozen=True):
    """A piece of an event that has no place in the event's type."""

    path: str
    """Such as ``choices[0].delta.tool_calls``."""
    value: Any
    """As sent."""
    due: str | None
    """What was due instead; None for a field that is not known."""

    @property
    def note(self) -> Note | None:
        """What is to be said about it, beside that it is not known."""
        if self.due is None:
            return None
        return ill_typed(self.path, self.value, self.due)


def conform(cls: type[T], value: dict[str, Any], misfits: list[Misfit] | None = None, path: str = "") -> T:
    """Build ``cls`` from decoded JSON as the typed decoder would, leaving out what does not fit.

    Parameters
    ----------
    cls : type
        The type of the event.
    value : dict
        The decoded JSON.
    misfits : list, optional
        Takes what was left out: pieces of another type than ``cls`` has there, and, in structs that allow none,
        unknown fields that hold something.
    path : str
        Where ``value`` stands, for the places of the misfits.

    Examples
    --------
    >>> class Event(Struct):
    ...     names: list[str] | None = None
    ...     n: Any = 0
    >>> misfits = []
    >>> conform(Event, {"names": "not a list", "n": 3}, misfits)
    Event(names=None, n=3)
    >>> misfits
    [Misfit(path='names', value='not a list', due='an array')]
    """
    misfits = [] if misfits is None else misfits
    fields: dict[str, Any] = {}
    plan = _plan(cls)
    for attribute, key, kind, inner in plan:
        if key not in value:
            continue
        item = value[key]
        place = f"{path}.{key}" if path else key
        match kind:
            case "any":
                fields[attribute] = item
            case "raw":
                fields[attribute] = msgspec.Raw(json.dumps(item, separators=(",", ":")).encode())
            case "struct" if isinstance(item, dict):
                fields[attribute] = conform(inner, item, misfits, place)
            case "structs" if isinstance(item, list):
                fields[attribute] = [
                    conform(inner, i, misfits, f"{place}[{n}]") for n, i in enumerate(item) if isinstance(i, dict)
                ]
                misfits += [
                    Misfit(f"{place}[{n}]", i, "an object") for n, i in enumerate(item) if not isinstance(i, dict)
                ]
            case "dict" if isinstance(item, dict):
                fields[attribute] = item
            case "list" if isinstance(item, list):
                fields[attribute] = item
            case "str" if isinstance(item, str):
                fields[attribute] = item
            case _ if item is not None:
                misfits.append(Misfit(place, item, _DUE[kind]))
    if cls.__struct_config__.forbid_unknown_fields:
        known = {key for _, key, _, _ in plan}
        misfits += [
            Misfit(f"{path}.{key}" if path else key, item, None)
            for key, item in value.items()
            if key not in known and item not in (None, "", [], {})
        ]
    return cls(**fields)


_DUE = {"struct": "an object", "structs": "an array", "dict": "an object", "list": "an array", "str": "a string"}


def decode_as(cls: type[T], data: bytes, misfits: list[Misfit] | None = None, path: str = "") -> T:
    """Decode JSON as ``cls``, by the typed decoder or, where that refuses, by the plain one; see `conform`."""
    try:
        return msgspec.json.decode(data, type=cls)
    except TYPED_ERRORS:
        value, _ = decode_plain(data)
        return conform(cls, value if isinstance(value, dict) else {}, misfits, path)


@cache
def _plan(cls: type[Struct]) -> tuple[tuple[str, str, str, Any], ...]:
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
        if isinstance(option, type) and issubclass(option, Struct):
            return "struct", option
        origin = get_origin(option) or option
        if origin is list:
            inner = next(iter(get_args(option)), Any)
            is_struct = isinstance(inner, type) and issubclass(inner, Struct)
            return ("structs", inner) if is_struct else ("list", None)
        if origin is dict:
            return "dict", None
        if origin is str:
            return "str", None
    return "any", None


def fragment_of(value: Any, place: str, *, is_due: bool = True) -> tuple[str | None, tuple[Note, ...]]:
    """Return a fragment of argument text as it is sent, and what is to be said where it is none.

    Some compatible servers send the object itself where its text is due. Anything else is no fragment, and what was
    one is lost.

    Parameters
    ----------
    value : object
        The decoded JSON value.
    place : str
        Its name, for the note.
    is_due : bool
        Whether None is odd, too.
    """
    match value:
        case str():
            return value, ()
        case None if not is_due:
            return None, ()
        case dict():
            return json.dumps(value, ensure_ascii=False, separators=(",", ":")), ()
    return None, (ill_typed(place, value, "a string"),)


def ill_typed(place: str, value: Any, due: str) -> Note:
    """Say that a value is of another type than was due: whatever it held is lost."""
    return Note("ill-typed", f"{place:.120}: {due} was due, not {value!r:.80}")


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
