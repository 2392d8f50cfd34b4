"""Ollama: ``/api/chat`` and ``/api/generate``, one JSON object a line.

Source: https://github.com/ollama/ollama/blob/main/docs/api.md. Tool calls come whole, their arguments as objects; the
line with ``done`` has the counts, and durations in nanoseconds.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from ..chunks import (
    Delta,
    MediaDelta,
    NormalizedChunk,
    ResponseInfo,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import decode_plain
from .errors import read_error
from .finish import finish_reason
from .usage_tables import OLLAMA
from .wrapper import JSONWrapper


class _Function(Struct, gc=False):
    name: Any = None
    arguments: msgspec.Raw = msgspec.Raw()


class _Call(Struct, gc=False):
    id: Any = None
    function: _Function | None = None


class _Message(Struct, gc=False):
    role: Any = None
    content: Any = None
    thinking: Any = None
    images: Any = None
    tool_calls: list[_Call] | None = None


class _Line(Struct, gc=False):
    model: Any = None
    message: _Message | None = None
    response: Any = None
    thinking: Any = None
    image: Any = None
    done: Any = None
    done_reason: Any = None
    error: Any = None
    total_duration: Any = None
    load_duration: Any = None
    prompt_eval_count: Any = None
    prompt_eval_duration: Any = None
    eval_count: Any = None
    eval_duration: Any = None


_COUNTS = (
    "prompt_eval_count",
    "eval_count",
    "total_duration",
    "load_duration",
    "prompt_eval_duration",
    "eval_duration",
)


class OllamaWrapper(JSONWrapper[_Line]):
    """Lines of Ollama's own API."""

    dialect = "ollama"
    has_end_mark = True
    framings = ("json-lines", "body", "sse")
    event_type = _Line

    def __init__(self) -> None:
        super().__init__()
        self._response = ResponseInfo()  # equal values share one object: every line repeats the model

    def read(self, event: _Line, frame: Frame) -> NormalizedChunk:
        message = event.message
        deltas: list[Delta] = []
        if message is None:
            message = _Message(content=event.response, thinking=event.thinking)
            if isinstance(event.image, str):
                deltas.append(MediaDelta(event.image))
        if isinstance(message.thinking, str) and message.thinking:
            deltas.append(ThinkingDelta(message.thinking))
        if isinstance(message.content, str) and message.content:
            deltas.append(TextDelta(message.content))
        images = message.images if isinstance(message.images, list) else ()
        deltas += [MediaDelta(image) for image in images if isinstance(image, str)]
        deltas += [_call(call) for call in message.tool_calls or ()]
        error = None
        notes: tuple[Note, ...] = ()
        if event.error is not None or (event.done is None and not deltas and event.message is None):
            error = read_error(decode_plain(frame.data)[0])
            if error is None:
                notes = (Note("unknown-event", f"no message, no response: {frame.text[:80]!r}"),)
        finished = event.done is True
        return NormalizedChunk(
            tuple(deltas),
            (finish_reason(event.done_reason),) if finished and event.done_reason else (),
            _usage(event) if finished else None,
            error,
            self._info(event.model, message.role),
            "terminal" if finished else None,
            notes,
        )

    def _info(self, model: Any, role: Any) -> ResponseInfo | None:
        response = self._response
        if response.model != model or response.role != role:
            model, role = (value if isinstance(value, str) and value else None for value in (model, role))
            response = self._response = ResponseInfo(None, model, role)
        return response if response.model or response.role else None


def _call(call: _Call) -> ToolCallDelta:
    function = call.function or _Function()
    arguments = bytes(function.arguments).decode("utf-8", "replace")
    if arguments.startswith('"'):  # a text where an object is due
        plain = decode_plain(arguments.encode())[0]
        arguments = plain if isinstance(plain, str) else arguments
    ident, name = (value if isinstance(value, str) and value else None for value in (call.id, function.name))
    return ToolCallDelta(arguments, None, ident, name, whole=True)


def _usage(event: _Line) -> UsageReport | None:
    raw = {name: getattr(event, name) for name in _COUNTS if getattr(event, name) is not None}
    return UsageReport(raw, OLLAMA) if raw else None
