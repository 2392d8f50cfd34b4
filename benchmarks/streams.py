"""Generated streams, byte-exact in the vendors' framing: one event a list item."""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Callable
from zlib import crc32

WORDS = ["the", "quick", "brown", "fox", "jumps", "over", "a", "lazy", "dog", "while", "rain", "falls", "on"]
WORDS += ["Zürich", "and", "東京", "sleeps"]


def _words(k: int) -> str:
    return " " + " ".join(WORDS[(k * 7 + i) % len(WORDS)] for i in range(3))


def _compact(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def openai_text(n: int) -> list[bytes]:
    """Chat Completions: text, the usage tail, [DONE]."""
    head = {
        "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG",
        "object": "chat.completion.chunk",
        "created": 1741570283,
        "model": "gpt-4o-2024-08-06",
        "service_tier": "default",
        "system_fingerprint": "fp_fc9f1d7035",
    }

    def chunk(delta: dict[str, object], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return b"data: " + _compact({**head, "choices": [choice], "usage": None, "obfuscation": "a1b2c3d4"}) + b"\n\n"

    events = [chunk({"role": "assistant", "content": "", "refusal": None})]
    events += [chunk({"content": _words(k)}) for k in range(n)]
    events.append(chunk({}, "stop"))
    usage = {"prompt_tokens": 19, "completion_tokens": 4 * n, "total_tokens": 19 + 4 * n}
    events.append(b"data: " + _compact({**head, "choices": [], "usage": usage}) + b"\n\n")
    return [*events, b"data: [DONE]\n\n"]


def anthropic_mixed(n: int) -> list[bytes]:
    """Messages: thinking, text and one tool call."""

    def event(value: dict[str, object]) -> bytes:
        return f"event: {value['type']}\n".encode() + b"data: " + _compact(value) + b"\n\n"

    def delta(index: int, value: dict[str, object]) -> bytes:
        return event({"type": "content_block_delta", "index": index, "delta": value})

    message = {
        "id": "msg_01XFDUDYJgAACzvnptvVoYEL",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5-20250929",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 25,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "output_tokens": 1,
        },
    }
    blocks: list[dict[str, object]] = [
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "text", "text": ""},
        {"type": "tool_use", "id": "toolu_01T1x1fJ34qAmk2tNTrN7Up6", "name": "write_file", "input": {}},
    ]
    third = n // 3
    pieces: list[list[dict[str, object]]] = [
        [{"type": "thinking_delta", "thinking": _words(k)} for k in range(third)],
        [{"type": "text_delta", "text": _words(k)} for k in range(third)],
        [
            {"type": "input_json_delta", "partial_json": part}
            for part in ['{"path":"a.txt","body":"', *[_words(k) for k in range(n - 2 * third - 2)], '"}']
        ],
    ]
    events = [event({"type": "message_start", "message": message}), event({"type": "ping"})]
    for index, (block, deltas) in enumerate(zip(blocks, pieces, strict=True)):
        events.append(event({"type": "content_block_start", "index": index, "content_block": block}))
        events += [delta(index, value) for value in deltas]
        events.append(event({"type": "content_block_stop", "index": index}))
    end = {"stop_reason": "tool_use", "stop_sequence": None}
    events.append(event({"type": "message_delta", "delta": end, "usage": {"output_tokens": 4 * n}}))
    return [*events, event({"type": "message_stop"})]


def google_text(n: int) -> list[bytes]:
    """``streamGenerateContent?alt=sse``: text, cumulative usage on every chunk, CRLF."""

    def chunk(k: int, finish: str | None = None) -> bytes:
        candidate: dict[str, object] = {"content": {"parts": [{"text": _words(k)}], "role": "model"}, "index": 0}
        if finish:
            candidate["finishReason"] = finish
        usage = {
            "promptTokenCount": 12,
            "candidatesTokenCount": 4 * (k + 1),
            "totalTokenCount": 16 + 4 * k,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 12}],
        }
        value = {
            "candidates": [candidate],
            "usageMetadata": usage,
            "modelVersion": "gemini-2.5-flash",
            "responseId": "q7J2aMfT",
        }
        return b"data: " + _compact(value) + b"\r\n\r\n"

    return [*[chunk(k) for k in range(n - 1)], chunk(n - 1, "STOP")]


def _message(kind: str, payload: bytes) -> bytes:
    headers = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    block = b"".join(
        bytes([len(name)]) + name.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for name, value in headers.items()
    )
    head = struct.pack(">II", 16 + len(block) + len(payload), len(block))
    head += struct.pack(">I", crc32(head))
    return head + block + payload + struct.pack(">I", crc32(head + block + payload))


def bedrock_converse(n: int) -> list[bytes]:
    """ConverseStream: text, with padding, and the metadata event."""

    def event(kind: str, value: dict[str, object], k: int = 0) -> bytes:
        return _message(kind, _compact({**value, "p": "abcdefghijklmnopqrstuvwxyz"[: 4 + k % 20]}))

    events = [event("messageStart", {"role": "assistant"})]
    events += [event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": _words(k)}}, k) for k in range(n)]
    events.append(event("contentBlockStop", {"contentBlockIndex": 0}))
    events.append(event("messageStop", {"stopReason": "end_turn"}))
    usage = {"inputTokens": 12, "outputTokens": 4 * n, "totalTokens": 12 + 4 * n}
    return [*events, event("metadata", {"usage": usage, "metrics": {"latencyMs": 1234}})]


def bedrock_invoke(n: int) -> list[bytes]:
    """InvokeModelWithResponseStream with Anthropic bodies."""
    events = []
    for event in anthropic_mixed(n):
        inner = event.partition(b"data: ")[2].rstrip()
        events.append(_message("chunk", _compact({"bytes": base64.b64encode(inner).decode(), "p": "abcdefgh"})))
    return events


STREAMS: dict[str, tuple[str, Callable[[int], list[bytes]]]] = {
    "openai": ("openai", openai_text),
    "anthropic": ("anthropic", anthropic_mixed),
    "google": ("google", google_text),
    "bedrock-converse": ("bedrock-converse", bedrock_converse),
    "bedrock-invoke": ("bedrock-invoke", bedrock_invoke),
}
"""Name → (provider, generator of events)."""
