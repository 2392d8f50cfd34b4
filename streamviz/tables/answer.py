"""The tables of what a response amounts to: its blocks, its usage, and what can be said against it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..assembly.usage import COUNTS, UsageAccumulator
from .frames import times
from .schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from ..chunks import Usage
    from ..diagnostics import Diagnostic
    from ..run import StreamRun

BLOCKS = Schema(
    "blocks",
    "One row a block of content, in the vendor's order; choice by choice.",
    Column("choice", "int64", "The choice it belongs to."),
    Column("block", "int64", "Its number among the choice's blocks."),
    Column("kind", "string", "``text``, ``thinking``, ``refusal``, ``plan``, ``tool_call``, ``server_tool`` …"),
    Column("index", "string", "The vendor's own number or name of it."),
    Column("name", "string", "Of a call, the tool; of a result, the vendor's word; of a medium, its MIME type."),
    Column("id", "string", "The id of the call."),
    Column("text", "string", "Text, reasoning, refusal or plan; the raw arguments of a call."),
    Column("chars", "int64", "Length of the text."),
    Column("version", "int64", "How often an authoritative text replaced a different one, plus one."),
    Column("citations", "int64", "How many citations hang on it."),
    Column("first_chunk", "Int64", "The chunk of its first piece."),
    Column("last_chunk", "Int64", "The chunk of its last piece."),
    Column("first_time_s", "float64", "When its first piece arrived, in seconds since the request was sent."),
    Column("last_time_s", "float64", "When its last piece arrived."),
)

USAGE = Schema(
    "usage",
    "One row a usage report, in the order in which they came: what all reports so far amount to.",
    Column("report", "int64", "Number of the report, from 0."),
    Column("chunk", "int64", "The chunk that held it."),
    Column("time_s", "float64", "When it arrived, in seconds since the request was sent."),
    Column("state", "string", "``preliminary``: known at the start of the response only. ``reported``. The last row "
           "says what `Usage.state` says of the whole."),
    *(Column(name, "Int64", f"As `Usage.{name}`; missing where the vendor did not say.") for name in COUNTS),
    Column("service_tier", "string", "The tier that served the request."),
    Column("billed", "float64", "What the vendor says it cost."),
    Column("currency", "string", "In which currency."),
    Column("raw", "string", "The report as it came, as JSON."),
)  # fmt: skip

DIAGNOSTICS = Schema(
    "diagnostics",
    "One row a thing that is odd or wrong, in the order of the payload; what all choices share is there once.",
    Column("choice", "Int64", "The choice it is about; missing where it is about all of them."),
    Column("code", "string", "Its code; `streamviz.diagnostics.CODES` has them all."),
    Column("severity", "string", "``fault``, ``warning`` or ``note``."),
    Column("message", "string", "What was seen."),
    Column("chunk", "Int64", "The chunk where it was seen."),
    Column("offset", "Int64", "Offset of that chunk's frame in the recording."),
    Column("position", "Int64", "The character it is about, in the text or in the arguments."),
    Column("time_s", "float64", "When that chunk arrived, in seconds since the request was sent."),
)


def blocks_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a block; see `BLOCKS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    >>> run.blocks_table()[["block", "kind", "text"]]
       block  kind text
    0      0  text   Hi
    """
    blocks = [(number, block) for payload in run.payloads for number, block in enumerate(payload.blocks)]
    first = [block.first_chunk for _, block in blocks]
    last = [block.last_chunk for _, block in blocks]
    return BLOCKS.frame(
        run.name,
        {
            "choice": [block.choice for _, block in blocks],
            "block": [number for number, _ in blocks],
            "kind": [block.kind for _, block in blocks],
            "index": [None if block.index is None else str(block.index) for _, block in blocks],
            "name": [block.name or None for _, block in blocks],
            "id": [block.id for _, block in blocks],
            "text": [block.text for _, block in blocks],
            "chars": [len(block.text) for _, block in blocks],
            "version": [block.version for _, block in blocks],
            "citations": [len(block.citations) for _, block in blocks],
            "first_chunk": first,
            "last_chunk": last,
            "first_time_s": times(run, first),
            "last_time_s": times(run, last),
        },
    )


def usage_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a usage report; see `USAGE` for its columns.

    Each row holds what the reports up to it amount to, for vendors send cumulative counts: the last row is the usage
    of the response, and the counts must not be added up.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n')
    >>> run.usage_table()[["chunk", "state", "input_tokens", "output_tokens"]]
       chunk     state  input_tokens  output_tokens
    0      0  reported             9              2
    """
    found = list(usage_reports(run))
    at = times(run, [k for k, *_ in found])
    rows = []
    for number, ((k, state, usage, raw), time_s) in enumerate(zip(found, at, strict=True)):
        billed = usage.billed if usage else None
        rows.append(
            (
                *(number, k, time_s, state),
                *(getattr(usage, name, None) for name in COUNTS),
                *(usage and usage.service_tier, billed and billed.amount, billed and billed.currency),
                json.dumps(raw, ensure_ascii=False, default=repr),
            )
        )
    return USAGE.rows(run.name, rows)


def usage_reports(run: StreamRun) -> Iterator[tuple[int, str, Usage | None, dict[str, Any]]]:
    """Yield (chunk, state, usage, raw report) of each usage report: the usage is what all up to it amount to."""
    reports = UsageAccumulator()
    found = [(k, chunk.usage) for k, chunk in enumerate(run.chunks) if chunk.usage is not None]
    final = run.payloads[0].usage
    for k, report in found:
        reports.add(report, k)
        usage, _ = reports.usage()
        state: str = usage.state if usage else "missing"
        if k == found[-1][0] and final is not None:
            state = final.state
        yield k, state, usage, report.raw


def diagnostics_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a diagnostic; see `DIAGNOSTICS` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"con', "openai")
    >>> run.diagnostics_table()[["code", "severity", "chunk"]].head(1)
            code severity  chunk
    0  torn-tail    fault      0
    """
    payloads = run.payloads
    shared = set.intersection(*(set(payload.diagnostics) for payload in payloads)) if len(payloads) > 1 else set()
    found: list[tuple[int | None, Diagnostic]] = []
    for payload in payloads:
        for diagnostic in payload.diagnostics:
            if diagnostic not in shared:
                found.append((payload.choice, diagnostic))
            elif payload is payloads[0]:
                found.append((None, diagnostic))
    chunks = [diagnostic.chunk for _, diagnostic in found]
    return DIAGNOSTICS.frame(
        run.name,
        {
            "choice": [choice for choice, _ in found],
            "code": [diagnostic.code for _, diagnostic in found],
            "severity": [diagnostic.severity for _, diagnostic in found],
            "message": [diagnostic.message for _, diagnostic in found],
            "chunk": chunks,
            "offset": [diagnostic.offset for _, diagnostic in found],
            "position": [diagnostic.position for _, diagnostic in found],
            "time_s": times(run, chunks),
        },
    )
