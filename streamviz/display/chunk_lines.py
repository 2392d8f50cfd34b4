"""Each chunk of a run on a line: its number, its bytes, what is in it."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

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
from .text_card import STYLES, line_of

_VALUE_CHARACTERS = 300


def chunk_line(number: int, start: int, end: int, chunk: NormalizedChunk, *, known: ResponseInfo | None = None) -> Text:
    r"""Return one chunk as a line for the terminal.

    Parameters
    ----------
    number : int
        Of the chunk.
    start, end : int
        The byte range of its frame.
    chunk : NormalizedChunk
        What the frame means.
    known : ResponseInfo, optional
        What an earlier chunk said of the response: not said again.

    Examples
    --------
    >>> print(chunk_line(3, 120, 160, NormalizedChunk(deltas=(TextDelta("Hi\x1b[2J"),), terminal="done")))
        3  120:160  text 'Hi␛[2J' | end mark done
    """
    line = Text(f"{number:>5}  {start}:{end} ", no_wrap=True)
    words = list(_words(chunk, known))
    for position, (kind, word, value) in enumerate(words):
        line.append(" | " if position else " ").append(word, STYLES[kind])
        if value:
            line.append(f" {line_of(value, _VALUE_CHARACTERS)}")
    if not words:
        line.append(" nothing", "dim")
    return line


def _words(chunk: NormalizedChunk, known: ResponseInfo | None) -> Iterator[tuple[Kind, str, str]]:
    """Yield (colour, our word, what the stream says) for each thing in a chunk."""
    if chunk.response is not None and chunk.response != known:
        said = " ".join(filter(None, (chunk.response.role, chunk.response.model, chunk.response.id)))
        if said:
            yield "other", "response", said
    for delta in chunk.deltas:
        kind, word, value = _delta_words(delta)
        yield kind, f"{word} (choice {delta.choice})" if delta.choice else word, value
    for finish in chunk.finishes:
        word = f"finish {finish.unified}" + (f" (choice {finish.choice})" if finish.choice else "")
        yield "other", word, "" if finish.raw in (None, finish.unified) else f"(sent as {finish.raw})"
    if chunk.usage is not None:
        yield "usage", "usage", one_line_json(chunk.usage.raw, _VALUE_CHARACTERS)
    if chunk.error is not None:
        yield "error", "error", chunk.error.message
    if chunk.terminal is not None:
        yield "other", f"end mark {chunk.terminal}", ""
    if chunk.padding:
        yield "other", f"padding of {count(chunk.padding, 'character')}", ""
    for note in chunk.notes:
        severity = CODES[note.code][0] if note.code in CODES else "note"
        yield SEVERITY_KINDS[severity], f"{severity} {note.code}:", note.message


def _delta_words(delta: Delta) -> tuple[Kind, str, str]:
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
            return "tool_call", "tool result", f"{delta.kind} {one_line_json(delta.value, _VALUE_CHARACTERS)}"
        case ModerationDelta():
            return "other", "moderation", f"{delta.kind} {one_line_json(delta.value, _VALUE_CHARACTERS)}"
        case CitationDelta():
            return "text", "citation", one_line_json(delta.value, _VALUE_CHARACTERS)
        case MediaDelta():
            return "other", "media", f"{delta.mime_type or ''} {count(len(delta.data), 'character')} of base64"
        case SignatureDelta():
            return "other", "signature", ""
        case BlockStop():
            return "other", "end of block", "" if delta.block is None else str(delta.block)
        case UnknownDelta():
            return "other", "unknown", f"{delta.kind} {one_line_json(delta.value, _VALUE_CHARACTERS)}"


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
