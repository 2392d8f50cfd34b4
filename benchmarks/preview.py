"""The live view of arguments at every fragment: how it grows, against reading the whole text again with ``jiter``.

Run ``python benchmarks/preview.py``. CPU medians of interleaved rounds over the same fragments; the value is asked for
after each of them. What counts is the exponent: 1 is linear, reading again is 2.
"""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Iterator
from time import process_time
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

import streamviz as sv

COUNTS = (1_000, 10_000, 50_000, 100_000)


def texts(fragments: int) -> dict[str, str]:
    """Return argument texts of so many fragments of five characters, by what is special about them."""
    size = fragments * 5
    rows = '{"id": 12345, "name": "a name", "tags": ["x", "y"], "on": true}, '
    depth = min(150, size // 12)
    return {
        "one long string": '{"text": "' + "lorem ipsum, " * (size // 13) + '"}',
        "rows": '{"rows": [' + (rows * (size // len(rows)))[:-2] + "]}",
        "escapes": '{"text": "' + "\\u00e9\\n\\\\ " * (size // 11) + '"}',
        "deep, then long": '{"k": [' * (depth // 2) + '"' + "x" * size + '"' + "]}" * (depth // 2),
        "single quotes (no JSON)": ("{'rows': [" + (rows * (size // len(rows)))[:-2] + "]}").replace('"', "'"),
    }


def cut(text: str) -> Iterator[str]:
    """Cut a text into fragments."""
    return (text[at : at + 5] for at in range(0, len(text), 5))


def ours(text: str) -> None:
    """Follow the text with one reader."""
    reader = sv.IncrementalReader(expect="object")
    for fragment in cut(text):
        reader.feed(fragment)
        _ = reader.value


def in_the_state(text: str) -> None:
    """Follow the text through router and state, as a program that watches a stream would."""
    state = sv.AssemblyState()
    sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(index=0, id="a", name="f"),)))
    for fragment in cut(text):
        sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(fragment, index=0),)))
        _ = state.preview()


def again_with_jiter(text: str) -> None:
    """Read everything that has come again at every fragment, as SDKs do."""
    import jiter

    so_far = bytearray()
    for fragment in cut(text):
        so_far += fragment.encode()
        _ = jiter.from_json(bytes(so_far), partial_mode="trailing-strings")


def seconds(run: Callable[[str], None], text: str, rounds: int) -> float:
    """Return the CPU time of one pass."""
    times = []
    for _ in range(rounds):
        gc.collect()
        start = process_time()
        run(text)
        times.append(process_time() - start)
    return statistics.median(times)


def main(
    rounds: Annotated[int, typer.Option(help="Rounds.")] = 3,
    largest: Annotated[int, typer.Option(help="The most fragments.")] = 50_000,
    patience: Annotated[float, typer.Option(help="Seconds that a peer may take before it is given up.")] = 10.0,
) -> None:
    """Measure the live view."""
    table = Table(
        "text", "fragments", "reader", "state.preview()", "jiter again", "µs a fragment", "exponent", title="live view"
    )
    for kind in texts(1000):
        before: tuple[float, float] | None = None
        peer_time = 0.0
        for count in COUNTS:
            if count > largest:
                continue
            text = texts(count)[kind]
            mine = seconds(ours, text, rounds)
            state = seconds(in_the_state, text, rounds)
            peer = "–"
            if "no JSON" not in kind and peer_time * 30 < patience:
                peer_time = seconds(again_with_jiter, text, 1)
                peer = f"{peer_time:.2f} s = {peer_time / mine:.0f} ×"
            elif peer_time:
                peer = f"> {patience:.0f} s"
            grown = "" if before is None else f"{math.log(mine / before[1]) / math.log(count / before[0]):.2f}"
            before = (count, mine)
            table.add_row(
                kind, f"{count:,}", f"{mine:.3f} s", f"{state:.3f} s", peer, f"{mine / count * 1e6:.1f}", grown
            )
        table.add_section()
    Console(width=120).print(table)


if __name__ == "__main__":
    typer.run(main)
