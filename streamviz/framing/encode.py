"""From events to bytes: what the framings do, the other way round."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from typing import Any
from zlib import crc32


def compact(value: Any) -> str:
    """Return JSON as vendors write it: no blanks, characters as they are."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def server_sent_event(data: Any, event: str | None = None) -> bytes:
    r"""Return one server-sent event; data that is no text is written as JSON.

    Examples
    --------
    >>> server_sent_event({"a": 1}, "ping")
    b'event: ping\ndata: {"a":1}\n\n'
    """
    name = "" if event is None else f"event: {event}\n"
    return f"{name}data: {data if isinstance(data, str) else compact(data)}\n\n".encode()


def event_stream_message(headers: Mapping[str, str], payload: bytes) -> bytes:
    """Return one message of an AWS event stream, with both its checksums.

    Examples
    --------
    >>> event_stream_message({}, b"").hex()
    '000000100000000005c248eb7d98c8ff'
    """
    block = b"".join([_string_header(name.encode(), value.encode()) for name, value in headers.items()])
    prelude = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    message = prelude + struct.pack(">I", crc32(prelude)) + block + payload
    return message + struct.pack(">I", crc32(message))


def _string_header(name: bytes, value: bytes) -> bytes:
    return bytes([len(name)]) + name + b"\x07" + struct.pack(">H", len(value)) + value


def bedrock_event(kind: str, payload: Any) -> bytes:
    """Return one event of a Bedrock stream, or an exception in it, the headers in AWS's order."""
    message = "exception" if kind.endswith("Exception") else "event"
    headers = {f":{message}-type": kind, ":content-type": "application/json", ":message-type": message}
    return event_stream_message(headers, compact(payload).encode())
