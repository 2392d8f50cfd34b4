"""Google's Interactions API.

Source: https://ai.google.dev/gemini-api/docs/interactions. An answer is a list of steps (``step.start``,
``step.delta``, ``step.stop``), found by ``index``; the first version of the API calls them contents and has the same
events under that name. Calls of functions are the client's, all other calls the vendor runs itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from ..chunks import (
    BlockStop,
    CitationDelta,
    Delta,
    MediaDelta,
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
from .decoding import block_index, decode_plain, fragment_of, ill_typed
from .errors import error_of, read_error
from .finish import finish_reason
from .usage_tables import GOOGLE_INTERACTIONS
from .wrapper import JSONWrapper


class _Event(Struct, gc=False):
    event_type: Any = None
    index: Any = None
    delta: Any = None
    step: Any = None
    content: Any = None
    interaction: Any = None
    interaction_id: Any = None
    status: Any = None
    error: Any = None
    # a whole interaction, where the server ignored ``stream: true``
    object: Any = None
    id: Any = None
    model: Any = None
    steps: Any = None
    outputs: Any = None
    usage: Any = None


class GoogleInteractionsWrapper(JSONWrapper[_Event]):
    """Events of the Interactions API."""

    dialect = "google-interactions"
    has_end_mark = True
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        kind = event.event_type
        match kind:
            case "step.delta" | "content.delta":
                return NormalizedChunk(tuple(_delta(event.delta, block_index(event.index))), notes=_unread(event.delta))
            case "step.start" | "content.start":
                opened = event.step if isinstance(event.step, dict) else event.content
                return NormalizedChunk(tuple(_step(opened, block_index(event.index), opens=True)))
            case "step.stop" | "content.stop":
                return NormalizedChunk((BlockStop(0, block_index(event.index)),))
            case "interaction.created" | "interaction.start":
                return NormalizedChunk(response=_info(event.interaction, starts=True))
            case "interaction.status_update" | "interaction.in_progress":
                return NormalizedChunk(response=_info({"id": event.interaction_id}))
            case "interaction.completed" | "interaction.complete" | "interaction.failed" | "interaction.cancelled":
                return _ended(event.interaction if isinstance(event.interaction, dict) else {})
            case None if event.object == "interaction" or event.outputs is not None or event.steps is not None:
                return _whole_body(event)
        if isinstance(event.error, dict):
            return NormalizedChunk(error=error_of(event.error))
        error = read_error(decode_plain(frame.data)[0])
        if error is not None:
            return NormalizedChunk(error=error)
        name = kind if isinstance(kind, str) else frame.event or "event without type"
        return NormalizedChunk(notes=(Note("unknown-event", f"{name!r:.80}: {frame.text[:80]!r}"),))


def _info(interaction: Any, *, starts: bool = False) -> ResponseInfo | None:
    if not isinstance(interaction, dict):
        return None
    ident, model = _word(interaction.get("id")), _word(interaction.get("model"))
    return ResponseInfo(ident, model, "model" if starts else None, starts) if ident or model else None


def _ended(interaction: dict[str, Any]) -> NormalizedChunk:
    status, usage, error = interaction.get("status"), interaction.get("usage"), interaction.get("error")
    steps = interaction.get("steps") or interaction.get("outputs")
    return NormalizedChunk(
        finishes=() if status is None else (finish_reason(status),),
        usage=UsageReport(_usage(interaction, usage), GOOGLE_INTERACTIONS) if isinstance(usage, dict) else None,
        error=error_of(error) if isinstance(error, dict) else None,
        response=_info(interaction),
        terminal="terminal",
        answer=tuple(_steps(steps)),
    )


def _usage(interaction: dict[str, Any], usage: dict[str, Any]) -> dict[str, Any]:
    tier = interaction.get("service_tier")
    return {"service_tier": tier, **usage} if tier else usage


def _whole_body(event: _Event) -> NormalizedChunk:
    chunk = _ended({name: getattr(event, name) for name in ("id", "model", "status", "usage", "error")})
    steps = event.steps if event.steps is not None else event.outputs
    note = Note("not-streamed", "one whole interaction instead of events")
    return NormalizedChunk(
        tuple(_steps(steps)), chunk.finishes, chunk.usage, chunk.error, chunk.response, "terminal", (note,)
    )


def _steps(steps: Any) -> Iterable[Delta]:
    for index, step in enumerate(steps if isinstance(steps, list) else ()):
        yield from _step(step, index, opens=False)


def _step(step: Any, index: int | str | None, *, opens: bool) -> Iterable[Delta]:
    """Read a step as it opens, or whole."""
    if not isinstance(step, dict):
        return
    match kind := step.get("type"):
        case "thought":
            if signature := _word(step.get("signature")):
                yield ThinkingDelta("", 0, index, signature=signature)
            for part in _list(step.get("summary")):
                yield from _thought(part, index)
        case "model_output":
            for part in _list(step.get("content")):
                yield from _delta(part, index)
        case "user_input":
            return
        case str() if kind.endswith("_call"):
            yield _call(step, index, kind, seed=opens)
        case str() if kind.endswith("_result"):
            result = step.get("result", step)
            if result or not opens:
                yield ToolResultDelta(result, _word(step.get("call_id")), kind, 0, index)
        case _:
            yield from _delta(step, index)


def _delta(delta: Any, index: int | str | None) -> Iterable[Delta]:
    """Read a piece of a step."""
    if not isinstance(delta, dict):
        return
    match kind := delta.get("type"):
        case "text":
            yield TextDelta(_string(delta.get("text")), 0, index)
            yield from (CitationDelta(value, 0, index) for value in _list(delta.get("annotations")))
        case "text_annotation":
            values = delta.get("annotations", delta.get("annotation"))
            yield from (CitationDelta(value, 0, index) for value in _list(values))
        case "thought_summary":
            yield from _thought(delta.get("content", delta), index)
        case "thought_signature":
            yield ThinkingDelta("", 0, index, signature=_word(delta.get("signature")))
        case "thought":
            if text := _word(delta.get("thought")):
                yield ThinkingDelta(text, 0, index)
            if signature := _word(delta.get("signature")):
                yield ThinkingDelta("", 0, index, signature=signature)
        case "arguments_delta":
            text, _ = fragment_of(delta.get("arguments"), "delta.arguments")
            yield ToolCallDelta(text or None, index, block=index)
        case "image" | "audio" | "video" | "document":
            yield _media(delta, index)
        case str() if kind.endswith("_call"):
            yield _call(delta, index, kind, seed=False)
        case str() if kind.endswith("_result"):
            yield ToolResultDelta(delta.get("result", delta), _word(delta.get("call_id")), kind, 0, index)
        case _:
            yield UnknownDelta(str(kind), delta, 0, index)


def _unread(delta: Any) -> tuple[Note, ...]:
    """Say of a piece that it is none, or is a piece of arguments without its text."""
    match delta:
        case {"type": "arguments_delta"}:
            return fragment_of(delta.get("arguments"), "delta.arguments")[1]
        case dict():
            return ()
    return (ill_typed("delta", delta, "an object"),)


def _media(delta: dict[str, Any], index: int | str | None) -> MediaDelta:
    meta = {key: value for key, value in delta.items() if key not in ("type", "data", "mime_type")}
    return MediaDelta(_string(delta.get("data")), _word(delta.get("mime_type")), meta=meta or None, block=index)


def _thought(part: Any, index: int | str | None) -> Iterable[Delta]:
    """Read a piece of a summary of the reasoning."""
    match part:
        case {"text": str(text)} | str(text):
            yield ThinkingDelta(text, 0, index, summary=True)
        case {"type": "image"}:
            yield _media(part, index)
        case dict():
            yield UnknownDelta(f"thought_summary of {part.get('type')}", part, 0, index)


def _call(call: dict[str, Any], index: int | str | None, kind: str, *, seed: bool) -> ToolCallDelta:
    arguments = _arguments(call)
    if arguments == "{}" and seed:
        arguments = ""  # the placeholder: pieces follow, or the call has no arguments
    name = _word(call.get("name")) or (None if kind == "function_call" else kind.removesuffix("_call"))
    return ToolCallDelta(
        arguments or None,
        index,
        _word(call.get("id")),
        name,
        block=index,
        seed=seed and bool(arguments),
        whole=not seed and not isinstance(call.get("arguments"), str),
        server=kind != "function_call",
        signature=_word(call.get("signature")),
    )


def _arguments(call: dict[str, Any]) -> str:
    arguments = call.get("arguments")
    if arguments is None or isinstance(arguments, str):
        return arguments or ""
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]
