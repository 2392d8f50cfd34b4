"""Bytes to payload: streamviz beside the vendors' SDKs and beside the floor, as ratios of CPU time.

    python benchmarks/bytes_to_payload.py [--chunks 10000] [--rounds 5] [--json FILE]

All candidates of a stream run in turn, in one process, on the same bytes; medians are compared. Ratios hold when the
machine's speed drifts, absolute times do not.
"""

from __future__ import annotations

import gc
import json
import platform
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent))
from floors import decoder
from peers import PEERS
from streams import STREAMS

import streamviz as sv

READ_BYTES = 64 * 1024
PEER_BUDGET = {
    "openai .stream()": 40,
    "anthropic .stream()": 20,
    "google-genai + join": 25,
    "boto3 EventStream + join": 6,
}
FLOOR_BUDGET = dict.fromkeys(STREAMS, 8) | {"bedrock-converse": 11, "bedrock-invoke": 11}


def payload_size(payload: sv.EmbeddedRunPayload) -> int:
    """Return how many characters came out: what a peer must match."""
    return len(payload.assistant_text) + len(payload.thinking) + sum(len(c.raw_arguments) for c in payload.calls)


def ours(provider: str) -> Callable[[list[bytes]], int]:
    """Return the whole default path: a growing run that keeps the bytes and each letter's origin, and its payload."""

    def assemble(reads: list[bytes]) -> int:
        run = sv.StreamRun(provider)
        for data in reads:
            run.feed(data)
        return payload_size(run.finish().payload)

    return assemble


def medians(candidates: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Run the candidates in turn and return each one's median CPU seconds."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for _ in range(rounds + 1):
        for name, candidate in candidates.items():
            gc.collect()
            start = process_time()
            candidate()
            times[name].append(process_time() - start)
    return {name: statistics.median(found[1:]) for name, found in times.items()}


def measure(name: str, chunks: int, rounds: int) -> list[dict[str, Any]]:
    """Measure one stream: event reads against the peers, 64 KiB reads against the floor."""
    provider, generate = STREAMS[name]
    events = generate(chunks)
    body = b"".join(events)
    blocks = [body[i : i + READ_BYTES] for i in range(0, len(body), READ_BYTES)]
    assemble = ours(provider)
    expected = assemble(events)
    rows: list[dict[str, Any]] = []
    candidates: dict[str, Callable[[], Any]] = {"streamviz": lambda: assemble(events)}
    for peer, run in PEERS[name].items():
        try:
            got = run(events)
        except ImportError as error:
            rows.append({"stream": name, "against": peer, "note": f"not installed: {error.name}"})
            continue
        note = "" if got == expected else f"assembles {got} characters, not {expected}"
        candidates[peer] = lambda run=run: run(events)
        rows.append(
            {"stream": name, "against": peer, "reads": "one event", "note": note, "least": PEER_BUDGET.get(peer)}
        )
    found = medians(candidates, rounds)
    for row in rows:
        if row["against"] in found:
            row["ratio"] = found[row["against"]] / found["streamviz"]
            row["us_per_chunk"] = found["streamviz"] / len(events) * 1e6
    frames = sv.read(body, provider=provider).frames
    payloads = [f.data for f in frames if f.data[:1] == b"{"]
    decode = decoder(name)
    floor = medians(
        {"floor": lambda: [decode(p) for p in payloads] and None, "streamviz": lambda: assemble(blocks)}, rounds
    )
    rows.append(
        {
            "stream": name,
            "against": "one typed decode of the ready payloads",
            "reads": "64 KiB",
            "ratio": floor["streamviz"] / floor["floor"],
            "us_per_chunk": floor["streamviz"] / len(events) * 1e6,
            "most": FLOOR_BUDGET[name],
            "note": "",
        }
    )
    return rows


def main(
    chunks: Annotated[int, typer.Option(help="Chunks of each generated stream.")] = 10_000,
    rounds: Annotated[int, typer.Option(help="Rounds; medians are compared.")] = 5,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the rows here, too.")] = None,
) -> None:
    """Print what streamviz costs beside its peers and beside the floor."""
    rows = [row for name in STREAMS for row in measure(name, chunks, rounds)]
    table = Table(
        title=f"bytes → payload, {chunks} chunks, Python {platform.python_version()}, CPU medians of {rounds}"
    )
    for column in ("stream", "against", "reads", "ratio", "budget", "µs/chunk", "note"):
        table.add_column(column, justify="right" if column in ("ratio", "budget", "µs/chunk") else "left")
    for row in rows:
        if "most" in row:
            ratio, budget = f"{row['ratio']:.1f} × slower", f"≤ {row['most']}"
        else:
            ratio = f"{row['ratio']:.0f} × faster" if "ratio" in row else ""
            budget = f"≥ {row['least']}" if row.get("least") else ""
        cost = f"{row['us_per_chunk']:.2f}" if "us_per_chunk" in row else ""
        table.add_row(row["stream"], row["against"], row.get("reads", ""), ratio, budget, cost, row["note"])
    Console(width=150).print(table)
    if json_file is not None:
        json_file.write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    typer.run(main)
