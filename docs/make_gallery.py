"""Write ``gallery.md`` and the pictures in ``gallery/``: every plot, for light and for dark ground.

The streams are the samples that ship with the package, and one that is made here, for the samples have no times.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes

import streamviz as sv
from streamviz.plots import plot_repair
from streamviz.samples import SAMPLES, load_sample

HERE = Path(__file__).parent
PICTURES = HERE / "gallery"
STYLES = ("light", "dark")
THOUGHT = "The user asks for a way through the old town without any stairs."
MESSY = """{'city': 'Córdoba', "days": 3, // three nights
 "places": ["Mezquita", 'Alcázar',], "guide": True, "note": "no stairs,
please", }"""
"""JSON as models write it when they think of Python."""


class Picture(NamedTuple):
    """One plot."""

    name: str
    code: str
    """What a reader writes to have it."""
    words: str
    draw: Callable[[str], Axes]


def timed_run(name: str = "slow-answer.sse", pace_s: float = 0.035, stall_s: float = 4.2) -> sv.StreamRun:
    """Return a made-up response with times: reasoning, text, a call, a stall in the middle and keep-alives in it."""
    run = sv.StreamRun("openai", source=name)
    now = 0.82

    def send(value: object, after_s: float) -> None:
        nonlocal now
        now += after_s
        text = value if isinstance(value, str) else f"data: {json.dumps(value)}\n\n"
        run.feed(text.encode(), round(now, 4))

    def delta(delta: dict[str, object], after_s: float) -> None:
        send({"id": "c1", "model": "made-up-1", "choices": [{"index": 0, "delta": delta}]}, after_s)

    delta({"role": "assistant", "content": ""}, 0)
    for number, word in enumerate(THOUGHT.split()):
        delta({"reasoning_content": word + " "}, pace_s * (1 + 0.4 * (number % 3)))
    for number in range(60):
        wait_s = stall_s / 3 if number in (24, 25, 26) else pace_s * (0.35 + 0.5 * (number * 7 % 5))
        if number in (24, 25):
            send(": keep-alive\n\n", wait_s)
        delta({"content": "along the river, "[number % 7 :]}, 0 if number % 6 == 5 else wait_s)
    function: dict[str, object] = {"name": "find_route", "arguments": ""}
    delta({"tool_calls": [{"index": 0, "id": "call_1", "function": function}]}, 0.4)
    for piece in ('{"from": "Old ', 'Town", "to": ', '"Harbour', '", "stairs', '": false, "via', '": ["River"', ", ]}"):
        delta({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}, pace_s * (1 + len(piece) % 4))
    usage = {"prompt_tokens": 412, "completion_tokens": 198, "total_tokens": 610}
    details = {"prompt_tokens_details": {"cached_tokens": 256}, "completion_tokens_details": {"reasoning_tokens": 40}}
    send({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}, pace_s)
    send({"id": "c1", "choices": [], "usage": usage | details}, pace_s)
    send("data: [DONE]\n\n", 0.01)
    return run.finish()


def two_runs(style: str) -> Axes:
    """Draw two runs into one Axes."""
    ax = timed_run("with-a-stall.sse").plot_growth(style=style)
    return timed_run("without.sse", stall_s=0.1).plot_growth(ax=ax, style=style)


def pictures() -> list[Picture]:
    """Return all plots of the gallery."""
    slow = timed_run()
    gemini = load_sample("gemini-thoughts-call")
    claude, torn, cut = map(load_sample, ("anthropic-thinking-calls", "openai-torn", "anthropic-cut-call"))
    messy = sv.repair_json(MESSY)
    return [
        Picture(
            "timeline",
            "run.plot_timeline()",
            "Every chunk where it arrived, by kind; how many of a kind there are stands beside it.",
            lambda style: slow.plot_timeline(style=style),
        ),
        Picture(
            "timeline-untimed",
            "run.plot_timeline()",
            "A plain file has no times: then the axis is the number of the chunk, and says so.",
            lambda style: torn.plot_timeline(style=style),
        ),
        Picture(
            "growth",
            "run.plot_growth()",
            "Characters of text, thinking and arguments so far.",
            lambda style: slow.plot_growth(style=style),
        ),
        Picture(
            "two-runs",
            "ax = a.plot_growth(); b.plot_growth(ax=ax)",
            "Several runs in one Axes: the legend has a part for each.",
            two_runs,
        ),
        Picture(
            "gaps",
            "run.plot_gaps()",
            "How long each chunk came after the one before it, and the gaps without content.",
            lambda style: slow.plot_gaps(style=style),
        ),
        Picture(
            "usage",
            "run.plot_usage()",
            "What the usage reports said, and when: one line a bucket, one marker a report.",
            lambda style: gemini.plot_usage(style=style),
        ),
        Picture(
            "usage-preliminary",
            "run.plot_usage()",
            "Counts that are not final have hollow markers, and the legend says why.",
            lambda style: load_sample("anthropic-overloaded").plot_usage(style=style),
        ),
        Picture(
            "usage-reports",
            "run.plot_usage()",
            "A start report and a final one; cached input and reasoning as parts of input and output.",
            lambda style: claude.plot_usage(style=style),
        ),
        Picture(
            "fragments",
            "run.plot_fragments(call=0)",
            "The pieces that a call's arguments came in, read downwards; crosses are edits of the repair.",
            lambda style: slow.plot_fragments(style=style),
        ),
        Picture(
            "repair",
            "plot_repair(sv.repair_json(text))",
            "A text as it was sent: what was removed is struck through, what was inserted is underlined.",
            lambda style: plot_repair(messy, style=style),
        ),
        Picture(
            "repair-cut",
            "run.plot_repair()",
            "Arguments that were cut off, and what closed them.",
            lambda style: cut.plot_repair(style=style),
        ),
        Picture(
            "outcomes",
            "sv.plot_outcomes(runs)",
            "Many runs: how the responses came out, and their tool calls.",
            lambda style: sv.plot_outcomes(map(load_sample, SAMPLES), style=style),
        ),
    ]


def png(ax: Axes) -> bytes:
    """Return the picture of an Axes; the same bytes each time."""
    figure = ax.get_figure(root=True)
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=110, facecolor=figure.get_facecolor(), metadata={"Software": None})
    return file.getvalue()


def page(made: list[Picture]) -> str:
    """Return the page."""
    lines = [
        "# Gallery",
        "",
        'Every plot for light and for dark ground (`style="light"`, `style="dark"`; without it the ground is clear,',
        "and the colours can be read on both). All take `ax=`, return the Axes and leave no figure open in pyplot.",
        "In a notebook the Axes shows itself when it is the last value of a cell, or with `display(ax)`;",
        "`ax.figure.savefig(…)` writes it; `fig, ax = plt.subplots()`, `run.plot_usage(ax=ax)`, `plt.show()` opens a",
        "window.",
        "Made by `docs/make_gallery.py` from streams that ship with the package.",
    ]
    for picture in made:
        lines += ["", f"## {picture.name}", "", f"`{picture.code}`: {picture.words}", ""]
        lines += [f"![{picture.words} For {style} ground.](gallery/{picture.name}-{style}.png)" for style in STYLES]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    made = pictures()
    for picture in made:
        for style in STYLES:
            (PICTURES / f"{picture.name}-{style}.png").write_bytes(png(picture.draw(style)))
    (HERE / "gallery.md").write_text(page(made), encoding="utf-8")
