"""The UI message stream of the AI SDK: what a browser gets from an application built with it.

Source: https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol. Parts are found by ``id``, calls by ``toolCallId``. Data of
the application itself (``data-*``, metadata) is told in notes, not shown as an answer.

The protocol before that (https://v4.ai-sdk.dev/docs/ai-sdk-ui/stream-protocol) is a line a part: a digit or letter that
tells what it is, a colon, and JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any

from msgspec import Struct

from ..chunks import (
    EMPTY_CHUNK,
    BlockStop,
    CitationDelta,
    Delta,
    MediaDelta,
    NormalizedChunk,
    ResponseInfo,
    StreamError,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import NOTHING, decode_plain, ill_typed
from .errors import read_error
from .finish import finish_reason
from .usage_tables import AI_SDK
from .wrapper import JSONWrapper, with_notes

LETTERED_LINE = re.compile(rb"([0-9a-k]):(?=[^\s])")


class _Part(Struct, gc=False):
    type: Any = None
    id: Any = None
    delta: Any = None
    errorText: Any = None  # noqa: N815 - the vendor's names
    toolCallId: Any = None  # noqa: N815
    toolName: Any = None  # noqa: N815
    inputTextDelta: Any = None  # noqa: N815
    input: Any = None
    output: Any = None
    providerExecuted: Any = None  # noqa: N815
    url: Any = None
    mediaType: Any = None  # noqa: N815
    data: Any = None
    messageId: Any = None  # noqa: N815
    finishReason: Any = None  # noqa: N815
    reason: Any = None


class AISDKUIWrapper(JSONWrapper[_Part]):
    """Parts of a UI message stream."""

    dialect = "ai-sdk-ui"
    has_end_mark = True
    framings = ("sse", "json-lines")
    event_type = _Part

    def normalize_plain(self, frame: Frame) -> NormalizedChunk:
        line = LETTERED_LINE.match(frame.data)
        if line is None:
            return super().normalize_plain(frame)
        value, notes = decode_plain(frame.data[line.end() :])
        return (
            NormalizedChunk(notes=notes)
            if value is NOTHING
            else with_notes(_line(line[1].decode(), value, frame), notes)
        )

    def read(self, event: _Part, frame: Frame) -> NormalizedChunk:
        kind = event.type
        if kind == "text-delta" and type(event.delta) is str:
            return NormalizedChunk((TextDelta(event.delta, 0, _word(event.id)),))
        if not isinstance(kind, str):
            error = read_error(decode_plain(frame.data)[0])
            return NormalizedChunk(error=error) if error else _unknown(frame)
        deltas = _deltas(kind, event, frame)
        if deltas is not None:
            return NormalizedChunk(tuple(deltas))
        return _stage(kind, event, frame)


def _deltas(kind: str, event: _Part, frame: Frame) -> list[Delta] | None:
    """Return what a part adds to the answer; None where it is about the stream."""
    call = _word(event.toolCallId)
    match kind:
        case "text-start":
            return [TextDelta("", 0, _word(event.id))]
        case "reasoning-start":
            return [ThinkingDelta("", 0, _word(event.id))]
        case "reasoning-delta" if isinstance(event.delta, str):
            return [ThinkingDelta(event.delta, 0, _word(event.id))]
        case "text-end" | "reasoning-end":
            return [BlockStop(0, _word(event.id))]
        case "tool-input-start":
            return [_call(event)]
        case "tool-input-delta" if isinstance(event.inputTextDelta, str):
            return [_call(event, event.inputTextDelta)]
        case "tool-input-available":
            return [_call(event, _json(event.input), seed=True, last=True)]
        case "tool-input-error":
            error = ToolResultDelta(event.errorText, call, "tool-input-error")
            return [_call(event, _json(event.input), seed=True, last=True), error]
        case "tool-output-available":
            return [ToolResultDelta(event.output, call, kind, 0, f"{call}.result", snapshot=True)]
        case "tool-output-error":
            return [ToolResultDelta(event.errorText, call, kind, 0, f"{call}.result", snapshot=True)]
        case "source-url" | "source-document":
            return [CitationDelta(decode_plain(frame.data)[0])]
        case "file":
            return [_file(event)]
    return None


def _line(letter: str, value: Any, frame: Frame) -> NormalizedChunk:
    """Read a line of the older protocol."""
    match letter, value:
        case "0", str():
            return NormalizedChunk((TextDelta(value),))
        case "g", str():
            return NormalizedChunk((ThinkingDelta(value),))
        case "i", {"data": str(data)}:
            return NormalizedChunk((ThinkingDelta(redacted=data),))
        case "j", {"signature": str(signature)}:
            return NormalizedChunk((ThinkingDelta(signature=signature),))
        case "b", {"toolCallId": ident, "toolName": name}:
            return NormalizedChunk((ToolCallDelta(None, None, _word(ident), _word(name)),))
        case "c", {"toolCallId": ident, "argsTextDelta": str(text)}:
            return NormalizedChunk((ToolCallDelta(text or None, None, _word(ident)),))
        case "9", {"toolCallId": ident, "toolName": name}:
            whole = ToolCallDelta(_json(value.get("args")), None, _word(ident), _word(name), seed=True, last=True)
            return NormalizedChunk((whole,))
        case "b" | "c" | "9", _:
            return NormalizedChunk(notes=(ill_typed(letter, value, "a call or a piece of one"),))
        case "a", {"toolCallId": ident, "result": result}:
            return NormalizedChunk((ToolResultDelta(result, _word(ident)),))
        case "h", _:
            return NormalizedChunk((CitationDelta(value),))
        case "k", {"data": str(data)}:
            return NormalizedChunk((MediaDelta(data, _word(value.get("mimeType"))),))
        case "3", _:
            return NormalizedChunk(error=StreamError(_json(value), raw=value))
        case "f", dict():
            return NormalizedChunk(response=ResponseInfo(_word(value.get("messageId")), None, "assistant"))
        case "d" | "e", dict():
            usage = value.get("usage")
            report = UsageReport(usage, AI_SDK) if isinstance(usage, dict) and letter == "d" else None
            reason = value.get("finishReason") if letter == "d" else None
            finishes = () if reason is None else (finish_reason(reason),)
            return NormalizedChunk(finishes=finishes, usage=report, terminal="terminal" if letter == "d" else None)
        case "2" | "8", _:
            return NormalizedChunk(notes=(_app_data(letter, frame),))
    return _unknown(frame)


def _call(event: _Part, arguments: str | None = None, *, seed: bool = False, last: bool = False) -> ToolCallDelta:
    return ToolCallDelta(
        arguments,
        None,
        _word(event.toolCallId),
        _word(event.toolName),
        seed=seed,
        last=last,
        server=event.providerExecuted is True,
    )


def _file(event: _Part) -> Delta:
    """Read a file; one that is sent in its address is base64."""
    url, media_type = event.url if isinstance(event.url, str) else "", _word(event.mediaType)
    head, found, data = url.partition(";base64,")
    if found and head.startswith("data:"):
        return MediaDelta(data, media_type or head[5:] or None)
    return MediaDelta("", media_type, meta={"url": url})


def _stage(kind: str, event: _Part, frame: Frame) -> NormalizedChunk:
    """Read what is about the stream."""
    match kind:
        case "start":
            return NormalizedChunk(response=ResponseInfo(_word(event.messageId), None, "assistant", True))
        case "finish":
            finishes = () if event.finishReason is None else (finish_reason(event.finishReason),)
            return NormalizedChunk(finishes=finishes, terminal="terminal")
        case "error":
            text = event.errorText if isinstance(event.errorText, str) else _json(event.errorText)
            return NormalizedChunk(error=StreamError(text, raw=decode_plain(frame.data)[0]))
        case "abort":
            reason = event.reason if isinstance(event.reason, str) else "no reason given"
            return NormalizedChunk(notes=(Note("stream-aborted", f"the application stopped it: {reason:.200}"),))
        case "tool-input-delta":
            return NormalizedChunk(notes=(ill_typed("inputTextDelta", event.inputTextDelta, "a string"),))
        case "start-step" | "finish-step":
            return EMPTY_CHUNK
        case "message-metadata" | "tool-approval-request" | "tool-output-denied":
            return NormalizedChunk(notes=(_app_data(kind, frame),))
        case _ if kind.startswith("data-"):
            return NormalizedChunk(notes=(_app_data(kind, frame),))
    return _unknown(frame)


def _app_data(kind: str, frame: Frame) -> Note:
    return Note("app-data", f"{kind:.80}: {frame.text[:200]}")


def _unknown(frame: Frame) -> NormalizedChunk:
    return NormalizedChunk(notes=(Note("unknown-event", f"{frame.text[:80]!r}"),))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _json(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
