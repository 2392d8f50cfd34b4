"""The plot of a tool call's fragments: which piece of the arguments came when."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from ..display.palette import Kind
    from ..run import StreamRun
    from .canvas import Canvas, Style
    from .when import Against

_LOOKS: dict[str, tuple[str, Kind, Any]] = {
    "open": ("fragment", "tool_call", "solid"),
    "complete": ("fragment that completes the value", "usage", "solid"),
    "fault": ("fragment behind a fault", "error", (0, (0.9, 0.3))),
}
"""How far the arguments are read after a fragment: in words, its colour, how its bar is drawn."""
_LABELLED = 60
"""Up to how many fragments their text is written beside them."""
_TEXT = 28
"""How much of it."""


def plot_fragments(
    run: StreamRun, ax: Axes | None = None, *, call: int = 0, against: Against | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw the fragments of a tool call: each a bar from its first to its last character, where it came.

    The arguments are read downwards. Beside a bar stands its text, where there is room; crosses are edits of the
    repair.

    Parameters
    ----------
    run, ax, against, style
        See `plot_usage`.
    call : int
        Number of the call: its row in `StreamRun.calls_table`.

    Returns
    -------
    Axes

    Raises
    ------
    IndexError
        The run has calls, and not that one.
    ValueError
        See `plot_usage`.

    Examples
    --------
    >>> import streamviz as sv
    >>> call = 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"%s"}}]}}]}\n\n'
    >>> run = sv.read("".join(call % text for text in (r'{\"city\": \"Pa', r'ris\"}')).encode(), "openai")
    >>> [text.get_text() for text in run.plot_fragments().texts]
    ['{"city": "Pa', 'ris"}']
    """
    import numpy as np

    from .canvas import Canvas
    from .labels import named
    from .when import When

    calls = run.calls_table()
    if len(calls) and not -len(calls) <= call < len(calls):
        raise IndexError(f"there is no call {call}; the run has {len(calls)}")
    canvas, when = Canvas(ax, style, height=4.0), When(run, against)
    when.label_axes(canvas, "position in the arguments (characters)", whole=False)
    if calls.empty:
        canvas.empty(run.name, "the run has no tool call")
        return canvas.ax
    one = calls.iloc[call]
    table = _of(run.fragments_table(), one)
    name = f"{named(one['name'] or 'a call without a name', 26)}: {one['status']}"
    if table.empty:
        canvas.empty(run.name, f"{name}, no fragment of arguments came")
        return canvas.ax
    x = when.at(table["chunk"])
    lengths = table["text"].str.len().to_numpy(dtype=np.int64)
    ends = np.cumsum(lengths)  # of a call that came path by path, the offsets are those within each leaf
    starts = ends - lengths
    canvas.counts("y")
    entries = _bars(canvas, x, starts, ends, table["preview"].fillna("open").to_numpy())
    edits = _of(run.repairs_table(), one).dropna(subset="chunk")
    if len(edits):
        marks: dict[str, Any] = {"linestyle": "none", "marker": "x", "markersize": 7, "markeredgewidth": 1.8}
        [line] = canvas.ax.plot(
            when.at(edits["chunk"]), edits["position"], color=canvas.colour("error"), label="edits", zorder=4, **marks
        )
        entries.append((line, f"edit ({len(edits)})"))
    low, high = sorted(canvas.ax.get_ylim())
    canvas.ax.set_ylim(max(high, float(ends[-1]) * 1.06 + 1), min(low, 0.0))
    canvas.legend(run.name, [(_nothing(), name), *entries])
    if len(table) <= _LABELLED:
        _write(canvas, x, starts, ends, list(table["text"]))
    return canvas.ax


def _of(table: Any, call: Any) -> Any:
    """Return the rows of a table that belong to a call."""
    return table[(table["choice"] == call["choice"]) & (table["call"] == call["call"])]


def _nothing() -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], linestyle="none")


def _bars(canvas: Canvas, x: Any, starts: Any, ends: Any, previews: Any) -> list[tuple[Artist, str]]:
    """Draw the bars, all of one look at once; return what stands in the legend."""
    import numpy as np

    entries: list[tuple[Artist, str]] = []
    for preview, (words, kind, dashes) in _LOOKS.items():
        chosen = previews == preview
        count = int(chosen.sum())
        if count:
            y = np.column_stack([starts[chosen], ends[chosen], np.full(count, np.nan)]).ravel()
            look: dict[str, Any] = {"color": canvas.colour(kind), "linestyle": dashes, "linewidth": 5}
            [line] = canvas.ax.plot(np.repeat(x[chosen], 3), y, solid_capstyle="butt", label=words, **look)
            entries.append((line, f"{words} ({count:,})"))
    return entries


def _write(canvas: Canvas, x: Any, starts: Any, ends: Any, texts: list[str]) -> None:
    """Write the text of each fragment beside its bar, where it would not stand on another."""
    from .canvas import figure_of

    ax = canvas.ax
    if canvas.is_new:
        figure_of(ax).draw_without_rendering()  # the legend takes its room
    right = ax.get_window_extent().x1
    taken = [text.get_window_extent() for text in ax.texts]  # of another run, too
    for at, start, end, text in zip(x, starts, ends, texts, strict=True):
        words = text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
        if not words or isnan(at):
            continue
        look: dict[str, Any] = {
            "textcoords": "offset points",
            "va": "center",
            "fontsize": 8,
            "color": canvas.theme.text,
        }
        note = ax.annotate("", (at, (start + end) / 2), xytext=(6, 0), ha="left", **look)
        canvas.letters(note, words, mono=True)
        if note.get_window_extent().x1 > right:
            note.set(ha="right", position=(-6, 0))
        room = note.get_window_extent()
        if any(room.overlaps(other) for other in taken):
            note.remove()
        else:
            taken.append(room)
