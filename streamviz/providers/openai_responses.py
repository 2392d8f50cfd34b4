"""The Responses API of OpenAI, and of those who speak it (Azure, Codex, OpenRouter, xAI, LM Studio, llama.cpp).

Source: https://platform.openai.com/docs/api-reference/responses-streaming. An answer is a list of items, found by
``output_index``, else by ``item_id``; a message or a reasoning item has parts. Each ``*.done`` event repeats a part
whole, and the last event repeats the whole answer.

Calls of functions and custom tools are the client's. Items of built-in tools, whoever runs them (``web_search_call``,
``mcp_call``, ``shell_call``, ``apply_patch_call`` …), are server tools, their results are tool results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Struct

from ..chunks import (
    EMPTY_CHUNK,
    CitationDelta,
    Delta,
    MediaDelta,
    NormalizedChunk,
    PathArgument,
    RefusalDelta,
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
from .decoding import block_index, decode_plain
from .errors import error_of, read_error
from .finish import finish_reason
from .usage_tables import OPENAI_RESPONSES
from .wrapper import JSONWrapper


class _Event(Struct, gc=False):
    type: Any = None
    delta: Any = None
    output_index: Any = None
    content_index: Any = None
    item_id: Any = None
    sequence_number: Any = None
    obfuscation: Any = None
    summary_index: Any = None
    command_index: Any = None
    partial_image_index: Any = None
    partial_image_b64: Any = None
    output_format: Any = None
    text: Any = None
    refusal: Any = None
    arguments: Any = None
    input: Any = None
    code: Any = None
    output: Any = None
    annotation: Any = None
    part: Any = None
    item: Any = None
    response: Any = None
    error: Any = None
    message: Any = None
    param: Any = None
    # a whole response, where the server ignored ``stream: true``
    object: Any = None
    id: Any = None
    model: Any = None
    status: Any = None
    incomplete_details: Any = None
    usage: Any = None


class OpenAIResponsesWrapper(JSONWrapper[_Event]):
    """Events of the Responses API."""

    dialect = "openai-responses"
    has_end_mark = True
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        kind = event.type
        number = event.sequence_number if type(event.sequence_number) is int else None
        if kind == "response.output_text.delta" and type(event.delta) is str:
            padding = len(event.obfuscation) if type(event.obfuscation) is str else 0
            delta = TextDelta(event.delta, 0, _part_key(event, event.content_index))
            return NormalizedChunk((delta,), sequence=number, padding=padding)
        if not isinstance(kind, str):
            if event.object == "response":
                return _whole_body(event)
            error = read_error(decode_plain(frame.data)[0])
            return NormalizedChunk(error=error) if error else _unknown(frame.event or "event without type", frame)
        chunk = _read(kind, event, frame)
        if number is None and event.obfuscation is None:
            return chunk
        padding = len(event.obfuscation) if isinstance(event.obfuscation, str) else 0
        return msgspec.structs.replace(chunk, sequence=number, padding=padding)


def _read(kind: str, event: _Event, frame: Frame) -> NormalizedChunk:
    """Return what an event means that is not the most frequent one."""
    stage = _STAGES.get(kind)
    if stage is not None:
        return stage(event)
    name = kind.removeprefix("response.")
    what, _, step = name.rpartition(".")
    if step in ("delta", "done", "added") and what in _PARTS:
        deltas = _PARTS[what](event, step)
        if deltas is None:
            return NormalizedChunk(notes=(Note("ill-typed", f"{kind}: nothing that can be read: {frame.text[:80]!r}"),))
        return NormalizedChunk(tuple(deltas))
    if step in _PROGRESS and what.endswith(("_call", "_tools")):
        return EMPTY_CHUNK
    return _unknown(kind, frame)


def _unknown(kind: str, frame: Frame) -> NormalizedChunk:
    return NormalizedChunk(notes=(Note("unknown-event", f"{kind!r:.80}: {frame.text[:80]!r}"),))


_PROGRESS = {"in_progress", "searching", "interpreting", "generating", "completed", "failed"}
"""How far a built-in tool is; the item itself tells what came of it."""


# -- the response as a whole ------------------------------------------------------------------------------------------


def _response(event: _Event) -> dict[str, Any]:
    return event.response if isinstance(event.response, dict) else {}


def _info(response: dict[str, Any], *, starts: bool = False) -> ResponseInfo | None:
    ident, model = _word(response.get("id")), _word(response.get("model"))
    return ResponseInfo(ident, model, "assistant" if ident or model else None, starts) if ident or model else None


def _created(event: _Event) -> NormalizedChunk:
    return NormalizedChunk(response=_info(_response(event), starts=True))


def _goes_on(event: _Event) -> NormalizedChunk:
    return NormalizedChunk(response=_info(_response(event)))


def _ended(event: _Event) -> NormalizedChunk:
    """Read a terminal event: status, usage, error, and the whole answer again."""
    response = _response(event)
    return _final(response, response.get("status"))


def _final(response: dict[str, Any], status: Any) -> NormalizedChunk:
    details = response.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else None
    if status == "incomplete" and isinstance(reason, str):
        status = f"incomplete:{reason}"
    usage, error = response.get("usage"), response.get("error")
    return NormalizedChunk(
        finishes=() if status is None else (finish_reason(status),),
        usage=UsageReport(_usage(response, usage), OPENAI_RESPONSES) if isinstance(usage, dict) else None,
        error=error_of(error) if isinstance(error, dict) else None,
        response=_info(response),
        terminal="terminal",
        answer=tuple(_output(response)),
    )


def _usage(response: dict[str, Any], usage: dict[str, Any]) -> dict[str, Any]:
    """Return the report with what stands beside it: the tier that served, and requests of built-in tools."""
    beside = {key: response[key] for key in ("service_tier", "tool_usage") if response.get(key)}
    return {**beside, **usage} if beside else usage


def _output(response: dict[str, Any]) -> Iterable[Delta]:
    output = response.get("output")
    for position, item in enumerate(output if isinstance(output, list) else ()):
        if isinstance(item, dict):
            yield from _item(item, position, done=True)


def _whole_body(event: _Event) -> NormalizedChunk:
    response = {
        name: getattr(event, name) for name in ("id", "model", "usage", "error", "output", "incomplete_details")
    }
    chunk = _final(response, event.status)
    note = Note("not-streamed", "one whole response instead of events")
    return msgspec.structs.replace(chunk, deltas=chunk.answer, answer=(), notes=(note,))


def _error(event: _Event) -> NormalizedChunk:
    if isinstance(event.error, dict):
        return NormalizedChunk(error=error_of(event.error))
    return NormalizedChunk(error=error_of({"message": event.message, "code": event.code, "param": event.param}))


def _nothing(event: _Event) -> NormalizedChunk:
    return EMPTY_CHUNK


_STAGES: dict[str, Callable[[_Event], NormalizedChunk]] = {
    "response.created": _created,
    "response.queued": _goes_on,
    "response.in_progress": _goes_on,
    "response.completed": _ended,
    "response.done": _ended,
    "response.incomplete": _ended,
    "response.failed": _ended,
    "response.cancelled": _ended,
    "error": _error,
    "response.error": _error,
    "keepalive": _nothing,
    "ping": _nothing,
}
"""Event → what it means, for those of the response as a whole."""


# -- items ------------------------------------------------------------------------------------------------------------


def _item_event(event: _Event, step: str) -> list[Delta] | None:
    if not isinstance(event.item, dict):
        return None
    index = block_index(event.output_index)
    return list(_item(event.item, _word(event.item.get("id")) if index is None else index, done=step == "done"))


def _item(item: dict[str, Any], index: int | str | None, *, done: bool) -> Iterable[Delta]:
    """Read an item as it opens, or as it is when it is complete."""
    kind = item.get("type")
    match kind:
        case "message" | "reasoning":
            return _parts_of(item, index, done=done)
        case "function_call":
            return _call(item, index, "arguments", done=done)
        case "custom_tool_call":
            return _call(item, index, "input", done=done, custom=True)
        case "mcp_call" | "mcp_approval_request":
            return _call(item, index, "arguments", done=done, server=True)
        case "code_interpreter_call" | "program":
            return _call(item, index, "code", done=done, server=True, custom=True)
        case "image_generation_call":
            return _image(item, index, done=done)
        case "compaction" | "mcp_list_tools":
            return [ToolResultDelta(item, _word(item.get("id")), kind, 0, index)] if done else []
        case str() if kind.endswith("_output"):
            result = next((item[field] for field in ("output", "result", "tools") if field in item), item)
            call = _word(item.get("call_id")) or _word(item.get("id"))
            return [ToolResultDelta(result, call, kind, 0, index, snapshot=True)] if done else []
        case str() if kind.endswith("_call"):
            return _built_in(item, index, kind, done=done)
    return [UnknownDelta(str(kind), item, 0, index)] if done else []


def _parts_of(item: dict[str, Any], index: int | str | None, *, done: bool) -> Iterable[Delta]:
    content, summary = _list(item.get("content")), _list(item.get("summary"))
    if not done and not content and not summary:
        return
    for position, part in enumerate(summary):
        yield from _part(part, _key(index, f"s{position}"), snapshot=True, summary=True)
    for position, part in enumerate(content):
        yield from _part(part, _key(index, position), snapshot=True)
    if done and isinstance(encrypted := item.get("encrypted_content"), str) and encrypted:
        yield ThinkingDelta("", 0, _key(index, "s0" if summary or not content else 0), redacted=encrypted)


def _part(part: Any, key: str | None, *, snapshot: bool, summary: bool = False) -> Iterable[Delta]:
    """Read a part: its text so far, or the whole of it."""
    if not isinstance(part, dict):
        return
    match part.get("type"):
        case "output_text" | "text" | "input_text":
            yield TextDelta(_string(part.get("text")), 0, key, snapshot)
            for annotation in _list(part.get("annotations")):
                yield CitationDelta(annotation, 0, key, snapshot=True)
        case "refusal":
            yield RefusalDelta(_string(part.get("refusal")), 0, key, snapshot)
        case "summary_text" | "reasoning_text":
            summary = summary or part["type"] == "summary_text"
            yield ThinkingDelta(_string(part.get("text")), 0, key, snapshot, summary=summary)
        case kind:
            yield UnknownDelta(str(kind), part, 0, key)


def _call(
    item: dict[str, Any],
    index: int | str | None,
    field: str,
    *,
    done: bool,
    server: bool = False,
    custom: bool = False,
) -> Iterable[Delta]:
    """Read a call with one text of arguments."""
    arguments = item.get(field)
    text = arguments if isinstance(arguments, str) else "" if arguments is None else _json(arguments)
    kind = str(item.get("type"))
    yield _call_delta(item, index, text, kind, done=done, server=server, custom=custom)
    yield from _results(item, index, kind, ("output", "outputs", "error"), done=done)


def _built_in(item: dict[str, Any], index: int | str | None, kind: str, *, done: bool) -> Iterable[Delta]:
    """Read a call of a built-in tool: what it was given are the members that say what to do."""
    given = {field: item[field] for field in _GIVEN if item.get(field) is not None}
    if len(given) == 1 and isinstance(value := next(iter(given.values())), dict):
        given = value
    yield _call_delta(item, index, _json(given) if given and done else "", kind, done=done, server=True)
    yield from _results(item, index, kind, ("results",), done=done)


_GIVEN = ("action", "actions", "operation", "queries", "arguments")


def _call_delta(
    item: dict[str, Any],
    index: int | str | None,
    text: str,
    kind: str,
    *,
    done: bool,
    server: bool,
    custom: bool = False,
) -> ToolCallDelta:
    own = _word(item.get("id"))
    return ToolCallDelta(
        text or None,
        index,
        _word(item.get("call_id")) or own,
        _word(item.get("name")) or (kind.removesuffix("_call") if server else None),
        block=index,
        seed=bool(text) and not done,
        last=done,
        server=server,
        custom=custom,
        snapshot=bool(text) and done,
        item_id=own,
    )


def _results(
    item: dict[str, Any], index: int | str | None, kind: str, fields: Iterable[str], *, done: bool
) -> Iterable[Delta]:
    result = next((item[field] for field in fields if item.get(field) is not None), None)
    if done and result is not None:
        call = _word(item.get("call_id")) or _word(item.get("id"))
        yield ToolResultDelta(result, call, kind, 0, _key(index, "result"), snapshot=True)


def _image(item: dict[str, Any], index: int | str | None, *, done: bool) -> Iterable[Delta]:
    yield _call_delta(item, index, "", "image_generation_call", done=done, server=True)
    if done and isinstance(item.get("result"), str):
        meta = {key: value for key, value in item.items() if key not in ("result", "type")}
        yield MediaDelta(item["result"], _mime_type(item.get("output_format")), meta=meta, block=_key(index, "image"))


def _mime_type(word: Any) -> str:
    return f"image/{word}" if isinstance(word, str) else "image/png"


# -- parts ------------------------------------------------------------------------------------------------------------


def _text(event: _Event, step: str) -> list[Delta] | None:
    whole = step == "done"
    text = event.text if whole else event.delta
    return [TextDelta(text, 0, _part_key(event, event.content_index), whole)] if isinstance(text, str) else None


def _refusal(event: _Event, step: str) -> list[Delta] | None:
    whole = step == "done"
    text = event.refusal if whole else event.delta
    return [RefusalDelta(text, 0, _part_key(event, event.content_index), whole)] if isinstance(text, str) else None


def _reasoning(event: _Event, step: str) -> list[Delta] | None:
    whole = step == "done"
    text = event.text if whole else event.delta
    if isinstance(text, dict):  # an earlier form of the event
        text = text.get("text")
    key = _part_key(event, event.content_index)
    return [ThinkingDelta(text, 0, key, whole)] if isinstance(text, str) else None


def _summary(event: _Event, step: str) -> list[Delta] | None:
    whole = step == "done"
    text = event.text if whole else event.delta
    key = _part_key(event, f"s{_number(event.summary_index)}")
    return [ThinkingDelta(text, 0, key, whole, summary=True)] if isinstance(text, str) else None


def _content_part(event: _Event, step: str) -> list[Delta] | None:
    return list(_part(event.part, _part_key(event, event.content_index), snapshot=step == "done"))


def _summary_part(event: _Event, step: str) -> list[Delta] | None:
    key = _part_key(event, f"s{_number(event.summary_index)}")
    return list(_part(event.part, key, snapshot=step == "done", summary=True))


def _annotation(event: _Event, step: str) -> list[Delta] | None:
    return [CitationDelta(event.annotation, 0, _part_key(event, event.content_index))]


def _arguments(
    field: str, *, server: bool = False, custom: bool = False
) -> Callable[[_Event, str], list[Delta] | None]:
    """Return the reader of a call's text: its pieces, and the whole of it."""

    def read(event: _Event, step: str) -> list[Delta] | None:
        whole = step == "done"
        text = getattr(event, field) if whole else event.delta
        if not isinstance(text, str):
            return None
        index, item = block_index(event.output_index), _word(event.item_id)
        return [
            ToolCallDelta(
                text or None,
                index,
                block=index,
                snapshot=whole and bool(text),
                server=server,
                custom=custom,
                item_id=item,
            )
        ]

    return read


def _growing(path: str) -> Callable[[_Event, str], list[Delta] | None]:
    """Return the reader of a text inside the arguments of a built-in tool; the item repeats it whole."""

    def read(event: _Event, step: str) -> list[Delta] | None:
        index, item = block_index(event.output_index), _word(event.item_id)
        if step != "delta" or not isinstance(event.delta, str):
            return []
        piece = PathArgument(path.format(_number(event.command_index)), event.delta, more=True)
        return [ToolCallDelta(index=index, block=index, paths=(piece,), server=True, item_id=item)]

    return read


def _shell_output(event: _Event, step: str) -> list[Delta] | None:
    value = event.delta if step == "delta" else event.output
    key = block_index(event.output_index)
    return [ToolResultDelta(value, _word(event.item_id), "shell_call_output", 0, key, snapshot=step == "done")]


def _partial_image(event: _Event) -> NormalizedChunk:
    """Read a preview of an image: each is a picture of its own."""
    if not isinstance(event.partial_image_b64, str):
        return EMPTY_CHUNK
    number = _number(event.partial_image_index)
    meta = {"partial_image_index": number, "item_id": event.item_id}
    key = _part_key(event, f"partial{number}")
    return NormalizedChunk(
        (MediaDelta(event.partial_image_b64, _mime_type(event.output_format), meta=meta, block=key),)
    )


_STAGES["response.image_generation_call.partial_image"] = _partial_image
_PARTS: dict[str, Callable[[_Event, str], list[Delta] | None]] = {
    "output_item": _item_event,
    "content_part": _content_part,
    "output_text": _text,
    "output_text.annotation": _annotation,
    "refusal": _refusal,
    "reasoning": _reasoning,
    "reasoning_text": _reasoning,
    "reasoning_summary": _summary,
    "reasoning_summary_text": _summary,
    "reasoning_summary_part": _summary_part,
    "function_call_arguments": _arguments("arguments"),
    "mcp_call_arguments": _arguments("arguments", server=True),
    "mcp_call.arguments": _arguments("arguments", server=True),
    "custom_tool_call_input": _arguments("input", custom=True),
    "code_interpreter_call_code": _arguments("code", server=True, custom=True),
    "code_interpreter_call.code": _arguments("code", server=True, custom=True),
    "shell_call_command": _growing("$.commands[{}]"),
    "apply_patch_call_operation_diff": _growing("$.diff"),
    "shell_call_output_content": _shell_output,
}
"""What grows → its reader; the last word of the event says ``added``, ``delta`` or ``done``."""


# -- small things -----------------------------------------------------------------------------------------------------


def _part_key(event: _Event, part: Any) -> str | None:
    """Name a part by its item and its number in it."""
    index = event.output_index
    if type(index) is not int:
        index = block_index(index)
        index = _word(event.item_id) if index is None else index
    return None if index is None else f"{index}.{0 if part is None else part}"


def _key(index: int | str | None, part: int | str) -> str | None:
    return None if index is None else f"{index}.{part}"


def _number(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
