"""OpenAI Chat Completions, and everybody who speaks like it.

Source: https://platform.openai.com/docs/api-reference/chat-streaming. Beside OpenAI: Azure, OpenRouter, DeepSeek,
Groq, xAI, Together, Perplexity, Mistral, vLLM, llama.cpp and many more, each with a habit or two of its own; the odd
ones are named where they are read.
"""

from __future__ import annotations

from collections.abc import Iterable
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
    RefusalDelta,
    ResponseInfo,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    UnknownDelta,
    UsageReport,
)
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import Misfit, block_index, conform, decode_plain, fragment_of, ill_typed
from .errors import read_error
from .finish import finish_reason
from .usage_tables import OPENAI_CHAT
from .wrapper import JSONWrapper


class _Function(Struct, gc=False):
    name: Any = None
    arguments: Any = None


class _Call(Struct, gc=False):
    index: Any = None
    id: Any = None
    function: _Function | None = None
    type: Any = None
    custom: Any = None
    extra_content: Any = None  # Gemini's OpenAI endpoint: the thought signature


class _Delta(Struct, gc=False, forbid_unknown_fields=True):
    """A ``delta``, or the ``message`` of a server that ignores ``stream: true``. A field not named here is told."""

    role: Any = None
    content: Any = None
    tool_calls: list[_Call] | None = None
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_text: Any = None
    reasoning_details: Any = None
    refusal: Any = None
    function_call: _Function | None = None
    audio: Any = None
    images: Any = None
    annotations: Any = None
    # Beside the content: known, and nothing to be shown as part of the answer.
    name: Any = None
    index: Any = None
    channel: Any = None
    logprobs: Any = None
    token_id: Any = None
    token_ids: Any = None
    stop_reason: Any = None
    tool_call_id: Any = None
    provider_specific_fields: Any = None
    content_filter_results: Any = None


class _Choice(Struct, gc=False):
    index: Any = 0
    delta: _Delta | None = None
    finish_reason: Any = None
    message: Any = None
    usage: Any = None
    content_filter_results: Any = None  # Azure
    error: Any = None  # OpenRouter


class _Chunk(Struct, gc=False):
    id: Any = None
    model: Any = None
    object: Any = None
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None
    x_groq: Any = None
    obfuscation: Any = None
    citations: Any = None
    search_results: Any = None
    type: Any = None
    message: Any = None
    detail: Any = None
    prompt_filter_results: Any = None  # Azure


class _RawFunction(Struct):
    arguments: msgspec.Raw = msgspec.Raw()


class _RawCall(Struct):
    index: Any = None
    function: _RawFunction | None = None


class _RawDelta(Struct):
    tool_calls: list[_RawCall] | None = None


class _RawChoice(Struct):
    delta: _RawDelta | None = None
    message: _RawDelta | None = None


class _RawChunk(Struct):
    """Only the argument values, as their bytes: for servers that send an object where a string is due."""

    choices: list[_RawChoice] | None = None


class OpenAIChatWrapper(JSONWrapper[_Chunk]):
    """Chunks of the Chat Completions API."""

    dialect = "openai-chat"
    has_end_mark = True
    usage_option = "stream_options.include_usage"
    event_type = _Chunk

    def __init__(self) -> None:
        super().__init__()
        self._response = ResponseInfo()  # equal values share one object: most chunks repeat id and model

    def read(self, event: _Chunk, frame: Frame) -> NormalizedChunk:
        choices = event.choices
        if not choices:
            return self._without_choices(event, frame)
        deltas: list[Delta] = []
        finishes: list[FinishReason] | tuple[FinishReason, ...] = ()
        notes: tuple[Note, ...] = ()
        usage = event.usage
        role = None
        broken = event.error
        for choice in choices:
            number = choice.index
            if type(number) is not int:
                number = _choice_number(number)
            delta = choice.delta
            if delta is None and choice.message is not None:
                delta, notes = _whole_message(choice.message, notes)
            if delta is not None:
                content = delta.content
                role = delta.role or role
                if (
                    delta.reasoning_content is None
                    and delta.reasoning is None
                    and delta.reasoning_text is None
                    and delta.reasoning_details is None
                ):
                    if content:
                        if type(content) is str:
                            deltas.append(TextDelta(content, number))
                        else:
                            deltas += _content_parts(content, number)
                else:
                    deltas += _with_reasoning(delta, number, frame.data)
                if delta.tool_calls is not None:
                    deltas += _tool_calls(delta.tool_calls, number, frame.data)
                    for call in delta.tool_calls:
                        if call.function is None or (call.function.arguments is None and not call.function.name):
                            notes += _unread(frame.data)  # nothing was found where a fragment was due
                            break
                if (
                    delta.refusal is not None
                    or delta.function_call is not None
                    or delta.audio is not None
                    or delta.annotations is not None
                    or delta.images is not None
                ):
                    deltas += _rare(delta, number)
                    if delta.function_call is not None:
                        notes += fragment_of(delta.function_call.arguments, "function_call.arguments", is_due=False)[1]
            if choice.content_filter_results:
                deltas.append(ModerationDelta(choice.content_filter_results, "content_filter_results", number))
            if choice.finish_reason is not None and choice.finish_reason != "":
                finishes = [*finishes, finish_reason(choice.finish_reason, number)]
            if broken is None and choice.error is not None:
                broken = choice.error
            if usage is None and choice.usage is not None:
                usage = choice.usage  # Moonshot
        response = self._response
        if response.id != event.id or response.model != event.model or response.role != role:
            response = self._response = ResponseInfo(_word(event.id), _word(event.model), _word(role))
        if event.citations is not None or event.search_results is not None:
            deltas += _sources(event)
        if event.prompt_filter_results:
            deltas.append(ModerationDelta(event.prompt_filter_results, "prompt_filter_results"))
        return NormalizedChunk(
            tuple(deltas),
            tuple(finishes),
            _usage(usage, event) if usage is not None or event.x_groq is not None else None,
            read_error({"error": broken, "message": event.message, "type": event.type}) if broken else None,
            response,
            None,
            notes,
            0 if event.obfuscation is None else _length(event.obfuscation),
        )

    def _without_choices(self, event: _Chunk, frame: Frame) -> NormalizedChunk:
        """Read the usage-only tail, Azure's filter results, and errors."""
        notes: tuple[Note, ...] = ()
        known = event.usage is not None or event.choices is not None or event.x_groq is not None
        known = known or bool(event.id or event.object)
        error = None if known and event.error is None else read_error(decode_plain(frame.data)[0])
        if not known and error is None:
            notes = (*notes, Note("unknown-event", f"neither choices nor error: {frame.text[:80]!r}"))
        response = ResponseInfo(_word(event.id), _word(event.model)) if event.id or event.model else None
        deltas = _sources(event)
        if event.prompt_filter_results:
            deltas = [*deltas, ModerationDelta(event.prompt_filter_results, "prompt_filter_results")]
        return NormalizedChunk(
            tuple(deltas),
            (),
            _usage(event.usage, event),
            error,
            response,
            None,
            notes,
            _length(event.obfuscation),
        )


class MistralWrapper(OpenAIChatWrapper):
    """Mistral: the Chat shape, its contents as lists of parts where the model thinks."""

    dialect = "mistral"


def _whole_message(message: Any, notes: tuple[Note, ...]) -> tuple[_Delta | None, tuple[Note, ...]]:
    """Read ``message`` as the delta: a server answered ``stream: true`` with one whole body.

    Where a delta is there too (Perplexity repeats the whole text in ``message``, Writer sends an empty skeleton), the
    delta alone counts.
    """
    if not isinstance(message, dict):
        return None, notes
    misfits: list[Misfit] = []
    delta = conform(_Delta, message, misfits, "message")
    told = [note for misfit in misfits if (note := misfit.note) is not None]
    return delta, (*notes, Note("not-streamed", "one whole message instead of deltas"), *told)


def _choice_number(value: Any) -> int:
    if isinstance(value, str) and value.isdecimal() and len(value) < 9:
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else 0


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str) else 0


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _reasoning(delta: _Delta, number: int) -> list[Delta]:
    """Take reasoning from one source: gateways send the same text in several fields.

    OpenRouter's ``reasoning_details`` are the fullest; what they hold encrypted has no text and comes beside it.
    """
    out: list[Delta] = []
    details = delta.reasoning_details
    fields = {name: getattr(delta, name) for name in ("reasoning_content", "reasoning", "reasoning_text")}
    text: str = next((field for field in fields.values() if isinstance(field, str) and field), "")
    out += [UnknownDelta(name, field, number) for name, field in fields.items() if field and not isinstance(field, str)]
    if details and not isinstance(details, list):
        out.append(UnknownDelta("reasoning_details", details, number))
    from_details = ""
    item: Any
    for item in details if isinstance(details, list) else ():
        match item:
            case {"type": "reasoning.encrypted", "data": str(data)}:
                out.append(ThinkingDelta("", number, redacted=data))
            case {"type": "reasoning.text" | "reasoning.summary", **rest}:
                piece = rest.get("text") or rest.get("summary")
                if isinstance(piece, str):
                    from_details += piece
                signature = rest.get("signature")
                if isinstance(signature, str) and signature:
                    out.append(ThinkingDelta("", number, signature=signature))
            case {"data": str(data)}:
                out.append(ThinkingDelta("", number, redacted=data))
            case _:
                out.append(UnknownDelta("reasoning_details", item, number))
    if text or from_details:
        out.insert(0, ThinkingDelta(text or from_details, number))
    return out


def _with_reasoning(delta: _Delta, number: int, data: bytes) -> list[Delta]:
    """Return text and reasoning of one delta in the order in which they stand in the frame."""
    thinking = _reasoning(delta, number)
    content = delta.content
    if not content:
        return thinking
    text = [TextDelta(content, number)] if isinstance(content, str) else _content_parts(content, number)
    if not thinking:
        return list(text)
    return [*text, *thinking] if data.find(b'"content"') < data.find(b'"reasoning') else [*thinking, *text]


def _content_parts(content: Any, number: int) -> list[Delta]:
    """Read a content list (Mistral: text, thinking with parts of its own, references; others alike)."""
    out: list[Delta] = []
    for part in content if isinstance(content, list) else [content]:
        match part:
            case str():
                out.append(TextDelta(part, number))
            case {"type": "thinking", "thinking": list(inner), **rest}:
                text = "".join([p["text"] for p in inner if isinstance(p, dict) and isinstance(p.get("text"), str)])
                signature = rest.get("signature")
                out.append(ThinkingDelta(text, number, signature=signature if isinstance(signature, str) else None))
            case {"type": "thinking" | "reasoning", **rest}:
                piece = rest.get("thinking") or rest.get("text") or rest.get("reasoning")
                out.append(ThinkingDelta(piece if isinstance(piece, str) else "", number))
            case {"type": "refusal", "refusal": str(text)}:
                out.append(RefusalDelta(text, number))
            case {"type": "reference"}:
                out.append(CitationDelta(part, number))
            case {"text": str(text)}:
                out.append(TextDelta(text, number))
            case {"type": "image_url", "image_url": url}:
                out.append(MediaDelta(meta={"image_url": url}, choice=number))
            case _:
                kind = part.get("type") if isinstance(part, dict) else type(part).__name__
                out.append(UnknownDelta(f"content.{kind}", part, number))
    return out


def _tool_calls(calls: list[_Call], number: int, data: bytes) -> list[Delta]:
    out: list[Delta] = []
    by_place = len(calls) > 1 and all(call.index is None for call in calls)
    for position, call in enumerate(calls):
        function = call.function
        index, ident = call.index, call.id
        if index is not None and type(index) is not int:
            index = block_index(index)
        if type(ident) is not str or not ident:
            ident = None  # Mistral sends "null"-like ids on nothing; an empty id means: the call at this index
        if function is None:
            if isinstance(call.custom, dict):
                text, name = call.custom.get("input"), call.custom.get("name")
                out.append(ToolCallDelta(_word_or_empty(text), index, ident, _word(name), number, custom=True))
            elif ident or index is not None:
                out.append(ToolCallDelta(None, index, ident, None, number, signature=_signature(call.extra_content)))
            continue
        arguments, whole = function.arguments, False
        if arguments is not None and type(arguments) is not str:
            arguments, whole = _object_arguments(data, number, position, arguments), True
        out.append(
            ToolCallDelta(
                arguments,
                index,
                ident,
                _word(function.name),
                number,
                whole=whole,
                signature=None if call.extra_content is None else _signature(call.extra_content),
                position=position if by_place else None,
            )
        )
    return out


def _unread(data: bytes) -> tuple[Note, ...]:
    """Say of the calls of a chunk what they hold in places where nothing is read."""
    found = decode_plain(data)[0]
    choices = found.get("choices") if isinstance(found, dict) else None
    notes: list[Note] = []
    for call in _members(_members(choices if isinstance(choices, list) else (), "delta", "message"), "tool_calls"):
        if not isinstance(call, dict):
            continue  # it has no place in a list of calls, and was told
        custom, function = call.get("custom"), call.get("function")
        notes += [
            ill_typed(f"tool_calls.{key}", value, "nothing")
            for key, value in call.items()
            if key not in _CALL_KEYS and value not in (None, "", [], {})
        ]
        if isinstance(function, dict) and not function.get("name") and function.get("arguments") is None:
            notes += [ill_typed(f"function.{key}", value, "nothing") for key, value in function.items() if value]
        if isinstance(custom, dict):
            notes += fragment_of(custom.get("input"), "custom.input", is_due=False)[1]
        elif custom is not None:
            notes.append(ill_typed("tool_calls.custom", custom, "an object"))
    return tuple(notes)


_CALL_KEYS = {"index", "id", "type", "function", "custom", "extra_content"}


def _members(values: Iterable[Any], *keys: str) -> Iterable[Any]:
    """Yield members of objects; of those that are lists, what is in them."""
    for value in values:
        for key in keys if isinstance(value, dict) else ():
            inner = value.get(key)
            yield from inner if isinstance(inner, list) else (inner,)


def _word_or_empty(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _signature(extra: Any) -> str | None:
    match extra:
        case {"google": {"thought_signature": str(signature)}}:
            return signature
        case _:
            return None


def _object_arguments(data: bytes, number: int, position: int, value: Any) -> str:
    """Return the JSON text of arguments that came as an object: exactly as sent where it can be found."""
    try:
        raw = msgspec.json.decode(data, type=_RawChunk)
    except (msgspec.DecodeError, RecursionError):
        raw = _RawChunk()
    for choice in raw.choices or ():
        delta = choice.delta or choice.message
        calls = (delta.tool_calls if delta else None) or []
        if position < len(calls) and (function := calls[position].function) is not None:
            return bytes(function.arguments).decode("utf-8", "replace")
    return msgspec.json.encode(value).decode()


_RARE = {"refusal": str, "audio": dict, "images": list, "annotations": list}


def _rare(delta: _Delta, number: int) -> list[Delta]:
    """Read what few chunks have."""
    out: list[Delta] = []
    for name, due in _RARE.items():
        value = getattr(delta, name)
        if value and not isinstance(value, due):
            out.append(UnknownDelta(name, value, number))
    if isinstance(delta.refusal, str) and delta.refusal:
        out.append(RefusalDelta(delta.refusal, number))
    if delta.function_call is not None:
        # The legacy form of one call, without index or id: a name of its own for the index keeps it one call.
        call = delta.function_call
        out.append(ToolCallDelta(_word_or_empty(call.arguments), "function_call", None, _word(call.name), number))
    if isinstance(delta.audio, dict):
        audio = delta.audio
        out.append(
            MediaDelta(
                _word(audio.get("data")) or "",
                "audio",
                _word(audio.get("transcript")) or "",
                {k: v for k, v in audio.items() if k in ("id", "expires_at")},
                number,
                "audio",
            )
        )
    if isinstance(delta.images, list):
        out += [MediaDelta(meta=image, mime_type="image", choice=number) for image in delta.images]
    if isinstance(delta.annotations, list):
        out += [CitationDelta(annotation, number) for annotation in delta.annotations]
    return out


def _sources(event: _Chunk) -> Iterable[Delta]:
    """Perplexity repeats its sources on every chunk: the last list is the whole."""
    sources = event.search_results if event.search_results is not None else event.citations
    return (CitationDelta(sources, block="sources"),) if sources else ()


def _usage(usage: Any, event: _Chunk) -> UsageReport | None:
    if usage is None and isinstance(event.x_groq, dict):
        usage = event.x_groq.get("usage")
    return UsageReport(usage, OPENAI_CHAT) if isinstance(usage, dict) else None
