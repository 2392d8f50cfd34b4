"""The plot of chunks on a time line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..display.palette import Kind
    from ..run import StreamRun
    from .canvas import Style
    from .when import Against

LANES: dict[str, tuple[str, Kind]] = {
    "start": ("start", "other"),
    "thinking": ("thinking", "thinking"),
    "signature": ("signature", "thinking"),
    "plan": ("plan", "thinking"),
    "text": ("text", "text"),
    "refusal": ("refusal", "error"),
    "citation": ("citation", "text"),
    "media": ("media", "other"),
    "tool_call": ("tool call", "tool_call"),
    "tool_result": ("tool result", "tool_call"),
    "moderation": ("moderation", "warning"),
    "unknown": ("unknown", "warning"),
    "error": ("error", "error"),
    "stop": ("end of a block", "other"),
    "empty": ("nothing in it", "other"),
    "finish": ("finish reason", "other"),
    "usage": ("usage", "usage"),
    "end": ("end mark", "other"),
}
"""Every kind of chunk in the order of the lanes: its words, and whose colour it has."""


def plot_timeline(
    run: StreamRun, ax: Axes | None = None, *, against: Against | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw every chunk on a time line, one lane a kind of chunk; how many there are stands beside each lane.

    A chunk stands where its last byte arrived. Each further run has lanes of its own beneath.

    Parameters
    ----------
    run, ax, against, style
        See `plot_usage`.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        See `plot_usage`.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    >>> ax = run.plot_timeline()
    >>> [label.get_text() for label in ax.get_yticklabels()], ax.get_xlabel()
    (['text  1', 'end mark  1'], 'chunk number (no times were recorded)')
    """
    import numpy as np

    from ..tables.chunks import chunk_kind
    from .canvas import Canvas
    from .lanes import Lanes
    from .when import When

    kinds = np.array([chunk_kind(chunk) for chunk in run.chunks], dtype=object)
    found = {kind: np.flatnonzero(kinds == kind) for kind in LANES}
    found = {kind: chunks for kind, chunks in found.items() if len(chunks)}
    canvas, when = Canvas(ax, style, height=1.1 + 0.3 * max(len(found), 2)), When(run, against)
    when.label_axes(canvas, "chunks by kind")
    lanes = Lanes(canvas, _heading(run), [f"{LANES[kind][0]}  {len(chunks):,}" for kind, chunks in found.items()])
    for y, (kind, chunks) in zip(lanes.places, found.items(), strict=True):
        look: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 13, "markeredgewidth": 1.3}
        words, colour = LANES[kind]
        canvas.ax.plot(when.at(chunks), np.full(len(chunks), y), color=canvas.colour(colour), label=words, **look)
    return canvas.ax


def _heading(run: StreamRun) -> str:
    """Return the name of a run, and how it ended where that is not as it should."""
    from ..display.facts import ENDED_WORDS
    from .labels import named

    if not len(run.frame_ends):
        return f"{named(run.name)}: no chunk came"
    return named(run.name) + (f": {ENDED_WORDS[run.ended]}" if run.ended in ("torn", "error", "aborted") else "")
