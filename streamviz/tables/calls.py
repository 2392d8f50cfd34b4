"""The tables of tool calls: the calls, the fragments that they came in, and every edit of their repair."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..assembly.payload import json_safe
from ..assembly.tool_calls import ToolCall, ToolCallBlock
from ..repair import IncrementalReader
from .frames import times
from .schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from ..assembly.state import BlockAccumulator
    from ..run import StreamRun

_CALL = (
    Column("choice", "int64", "The choice it belongs to."),
    Column("call", "int64", "Number of the call in its choice; the vendor's own calls are counted, too."),
    Column("id", "string", "The call's id."),
    Column("name", "string", "The tool's name."),
)

CALLS = Schema(
    "calls",
    "One row a tool call, choice by choice, in order of first appearance.",
    *_CALL,
    Column("name_as_sent", "string", "The name as the model wrote it."),
    Column("is_offered", "boolean", "Whether a tool of this name was offered; missing where the tools are not known."),
    Column("id_is_made_up", "bool", "Whether no id of its own was sent."),
    Column("server", "bool", "Whether the vendor ran it itself."),
    Column("status", "string", "``exact``, ``empty``, ``repaired``, ``incomplete``, ``text`` or ``invalid``."),
    Column("executable", "bool", "Whether it may be run as it is."),
    Column("complete", "bool", "Whether the arguments reach their end."),
    Column("gap", "bool", "Whether a part of it may be lost."),
    Column("arguments", "string", "The arguments as JSON; missing where they cannot be read."),
    Column("raw_arguments", "string", "The argument text as sent."),
    Column("fragments", "int64", "How many pieces it came in."),
    Column("edits", "int64", "How many edits its repair took."),
    Column("rules", "string", "The rules of these edits, each once, in order."),
    Column("schema_violations", "Int64", "What its schema does not allow; missing where no schema is known."),
    Column("block", "int64", "Number of its block among the choice's blocks."),
    Column("first_chunk", "int64", "The chunk of its first fragment."),
    Column("last_chunk", "int64", "The chunk of its last fragment."),
    Column("first_time_s", "float64", "When its first fragment arrived, in seconds since the request was sent."),
    Column("last_time_s", "float64", "When its last fragment arrived."),
)

FRAGMENTS = Schema(
    "fragments",
    "One row a fragment of a call's arguments. The texts of a call, joined, are its raw arguments; of a call that came "
    "path by path they are the leaves.",
    *_CALL,
    Column("fragment", "int64", "Number of the fragment in its call, from 0."),
    Column("text", "string", "The text it brought."),
    Column("offset", "int64", "Where in the arguments it starts, in characters."),
    Column("path", "string", "Of a call that came path by path: the JSON path of the leaf."),
    Column("chunk", "int64", "The chunk that brought it."),
    Column("time_s", "float64", "When it arrived, in seconds since the request was sent."),
    Column("preview", "string", "How far the arguments are read then: ``open``, ``complete``, or ``fault`` from the "
           "first character on that cannot be read as it is."),
    Column("open_path", "string", "Where in the value the text ends then: ``$.items[2].name``."),
)  # fmt: skip

REPAIRS = Schema(
    "repairs",
    "One row an edit.",
    *_CALL,
    Column("status", "string", "What the call's arguments are after all edits."),
    Column("edit", "int64", "Number of the edit in its call, from 0."),
    Column("rule", "string", "The name of what was done."),
    Column("level", "string", "``lossless``, ``truncation`` or ``guess``."),
    Column("position", "int64", "Where, in characters of the raw arguments."),
    Column("removed", "string", "What was taken out."),
    Column("inserted", "string", "What was put in."),
    Column("fragment", "Int64", "The fragment it falls in."),
    Column("chunk", "Int64", "The chunk that brought that fragment."),
    Column("time_s", "float64", "When that chunk arrived, in seconds since the request was sent."),
)


def calls_of(run: StreamRun) -> Iterator[tuple[tuple[int, int, str, str], ToolCall]]:
    """Yield all calls, each with its choice, number, id and name: the first columns of the three tables."""
    for payload in run.payloads:
        calls = sorted((*payload.calls, *payload.server_tools), key=lambda call: call.block)
        for number, call in enumerate(calls):
            yield (payload.choice, number, call.id, call.name), call


def calls_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a tool call; see `CALLS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> call = b'{"index":0,"id":"c1","function":{"name":"now","arguments":"{}"}}'
    >>> run = sv.read(b'data: {"choices":[{"delta":{"tool_calls":[%b]},"finish_reason":"tool_calls"}]}\n\n' % call)
    >>> run.calls_table()[["id", "name", "status", "executable"]]
       id name status  executable
    0  c1  now  exact        True
    """
    found = list(calls_of(run))
    first = times(run, [call.first_chunk for _, call in found])
    last = times(run, [call.last_chunk for _, call in found])
    rows = zip(found, first, last, strict=True)
    return CALLS.rows(run.name, (_call_row(*one, *at) for one, *at in rows))


def _call_row(key: tuple[int, int, str, str], call: ToolCall, first_s: float, last_s: float) -> tuple[Any, ...]:
    report = call.repair
    edits = report.edits if report else ()
    violations = report.schema_violations if report else None
    return (
        *key,
        call.name_as_sent,
        call.is_offered,
        call.id_is_made_up,
        call.server,
        call.status,
        call.executable,
        call.status == "text" or (report is not None and report.complete),
        call.gap,
        None if call.arguments is None else json.dumps(json_safe(call.arguments), ensure_ascii=False),
        call.raw_arguments,
        call.fragments,
        len(edits),
        ", ".join(dict.fromkeys(edit.rule for edit in edits)) or None,
        None if violations is None else len(violations),
        call.block,
        call.first_chunk,
        call.last_chunk,
        first_s,
        last_s,
    )


def fragments_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a fragment of a tool call; see `FRAGMENTS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> call = 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%s"}}]}}]}\n\n'
    >>> run = sv.read("".join(call % text for text in (r'{\"city\": \"Pa', r'ris\"}')).encode(), "openai")
    >>> run.fragments_table()[["text", "offset", "chunk", "preview", "open_path"]]
                text  offset  chunk   preview open_path
    0  {"city": "Pa       0      0      open    $.city
    1         ris"}      12      1  complete      <NA>
    """
    rows: list[tuple[Any, ...]] = []
    accumulators = {payload.choice: run.accumulators(payload.choice) for payload in run.payloads}
    for key, call in calls_of(run):
        block = accumulators[call.choice][call.block]
        rows += [(*key, number, *piece) for number, piece in enumerate(fragments_of(run, call, block))]
    chunk = len(_CALL) + 4
    at = times(run, [row[chunk] for row in rows])
    return FRAGMENTS.rows(
        run.name,
        ((*row[: chunk + 1], time_s, *row[chunk + 1 :]) for row, time_s in zip(rows, at, strict=True)),
    )


def fragments_of(run: StreamRun, call: ToolCall, block: BlockAccumulator) -> Iterator[tuple[Any, ...]]:
    """Yield (text, offset, path, chunk, preview, open path) of each fragment of a call, built from ``block``."""
    if isinstance(block, ToolCallBlock):
        yield from _leaves(run, block) if block.paths is not None else _pieces(run, call, block)


def _pieces(run: StreamRun, call: ToolCall, block: ToolCallBlock) -> Iterator[tuple[Any, ...]]:
    """Yield them of the pieces of the argument text."""
    text, ends, chunks = call.raw_arguments, block.pieces.ends(), list(block.pieces.chunks)
    if not ends and text:  # what came with the call's start alone
        ends, chunks = [len(text)], [call.first_chunk]
    reader = None if block.custom else IncrementalReader(expect="object", limits=run.limits)
    start = 0
    for end, chunk in zip(ends, chunks, strict=True):
        if reader is not None:
            reader.feed(text[start:end])
        preview = None if reader is None else "fault" if reader.fault is not None else _progress(reader)
        path = None if reader is None or reader.complete else reader.open_path
        yield text[start:end], start, None, chunk, preview, path
        start = end


def _progress(reader: IncrementalReader) -> str:
    return "complete" if reader.complete else "open"


def _leaves(run: StreamRun, block: ToolCallBlock) -> Iterator[tuple[Any, ...]]:
    """Yield the same of each leaf of a call that came path by path; its offset is that within its string."""
    number = next(n for n, other in enumerate(run.state.accumulators) if other is block)
    history = run.history
    offset = 0
    before = None
    for chunk in dict.fromkeys(block.pieces.chunks):
        for row, delta in enumerate(history.deltas_of(chunk), start=history.first_rows[chunk]):
            for leaf in getattr(delta, "paths", ()) if history.blocks[row] == number else ():
                text = leaf.value if isinstance(leaf.value, str) else json.dumps(leaf.value)
                offset = offset if leaf.path == before else 0
                yield text, offset, leaf.path, chunk, "open", leaf.path if leaf.more else None
                offset += len(text)
                before = leaf.path if leaf.more else None


def repairs_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row an edit of the arguments; see `REPAIRS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> call = rb'{"index":0,"function":{"name":"f","arguments":"{\"city\": \"Pa"}}'
    >>> run = sv.read(b'data: {"choices":[{"delta":{"tool_calls":[%b]}}]}\n\n' % call)
    >>> run.repairs_table()[["rule", "level", "position", "inserted"]]
                  rule     level  position inserted
    0     close-string  lossless        12        "
    1  close-container  lossless        12        }
    """
    rows: list[tuple[Any, ...]] = []
    for key, call in calls_of(run):
        for number, edit in enumerate(call.repair.edits if call.repair else ()):
            what = (edit.rule, edit.level, edit.position, edit.removed, edit.inserted, edit.fragment, edit.chunk)
            rows.append((*key, call.status, number, *what))
    at = times(run, [row[-1] for row in rows])
    return REPAIRS.rows(run.name, ((*row, time_s) for row, time_s in zip(rows, at, strict=True)))
