"""Cohere Chat: v2, and v1 before it.

Source: https://docs.cohere.com/v2/docs/streaming and https://docs.cohere.com/v1/docs/streaming. In v2 contents and
calls are numbered apart, each from 0. The plan that comes before calls is neither text nor reasoning.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct

from ..chunks import (
    EMPTY_CHUNK,
    BlockStop,
    CitationDelta,
    Delta,
    FinishReason,
    NormalizedChunk,
    PlanDelta,
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
from .decoding import block_index, decode_plain, fragment_of, ill_typed
from .errors import error_of, read_error
from .finish import finish_reason
from .usage_tables import COHERE
from .wrapper import JSONWrapper


class _Event(Struct, gc=False):
    type: Any = None
    event_type: Any = None
    id: Any = None
    index: Any = None
    delta: Any = None
    # v1
    text: Any = None
    generation_id: Any = None
    citations: Any = None
    search_queries: Any = None
    search_results: Any = None
    documents: Any = None
    tool_call_delta: Any = None
    tool_calls: Any = None
    response: Any = None
    finish_reason: Any = None
    # a whole answer, where the server ignored ``stream: true``
    message: Any = None
    usage: Any = None
    meta: Any = None


class CohereWrapper(JSONWrapper[_Event]):
    """Events of the Chat API, both versions."""

    dialect = "cohere"
    has_end_mark = True
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        if isinstance(event.type, str):
            chunk = _read_v2(event)
        elif isinstance(event.event_type, str):
            chunk = _read_v1(event)
        elif isinstance(event.message, dict) or isinstance(event.text, str):
            return _whole_body(event)
        else:
            chunk = None
        if chunk is not None:
            return chunk
        error = read_error(decode_plain(frame.data)[0])
        if error is not None:
            return NormalizedChunk(error=error)
        kind = event.type or event.event_type or frame.event or "event without type"
        return NormalizedChunk(notes=(Note("unknown-event", f"{kind!r:.80}: {frame.text[:80]!r}"),))


# -- v2 ---------------------------------------------------------------------------------------------------------------


def _read_v2(event: _Event) -> NormalizedChunk | None:
    delta = event.delta if isinstance(event.delta, dict) else {}
    message = delta.get("message")
    if not isinstance(message, dict):
        message = {}
    index = block_index(event.index)
    match event.type:
        case "content-delta" | "content-start":
            return NormalizedChunk(tuple(_content(message.get("content"), index)))
        case "tool-call-delta" | "tool-call-start":
            return _calls(message.get("tool_calls"), index)
        case "tool-plan-delta":
            return NormalizedChunk(tuple(_plan(message)))
        case "citation-start":
            return NormalizedChunk(tuple(CitationDelta(value) for value in _list(message.get("citations"))))
        case "content-end":
            return NormalizedChunk((BlockStop(0, index),))
        case "tool-call-end":
            return NormalizedChunk((BlockStop(0, _call_key(index)),))
        case "citation-end":
            return EMPTY_CHUNK
        case "message-start":
            response = ResponseInfo(_word(event.id), None, _word(message.get("role")), True)
            return msgspec.structs.replace(_message(message), response=response)
        case "message-end":
            error = delta.get("error")
            return NormalizedChunk(
                finishes=_finishes(delta.get("finish_reason")),
                usage=_usage(delta.get("usage")),
                error=None if error is None else error_of(error if isinstance(error, dict) else {"message": error}),
                terminal="terminal",
            )
    return None


def _message(message: dict[str, Any]) -> NormalizedChunk:
    """Read a message that comes whole, or the empty one that opens a stream."""
    deltas: list[Delta] = list(_plan(message))
    notes: list[Note] = []
    for index, content in enumerate(_list(message.get("content"))):
        deltas += _content(content, index)
    for index, call in enumerate(_list(message.get("tool_calls"))):
        chunk = _calls(call, index)
        deltas += chunk.deltas
        notes += chunk.notes
    deltas += [CitationDelta(citation) for citation in _list(message.get("citations"))]
    return NormalizedChunk(tuple(deltas), notes=tuple(notes))


def _plan(message: dict[str, Any]) -> Iterable[Delta]:
    plan = message.get("tool_plan")
    if isinstance(plan, str) and plan:
        yield PlanDelta(plan)


def _content(content: Any, index: int | str | None) -> Iterable[Delta]:
    match content:
        case {"thinking": str(text)}:
            yield ThinkingDelta(text, 0, index)
        case {"text": str(text)} | str(text):
            yield TextDelta(text, 0, index)
        case {"type": kind}:
            yield UnknownDelta(str(kind), content, 0, index)


def _calls(calls: Any, index: int | str | None) -> NormalizedChunk:
    """Read fragments of a call; Cohere sends one without its list as well."""
    deltas: list[Delta] = []
    notes: list[Note] = []
    for call in calls if isinstance(calls, list) else [calls]:
        match call:
            case {"function": dict(function)}:
                text, odd = fragment_of(function.get("arguments"), "function.arguments", is_due=False)
                notes += odd
                ident, name = _word(call.get("id")), _word(function.get("name"))
                deltas.append(ToolCallDelta(text or None, index, ident, name, block=_call_key(index)))
            case _:
                notes.append(ill_typed("delta.message.tool_calls", call, "a call with its function"))
    return NormalizedChunk(tuple(deltas), notes=tuple(notes))


def _call_key(index: int | str | None) -> str | None:
    return None if index is None else f"call.{index}"


# -- v1 ---------------------------------------------------------------------------------------------------------------


def _read_v1(event: _Event) -> NormalizedChunk | None:
    match event.event_type:
        case "text-generation" if isinstance(event.text, str):
            return NormalizedChunk((TextDelta(event.text),))
        case "stream-start":
            return NormalizedChunk(response=ResponseInfo(_word(event.generation_id), None, "assistant", True))
        case "tool-calls-chunk":
            return _call_chunk(event)
        case "tool-calls-generation":
            calls = (_whole_call(call, index) for index, call in enumerate(_list(event.tool_calls)))
            return NormalizedChunk(tuple(call for call in calls if call is not None))
        case "citation-generation":
            return NormalizedChunk(tuple(CitationDelta(value) for value in _list(event.citations)))
        case "search-queries-generation":
            return NormalizedChunk((ToolResultDelta(event.search_queries, kind="search_queries"),))
        case "search-results":
            found = {"search_results": event.search_results, "documents": event.documents}
            return NormalizedChunk((ToolResultDelta(found, kind="search_results"),))
        case "stream-end":
            response = event.response if isinstance(event.response, dict) else {}
            reason = event.finish_reason or response.get("finish_reason")
            return msgspec.structs.replace(_answer_v1(response, reason), terminal="terminal")
        case "debug":
            return EMPTY_CHUNK
    return None


def _call_chunk(event: _Event) -> NormalizedChunk:
    deltas: tuple[Delta, ...] = (PlanDelta(event.text),) if isinstance(event.text, str) and event.text else ()
    call = event.tool_call_delta
    if isinstance(call, dict):
        text, notes = fragment_of(call.get("parameters"), "tool_call_delta.parameters", is_due=False)
        piece = ToolCallDelta(text, block_index(call.get("index")), None, _word(call.get("name")))
        return NormalizedChunk((*deltas, piece), notes=notes)
    return NormalizedChunk(deltas, notes=() if call is None else (ill_typed("tool_call_delta", call, "an object"),))


def _whole_call(call: Any, index: int) -> Delta | None:
    """Read a call as it is repeated whole: it stands where no pieces came."""
    if not isinstance(call, dict):
        return None
    parameters = call.get("parameters")
    text = parameters if isinstance(parameters, str) else _json(parameters if parameters is not None else {})
    return ToolCallDelta(text, index, None, _word(call.get("name")), seed=True)


def _answer_v1(response: dict[str, Any], reason: Any) -> NormalizedChunk:
    text = response.get("text")
    meta = response.get("meta")
    return NormalizedChunk(
        finishes=_finishes(reason),
        usage=_usage(meta) if isinstance(meta, dict) and ("tokens" in meta or "billed_units" in meta) else None,
        response=ResponseInfo(_word(response.get("generation_id")), None, "assistant"),
        answer=(TextDelta(text),) if isinstance(text, str) and text else (),
    )


# -- both -------------------------------------------------------------------------------------------------------------


def _whole_body(event: _Event) -> NormalizedChunk:
    note = Note("not-streamed", "one whole message instead of events")
    if isinstance(event.message, dict):
        return NormalizedChunk(
            (chunk := _message(event.message)).deltas,
            _finishes(event.finish_reason),
            _usage(event.usage),
            response=ResponseInfo(_word(event.id), None, _word(event.message.get("role"))),
            terminal="terminal",
            notes=(note, *chunk.notes),
        )
    answer = _answer_v1(
        {"text": event.text, "meta": event.meta, "generation_id": event.generation_id}, event.finish_reason
    )
    calls = (_whole_call(call, index) for index, call in enumerate(_list(event.tool_calls)))
    deltas = (*answer.answer, *(call for call in calls if call is not None))
    return msgspec.structs.replace(answer, deltas=deltas, answer=(), terminal="terminal", notes=(note,))


def _finishes(reason: Any) -> tuple[FinishReason, ...]:
    return () if reason is None else (finish_reason(reason),)


def _usage(usage: Any) -> UsageReport | None:
    return UsageReport(usage, COHERE) if isinstance(usage, dict) else None


def _list(value: Any) -> list[Any]:
    """Return a list; Cohere sends one value without its list as well."""
    return value if isinstance(value, list) else [] if value is None else [value]


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
