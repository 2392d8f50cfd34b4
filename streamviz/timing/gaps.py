"""The gaps in a response: where nothing came that holds content, and what came instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..tables import Column, Schema
from .arrivals import arrivals_of

if TYPE_CHECKING:
    import pandas as pd

    from ..run import StreamRun
    from .arrivals import Arrivals, Numbers, Seconds

THRESHOLD_S = 2.0
"""What is no gap by default, at most."""
MEDIANS = 10
"""Times the usual distance that a gap is at least, by default; a slow model is not one gap after the other."""
ENOUGH = 10
"""Distances from which on there is a usual one."""

GAPS = Schema(
    "gaps",
    "One row a gap: between two chunks with content, or from the last of them to the end.",
    Column("start_s", "float64", "When the chunk before it came, in seconds since the request."),
    Column("length_s", "float64", "How long nothing with content came."),
    Column("after_chunk", "int64", "The chunk before it: the last with content."),
    Column(
        "kind",
        "string",
        "``silent``: no bytes. ``keepalive``: frames, but none with content (comments, pings, empty deltas, begin "
        "and end of blocks). ``partial``: bytes, but no whole frame. ``tail``: from the last content to the end.",
    ),
    Column("frames", "int64", "Frames without content that came in it."),
    Column(
        "unreliable", "bool", "Whether the stream was held back on its way, so that gaps tell nothing of the model."
    ),
)


def gaps_table(run: StreamRun, threshold_s: float | None = None) -> pd.DataFrame:
    r"""Return the gaps between chunks with content, one row a gap.

    Content is text, reasoning, a refusal, a plan, arguments, media, results of a server's tools. The wait for the first
    of it is no gap: that is ``run.timing.first_token_s``.

    Parameters
    ----------
    run : StreamRun
        The run.
    threshold_s : float, optional
        How many seconds a gap is longer than. By default 2, or ten times the median distance of the chunks with
        content where that is more.

    Returns
    -------
    pandas.DataFrame
        Columns as in `GAPS`, in order of time; empty where no times were recorded.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.StreamRun("openai")
    >>> frame = b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'
    >>> for time_s, data in ((0.5, frame), (4.0, b": ping\n\n"), (8.0, frame)):
    ...     _ = run.feed(data, time_s)
    >>> run.finish().gaps_table()[["start_s", "length_s", "after_chunk", "kind", "frames"]]
       start_s  length_s  after_chunk       kind  frames
    0      0.5       7.5            0  keepalive       1
    """
    arrivals = arrivals_of(run)
    if arrivals is None or not len(arrivals.content):
        return GAPS.rows(run.name, ())
    return _gaps(run, arrivals, threshold_s)


def _gaps(run: StreamRun, arrivals: Arrivals, threshold_s: float | None) -> pd.DataFrame:
    import numpy as np

    times = arrivals.frame_times_s[arrivals.content]
    distances = np.diff(times)
    if threshold_s is None:
        threshold_s = THRESHOLD_S
        if len(distances) >= ENOUGH:
            threshold_s = max(threshold_s, MEDIANS * float(np.median(distances)))
    lengths = np.append(distances, arrivals.end_s - times[-1])
    found = np.flatnonzero(lengths > threshold_s)
    starts = times[found]
    last = found == len(times) - 1  # what comes at the end of such a gap is no content either
    ends = np.where(last, np.inf, np.append(times, np.inf)[found + 1])
    frames = _between(arrivals.frame_times_s, starts, ends)
    reads = _between(arrivals.read_times_s, starts, ends)
    kinds = np.select([frames > 0, reads > 0], ["keepalive", "partial"], "silent")
    if arrivals.is_over:
        kinds = np.where(last, "tail", kinds)
    return GAPS.frame(
        run.name,
        {
            "start_s": starts,
            "length_s": lengths[found],
            "after_chunk": arrivals.content[found],
            "kind": kinds,
            "frames": frames,
            "unreliable": np.full(len(found), run.timing.unreliable),
        },
    )


def _between(times: Seconds, starts: Seconds, ends: Seconds) -> Numbers:
    """Return how many of the times lie inside each range, its edges left out."""
    import numpy as np

    return np.searchsorted(times, ends, "left") - np.searchsorted(times, starts, "right")
