"""A frame with other data in it: the bytes around the data stay, lengths and checksums are made anew."""

from __future__ import annotations

import json
import re
import struct
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable
from zlib import crc32

from .eventstream import PRELUDE_BYTES, has_right_checksum
from .frame import Frame

_DATA_LINES = re.compile(rb"(?m)^data:.*(?:\r\n|\n|\r|\Z)")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COLON = re.compile(r"\s*:")
_CRC_BYTES = 4

Change = Callable[[str | None, str], str]
"""From a string and the key it stands under to the string that takes its place."""


def with_data(frame: Frame, raw: bytes, data: bytes) -> bytes:
    r"""Return the bytes of a frame with ``data`` in the place of its data.

    Parameters
    ----------
    frame : Frame
        A frame with data.
    raw : bytes
        Its bytes.
    data : bytes
        What it is to carry.

    Examples
    --------
    >>> from streamviz.framing import SSEFramer
    >>> raw = b"event: ping\ndata: {}\n\n"
    >>> with_data(SSEFramer().feed(raw)[0], raw, b'{"a":1}')
    b'event: ping\ndata: {"a":1}\n\n'
    """
    if raw[:1] == b"\0" and has_right_checksum(raw[:PRELUDE_BYTES]):
        return _message(raw, data)
    head, found, tail = raw.rpartition(frame.data or raw)
    if found and frame.data:
        return head + data + tail
    lines = list(_DATA_LINES.finditer(raw))  # the data of one event in several lines
    if not lines:
        return raw
    ending = re.search(rb"[\r\n]*\Z", lines[0][0])
    between = ending[0] if ending and ending[0] else b"\n"
    written = b"".join([b"data: " + line + between for line in data.split(b"\n")])
    rest = b"".join(
        [raw[one.end() : other] for one, other in zip(lines, [*(m.start() for m in lines[1:]), len(raw)], strict=True)]
    )
    return raw[: lines[0].start()] + written + rest


def _message(raw: bytes, payload: bytes) -> bytes:
    """Return an event-stream message with another payload."""
    (headers,) = struct.unpack_from(">I", raw, 4)
    prelude = struct.pack(">II", PRELUDE_BYTES + headers + len(payload) + _CRC_BYTES, headers)
    block = raw[PRELUDE_BYTES : PRELUDE_BYTES + headers]
    message = prelude + struct.pack(">I", crc32(prelude)) + block + payload
    return message + struct.pack(">I", crc32(message))


def document_of(frame: Frame) -> tuple[bytes, Callable[[bytes], bytes]]:
    r"""Return the JSON document that a frame carries, and what makes frame data of one.

    Bedrock carries the events of a model in base64 inside its own.

    Examples
    --------
    >>> document, wrap = document_of(Frame("event", 0, 0, b'{"bytes":"e30=","p":"ab"}'))
    >>> document, wrap(b"[]")
    (b'{}', b'{"bytes":"W10=","p":"ab"}')
    """
    found = re.search(rb'"bytes"\s*:\s*"([A-Za-z0-9+/=]*)"', frame.data)
    if found is None or not frame.data.lstrip().startswith(b"{"):
        return frame.data, bytes
    try:
        document = a2b_base64(found[1], strict_mode=True)
    except Base64Error:
        return frame.data, bytes
    before, after = frame.data[: found.start(1)], frame.data[found.end(1) :]
    return document, lambda inner: before + b2a_base64(inner, newline=False) + after


def rewritten(frame: Frame, raw: bytes, change: Change) -> bytes:
    """Return the bytes of a frame with the strings of its JSON changed, all else as it was."""
    document, wrap = document_of(frame)
    changed = change_strings(document, change)
    return raw if changed == document else with_data(frame, raw, wrap(changed))


def change_strings(document: bytes, change: Change) -> bytes:
    r"""Return a JSON text, valid or not, with its strings changed; keys and all that is no string stay.

    Examples
    --------
    >>> change_strings(b'{"a": "x", "b": ["y", 1]}', lambda key, text: f"{key}{text}")
    b'{"a": "ax", "b": ["by", 1]}'
    """
    text = document.decode("utf-8", "surrogateescape")
    pieces: list[str] = []
    done = 0
    key: str | None = None
    for token in _TOKEN.finditer(text):
        try:
            value = json.loads(token[0], strict=False)
        except ValueError:
            continue
        if _COLON.match(text, token.end()):
            key = value
            continue
        new = change(key, value)
        if new != value:
            pieces += [text[done : token.start()], json.dumps(new, ensure_ascii=token[0].isascii())]
            done = token.end()
    return ("".join([*pieces, text[done:]])).encode("utf-8", "surrogateescape") if pieces else document
