"""The header block of an AWS event-stream message.

A header is a name length (u8, 1 to 255), the name in UTF-8, a type (u8) and a value. The ten types are a closed set:
what follows a type that is not among them cannot be read. Names are case-sensitive, occur once, and their order means
nothing.
"""

from __future__ import annotations

from ..diagnostics import Note
from .frame import FrameKind, Header

Meaning = tuple[FrameKind, str | None, str, tuple[Header, ...], Note | None]
"""What a header block makes of its message: the kind of frame, event, category, headers, fault."""

_INTEGERS = {2: ("byte", 1), 3: ("short", 2), 4: ("int", 4), 5: ("long", 8), 8: ("timestamp", 8)}
"""Signed and big-endian, with their size; a timestamp is milliseconds since the epoch."""

_NAME_OF_EVENT = {"event": ":event-type", "exception": ":exception-type", "error": ":error-code"}
"""Which header names the event, by ``:message-type``."""


class _HeaderError(Exception):
    """A header that cannot be read; never leaves this module."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.note = Note(code, message)


def read_headers(block: bytes) -> Meaning:
    r"""Read the headers of one message.

    A header must end inside the block: payload bytes are never read into it. Byte arrays and strings may be empty or
    longer than the grammar's 32,767, as the checksums vouch for what was sent.

    Parameters
    ----------
    block : bytes
        The bytes between the prelude and the payload.

    Returns
    -------
    Meaning
        With a fault, the kind is ``bad``, the category ``unknown``, and the headers are those before the fault.

    Examples
    --------
    >>> read_headers(b"\x0d:message-type\x07\x00\x05event\x0b:event-type\x07\x00\x05chunk")[:3]
    ('event', 'chunk', 'event')
    """
    headers: list[Header] = []
    by_name: dict[str, bool | int | bytes | str] = {}
    position = 0
    try:
        while position < len(block):
            header, after = _read_header(block, position)
            if header.name in by_name:
                fault = Note("duplicate-header", f"header {header.name!r} again, at byte {position} of the headers")
                return "bad", None, "unknown", tuple(headers), fault
            headers.append(header)
            by_name[header.name] = header.value
            position = after
    except _HeaderError as error:
        return "bad", None, "unknown", tuple(headers), error.note
    category = by_name.get(":message-type")
    if not isinstance(category, str) or category not in _NAME_OF_EVENT:
        return "event", None, "unknown", tuple(headers), None
    event = by_name.get(_NAME_OF_EVENT[category])
    return "event", event if isinstance(event, str) else None, category, tuple(headers), None


def _read_header(block: bytes, start: int) -> tuple[Header, int]:
    """Read the header at ``start`` and return it with the position after it."""
    length = block[start]
    if not length:
        raise _HeaderError("header-name-empty", f"a header without a name at byte {start} of the headers")
    raw_name, position = _take(block, start + 1, length, "a header's name")
    name = _text(raw_name, "the name of a header")
    kind, position = _take(block, position, 1, f"the type of header {name!r}")
    code = kind[0]
    if code <= 1:
        return Header(name, "false" if code else "true", not code), position
    what = f"the value of header {name!r}"
    if code in _INTEGERS:
        type_name, size = _INTEGERS[code]
        raw, position = _take(block, position, size, what)
        return Header(name, type_name, int.from_bytes(raw, "big", signed=True)), position
    if code in (6, 7):
        raw, position = _take(block, position, 2, f"the length of header {name!r}")
        raw, position = _take(block, position, int.from_bytes(raw, "big"), what)
        return (Header(name, "bytes", raw) if code == 6 else Header(name, "string", _text(raw, what))), position
    if code == 9:
        raw, position = _take(block, position, 16, what)
        digits = raw.hex()
        text = f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
        return Header(name, "uuid", text), position
    raise _HeaderError("header-type", f"header {name!r} is of type {code}, which does not exist")


def _take(block: bytes, position: int, size: int, what: str) -> tuple[bytes, int]:
    """Return the next ``size`` bytes and the position after them."""
    end = position + size
    if end > len(block):
        left = len(block) - position
        raise _HeaderError("header-truncated", f"{what} has {size} bytes, of which {left} are inside the headers")
    return block[position:end], end


def _text(raw: bytes, what: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise _HeaderError("header-utf8", f"{what} is not UTF-8: {raw[:80]!r}") from None
