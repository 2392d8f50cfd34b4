"""Argument repair: how long it takes against one ``json.loads`` of the valid text, and against others' repair.

Run ``python benchmarks/repair.py``. CPU medians of interleaved rounds; the ratio to the floor is what counts. A peer
that raises, gives another value than ours, or takes more than ``--patience`` seconds is noted.
"""

from __future__ import annotations

import gc
import json
import math
import statistics
from collections.abc import Callable
from time import process_time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

import streamviz as sv

SIZES = {"1 KB": 1_000, "100 KB": 100_000, "1 MB": 1_000_000, "5 MB": 5_000_000}
DEPTHS = (1_000, 10_000, 100_000)
BUDGET = {"cut": 2, "broken": 20}
"""At most so many times the floor, at 1 MB."""


def repeated(unit: str, size: int) -> str:
    """Return a unit as often as it fits."""
    return unit * max(1, size // len(unit))


def texts(size: int) -> dict[str, tuple[str, str]]:
    """Return (valid text, the same harmed) by what is special about it; the first word is the kind of harm."""
    rows = repeated('{"id": 12345, "name": "a name", "tags": ["x", "y"], "on": true}, ', size)[:-2]
    strings = repeated('"ab", ', size)[:-2]
    lorem = repeated("lorem ipsum, ", size)
    escapes = repeated("\\u00e9\\n\\\\ ", size)
    pairs = repeated('{"a": 1},', size)
    depth = min(size // 12, 480)
    nested = '{"k": [' * (depth // 2) + '"' + "x" * size + '"' + "]}" * (depth // 2)
    return {
        "cut string full of commas": (f'{{"text": "{lorem}"}}', f'{{"text": "{lorem}'),
        "cut rows": (f'{{"rows": [{rows}]}}', f'{{"rows": [{rows}'),
        "cut string full of escapes": (f'{{"text": "{escapes}"}}', f'{{"text": "{escapes}'),
        "cut in deep nesting": (nested, nested[: -2 * (depth // 2) - 1]),
        "broken rows, a comma too many": (f'{{"rows": [{rows}]}}', f'{{"rows": [{rows},]}}'),
        "broken rows, single quotes": (f'{{"rows": [{rows}]}}', f'{{"rows": [{rows}]}}'.replace('"', "'")),
        "broken short strings, a comma lost": (f'{{"s": [{strings}]}}', f'{{"s": [{strings}]}}'.replace(", ", " ", 1)),
        "broken string, unknown escapes": (
            json.dumps({"t": "\\d" * (size // 3)}),
            '{"t": "' + "\\d" * (size // 2) + '"}',
        ),
        "broken text, the same value again and again": (
            f"[{pairs[:-1]}]",
            pairs.replace(",", ""),
        ),
        "broken string, raw line feeds": (
            json.dumps({"t": lorem.replace(", ", ",\n")}),
            f'{{"t": "{lorem}"}}'.replace(", ", ",\n"),
        ),
    }


def ours(text: str) -> Any:
    """Return what the library makes of a text."""
    return sv.repair_json(text).value


def peers() -> dict[str, Callable[[str], Any]]:
    """Return the peers that are installed."""
    found: dict[str, Callable[[str], Any]] = {}
    try:
        import jiter

        found["jiter"] = lambda text: jiter.from_json(text.encode(), partial_mode="trailing-strings")
    except ImportError:
        pass
    try:
        import json_repair

        found["json_repair"] = json_repair.loads
    except ImportError:
        pass
    try:
        import partial_json_parser

        found["partial-json-parser"] = partial_json_parser.loads
    except ImportError:
        pass
    return found


def seconds(run: Callable[[], Any]) -> float:
    """Return the CPU time of one call."""
    gc.collect()
    start = process_time()
    run()
    return process_time() - start


def measure(kind: str, size_name: str, rounds: int, patience: float, given_up: set[tuple[str, str]]) -> dict[str, str]:
    """Measure one text at one size."""
    valid, harmed = texts(SIZES[size_name])[kind]
    value = ours(harmed)
    runs: dict[str, Callable[[], Any]] = {"floor": lambda: json.loads(valid), "streamviz": lambda: ours(harmed)}
    cells: dict[str, str] = {}
    for name, peer in peers().items():
        if (kind, name) in given_up:
            cells[name] = "–"
            continue
        start = process_time()
        try:
            same = peer(harmed) == value
        except Exception as error:  # noqa: BLE001 - whatever a peer raises is its result
            cells[name] = type(error).__name__
            continue
        if not same:
            cells[name] = "another value"
            continue
        if process_time() - start > patience:
            given_up.add((kind, name))
            cells[name] = f"{process_time() - start:.1f} s"
            continue
        runs[name] = lambda peer=peer: peer(harmed)
    repeats = max(1, 20_000 // len(harmed))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            times[name].append(seconds(lambda run=run: [run() for _ in range(repeats)]) / repeats)
    medians = {name: statistics.median(found) for name, found in times.items()}
    floor = medians.pop("floor")
    return {
        **cells,
        **{name: f"{time / floor:.1f} ×" for name, time in medians.items()},
        "_s": str(medians["streamviz"]),
    }


def nesting(rounds: int) -> Table:
    """Measure what is far too deep for a recursive parser, with the limit on depth raised."""
    table = Table("text", *(f"{depth:,} deep" for depth in DEPTHS), "exponent", title="nesting")
    kinds = {
        "whole": lambda depth: '{"k":' * depth + "1" + "}" * depth,
        "cut": lambda depth: '{"k":[' * (depth // 2),
        "broken": lambda depth: "{'k':" * depth + "1" + "}" * depth,
    }
    for kind, text_of in kinds.items():
        times = []
        for depth in DEPTHS:
            text, limits = text_of(depth), sv.Limits(depth=depth)
            runs = [
                seconds(lambda text=text, limits=limits: sv.repair_json(text, limits=limits)) for _ in range(rounds)
            ]
            times.append(statistics.median(runs))
        exponent = math.log(times[-1] / times[0]) / math.log(DEPTHS[-1] / DEPTHS[0])
        table.add_row(kind, *(f"{time:.3f} s" for time in times), f"{exponent:.2f}")
    return table


def main(
    rounds: Annotated[int, typer.Option(help="Interleaved rounds.")] = 5,
    largest: Annotated[int, typer.Option(help="The largest text, in bytes.")] = 5_000_000,
    patience: Annotated[float, typer.Option(help="Seconds after which a peer is given up.")] = 5.0,
) -> None:
    """Measure the repair."""
    names = ["streamviz", *peers()]
    table = Table("text", "size", *names, "budget", "exponent", title="repair, × json.loads of the valid text")
    given_up: set[tuple[str, str]] = set()
    for kind in texts(1000):
        before: tuple[float, float] | None = None
        for size_name, size in SIZES.items():
            if size > largest:
                continue
            cells = measure(kind, size_name, rounds, patience, given_up)
            time = float(cells.pop("_s"))
            grown = "" if before is None else f"{math.log(time / before[1]) / math.log(size / before[0]):.2f}"
            before = (size, time)
            budget = f"≤ {BUDGET[kind.split()[0]]} ×" if size_name == "1 MB" else ""
            table.add_row(kind, size_name, *(cells.get(name, "") for name in names), budget, grown)
        table.add_section()
    Console(width=130).print(table, nesting(rounds))


if __name__ == "__main__":
    typer.run(main)
