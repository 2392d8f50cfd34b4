"""Several answers side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .comparison import Comparison
from .facts import facts_of, without_zeros

if TYPE_CHECKING:
    from ..run import StreamRun


def compare_answers(runs: Sequence[StreamRun], names: Sequence[str]) -> Comparison:
    """Return all that the runs amount to, field by field."""
    return Comparison("answers", names, without_zeros([facts_of(run) for run in runs]))
