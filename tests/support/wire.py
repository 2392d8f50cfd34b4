"""Encoders for the tests: events as the vendors frame them."""

import json
import struct
from zlib import crc32


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def sse(*events, line_end="\n", name=None):
    """Encode events (dicts, or text as it is) as server-sent events; ``name`` gives the event field."""
    out = []
    for event in events:
        data = event if isinstance(event, str) else compact(event)
        if name is not None and isinstance(event, dict):
            out.append(f"event: {name(event)}{line_end}")
        out.append(f"data: {data}{line_end}{line_end}")
    return "".join(out).encode("utf-8", "surrogatepass")


def chat(*events, done=True):
    """Encode Chat Completions chunks; an event is a delta, a (delta, finish_reason), or a whole chunk."""
    chunks = []
    for event in events:
        if isinstance(event, dict) and ("choices" in event or "error" in event or "usage" in event):
            chunks.append(event)
            continue
        delta, finish = event if isinstance(event, tuple) else (event, None)
        chunks.append({"id": "c-1", "model": "m-1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    return sse(*chunks, *(["[DONE]"] if done else []))


def anthropic(*events):
    """Encode events of the Messages API."""
    return sse(*events, name=lambda event: event["type"])


def message(headers, payload):
    """Encode one AWS event-stream message; headers are strings."""
    if not isinstance(payload, bytes):
        payload = compact(payload).encode()
    block = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value.encode())) + value.encode()
        for name, value in headers.items()
    )
    head = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    head += struct.pack(">I", crc32(head))
    body = head + block + payload
    return body + struct.pack(">I", crc32(body))


def converse(*events):
    """Encode ConverseStream events, given as (event type, payload)."""
    return b"".join(
        message({":event-type": kind, ":content-type": "application/json", ":message-type": "event"}, payload)
        for kind, payload in events
    )
