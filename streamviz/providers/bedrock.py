"""AWS Bedrock: ConverseStream, and InvokeModelWithResponseStream with the inner bodies of many vendors.

Sources: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html and
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html. An exception
or error arrives as a frame inside a response of status 200.
"""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from collections.abc import Callable
from typing import Any

from msgspec import Struct, structs

from ..chunks import (
    EMPTY_CHUNK,
    BlockStop,
    CitationDelta,
    Delta,
    MediaDelta,
    ModerationDelta,
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
from .anthropic import AnthropicWrapper
from .decoding import Misfit, block_index, conform, decode_plain, fragment_of
from .errors import error_of, read_error
from .finish import finish_reason
from .openai_chat import OpenAIChatWrapper
from .usage_tables import BEDROCK_CONVERSE, BEDROCK_INVOKE
from .wrapper import JSONWrapper, with_misfits, with_notes

METRICS = "amazon-bedrock-invocationMetrics"
_METRICS_KEY = METRICS.encode()


class _ToolUse(Struct, gc=False):
    input: Any = None
    name: Any = None
    toolUseId: Any = None  # noqa: N815 - the vendor's names
    type: Any = None


class _Reasoning(Struct, gc=False):
    text: Any = None
    signature: Any = None
    redactedContent: Any = None  # noqa: N815
    reasoningText: Any = None  # noqa: N815


class _Delta(Struct, gc=False):
    text: Any = None
    toolUse: _ToolUse | None = None  # noqa: N815
    reasoningContent: _Reasoning | None = None  # noqa: N815
    citation: Any = None
    toolResult: Any = None  # noqa: N815
    image: Any = None


class _Event(Struct, gc=False):
    """The payload of any ConverseStream event: their members do not overlap."""

    contentBlockIndex: Any = None  # noqa: N815
    delta: _Delta | None = None
    start: _Delta | None = None
    role: Any = None
    stopReason: Any = None  # noqa: N815
    usage: Any = None
    metrics: Any = None
    trace: Any = None
    message: Any = None
    p: Any = None


class BedrockConverseWrapper(JSONWrapper[_Event]):
    """Events of ConverseStream. The ``p`` member is padding."""

    dialect = "bedrock-converse"
    framings = ("eventstream",)
    event_type = _Event

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        if frame.category != "event":
            return error_frame(frame)
        padding = _length(event.p)
        if frame.event == "contentBlockDelta":
            block = event.contentBlockIndex
            return _block_delta(event.delta, block if type(block) is int else block_index(block), frame, padding)
        return structs.replace(converse_event(frame.event, event, frame), padding=padding)

    def normalize_plain(self, frame: Frame) -> NormalizedChunk:
        return super().normalize_plain(frame) if frame.category == "event" else error_frame(frame)


def converse_event(kind: str | None, event: _Event, frame: Frame) -> NormalizedChunk:
    """Read one event of ConverseStream (Nova's InvokeModel bodies are the same events under a key)."""
    block = block_index(event.contentBlockIndex)
    match kind:
        case "contentBlockDelta":
            return _block_delta(event.delta, block, frame)
        case "contentBlockStart":
            return _block_start(event.start, block, frame)
        case "contentBlockStop":
            return NormalizedChunk((BlockStop(0, block),))
        case "messageStart":
            role = event.role if isinstance(event.role, str) else None
            return NormalizedChunk(response=ResponseInfo(role=role, starts=True))
        case "messageStop":
            return NormalizedChunk(finishes=() if event.stopReason is None else (finish_reason(event.stopReason),))
        case "metadata":
            deltas = (ModerationDelta(event.trace, "trace"),) if event.trace else ()
            return NormalizedChunk(deltas, usage=_usage(event))
        case _:
            return NormalizedChunk(notes=(Note("unknown-event", f"{kind!r:.80}: {frame.text[:80]!r}"),))


def _block_delta(delta: _Delta | None, block: int | str | None, frame: Frame, padding: int = 0) -> NormalizedChunk:
    if delta is None:
        note = Note("unexpected-json", "a contentBlockDelta without a delta")
        return NormalizedChunk(notes=(note,), padding=padding)
    if isinstance(delta.text, str):
        return NormalizedChunk((TextDelta(delta.text, 0, block),), padding=padding)
    if delta.toolUse is not None:
        text, notes = fragment_of(delta.toolUse.input, "delta.toolUse.input")
        return NormalizedChunk((ToolCallDelta(text, block, block=block),), notes=notes, padding=padding)
    return NormalizedChunk((_content_delta(delta, block, frame),), padding=padding)


def _content_delta(delta: _Delta, block: int | str | None, frame: Frame) -> Delta:
    """Read a piece of anything but text and calls."""
    if delta.reasoningContent is not None:
        reasoning = delta.reasoningContent
        text, signature = _text(reasoning.text), _text(reasoning.signature) or None
        return ThinkingDelta(text, 0, block, signature=signature, redacted=_text(reasoning.redactedContent) or None)
    if delta.citation is not None:
        return CitationDelta(delta.citation, 0, block)
    if delta.toolResult is not None:
        return ToolResultDelta(delta.toolResult, None, "toolResult", 0, block)
    if delta.image is not None:
        return MediaDelta(meta={"image": delta.image}, block=block)
    return UnknownDelta("contentBlockDelta", _member(frame, "delta"), 0, block)


def _block_start(start: _Delta | None, block: int | str | None, frame: Frame) -> NormalizedChunk:
    """Open a block. Only tools, their results and images announce themselves; text opens with its first delta."""
    if start is None:
        return EMPTY_CHUNK
    if start.toolUse is not None:
        use = start.toolUse
        server = isinstance(use.type, str) and use.type == "server_tool_use"
        ident, name = _text(use.toolUseId) or None, _text(use.name) or None
        text, notes = fragment_of(use.input, "start.toolUse.input", is_due=False)
        return NormalizedChunk((ToolCallDelta(text, block, ident, name, block=block, server=server),), notes=notes)
    if start.toolResult is not None:
        result = start.toolResult
        ident = _text(result.get("toolUseId")) or None if isinstance(result, dict) else None
        return NormalizedChunk((ToolResultDelta(result, ident, "toolResult", 0, block),))
    if start.image is not None:
        return NormalizedChunk((MediaDelta(meta={"image": start.image}, block=block),))
    return NormalizedChunk((UnknownDelta("contentBlockStart", _member(frame, "start"), 0, block),))


def _usage(event: _Event) -> UsageReport | None:
    """Read a metadata event; one without usage (metrics, a guardrail's trace) must not erase what came before."""
    if not isinstance(event.usage, dict):
        return None
    metrics = {"metrics": event.metrics} if isinstance(event.metrics, dict) else {}
    return UsageReport({**event.usage, **metrics}, BEDROCK_CONVERSE)


def error_frame(frame: Frame) -> NormalizedChunk:
    """Read an exception (its text in the payload) or an error (its text in the headers)."""
    if frame.category == "unknown":
        return NormalizedChunk(notes=(Note("unknown-event", f"no known message type: {frame.text[:80]!r}"),))
    headers = {header.name: header.value for header in frame.headers}
    value, _ = decode_plain(frame.data) if frame.data else (None, ())
    message = headers.get(":error-message")
    error = error_of(value) if isinstance(value, dict) else None
    text = message if isinstance(message, str) else error.message if error and error.message else frame.text
    return NormalizedChunk(error=StreamError(text, frame.event, error.code if error else None, value or None))


# -- InvokeModelWithResponseStream ------------------------------------------------------------------------------------


class _Envelope(Struct, gc=False):
    bytes: Any = None
    p: Any = None


class BedrockInvokeWrapper(JSONWrapper[_Envelope]):
    """``chunk`` events whose ``bytes`` are the base64 of the inner vendor's own JSON."""

    dialect = "bedrock-invoke"
    repeats_usage = True
    framings = ("eventstream",)
    event_type = _Envelope

    def __init__(self) -> None:
        super().__init__()
        self._anthropic = AnthropicWrapper()
        self._chat = OpenAIChatWrapper()

    def read(self, event: _Envelope, frame: Frame) -> NormalizedChunk:
        if frame.category != "event":
            return error_frame(frame)
        try:
            body = a2b_base64(event.bytes)
        except (Base64Error, TypeError, ValueError):
            return NormalizedChunk(notes=(Note("unexpected-json", f"no base64 in bytes: {frame.text[:80]!r}"),))
        inner = Frame("event", frame.start, frame.end, body, frame.event)
        if body[:9] == b'{"type":"':  # Anthropic, by far the most frequent
            return self._inner(self._anthropic.normalize(inner), body)
        value, notes = decode_plain(body)
        if not isinstance(value, dict):
            return NormalizedChunk(notes=(*notes, Note("unexpected-json", f"the inner body is {body[:80]!r}")))
        if "type" in value:
            return self._inner(self._anthropic.normalize(inner), body)
        if "choices" in value and _is_chat(value):
            return self._inner(self._chat.normalize(inner), body)
        chunk = next((read(value, inner) for key, read in _BODIES.items() if key in value), None)
        if chunk is None:
            error = read_error(value)
            if error is not None:
                chunk = NormalizedChunk(error=error)
            elif METRICS in value:
                chunk = EMPTY_CHUNK
            else:
                chunk = NormalizedChunk(
                    notes=(Note("unknown-event", f"an inner body of no known vendor: {body[:80]!r}"),)
                )
        return with_notes(self._inner(chunk, body), notes)

    def normalize_plain(self, frame: Frame) -> NormalizedChunk:
        return super().normalize_plain(frame) if frame.category == "event" else error_frame(frame)

    @staticmethod
    def _inner(chunk: NormalizedChunk, body: bytes) -> NormalizedChunk:
        """Add AWS's own counts, and read the inner vendor's under the table that knows both."""
        usage = chunk.usage
        if _METRICS_KEY in body:
            value, _ = decode_plain(body)
            metrics = value.get(METRICS) if isinstance(value, dict) else None
            if isinstance(metrics, dict):
                raw = usage.raw if usage is not None else {}
                return structs.replace(chunk, usage=UsageReport({**raw, METRICS: metrics}, BEDROCK_INVOKE))
        if usage is None:
            return chunk
        return structs.replace(chunk, usage=UsageReport(usage.raw, BEDROCK_INVOKE, usage.preliminary))


def _is_chat(value: dict[str, Any]) -> bool:
    choices = value["choices"]
    return isinstance(choices, list) and all(isinstance(c, dict) and ("delta" in c or "message" in c) for c in choices)


def _titan(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    counts = {k: v for k, v in value.items() if k in ("inputTextTokenCount", "totalOutputTextTokenCount")}
    return _plain_text(value["outputText"], value.get("completionReason"), counts)


def _llama(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    counts = {k: v for k, v in value.items() if k in ("prompt_token_count", "generation_token_count")}
    return _plain_text(value["generation"], value.get("stop_reason"), counts)


def _anthropic_text(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    return _plain_text(value["completion"], value.get("stop_reason"), {})


def _mistral_text(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    return _candidates(value["outputs"])


def _completions(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    """AI21 and other bodies of the completions shape."""
    usage = value.get("usage")
    return _candidates(value["choices"], UsageReport(usage, BEDROCK_INVOKE) if isinstance(usage, dict) else None)


def _cohere_generations(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    return _candidates(value["generations"])


def _cohere(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    """Cohere: ``text`` piece by piece; the last one repeats the whole in ``response``, which is not appended."""
    reason = value.get("finish_reason")
    number = value.get("index")
    chunk = _plain_text(value.get("text"), reason, {}, number if type(number) is int else 0)
    return structs.replace(chunk, terminal="terminal") if value.get("is_finished") is True else chunk


def _nova(value: dict[str, Any], frame: Frame) -> NormalizedChunk:
    kind = next(k for k in _CONVERSE_KINDS if k in value)
    misfits: list[Misfit] = []
    event = conform(_Event, value[kind], misfits, kind) if isinstance(value[kind], dict) else _Event()
    return with_misfits(converse_event(kind, event, frame), misfits)


def _plain_text(text: Any, reason: Any, counts: dict[str, Any], choice: int = 0) -> NormalizedChunk:
    return NormalizedChunk(
        (TextDelta(text, choice),) if isinstance(text, str) and text else (),
        () if reason is None else (finish_reason(reason, choice),),
        UsageReport(counts, BEDROCK_INVOKE) if counts else None,
    )


def _candidates(candidates: Any, usage: UsageReport | None = None) -> NormalizedChunk:
    """Read a list of texts, each a choice of its own."""
    chunks = [
        _plain_text(c.get("text"), c.get("finish_reason") or c.get("stop_reason"), {}, number)
        for number, c in enumerate(candidates if isinstance(candidates, list) else ())
        if isinstance(c, dict)
    ]
    return NormalizedChunk(
        tuple(d for chunk in chunks for d in chunk.deltas),
        tuple(f for chunk in chunks for f in chunk.finishes),
        usage,
    )


_CONVERSE_KINDS = (
    "contentBlockDelta",
    "contentBlockStart",
    "contentBlockStop",
    "messageStart",
    "messageStop",
    "metadata",
)
_BODIES: dict[str, Callable[[dict[str, Any], Frame], NormalizedChunk]] = {
    "generation": _llama,
    "outputText": _titan,
    **dict.fromkeys(_CONVERSE_KINDS, _nova),
    "completion": _anthropic_text,
    "outputs": _mistral_text,
    "choices": _completions,
    "generations": _cohere_generations,
    "is_finished": _cohere,
    "event_type": _cohere,
}
"""A key that tells the inner vendor → how to read its body."""


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _member(frame: Frame, key: str) -> Any:
    value, _ = decode_plain(frame.data)
    return value.get(key) if isinstance(value, dict) else None
