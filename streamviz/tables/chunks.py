"""The tables of chunks and of the deltas in them: what each frame meant, and where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..chunks import (
    BlockStop,
    CitationDelta,
    MediaDelta,
    ModerationDelta,
    NormalizedChunk,
    PlanDelta,
    RefusalDelta,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
)
from .frames import times
from .schema import Column, Schema

if TYPE_CHECKING:
    import pandas as pd

    from ..run import StreamRun

DELTA_KINDS: dict[type, str] = {
    TextDelta: "text",
    ThinkingDelta: "thinking",
    RefusalDelta: "refusal",
    PlanDelta: "plan",
    ToolCallDelta: "tool_call",
    ToolResultDelta: "tool_result",
    CitationDelta: "citation",
    ModerationDelta: "moderation",
    MediaDelta: "media",
    SignatureDelta: "signature",
    BlockStop: "stop",
    UnknownDelta: "unknown",
}
"""The word for each kind of delta."""

CHUNKS = Schema(
    "chunks",
    "One row a chunk: what frame k means.",
    Column("chunk", "int64", "Number of the chunk, and of its frame."),
    Column("kind", "string", "What it is above all: see `chunk_kind`."),
    Column("start", "int64", "Offset of its first byte in the recording."),
    Column("end", "int64", "Offset behind its last byte."),
    Column("time_s", "float64", "When its last byte arrived, in seconds since the request was sent."),
    Column("deltas", "int64", "How many pieces of content it holds."),
    Column("text_chars", "int64", "Characters of visible text in it, refusals included; all choices."),
    Column("thinking_chars", "int64", "Characters of reasoning."),
    Column("argument_chars", "int64", "Characters of tool-call arguments."),
    Column("finish", "string", "The vendor's word for the finish reason."),
    Column("usage", "bool", "Whether it holds a usage report."),
    Column("terminal", "string", "``done`` or ``terminal`` where it is the end mark."),
    Column("error", "string", "The message of an error that the vendor reports in it."),
    Column("notes", "int64", "How many things are odd about it; see the diagnostics."),
    Column("padding", "int64", "Characters of random padding."),
    Column("sequence", "Int64", "The vendor's own number of the event."),
)

DELTAS = Schema(
    "deltas",
    "One row a piece of content, in the order in which they were routed.",
    Column("chunk", "int64", "Number of its chunk."),
    Column("delta", "int64", "Its number in the chunk."),
    Column("time_s", "float64", "When its chunk arrived, in seconds since the request was sent."),
    Column("kind", "string", "``text``, ``thinking``, ``tool_call`` …: see `DELTA_KINDS`."),
    Column("choice", "int64", "The choice it belongs to."),
    Column("block", "Int64", "Number of the block that took it, of all choices together; missing where none did."),
    Column("vendor_block", "string", "The vendor's own number or name of the block."),
    Column("opened", "bool", "Whether the block began with it."),
    Column("replaced", "bool", "Whether it is an authoritative text that replaced what the block held."),
    Column("start", "int64", "Where in the block's text it starts, in characters; of a call, in its arguments."),
    Column("chars", "int64", "How many characters it added."),
    Column("text", "string", "What it added."),
)


def chunk_kind(chunk: NormalizedChunk) -> str:
    """Return what a chunk is above all.

    ``error`` before anything; else the kind of its first delta that says something (see `DELTA_KINDS`); else
    ``finish``, ``usage``, ``end``, ``start`` (of a message) or ``empty``.
    """
    if chunk.error is not None:
        return "error"
    for delta in chunk.deltas:
        if type(delta) is not BlockStop and (not isinstance(delta, _TEXTS) or delta.text):
            return DELTA_KINDS[type(delta)]
    if chunk.finishes:
        return "finish"
    if chunk.usage is not None and not chunk.usage.preliminary:
        return "usage"
    if chunk.terminal is not None:
        return "end"
    if chunk.response is not None and chunk.response.starts:
        return "start"
    return "stop" if chunk.deltas and type(chunk.deltas[0]) is BlockStop else "empty"


_TEXTS = (TextDelta, ThinkingDelta, RefusalDelta, PlanDelta)


def chunks_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a chunk; see `CHUNKS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    >>> run.chunks_table()[["chunk", "kind", "text_chars"]]
       chunk  kind  text_chars
    0      0  text           2
    1      1   end           0
    """
    chunks, ends = run.chunks, run.frame_ends
    text, thinking, arguments = _characters(chunks)
    return CHUNKS.frame(
        run.name,
        {
            "chunk": range(len(chunks)),
            "kind": [chunk_kind(chunk) for chunk in chunks],
            "start": [0, *ends][: len(chunks)],
            "end": ends[: len(chunks)],
            "time_s": times(run, range(len(chunks))),
            "deltas": [len(chunk.deltas) for chunk in chunks],
            "text_chars": text,
            "thinking_chars": thinking,
            "argument_chars": arguments,
            "finish": [", ".join([str(f.raw) for f in c.finishes if f.raw is not None]) or None for c in chunks],
            "usage": [chunk.usage is not None for chunk in chunks],
            "terminal": [chunk.terminal for chunk in chunks],
            "error": [None if chunk.error is None else chunk.error.message for chunk in chunks],
            "notes": [len(chunk.notes) for chunk in chunks],
            "padding": [chunk.padding for chunk in chunks],
            "sequence": [chunk.sequence for chunk in chunks],
        },
    )


def _characters(chunks: list[NormalizedChunk]) -> tuple[list[int], list[int], list[int]]:
    """Count the characters of text, thinking and arguments in each chunk."""
    counts: tuple[list[int], list[int], list[int]] = ([], [], [])
    for chunk in chunks:
        text = thinking = arguments = 0
        for delta in chunk.deltas:
            match delta:
                case TextDelta() | RefusalDelta():
                    text += len(delta.text)
                case ThinkingDelta():
                    thinking += len(delta.text)
                case ToolCallDelta():
                    arguments += len(delta.arguments or "")
        for column, count in zip(counts, (text, thinking, arguments), strict=True):
            column.append(count)
    return counts


def deltas_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a delta, and which block took it; see `DELTAS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % text for text in ("Hel", "lo")).encode())
    >>> run.deltas_table()[["chunk", "kind", "block", "start", "text"]]
       chunk  kind  block  start text
    0      0  text      0      0  Hel
    1      1  text      0      3   lo
    """
    history = run.history
    first_rows = history.first_rows
    chunks: list[int] = []
    numbers: list[int] = []
    deltas: list[Any] = []
    for k in range(len(first_rows) - 1):
        count = first_rows[k + 1] - first_rows[k]
        if count:
            chunks += [k] * count
            numbers += range(count)
            deltas += history.deltas_of(k)
    blocks = [getattr(delta, "block", None) for delta in deltas]
    return DELTAS.frame(
        run.name,
        {
            "chunk": chunks,
            "delta": numbers,
            "time_s": times(run, chunks),
            "kind": [DELTA_KINDS[type(delta)] for delta in deltas],
            "choice": [delta.choice for delta in deltas],
            "block": [None if number < 0 else number for number in history.blocks],
            "vendor_block": [None if block is None else str(block) for block in blocks],
            "opened": [flag == 1 for flag in history.flags],
            "replaced": [flag == 2 for flag in history.flags],
            "start": history.starts,
            "chars": [len(text) for text in history.texts],
            "text": history.texts,
        },
    )
