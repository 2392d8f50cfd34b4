"""How a run is looked at: the tables, plots and answers that `StreamRun` has as methods.

Each is a function of its own module that takes the run first; here they become methods. What they need beside the
standard library is imported when one is called.
"""

from __future__ import annotations

from .findings import explain


class RunViews:
    """The views of a run, as methods."""

    explain = explain
