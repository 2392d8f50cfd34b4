"""The plot of the times between chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ..display.palette import Kind
    from ..run import StreamRun
    from .canvas import Canvas, Style

_KINDS: dict[str, tuple[str, Kind]] = {
    "thinking": ("thinking", "thinking"),
    "text": ("text", "text"),
    "tool_call": ("tool call", "tool_call"),
    "": ("other chunks", "other"),
}
_GAPS: dict[str, tuple[str, Kind]] = {
    "silent": ("silent", "error"),
    "keepalive": ("kept alive", "warning"),
    "partial": ("unfinished frame", "warning"),
    "tail": ("after the last content", "other"),
}
_LABELLED = 12
"""Up to how many gaps have their length beside them."""


def plot_gaps(
    run: StreamRun, ax: Axes | None = None, *, threshold_s: float | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw how long each chunk came after the one before it, and the gaps in which nothing with content came.

    A dot is a chunk, at its arrival; the vertical axis is logarithmic. Chunks that came in one read with the one before
    it stand on the lower edge. A bar is a gap as `StreamRun.gaps_table` has it, from its beginning to its end.

    Parameters
    ----------
    run, ax, style
        See `plot_usage`.
    threshold_s : float, optional
        How many seconds a gap is longer than; see `StreamRun.gaps_table`.

    Returns
    -------
    Axes
        Of a run without recorded times: labelled, and empty but for the words that say so.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.StreamRun("openai")
    >>> for time_s in (0.5, 0.75, 1.25):
    ...     _ = run.feed(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', time_s)
    >>> run.finish().plot_gaps().lines[0].get_xydata()
    array([[0.75, 0.25],
           [1.25, 0.5 ]])
    """
    import numpy as np

    from ..tables.chunks import chunk_kind
    from .canvas import Canvas
    from .when import TIME, When

    canvas = Canvas(ax, style)
    when = When(run)
    if not when.is_time or len(when.x) < 2:
        canvas.axis_labels(TIME, "time since the chunk before")
        canvas.empty(run.name, _why(run))
        return canvas.ax
    when.label_axes(canvas, "time since the chunk before")
    x, waits = when.x[1:], np.diff(when.x)
    kinds = np.array([chunk_kind(chunk) for chunk in run.chunks[1:]], dtype=object)
    kinds[~np.isin(kinds, list(_KINDS))] = ""
    apart = waits > 0
    entries: list[tuple[Artist, str]] = []
    for kind, (words, colour) in _KINDS.items():
        chosen = apart & (kinds == kind)
        if chosen.any():
            look: dict[str, Any] = {"linestyle": "none", "marker": _MARKERS[canvas.number % len(_MARKERS)]}
            look |= {"markersize": 4.5, "markeredgewidth": 0, "color": canvas.colour(colour)}
            [line] = canvas.ax.plot(x[chosen], waits[chosen], label=words, **look)
            entries.append((line, words))
    if (~apart).any():
        entries.append((_together(canvas, x[~apart]), f"same read as the one before ({(~apart).sum():,})"))
    entries += _draw_gaps(canvas, run.gaps_table(threshold_s))
    if apart.any():
        _logarithmic(canvas)
        entries.append(_median(canvas, float(np.median(waits[apart]))))
    canvas.legend(run.name, entries)
    return canvas.ax


_MARKERS = ("o", "s", "^", "D")  # of the first, second … run


def _why(run: StreamRun) -> str:
    if not len(run.frame_ends):
        return "no chunk came"
    if run.timed == "none":
        return "no arrival times were recorded, and a plain file has none"
    return "there is one chunk only"


def _together(canvas: Canvas, x: Any) -> Artist:
    place = canvas.ax.get_xaxis_transform()
    look: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 7, "color": canvas.theme.faint}
    [line] = canvas.ax.plot(x, [0.0] * len(x), transform=place, clip_on=False, label="_together", **look)
    return line


def _draw_gaps(canvas: Canvas, table: Any) -> list[tuple[Artist, str]]:
    """Draw a bar from the beginning to the end of each gap, as high as it is long."""
    import numpy as np
    from matplotlib.collections import LineCollection

    entries: list[tuple[Artist, str]] = []
    for kind, (words, colour) in _GAPS.items():
        rows = table[table["kind"] == kind]
        if rows.empty:
            continue
        bars = np.empty((len(rows), 2, 2))
        bars[:, 0, 0], bars[:, 1, 0] = rows["start_s"], rows["start_s"] + rows["length_s"]
        bars[:, :, 1] = rows["length_s"].to_numpy()[:, None]
        lines = LineCollection(list(bars), colors=canvas.colour(colour), linewidths=3, capstyle="butt", label=words)
        canvas.ax.add_collection(lines, autolim=False)
        canvas.ax.update_datalim(bars.reshape(-1, 2))
        entries.append((lines, f"gap: {words} ({len(rows):,})"))
    for start, length in table[["start_s", "length_s"]].head(_LABELLED).itertuples(index=False):
        note = canvas.ax.annotate(
            "", (start + length / 2, length), xytext=(0, 4), textcoords="offset points", ha="center", fontsize=8
        )
        canvas.letters(note, f"{length:.3g} s").set_color(canvas.theme.text)
    if table["unreliable"].any():
        from matplotlib.lines import Line2D

        entries.append((Line2D([], [], linestyle="none"), "held back on the way: not the model's pace"))
    return entries


def _median(canvas: Canvas, seconds: float) -> tuple[Artist, str]:
    look: dict[str, Any] = {"color": canvas.theme.faint, "linewidth": 1, "linestyle": canvas.dashes}
    line = canvas.ax.axhline(seconds, zorder=1, label="_median", **look)
    return line, f"median {_duration(seconds)}"


def _logarithmic(canvas: Canvas) -> None:
    """Make the vertical axis logarithmic, in units of time, with room above and below."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis = canvas.ax.yaxis
    canvas.ax.set_yscale("log")
    low, high = canvas.ax.dataLim.minposy, canvas.ax.dataLim.y1
    if 0 < low <= high:  # equal waits are a range of no width
        room = max((high / low) ** 0.12, 1.8)
        canvas.ax.set_ylim(low / room, high * room)
    axis.set_major_locator(LogLocator(numticks=8))
    axis.set_major_formatter(FuncFormatter(_duration))
    axis.set_minor_formatter(NullFormatter())


def _duration(seconds: float, _: int | None = None) -> str:
    """Return a time in the unit that suits it."""
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.4g} {unit}"
    return f"{seconds:.3g} s"
