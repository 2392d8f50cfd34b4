"""What is in a chunk, in words: the terminal and the cards both say exactly this.

The third of each is text from the stream: whoever shows it makes it visible or escapes it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..chunks import (
    BlockStop,
    CitationDelta,
    Delta,
    MediaDelta,
    ModerationDelta,
    NormalizedChunk,
    PlanDelta,
    RefusalDelta,
    ResponseInfo,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
)
from ..diagnostics import CODES
from .facts import count
from .json_view import one_line_json
from .palette import SEVERITY_KINDS, Kind

VALUE_CHARACTERS = 300
"""How much of a value is written out."""


def chunk_words(chunk: NormalizedChunk, known: ResponseInfo | None = None) -> Iterator[tuple[Kind, str, str]]:
    r"""Yield (colour, our word, what the stream says) for each thing in a chunk.

    ``known`` is what an earlier chunk said of the response: not said again.

    Examples
    --------
    >>> list(chunk_words(NormalizedChunk(deltas=(TextDelta("Hi"),), terminal="done")))
    [('text', 'text', "'Hi'"), ('other', 'end mark done', '')]
    """
    if chunk.response is not None and chunk.response != known:
        said = " ".join(filter(None, (chunk.response.role, chunk.response.model, chunk.response.id)))
        if said:
            yield "other", "response", said
    for delta in chunk.deltas:
        kind, word, value = delta_words(delta)
        yield kind, f"{word} (choice {delta.choice})" if delta.choice else word, value
    for finish in chunk.finishes:
        word = f"finish {finish.unified}" + (f" (choice {finish.choice})" if finish.choice else "")
        yield "other", word, "" if finish.raw in (None, finish.unified) else f"(sent as {finish.raw})"
    if chunk.usage is not None:
        yield "usage", "usage", one_line_json(chunk.usage.raw, VALUE_CHARACTERS)
    if chunk.error is not None:
        yield "error", "error", chunk.error.message
    if chunk.terminal is not None:
        yield "other", f"end mark {chunk.terminal}", ""
    if chunk.padding:
        yield "other", f"padding of {count(chunk.padding, 'character')}", ""
    for note in chunk.notes:
        severity = CODES[note.code][0] if note.code in CODES else "note"
        yield SEVERITY_KINDS[severity], f"{severity} {note.code}:", note.message


def delta_words(delta: Delta) -> tuple[Kind, str, str]:
    """Return the same of one delta."""
    match delta:
        case TextDelta():
            return "text", "text snapshot" if delta.snapshot else "text", _quoted(delta.text)
        case ThinkingDelta(redacted=str()):
            return "thinking", "encrypted thinking", ""
        case ThinkingDelta(text="", signature=str()):
            return "thinking", "signature of thinking", ""
        case ThinkingDelta():
            return "thinking", "thinking snapshot" if delta.snapshot else "thinking", _quoted(delta.text)
        case PlanDelta():
            return "thinking", "plan", _quoted(delta.text)
        case RefusalDelta():
            return "error", "refusal", _quoted(delta.text)
        case ToolCallDelta():
            return "tool_call", "server tool call" if delta.server else "tool call", _call_words(delta)
        case ToolResultDelta():
            return "tool_call", "tool result", f"{delta.kind} {one_line_json(delta.value, VALUE_CHARACTERS)}"
        case ModerationDelta():
            return "other", "moderation", f"{delta.kind} {one_line_json(delta.value, VALUE_CHARACTERS)}"
        case CitationDelta():
            return "text", "citation", one_line_json(delta.value, VALUE_CHARACTERS)
        case MediaDelta():
            return "other", "media", f"{delta.mime_type or ''} {count(len(delta.data), 'character')} of base64"
        case SignatureDelta():
            return "other", "signature", ""
        case BlockStop():
            return "other", "end of block", "" if delta.block is None else str(delta.block)
        case UnknownDelta():
            return "other", "unknown", f"{delta.kind} {one_line_json(delta.value, VALUE_CHARACTERS)}"


def _call_words(delta: ToolCallDelta) -> str:
    words = [] if delta.index is None else [f"#{delta.index}"]
    words += [word for word in (delta.id, delta.name) if word]
    if delta.arguments is not None:
        words.append(_quoted(delta.arguments))
    words += [f"{leaf.path} = {one_line_json(leaf.value, 80)}" for leaf in delta.paths[:20]]
    if delta.last:
        words.append("(complete)")
    return " ".join(words)


def _quoted(text: str) -> str:
    """Return a text in quotes: where it starts and ends in blanks is part of what a fragment is."""
    return f"'{text}'"
