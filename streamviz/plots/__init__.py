"""Plots of a run, with matplotlib. Each is a function that draws into an Axes and returns it.

``ax=None`` makes a figure of its own, which pyplot knows nothing of, so that nothing is left open; its Axes shows
itself when it is the last value of a notebook's cell. Several runs are drawn into one Axes by calling twice with the
same ``ax``; the legend tells them apart by `StreamRun.name`. What comes from a stream is shown as it is, never as a
formula.
"""

from .fragments import plot_fragments
from .gaps import plot_gaps
from .growth import plot_growth
from .outcomes import plot_outcomes
from .repair import plot_repair
from .timeline import plot_timeline
from .usage import plot_usage

__all__ = [
    "plot_fragments",
    "plot_gaps",
    "plot_growth",
    "plot_outcomes",
    "plot_repair",
    "plot_timeline",
    "plot_usage",
]
