"""LangGraph: what its server streams, in the modes that carry messages.

Source: https://docs.langchain.com/langsmith/streaming. ``messages`` are pairs of a message chunk and metadata,
``messages/partial`` repeats whole messages as they grow; the name of a subgraph may follow behind a bar. The other
modes (``values``, ``updates``, ``custom`` …) are the application's own data: told in notes, not shown as an answer.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..chunks import (
    EMPTY_CHUNK,
    Delta,
    FinishReason,
    NormalizedChunk,
    ResponseInfo,
    StreamError,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import NOTHING, decode_plain, fragment_of, ill_typed
from .errors import read_error
from .finish import finish_reason
from .usage_tables import LANGCHAIN
from .wrapper import StreamWrapper, with_notes

_APP_DATA = {"values", "updates", "custom", "events", "debug", "tasks", "checkpoints", "feedback", "messages/metadata"}


class LangGraphWrapper(StreamWrapper):
    """Events of a LangGraph run."""

    dialect = "langgraph"
    tells_its_end = False
    framings = ("sse",)

    def normalize_event(self, frame: Frame) -> NormalizedChunk:
        value, notes = decode_plain(frame.data)
        if value is NOTHING:
            return EMPTY_CHUNK if not frame.data.strip() else NormalizedChunk(notes=notes)
        return with_notes(self._read(value, frame), notes)

    @staticmethod
    def _read(value: Any, frame: Frame) -> NormalizedChunk:
        kind = (frame.event or "").partition("|")[0]
        match kind, value:
            case "messages", [dict() as message, *_]:
                return _message(message)
            case (("messages/partial" | "messages/complete"), list()):
                return _whole(value)
            case "metadata", dict():
                return NormalizedChunk(response=ResponseInfo(_word(value.get("run_id")), None, None, True))
            case "error", _:
                return NormalizedChunk(error=read_error(value) or StreamError(_json(value), raw=value))
            case "end", _:
                return NormalizedChunk(terminal="terminal")
        if kind in _APP_DATA:
            return NormalizedChunk(notes=(Note("app-data", f"{kind:.80}: {frame.text[:200]}"),))
        error = read_error(value)
        if error is not None:
            return NormalizedChunk(error=error)
        if kind.startswith("messages"):
            return NormalizedChunk(notes=(ill_typed(kind, value, "a list of messages"),))
        return NormalizedChunk(notes=(Note("unknown-event", f"{kind!r:.80}: {frame.text[:80]!r}"),))


def _unwrapped(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message without the envelope of LangChain's own serialisation."""
    inner = message.get("kwargs")
    if message.get("lc") and isinstance(inner, dict):
        name = message.get("id")
        return {"type": name[-1] if isinstance(name, list) and name else None, **inner}
    return message


def _message(message: dict[str, Any]) -> NormalizedChunk:
    """Read a piece of a message, or one that comes whole."""
    message = _unwrapped(message)
    kind = str(message.get("type")).removesuffix("MessageChunk").removesuffix("Message").lower()
    if kind == "tool":
        return NormalizedChunk((_result(message),))
    if kind != "ai":
        return EMPTY_CHUNK  # what was asked, not what is answered
    key = _word(message.get("id"))
    deltas = [*_content(message, key, snapshot=False), *_call_chunks(message, key)]
    if not message.get("tool_call_chunks"):
        deltas += _calls(message)
    return with_notes(_chunk(deltas, message, whole=False), _unread(message.get("tool_call_chunks")))


def _whole(messages: list[Any]) -> NormalizedChunk:
    """Read messages as far as they have grown; the calls of one that is complete."""
    deltas: list[Delta] = []
    last: dict[str, Any] = {}
    for message in messages:
        if isinstance(message, dict):
            message = _unwrapped(message)
            kind = str(message.get("type")).lower()
            if kind.startswith("ai"):
                last = message
                deltas += _content(message, _word(message.get("id")), snapshot=True)
                deltas += _calls(message) if _finishes(message) else ()
            elif kind.startswith("tool"):
                deltas.append(_result(message))
    return _chunk(deltas, last, whole=True)


def _chunk(deltas: Iterable[Delta], message: dict[str, Any], *, whole: bool) -> NormalizedChunk:
    metadata = message.get("response_metadata")
    model = metadata.get("model_name", metadata.get("model")) if isinstance(metadata, dict) else None
    usage = message.get("usage_metadata")
    if isinstance(usage, dict) and not whole:
        # Pieces of a message add up: what one of them does not know it calls 0.
        usage = {name: count for name, count in usage.items() if count and name != "total_tokens"}
    return NormalizedChunk(
        tuple(deltas),
        _finishes(message),
        UsageReport(usage, LANGCHAIN) if isinstance(usage, dict) and usage else None,
        response=ResponseInfo(None, _word(model), "assistant"),
    )


def _finishes(message: dict[str, Any]) -> tuple[FinishReason, ...]:
    metadata = message.get("response_metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    reason = metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")
    return () if reason is None else (finish_reason(reason),)


def _content(message: dict[str, Any], key: str | None, *, snapshot: bool) -> Iterable[Delta]:
    extra = message.get("additional_kwargs")
    reasoning = extra.get("reasoning_content") if isinstance(extra, dict) else None
    if isinstance(reasoning, str) and reasoning:
        yield ThinkingDelta(reasoning, 0, _part(key, "reasoning"), snapshot)
    content = message.get("content")
    if isinstance(content, str):
        if content:
            yield TextDelta(content, 0, key, snapshot)
        return
    for position, part in enumerate(content if isinstance(content, list) else ()):
        number = part.get("index", position if snapshot else 0) if isinstance(part, dict) else position
        match part:
            case str(text) | {"type": "text" | "output_text", "text": str(text)}:
                yield TextDelta(text, 0, _part(key, number), snapshot)
            case {"type": "thinking" | "reasoning", **rest}:
                thought = rest.get("thinking") or rest.get("reasoning") or rest.get("text")
                signature = _word(rest.get("signature"))
                yield ThinkingDelta(_word(thought) or "", 0, _part(key, number), snapshot, signature)
            case {"type": "tool_use" | "tool_call" | "tool_call_chunk" | "input_json_delta" | "function_call"}:
                pass  # the calls stand beside the content as well
            case {"type": kind}:
                yield UnknownDelta(str(kind), part, 0, _part(key, number))


def _part(key: str | None, number: Any) -> str | None:
    return None if key is None else f"{key}.{number}"


def _call_chunks(message: dict[str, Any], key: str | None) -> Iterable[Delta]:
    chunks = message.get("tool_call_chunks")
    for call in chunks if isinstance(chunks, list) else ():
        if isinstance(call, dict):
            index = call.get("index")
            place = f"{key}.{index}" if index is not None else None
            text, _ = fragment_of(call.get("args"), "tool_call_chunks.args")
            yield ToolCallDelta(text or None, place, _word(call.get("id")), _word(call.get("name")))


def _unread(chunks: Any) -> tuple[Note, ...]:
    """Say of the pieces of calls that are none."""
    notes: list[Note] = []
    for call in chunks if isinstance(chunks, list) else [] if chunks is None else [chunks]:
        if isinstance(call, dict):
            notes += fragment_of(call.get("args"), "tool_call_chunks.args", is_due=False)[1]
        else:
            notes.append(ill_typed("tool_call_chunks", call, "an object"))
    return tuple(notes)


def _calls(message: dict[str, Any]) -> Iterable[Delta]:
    """Read calls that come whole; where their pieces came, those stand."""
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and (call.get("id") or call.get("name")):
            arguments = _json(call.get("args", {}))
            yield ToolCallDelta(arguments, None, _word(call.get("id")), _word(call.get("name")), seed=True)


def _result(message: dict[str, Any]) -> Delta:
    return ToolResultDelta(message.get("content"), _word(message.get("tool_call_id")))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
