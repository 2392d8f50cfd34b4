"""The horizontal axis of plots: the time where it was recorded, the number of the chunk where it was not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from matplotlib.ticker import FuncFormatter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..run import StreamRun
    from .canvas import Canvas

TIME = "time since the request (s)"
CHUNK = "chunk number"
CHUNK_UNTIMED = "chunk number (no times were recorded)"

Against = Literal["time", "chunk"]


class When:
    """Where the chunks of a run stand on the horizontal axis.

    Parameters
    ----------
    run : StreamRun
        The run.
    against : {"time", "chunk"} or None
        What the axis shows; None is the time where it was recorded.

    Raises
    ------
    ValueError
        The time is asked for, and was not recorded.
    """

    def __init__(self, run: StreamRun, against: Against | None = None) -> None:
        times = run.frame_times_s
        if against not in (None, "time", "chunk"):
            raise ValueError(f"against is {against!r}; there are 'time' and 'chunk'")
        if against == "time" and not len(times):
            raise ValueError("the run has no recorded times: draw it against='chunk'")
        self.is_time = len(times) > 0 and against != "chunk"
        self.chunks = len(run.frame_ends)
        self.x: np.ndarray[Any, np.dtype[np.float64]]
        if self.is_time:
            self.x = np.array(times, dtype=float)
            self.x[~(np.abs(self.x) < _LONGEST)] = np.nan
            self.label = TIME
        else:
            self.x = np.arange(self.chunks, dtype=float)
            self.label = CHUNK if len(times) or not self.chunks else CHUNK_UNTIMED

    def at(self, chunks: Sequence[int] | Any) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Return where some of the chunks stand."""
        return self.x[np.asarray(chunks, dtype=np.int64)]

    def label_axes(self, canvas: Canvas, y: str, *, whole: bool = True) -> None:
        """Name both axes, and let the horizontal one reach over the whole response, if ``whole``.

        Raises
        ------
        ValueError
            The Axes shows the other of the two already.
        """
        there = canvas.ax.get_xlabel()
        if there in (TIME, CHUNK, CHUNK_UNTIMED) and (there == TIME) != self.is_time:
            raise ValueError(f"the Axes shows the {there}, this run the {self.label}: draw all against='chunk'")
        canvas.axis_labels(CHUNK if there == CHUNK else self.label, y)
        known = self.x[~np.isnan(self.x)]
        if len(known) and whole:
            start = min(0.0, known.min())  # the request was sent at 0, and chunks are counted from there
            canvas.ax.update_datalim(np.array([[start, 0.0], [known.max(), 0.0]]), updatey=False)
            canvas.ax.autoscale_view()
        if self.is_time:
            canvas.ax.xaxis.set_major_formatter(FuncFormatter(_seconds))
        else:
            canvas.counts("x")


_LONGEST = 1e12
"""Seconds. No response took that long, and an axis of the widest range cannot be divided."""


def _seconds(value: float, _: int | None = None) -> str:
    return f"{value:.10g}"
