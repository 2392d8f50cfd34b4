"""What it costs to look at a run: `state_at` and `steps`, origins, tables, memory; against the budgets of the design.

    python benchmarks/run_views.py [--chunks 50000] [--large 1000000]

Peers do not exist: no other library goes back to a state, or keeps what came. The figures are CPU time and bytes of
this machine; beside them stand the time to read the same stream, and one `json.loads` of each frame's data.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))
from streams import STREAMS

import streamviz as sv

TABLES = ("frames", "chunks", "deltas", "blocks", "calls", "fragments", "repairs", "usage", "diagnostics", "timing")
STATE_AT_MS = 5.0
"""Budget for one `state_at` at 50,000 chunks, in milliseconds."""
BYTES_A_CHUNK = 250
"""Budget for what a finished run keeps a chunk, beside the raw bytes."""


def timed(action: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds that an action takes, and what it gives."""
    began = process_time()
    result = action()
    return process_time() - began, result


def grown(provider: str, data: bytes, read_bytes: int = 65536) -> sv.StreamRun:
    """Return a finished run with times."""
    run = sv.StreamRun(provider)
    for number, start in enumerate(range(0, len(data), read_bytes)):
        run.feed(data[start : start + read_bytes], number / 100)
    return run.finish()


def kept_bytes(provider: str, data: bytes) -> float:
    """Return what a run keeps a chunk, beside the reads themselves."""
    reads = [data[start : start + 65536] for start in range(0, len(data), 65536)]
    tracemalloc.start()
    run = sv.StreamRun(provider)
    for read in reads:
        run.feed(read)
    run.finish()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return kept / len(run.frame_ends)


def main(
    chunks: Annotated[int, typer.Option(help="Chunks of the streams that are stepped through.")] = 50_000,
    large: Annotated[int, typer.Option(help="Chunks of the stream whose tables are made; 0 for none.")] = 1_000_000,
) -> None:
    """Measure and print."""
    console = Console()
    table = Table(title=f"Looking at a run of {chunks:,} chunks", title_justify="left")
    for column in ("stream", "memory a chunk", "history", "state_at median", "worst", "origin"):
        table.add_column(column, justify="left" if column == "stream" else "right")
    for name, (provider, make) in STREAMS.items():
        data = b"".join(make(chunks))
        run = grown(provider, data)
        history_s, _ = timed(lambda run=run: run.history)
        count = len(run.chunks)
        seconds = [
            timed(lambda k=k, run=run: run.state_at(k))[0] for k in random.Random(1).choices(range(count), k=200)
        ]
        at = min(len(run.payload.assistant_text), chunks) - 1
        origin_s = timed(lambda run=run, at=at: [run.origin("text", at) for _ in range(20)])[0] / 20
        table.add_row(
            name,
            f"{kept_bytes(provider, data):.0f} B",
            f"{history_s:.2f} s",
            f"{1e3 * statistics.median(seconds):.2f} ms",
            f"{1e3 * max(seconds):.2f} ms",
            f"{1e3 * origin_s:.2f} ms",
        )
    console.print(table)
    console.print(f"budgets: state_at {STATE_AT_MS} ms, memory {BYTES_A_CHUNK} B a chunk")
    if large:
        tables(console, large)


def tables(console: Console, chunks: int) -> None:
    """Measure each table of a long run."""
    provider, make = next(iter(STREAMS.values()))
    data = b"".join(make(chunks))
    table = Table(title=f"Tables of a run of {chunks:,} chunks", title_justify="left")
    for column in ("what", "CPU", "rows"):
        table.add_column(column, justify="left" if column == "what" else "right")
    read_s, run = timed(lambda: grown(provider, data))
    table.add_row("read", f"{read_s:.2f} s", f"{len(run.frame_ends):,}")
    table.add_row("frames", f"{timed(lambda: run.frames)[0]:.2f} s", "")
    floor_s, _ = timed(lambda: [json.loads(frame.data) for frame in run.frames if frame.data[:1] == b"{"])
    table.add_row("json.loads of each", f"{floor_s:.2f} s", "")
    table.add_row("chunks", f"{timed(lambda: run.chunks)[0]:.2f} s", "")
    table.add_row("history", f"{timed(lambda: run.history)[0]:.2f} s", "")
    for name in TABLES:
        seconds, made = timed(getattr(run, f"{name}_table"))
        table.add_row(f"{name}_table()", f"{seconds:.2f} s", f"{len(made):,}")
    console.print(table)


if __name__ == "__main__":
    typer.run(main)
