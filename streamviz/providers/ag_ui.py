"""AG-UI: the events between an agent and the page that shows it.

Source: https://docs.ag-ui.com/concepts/events. Messages are found by ``messageId``, calls by ``toolCallId``. State,
activities and whatever the agent passes through are told in notes, not shown as an answer.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..chunks import (
    EMPTY_CHUNK,
    BlockStop,
    Delta,
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
from .decoding import decode_plain, fragment_of
from .errors import read_error
from .finish import finish_reason
from .usage_tables import AG_UI
from .wrapper import JSONWrapper


class _Event(Struct, gc=False):
    type: Any = None
    delta: Any = None
    messageId: Any = None  # noqa: N815 - the vendor's names
    toolCallId: Any = None  # noqa: N815
    toolCallName: Any = None  # noqa: N815
    role: Any = None
    content: Any = None
    runId: Any = None  # noqa: N815
    message: Any = None
    code: Any = None
    outcome: Any = None
    usage: Any = None
    entityId: Any = None  # noqa: N815
    encryptedValue: Any = None  # noqa: N815


class AGUIWrapper(JSONWrapper[_Event]):
    """Events of the AG-UI protocol."""

    dialect = "ag-ui"
    has_end_mark = True
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        kind = event.type
        if not isinstance(kind, str):
            error = read_error(decode_plain(frame.data)[0])
            return NormalizedChunk(error=error) if error else _unknown(frame)
        deltas = _deltas(kind, event)
        if deltas is None:
            return _stage(kind, event, frame)
        is_piece = kind in ("TOOL_CALL_ARGS", "TOOL_CALL_CHUNK")
        notes = fragment_of(event.delta, "delta", is_due=kind == "TOOL_CALL_ARGS")[1] if is_piece else ()
        return NormalizedChunk(tuple(deltas), notes=notes)


def _deltas(kind: str, event: _Event) -> list[Delta] | None:
    """Return what an event adds to the answer; None where it is about the run."""
    key, text = _word(event.messageId), event.delta if isinstance(event.delta, str) else ""
    match kind:
        case "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK" | "TEXT_MESSAGE_START":
            return [TextDelta(text, 0, key)]
        case (
            "REASONING_MESSAGE_CONTENT"
            | "REASONING_MESSAGE_CHUNK"
            | "REASONING_MESSAGE_START"
            | "THINKING_TEXT_MESSAGE_CONTENT"
            | "THINKING_TEXT_MESSAGE_START"
        ):
            return [ThinkingDelta(text, 0, key)]
        case "TEXT_MESSAGE_END" | "REASONING_MESSAGE_END" | "THINKING_TEXT_MESSAGE_END":
            return [BlockStop(0, key)]
        case "REASONING_ENCRYPTED_VALUE":
            return [ThinkingDelta("", 0, _word(event.entityId), redacted=_word(event.encryptedValue))]
        case "TOOL_CALL_START" | "TOOL_CALL_ARGS" | "TOOL_CALL_CHUNK":
            piece = fragment_of(event.delta, "delta")[0]
            return [ToolCallDelta(piece or None, None, _word(event.toolCallId), _word(event.toolCallName))]
        case "TOOL_CALL_END":
            return [ToolCallDelta(None, None, _word(event.toolCallId), last=True)]
        case "TOOL_CALL_RESULT":
            return [ToolResultDelta(event.content, _word(event.toolCallId))]
    return None


_QUIET = {"STEP_STARTED", "STEP_FINISHED", "REASONING_START", "REASONING_END", "THINKING_START", "THINKING_END"}
_APP_DATA = ("STATE_", "MESSAGES_", "ACTIVITY_", "SUBAGENT_", "RAW", "CUSTOM")


def _stage(kind: str, event: _Event, frame: Frame) -> NormalizedChunk:
    """Read what is about the run."""
    if kind in _QUIET:
        return EMPTY_CHUNK
    if kind.startswith(_APP_DATA):
        return NormalizedChunk(notes=(Note("app-data", f"{kind:.80}: {frame.text[:200]}"),))
    usage = UsageReport(event.usage, AG_UI) if isinstance(event.usage, dict) else None
    match kind:
        case "RUN_STARTED":
            return NormalizedChunk(response=ResponseInfo(_word(event.runId), None, "assistant", True))
        case "RUN_FINISHED":
            outcome = event.outcome.get("type") if isinstance(event.outcome, dict) else event.outcome
            finishes = () if not isinstance(outcome, str) else (finish_reason(outcome),)
            return NormalizedChunk(finishes=finishes, usage=usage, terminal="terminal")
        case "RUN_ERROR":
            message = event.message if isinstance(event.message, str) else ""
            code = event.code if isinstance(event.code, str | int) else None
            raw = decode_plain(frame.data)[0]
            return NormalizedChunk(usage=usage, error=StreamError(message, _word(event.code), code, raw))
    return _unknown(frame)


def _unknown(frame: Frame) -> NormalizedChunk:
    return NormalizedChunk(notes=(Note("unknown-event", f"{frame.text[:80]!r}"),))


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
