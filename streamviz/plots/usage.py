"""The plot of token usage: what the reports said, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ..display.palette import Kind
    from ..run import StreamRun
    from .canvas import Canvas, Style
    from .when import Against

BUCKETS: dict[str, tuple[str, Kind, str]] = {
    "total_tokens": ("total", "other", "o"),
    "input_tokens": ("input", "usage", "s"),
    "cache_read_input_tokens": ("read from cache", "usage", "<"),
    "cache_creation_input_tokens": ("written to cache", "usage", ">"),
    "cache_creation_5m_input_tokens": ("written for 5 minutes", "usage", "1"),
    "cache_creation_1h_input_tokens": ("written for 1 hour", "usage", "2"),
    "audio_input_tokens": ("audio in", "usage", "v"),
    "image_input_tokens": ("images in", "usage", "^"),
    "video_input_tokens": ("video in", "usage", "p"),
    "tool_input_tokens": ("prompts of server tools", "tool_call", "P"),
    "output_tokens": ("output", "text", "D"),
    "reasoning_output_tokens": ("reasoning", "thinking", "d"),
    "audio_output_tokens": ("audio out", "text", "v"),
    "image_output_tokens": ("images out", "text", "^"),
    "accepted_prediction_tokens": ("predicted, accepted", "text", "P"),
    "rejected_prediction_tokens": ("predicted, rejected", "error", "X"),
}
"""Every count of the usage table: its words, whose colour it has, and its marker. Input is green, output blue."""

_STATES = {
    "preliminary": ("preliminary: no final report came", "preliminary: before the final report"),
    "estimated": ("estimated, not reported", "estimated at first"),
    "suspect": ("suspect: zeros beside content", "suspect at first"),
    "missing": ("not reported", "not reported at first"),
}
"""What is no final count, in words: where the last row is of that state, and where a better one came."""


_ALWAYS = ("input_tokens", "output_tokens", "total_tokens")
"""What is drawn even where it is zero throughout."""
_FEW = 12
"""Up to how many reports have large markers."""


def plot_usage(
    run: StreamRun, ax: Axes | None = None, *, against: Against | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw the token counts over time: one line a bucket, one marker a report.

    A line shows what all reports so far amount to, for vendors send cumulative counts; its last value stands in the
    legend. What is preliminary, estimated or suspect has hollow markers, and the legend says which of them it is.

    Parameters
    ----------
    run : StreamRun
        The run.
    ax : Axes, optional
        Where to draw; a figure is made when not given.
    against : {"time", "chunk"}, optional
        What the horizontal axis shows. By default the time where it was recorded, else the number of the chunk.
    style : {"auto", "light", "dark"}
        For which ground the colours are; ``auto`` can be read on both.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        ``against="time"`` and no times were recorded, or the Axes shows the other of the two already.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}\n\n')
    >>> ax = run.plot_usage()
    >>> [line.get_label() for line in ax.lines if line.get_label()[0] != "_"], ax.get_ylabel()
    (['total', 'input', 'output'], 'tokens')
    """
    from .canvas import Canvas
    from .when import When

    canvas, when = Canvas(ax, style), When(run, against)
    when.label_axes(canvas, "tokens")
    table = run.usage_table()
    if table.empty:
        canvas.empty(run.name, "no usage was reported")
        return canvas.ax
    canvas.counts("y")
    x, end = when.at(table["chunk"]), when.x[-1]
    entries = [entry for bucket in BUCKETS for entry in _draw(canvas, x, table, bucket, end)]
    entries.sort(key=lambda entry: -entry[0])  # from top to bottom, as the lines end
    last = table["state"].iloc[-1]
    states = [state for state in _STATES if (table["state"] == state).any()]
    hollow = [(_marker(canvas, "none"), _STATES[state][state != last]) for state in states]
    marks: list[tuple[Artist, str]] = [(_rug(canvas, x), _reports(len(table)))]
    canvas.from_zero()
    canvas.legend(run.name, [(handle, words) for _, handle, words in entries] + hollow + marks)
    return canvas.ax


def _draw(canvas: Canvas, x: Any, table: Any, bucket: str, end: float) -> list[tuple[float, Artist, str]]:
    """Draw one bucket; return its last value, with what stands in the legend. Nothing where nobody spoke of it."""
    import numpy as np
    from matplotlib.lines import Line2D

    from .canvas import MARKED

    words, kind, marker = BUCKETS[bucket]
    y = table[bucket].to_numpy(dtype=float, na_value=np.nan)
    known = y[~np.isnan(y)]
    if not len(known) or (bucket not in _ALWAYS and not known.any()):
        return []
    colour = canvas.colour(kind)
    look: dict[str, Any] = {"color": colour, "linestyle": canvas.dashes, "linewidth": 1.6}
    canvas.ax.plot(x, y, drawstyle="steps-post", label=words, **look)
    last = float(known[-1])
    rest: dict[str, Any] = {"color": colour, "linestyle": "dotted", "linewidth": 1.2, "label": f"_{bucket}"}
    canvas.ax.plot([x[-1], end], [last, last], **rest)  # nothing newer was said until the end
    if len(y) <= MARKED:
        reported = (table["state"] == "reported").to_numpy(dtype=bool)
        for chosen, fill in ((reported, colour), (~reported, "none")):
            canvas.ax.plot(
                x[chosen],
                y[chosen],
                linestyle="none",
                marker=marker,
                markersize=6 if len(y) <= _FEW else 3.5,
                color=colour,
                markerfacecolor=fill,
                label=f"_{bucket}",
            )
    handle = Line2D([], [], marker=marker, markersize=5.5, **look)
    return [(last, handle, f"{words}  {last:,.0f}")]


def _marker(canvas: Canvas, fill: str) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none", marker="o", color=canvas.theme.faint, markerfacecolor=fill)


def _rug(canvas: Canvas, x: Any) -> Artist:
    """Mark on the lower edge when a report came."""
    from matplotlib.lines import Line2D

    look: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 9, "color": canvas.theme.text}
    place = canvas.ax.get_xaxis_transform()
    canvas.ax.plot(x, [0.0] * len(x), transform=place, clip_on=False, zorder=3, label="_reports", **look)
    return Line2D([], [], **look)


def _reports(count: int) -> str:
    return "1 report" if count == 1 else f"{count:,} reports"
