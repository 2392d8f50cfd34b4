"""The plot of how many responses and calls came out how."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..display.palette import Kind
    from ..run import StreamRun
    from .canvas import Canvas, Style

OUTCOMES: dict[str, Kind] = {
    "complete": "usage",
    "stopped at the token limit": "warning",
    "cut": "error",
    "error": "error",
    "still arriving": "other",
}
"""How a response came out, and whose colour that has."""


def plot_outcomes(
    runs: Iterable[StreamRun], ax: Axes | None = None, *, name: str | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw how many responses are complete, cut or in error, and how many tool calls have which status.

    ``complete``: a finish reason or an end mark came. ``cut``: neither, or the bytes stop inside a frame, or the reader
    stopped. ``error``: the vendor reported one. A response counts once, a choice of it that is worse than the others
    decides. Tool calls are those of all choices that the client is to run.

    Parameters
    ----------
    runs : iterable of StreamRun
        The runs; none is kept.
    ax, style
        See `plot_usage`.
    name : str, optional
        What the runs are called, for a second group in the same Axes.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    >>> ax = sv.plot_outcomes([run, run])
    >>> [text.get_text() for text in ax.texts]
    ['responses: 2', '2  (100 %)']
    """
    from ..display.palette import STATUS_KINDS
    from .canvas import Canvas

    outcomes: Counter[str] = Counter()
    statuses: Counter[str] = Counter()
    for run in runs:
        outcomes[outcome(run)] += 1
        statuses.update(call.status for payload in run.payloads for call in payload.calls)
    groups = [("responses", outcomes, OUTCOMES)]
    if statuses:
        groups.append(("tool calls", statuses, STATUS_KINDS))
    height = 1.0 + sum(0.35 + 0.32 * max(len(counts), 1) for _, counts, _ in groups)
    canvas = Canvas(ax, style, height=height)
    canvas.axis_labels("how many", "")
    for words, counts, kinds in groups:
        _bars(canvas, words if name is None else f"{name}: {words}", counts, kinds)
    canvas.counts("x")
    canvas.ax.grid(visible=False)
    return canvas.ax


def outcome(run: StreamRun) -> str:
    """Return how a response came out: a key of `OUTCOMES`."""
    payloads = run.payloads
    if run.ended == "error" or any(payload.error is not None for payload in payloads):
        return "error"
    if not run.finished:
        return "still arriving"
    if not all(payload.complete for payload in payloads):
        return "cut"
    if any(payload.finish is not None and payload.finish.unified == "length" for payload in payloads):
        return "stopped at the token limit"
    return "complete"


def _bars(canvas: Canvas, words: str, counts: Counter[str], kinds: dict[str, Kind]) -> None:
    """Draw a group of bars, each with its count and its share."""
    from .labels import named
    from .lanes import Lanes

    total = counts.total()
    there = [kind for kind in kinds if counts[kind]]
    lanes = Lanes(canvas, f"{named(words)}: {total:,}", there)
    widths = [counts[kind] for kind in there]
    if not there:
        return
    bars = canvas.ax.barh(lanes.places, widths, height=0.62, color=[canvas.colour(kinds[kind]) for kind in there])
    canvas.ax.margins(x=0.14)
    canvas.ax.autoscale_view(scaley=False)
    for bar, count in zip(bars, widths, strict=True):
        share = 100 * count / total
        percent = f"{share:.0f} %" if share >= 1 else "under 1 %"
        note = canvas.ax.annotate(
            "",
            (bar.get_width(), bar.get_y() + bar.get_height() / 2),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
            color=canvas.theme.text,
        )
        canvas.letters(note, f"{count:,}  ({percent})")
