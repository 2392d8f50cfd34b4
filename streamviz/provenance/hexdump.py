"""The bytes of a frame, with what each of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..framing.frame import Frame

if TYPE_CHECKING:
    from ..run import StreamRun

_WIDTH = 16
_LINES = re.compile(rb"[^\r\n]*(?:\r\n|\n|\r|\Z)")


class Field(NamedTuple):
    """Some bytes of a frame that mean one thing."""

    name: str
    data: bytes


class HexRow(NamedTuple):
    """Up to 16 bytes."""

    offset: int
    """In the recording."""
    hex: str
    characters: str
    name: str
    """What they are; empty where the row before goes on."""


class Hexdump:
    """The bytes of one frame, field by field: offset in the recording, hexadecimal, printable characters, meaning."""

    def __init__(self, start: int, fields: list[Field]) -> None:
        self.start = start
        self.fields = fields

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return sum(len(field.data) for field in self.fields)

    @property
    def rows(self) -> Iterator[HexRow]:
        """Its rows, made one by one."""
        offset = self.start
        for name, data in self.fields:
            for at in range(0, len(data), _WIDTH):
                row = data[at : at + _WIDTH]
                yield HexRow(offset + at, row.hex(" "), _printable(row), "" if at else name)
            offset += len(data)

    def __str__(self) -> str:
        return "\n".join(
            f"{offset:08x}  {pairs:<{3 * _WIDTH}} |{characters}|{' ' * (_WIDTH - len(characters))}  {name}".rstrip()
            for offset, pairs, characters, name in self.rows
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ..display import hexdump_html

        return hexdump_html(self)


def _printable(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


def hexdump(run: StreamRun, k: int) -> Hexdump:
    r"""Return the bytes of frame ``k``, annotated.

    Of a server-sent event each line is a field; of an AWS event-stream message (see
    https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html) the lengths, the checksums, each header
    and the payload are.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'event: ping\ndata: {}\n\n', "anthropic")
    >>> print(run.hexdump(0))
    00000000  65 76 65 6e 74 3a 20 70 69 6e 67 0a              |event: ping.|      event
    0000000c  64 61 74 61 3a 20 7b 7d 0a                       |data: {}.|         data
    00000015  0a                                               |.|                 end of the event
    """
    frame = run.frames[k]
    data = run.bytes_of(k)
    fields = _FIELDS.get(run.framing or "", _plain)(data, frame)
    return Hexdump(frame.start, fields)


def _plain(data: bytes, frame: Frame) -> list[Field]:
    at = data.find(frame.data) if frame.data else -1
    if at < 0:
        return [Field(frame.kind, data)]
    end = at + len(frame.data)
    parts = [Field("before the value", data[:at]), Field("value", data[at:end]), Field("behind the value", data[end:])]
    return [part for part in parts if part.data]


def _sse(data: bytes, _: Frame) -> list[Field]:
    return [Field(_line(line[0]), line[0]) for line in _LINES.finditer(data) if line[0]]


def _line(line: bytes) -> str:
    text = line.rstrip(b"\r\n").removeprefix(b"\xef\xbb\xbf")
    name = text.partition(b":")[0]
    match name:
        case b"data" | b"event" | b"id" | b"retry":
            return name.decode()
        case b"":
            return "comment" if text else "end of the event"
        case _:
            return "no field"


def _eventstream(data: bytes, frame: Frame) -> list[Field]:
    """Tell the message format apart: lengths and their checksum, headers, payload, checksum of it all."""
    headers_end = 12 + int.from_bytes(data[4:8])
    if frame.kind in ("bad", "tail") or not 12 <= headers_end <= len(data) - 4:
        return [Field(frame.kind, data)]
    fields = [
        Field(f"total length: {int.from_bytes(data[:4])}", data[:4]),
        Field(f"headers length: {int.from_bytes(data[4:8])}", data[4:8]),
        Field("checksum of the two", data[8:12]),
    ]
    at = 12
    for header in frame.headers:
        size = 1 + data[at] + 1 + _value_size(header.type, data[at + 2 + data[at] : headers_end])
        name = f"header {header.name!a:.80} ({header.type}): {header.value!a:.60}"
        fields.append(Field(name, data[at : at + size]))
        at += size
    if at < headers_end:
        fields.append(Field("headers", data[at:headers_end]))
    if headers_end < len(data) - 4:
        fields.append(Field("payload", data[headers_end:-4]))
    return [*fields, Field("checksum of the message", data[-4:])]


_SIZES = {"true": 0, "false": 0, "byte": 1, "short": 2, "int": 4, "long": 8, "timestamp": 8, "uuid": 16}


def _value_size(kind: str, data: bytes) -> int:
    """Return how many bytes the value of a header takes; text and bytes come behind their length."""
    return _SIZES[kind] if kind in _SIZES else 2 + int.from_bytes(data[:2])


_FIELDS = {"sse": _sse, "eventstream": _eventstream}
