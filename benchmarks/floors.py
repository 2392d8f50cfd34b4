"""The floor: one typed JSON decode of the ready payloads, with only the fields an assembler reads."""

from __future__ import annotations

from binascii import a2b_base64
from typing import Any

import msgspec
from msgspec import Struct


class _ChatDelta(Struct, gc=False):
    content: Any = None
    role: Any = None


class _ChatChoice(Struct, gc=False):
    index: Any = 0
    delta: _ChatDelta | None = None
    finish_reason: Any = None


class _Chat(Struct, gc=False):
    id: Any = None
    model: Any = None
    choices: list[_ChatChoice] | None = None
    usage: Any = None


class _AnthropicDelta(Struct, gc=False):
    type: Any = None
    text: Any = None
    thinking: Any = None
    partial_json: Any = None


class _Anthropic(Struct, gc=False):
    type: Any = None
    index: Any = None
    delta: _AnthropicDelta | None = None
    usage: Any = None


class _Part(Struct, gc=False):
    text: Any = None
    thought: Any = None


class _Content(Struct, gc=False):
    parts: list[_Part] | None = None


class _Candidate(Struct, gc=False):
    content: _Content | None = None
    finishReason: Any = None  # noqa: N815


class _Google(Struct, gc=False):
    candidates: list[_Candidate] | None = None
    usageMetadata: Any = None  # noqa: N815
    modelVersion: Any = None  # noqa: N815
    responseId: Any = None  # noqa: N815


class _ConverseDelta(Struct, gc=False):
    text: Any = None


class _Converse(Struct, gc=False):
    contentBlockIndex: Any = None  # noqa: N815
    delta: _ConverseDelta | None = None
    usage: Any = None


class _Envelope(Struct, gc=False):
    bytes: Any = None


TYPES: dict[str, type[Struct]] = {
    "openai": _Chat,
    "anthropic": _Anthropic,
    "google": _Google,
    "bedrock-converse": _Converse,
    "bedrock-invoke": _Anthropic,
}


def decoder(stream: str) -> Any:
    """Return the floor's decode function for one stream."""
    decode = msgspec.json.Decoder(TYPES[stream]).decode
    if stream != "bedrock-invoke":
        return decode
    envelope = msgspec.json.Decoder(_Envelope).decode
    return lambda payload: decode(a2b_base64(envelope(payload).bytes))
