"""Anthropic Messages.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming. Blocks are found by ``index``; several may be
open at once and close out of order.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from ..chunks import (
    EMPTY_CHUNK,
    BlockStop,
    CitationDelta,
    Delta,
    NormalizedChunk,
    ResponseInfo,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import Misfit, block_index, decode_as, decode_plain, ill_typed
from .errors import read_error
from .finish import finish_reason
from .usage_tables import ANTHROPIC
from .wrapper import JSONWrapper, with_misfits


class _Delta(Struct, gc=False):
    type: Any = None
    text: Any = None
    partial_json: Any = None
    thinking: Any = None
    signature: Any = None
    citation: Any = None
    stop_reason: Any = None
    reasoning_content: Any = None  # MiMo: OpenAI's fields inside Anthropic's deltas
    content: Any = None


class _Block(Struct, gc=False):
    type: Any = None
    text: Any = None
    thinking: Any = None
    signature: Any = None
    data: Any = None
    id: Any = None
    tool_use_id: Any = None
    name: Any = None
    input: msgspec.Raw = msgspec.Raw()
    content: Any = None
    citations: Any = None


class _Message(Struct, gc=False):
    id: Any = None
    model: Any = None
    role: Any = None
    usage: Any = None
    stop_reason: Any = None
    content: list[_Block] | None = None


class _Event(Struct, gc=False):
    type: Any = None
    index: Any = None
    delta: _Delta | None = None
    content_block: _Block | None = None
    message: msgspec.Raw = msgspec.Raw()
    usage: Any = None
    error: Any = None
    # a whole message, where the server ignored ``stream: true``
    id: Any = None
    model: Any = None
    role: Any = None
    stop_reason: Any = None
    content: list[_Block] | None = None


class AnthropicWrapper(JSONWrapper[_Event]):
    """Events of the Messages API."""

    dialect = "anthropic"
    has_end_mark = True
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        match event.type:
            case "content_block_delta":
                delta = event.delta
                index = event.index
                if type(index) is not int:
                    index = block_index(index)
                if delta is not None and delta.type == "text_delta" and type(delta.text) is str:
                    return NormalizedChunk((TextDelta(delta.text, 0, index),))
                return _block_delta(delta, index, frame)
            case "content_block_start":
                block = event.content_block
                if block is None:
                    return NormalizedChunk(notes=(Note("unexpected-json", "a content_block_start without a block"),))
                return NormalizedChunk(tuple(_block_start(block, block_index(event.index), frame)))
            case "content_block_stop":
                return NormalizedChunk((BlockStop(0, block_index(event.index)),))
            case "message_delta":
                return _message_delta(event)
            case "message_start":
                return _message_start(event, frame)
            case "message_stop":
                return NormalizedChunk(terminal="terminal", usage=_usage(event.usage))
            case "ping":
                return EMPTY_CHUNK
            case "message":
                return _whole_message(event, frame)
        if event.error is not None:
            return NormalizedChunk(error=read_error({"error": event.error}))
        error = read_error(decode_plain(frame.data)[0]) if event.type is None or event.type == "error" else None
        if error is not None:
            return NormalizedChunk(error=error)
        kind = event.type if isinstance(event.type, str) else frame.event or "event without type"
        return NormalizedChunk(notes=(Note("unknown-event", f"{kind!r:.80}: {frame.text[:80]!r}"),))


def _block_delta(delta: _Delta | None, index: Any, frame: Frame) -> NormalizedChunk:
    if delta is None:
        return NormalizedChunk(notes=(Note("unexpected-json", "a content_block_delta without a delta"),))
    out: Delta
    notes: tuple[Note, ...] = ()
    match delta.type:
        case "input_json_delta" if isinstance(delta.partial_json, str):
            out = ToolCallDelta(delta.partial_json, index, block=index)
        case "thinking_delta" if isinstance(delta.thinking, str):
            out = ThinkingDelta(delta.thinking, 0, index)
        case "signature_delta" if isinstance(delta.signature, str):
            out = ThinkingDelta("", 0, index, signature=delta.signature)
        case "citations_delta":
            out = CitationDelta(delta.citation, 0, index)
        case "text_delta" if isinstance(delta.text, str):
            out = TextDelta(delta.text, 0, index)
        case None | "text_delta" | "thinking_delta" if isinstance(delta.reasoning_content, str):
            out = ThinkingDelta(delta.reasoning_content, 0, index)
        case None | "text_delta" | "thinking_delta" if isinstance(delta.content, str):
            out = TextDelta(delta.content, 0, index)
        case _:
            kind = delta.type if isinstance(delta.type, str) else "delta without type"
            out = UnknownDelta(kind, _plain(frame.data, "delta"), 0, index)
            if kind in _PIECES:
                notes = (ill_typed(f"delta.{_PIECES[kind]}", getattr(delta, _PIECES[kind]), "a string"),)
    return NormalizedChunk((out,), notes=notes)


_PIECES = {
    "text_delta": "text",
    "input_json_delta": "partial_json",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
}
"""Kind of delta → where it has its text."""


def _block_start(block: _Block, index: Any, frame: Frame) -> list[Delta]:
    """Open a block; it may already hold text, input or a signature (compatible servers, server tools)."""
    kind = block.type
    match kind:
        case "text":
            out: list[Delta] = [TextDelta(_text(block.text), 0, index)]
            if isinstance(block.citations, list):
                out += [CitationDelta(c, 0, index) for c in block.citations]
            return out
        case "thinking":
            return [ThinkingDelta(_text(block.thinking), 0, index, signature=_text(block.signature) or None)]
        case "redacted_thinking":
            return [ThinkingDelta("", 0, index, redacted=_text(block.data))]
        case "tool_use" | "server_tool_use" | "mcp_tool_use":
            seed = bytes(block.input).decode("utf-8", "replace")
            if seed.strip() in ("", "{}", "null"):
                seed = ""  # the placeholder: fragments follow, or the call has no arguments
            return [
                ToolCallDelta(
                    seed or None,
                    index,
                    _text(block.id) or None,
                    _text(block.name) or None,
                    block=index,
                    seed=bool(seed),
                    server=kind != "tool_use",
                )
            ]
        case str() if kind.endswith("_result"):
            return [ToolResultDelta(block.content, _text(block.tool_use_id) or None, kind, 0, index)]
        case _:
            return [UnknownDelta(str(kind), _plain(frame.data, "content_block"), 0, index)]


def _message_start(event: _Event, frame: Frame) -> NormalizedChunk:
    misfits: list[Misfit] = []
    message = decode_as(_Message, bytes(event.message), misfits, "message")
    deltas: list[Delta] = []
    for index, block in enumerate(message.content or ()):
        deltas += _block_start(block, index, frame)
    response = ResponseInfo(_text(message.id) or None, _text(message.model) or None, _text(message.role) or None, True)
    usage = UsageReport(message.usage, ANTHROPIC, preliminary=True) if isinstance(message.usage, dict) else None
    return with_misfits(NormalizedChunk(tuple(deltas), usage=usage, response=response), misfits)


def _message_delta(event: _Event) -> NormalizedChunk:
    reason = event.delta.stop_reason if event.delta else None
    notes: tuple[Note, ...] = ()
    if reason == "pause_turn":
        notes = (Note("turn-continues", "the vendor paused the turn (pause_turn)"),)
    finishes = () if reason is None else (finish_reason(reason),)
    return NormalizedChunk(finishes=finishes, usage=_usage(event.usage), notes=notes)


def _whole_message(event: _Event, frame: Frame) -> NormalizedChunk:
    deltas: list[Delta] = []
    for index, block in enumerate(event.content or ()):
        deltas += _block_start(block, index, frame)
    return NormalizedChunk(
        tuple(deltas),
        () if event.stop_reason is None else (finish_reason(event.stop_reason),),
        _usage(event.usage),
        None,
        ResponseInfo(_text(event.id) or None, _text(event.model) or None, _text(event.role) or None, True),
        "terminal",
        (Note("not-streamed", "one whole message instead of events"),),
    )


def _usage(usage: Any) -> UsageReport | None:
    return UsageReport(usage, ANTHROPIC) if isinstance(usage, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _plain(data: bytes, key: str) -> Any:
    """Return one member of the event as plain JSON: for what no type describes."""
    value, _ = decode_plain(data)
    return value.get(key) if isinstance(value, dict) else None
