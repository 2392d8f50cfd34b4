"""Plots as pictures in a page: PNG in the page itself, one for light and one for dark ground, with words for each."""

from __future__ import annotations

import io
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

from ..tables.chunks import chunk_kind
from .facts import count
from .lines import usage_words
from .untrusted import visible_line

if TYPE_CHECKING:
    from ..run import StreamRun

_CSS_DPI = 96
_DPI = 1.5 * _CSS_DPI  # sharp enough, and half the bytes of twice as fine


def picture(draw: Callable[..., Any], caption: str, words: str) -> str:
    """Return a plot as a ``figure``.

    Parameters
    ----------
    draw : callable
        A plot function that takes ``style`` and returns the Axes.
    caption : str
        What stands beneath.
    words : str
        What there is to see, for those who do not see it.
    """
    light, dark = draw(style="light"), draw(style="dark")
    width, height = (round(inches * _CSS_DPI) for inches in light.get_figure(root=True).get_size_inches())
    return (
        f'<figure><picture><source media="(prefers-color-scheme: dark)" srcset="{_png(dark)}">'
        f'<img src="{_png(light)}" width="{width}" height="{height}" alt="{escape(visible_line(words))}"></picture>'
        f"<figcaption>{escape(caption)}</figcaption></figure>"
    )


def _png(ax: Any) -> str:
    """Return the figure of an Axes as a data URI: on a clear ground, and the same bytes each time."""
    file = io.BytesIO()
    ax.get_figure(root=True).savefig(file, format="png", dpi=_DPI, facecolor="none", metadata={"Software": None})
    return f"data:image/png;base64,{b64encode(file.getvalue()).decode()}"


def report_charts(run: StreamRun) -> dict[str, str]:
    """Return the charts of a report by the section they stand in; none where one point is all there is to draw."""
    if len(run.frame_ends) < 2:
        return {}
    axis = "over the number of the chunk" if run.timed == "none" else "over time"
    kinds = Counter(map(chunk_kind, run.chunks))
    told = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in kinds.most_common())
    drawn = {
        "timing": picture(
            run.plot_timeline,
            f"Every chunk {axis}, by what is in it",
            f"{count(len(run.chunks), 'chunk')} {axis}, one lane a kind: {told}.",
        )
    }
    if any(block.text for payload in run.payloads for block in payload.blocks):
        drawn["answer"] = picture(
            run.plot_growth,
            f"How the answer grew {axis}",
            f"Characters of text, thinking and arguments {axis}. At the end: {_lengths(run)}.",
        )
    if sum(chunk.usage is not None for chunk in run.chunks) > 1:
        drawn["usage"] = picture(
            run.plot_usage,
            f"Token counts {axis}, as they were reported",
            f"Token counts {axis}. At the end: {usage_words(run.payload)}.",
        )
    return drawn


def _lengths(run: StreamRun) -> str:
    """Return how many characters of what the answer came to."""
    lengths: Counter[str] = Counter()
    for payload in run.payloads:
        for block in payload.blocks:
            lengths["arguments" if block.call is not None else block.kind.replace("_", " ")] += len(block.text)
    return ", ".join(f"{number:,} of {kind}" for kind, number in lengths.items() if number)
