"""Google Gemini and Vertex AI ``streamGenerateContent``, as server-sent events or as one growing JSON array.

Source: https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse. A part is thinking only where
``thought`` is true; a signature alone may stand on any part.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from ..chunks import (
    CitationDelta,
    Delta,
    FinishReason,
    MediaDelta,
    ModerationDelta,
    NormalizedChunk,
    PathArgument,
    ResponseInfo,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import Misfit, decode_as, decode_plain, ill_typed
from .errors import read_error
from .finish import finish_reason
from .usage_tables import GOOGLE
from .wrapper import JSONWrapper, with_misfits


class _FunctionCall(Struct, gc=False):
    name: Any = None
    id: Any = None
    args: msgspec.Raw = msgspec.Raw()
    partialArgs: Any = None  # noqa: N815 - the vendor's names
    willContinue: Any = None  # noqa: N815


class _Part(Struct, gc=False, forbid_unknown_fields=True):
    text: Any = None
    thought: Any = None
    thoughtSignature: Any = None  # noqa: N815
    functionCall: _FunctionCall | None = None  # noqa: N815
    inlineData: Any = None  # noqa: N815
    fileData: Any = None  # noqa: N815
    executableCode: Any = None  # noqa: N815
    codeExecutionResult: Any = None  # noqa: N815
    toolCall: Any = None  # noqa: N815
    toolResponse: Any = None  # noqa: N815
    functionResponse: Any = None  # noqa: N815
    videoMetadata: Any = None  # noqa: N815
    mediaResolution: Any = None  # noqa: N815
    partMetadata: Any = None  # noqa: N815


class _Content(Struct, gc=False):
    parts: list[_Part] | None = None
    role: Any = None


class _Candidate(Struct, gc=False):
    content: _Content | None = None
    index: Any = 0
    finishReason: Any = None  # noqa: N815
    groundingMetadata: Any = None  # noqa: N815
    citationMetadata: Any = None  # noqa: N815
    urlContextMetadata: Any = None  # noqa: N815
    safetyRatings: Any = None  # noqa: N815
    finishMessage: Any = None  # noqa: N815


class _Event(Struct, gc=False):
    candidates: list[_Candidate] | None = None
    usageMetadata: Any = None  # noqa: N815
    modelVersion: Any = None  # noqa: N815
    responseId: Any = None  # noqa: N815
    promptFeedback: Any = None  # noqa: N815
    error: Any = None
    response: msgspec.Raw = msgspec.Raw()  # the Code Assist API wraps the answer


# Python SDK cassettes hold the enumeration's number instead of its name.
# https://ai.google.dev/api/generate-content#FinishReason
_FINISH_NUMBERS = {
    1: "STOP",
    2: "MAX_TOKENS",
    3: "SAFETY",
    4: "RECITATION",
    5: "OTHER",
    6: "LANGUAGE",
    7: "BLOCKLIST",
    8: "PROHIBITED_CONTENT",
    9: "SPII",
    10: "MALFORMED_FUNCTION_CALL",
}


class GoogleWrapper(JSONWrapper[_Event]):
    """Responses of ``streamGenerateContent``."""

    dialect = "google"
    repeats_usage = True
    framings = ("sse", "json-array", "json-lines", "body")
    event_type = _Event

    def __init__(self) -> None:
        super().__init__()
        self._response = ResponseInfo()  # equal values share one object: every chunk repeats id and model

    def read(self, event: _Event, frame: Frame) -> NormalizedChunk:
        if event.candidates is None and bytes(event.response):
            misfits: list[Misfit] = []
            inner = decode_as(_Event, bytes(event.response), misfits, "response")
            return with_misfits(self.read(msgspec.structs.replace(inner, response=msgspec.Raw()), frame), misfits)
        deltas: list[Delta] = []
        finishes: list[FinishReason] = []
        notes: tuple[Note, ...] = ()
        role = None
        for candidate in event.candidates or ():
            number = candidate.index if type(candidate.index) is int else 0
            content = candidate.content
            if content is not None:
                role = content.role
                for part in content.parts or ():
                    if type(part.text) is str and part.functionCall is None:
                        _text(deltas, part, number)
                    else:
                        deltas += _part(part, number)
                        if part.functionCall is not None and part.functionCall.partialArgs is not None:
                            notes += _unread(part.functionCall.partialArgs)
            reason = candidate.finishReason
            if reason not in (None, "FINISH_REASON_UNSPECIFIED", 0):
                if type(reason) is int:
                    named = finish_reason(_FINISH_NUMBERS.get(reason, reason))
                    finishes.append(FinishReason(named.unified, reason, number))
                else:
                    finishes.append(finish_reason(reason, number))
            if candidate.finishMessage:
                notes = (*notes, Note("finish-message", f"{candidate.finishMessage!s:.300}"))
            for value in (candidate.groundingMetadata, candidate.citationMetadata, candidate.urlContextMetadata):
                if value:
                    deltas.append(CitationDelta(value, number))
            if candidate.safetyRatings:
                deltas.append(ModerationDelta(candidate.safetyRatings, "safetyRatings", number))
        if event.promptFeedback is not None:
            deltas.append(ModerationDelta(event.promptFeedback, "promptFeedback"))
            blocked = event.promptFeedback.get("blockReason") if isinstance(event.promptFeedback, dict) else None
            if blocked is not None:
                finishes.append(FinishReason("content_filter", None))
                message = event.promptFeedback.get("blockReasonMessage") or ""
                notes = (*notes, Note("prompt-blocked", f"the prompt was blocked: {blocked} {message}".strip()[:300]))
        response = self._response
        if response.id != event.responseId or response.model != event.modelVersion or response.role != role:
            response = self._response = ResponseInfo(_word(event.responseId), _word(event.modelVersion), _word(role))
        error = None
        if event.error is not None:
            error = read_error({"error": event.error})
        elif event.candidates is None and event.usageMetadata is None and event.promptFeedback is None:
            error = read_error(decode_plain(frame.data)[0])
            if error is None and event.responseId is None:
                notes = (*notes, Note("unknown-event", f"neither candidates nor error: {frame.text[:80]!r}"))
        usage = event.usageMetadata
        return NormalizedChunk(
            tuple(deltas),
            tuple(finishes),
            UsageReport(usage, GOOGLE) if isinstance(usage, dict) else None,
            error,
            response,
            None,
            notes,
        )


def _text(deltas: list[Delta], part: _Part, number: int) -> None:
    """Read a text part. An empty one with a signature carries the signature only."""
    signature = part.thoughtSignature if isinstance(part.thoughtSignature, str) else None
    if part.thought is True or part.thought == "true":
        deltas.append(ThinkingDelta(part.text, number, signature=signature))
        return
    if part.text:
        deltas.append(TextDelta(part.text, number))
    if signature:
        deltas.append(SignatureDelta(signature, number))


def _part(part: _Part, number: int) -> list[Delta]:
    """Read a part that is not text."""
    signature = part.thoughtSignature if isinstance(part.thoughtSignature, str) else None
    call = part.functionCall
    if call is not None:
        return [_call(call, number, signature)]
    for name in ("executableCode", "toolCall"):
        value = getattr(part, name)
        if isinstance(value, dict):
            arguments = msgspec.json.encode(value.get("args", value)).decode()
            kind = _word(value.get("toolType")) or _word(value.get("name")) or name
            ident = _word(value.get("id"))
            return [ToolCallDelta(arguments, None, ident, kind, number, whole=True, server=True, signature=signature)]
    for name in ("codeExecutionResult", "toolResponse", "functionResponse"):
        value = getattr(part, name)
        if value is not None:
            ident = _word(value.get("id")) if isinstance(value, dict) else None
            return [ToolResultDelta(value, ident, name, number)]
    for name in ("inlineData", "fileData"):
        value = getattr(part, name)
        if isinstance(value, dict):
            rest = {k: v for k, v in value.items() if k not in ("data", "mimeType")}
            return [MediaDelta(_word(value.get("data")) or "", _word(value.get("mimeType")), meta=rest, choice=number)]
    unread = [UnknownDelta(f"part.{name}", value, number) for name in _CONTENTS if (value := getattr(part, name))]
    return [*unread, SignatureDelta(signature, number)] if signature else list(unread)


_CONTENTS = ("text", "executableCode", "toolCall", "inlineData", "fileData")
"""Where a part holds content; of another type than is read above, it is kept as it came."""


def _call(call: _FunctionCall, number: int, signature: str | None) -> Delta:
    """Read a function call: whole, or (Vertex, ``streamFunctionCallArguments``) leaf by leaf."""
    name, ident = _word(call.name), _word(call.id)
    last = call.willContinue is not True
    paths = tuple(_leaves(call.partialArgs))
    raw = bytes(call.args).decode("utf-8", "replace")
    if paths or not last or (not name and not raw):
        return ToolCallDelta(None, None, ident, name, number, paths=paths, last=last, signature=signature)
    return ToolCallDelta("" if raw == "null" else raw, None, ident, name, number, whole=True, signature=signature)


def _leaves(partial: Any) -> list[PathArgument]:
    """Read ``partialArgs``."""
    found = (_leaf(leaf) for leaf in (partial if isinstance(partial, list) else ()))
    return [leaf for leaf in found if leaf is not None]


def _leaf(leaf: Any) -> PathArgument | None:
    """Read a path and one of four typed values; None where it has none."""
    more = isinstance(leaf, dict) and leaf.get("willContinue") is True
    match leaf:
        case {"jsonPath": str(path), "stringValue": str(value)}:
            return PathArgument(path, value, more)
        case {"jsonPath": str(path), "boolValue": bool(value)}:
            return PathArgument(path, value, more)
        case {"jsonPath": str(path), "numberValue": int(value) | float(value)} if not isinstance(value, bool):
            return PathArgument(path, value, more)
        case {"jsonPath": str(path), "nullValue": _}:
            return PathArgument(path, None)
        case {"jsonPath": str(path)} if more and not any(key in leaf for key in _LEAF_VALUES):
            return PathArgument(path, "", more)
    return None


_LEAF_VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


def _unread(partial: Any) -> tuple[Note, ...]:
    """Say of the leaves that have no path, or no value, that they are lost."""
    if not isinstance(partial, list):
        return (ill_typed("functionCall.partialArgs", partial, "an array"),)
    return tuple([ill_typed("partialArgs", leaf, "a path and its value") for leaf in partial if _leaf(leaf) is None])


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
