"""Runs beside one another: two answers, one answer at several hops, our reading and that of another library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from .answers import compare_answers
from .comparison import Comparison
from .hops import HopComparison, Loss, compare_hops
from .sdk import SDKComparison, compare_sdk

if TYPE_CHECKING:
    from ..run import StreamRun

__all__ = ["Comparison", "HopComparison", "Loss", "SDKComparison", "compare", "compare_sdk"]


def compare(
    runs: Iterable[StreamRun], mode: Literal["answers", "hops"] = "answers", names: Sequence[str] | None = None
) -> Comparison:
    r"""Put runs side by side: what each amounts to, and where they differ.

    Parameters
    ----------
    runs : iterable of StreamRun
        Two or more. Under ``hops`` in the order of the way: the provider first.
    mode : {"answers", "hops"}
        ``answers``: several answers, each as a column. ``hops``: one answer as it was recorded at several places
        (provider, gateway, user interface), aligned by its content and not by its chunks; says what was lost where.
        The places may speak different dialects.
    names : sequence of str, optional
        What the columns are called; the runs' names when not given.

    Returns
    -------
    Comparison
        ``.table()`` is a data frame, ``.differences`` the fields that differ; under ``hops`` also ``.losses`` and
        ``.first_loss``.

    Raises
    ------
    ValueError
        Fewer than two runs, another number of names than of runs, or a mode that does not exist.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    >>> compare([run, run]).differences
    ()
    >>> body = b'data: {"type":"text-delta","id":"0","delta":"Hell"}\n\ndata: {"type":"finish"}\n\n'
    >>> print(compare([run, sv.read(body)], mode="hops", names=["provider", "ui"]).first_loss)
    ui: text is cut at 4 of 5 characters (chunk 0 of provider, chunk 0 of ui)
    """
    runs = list(runs)
    if len(runs) < 2:
        raise ValueError(f"a comparison takes two runs or more, not {len(runs)}")
    if names is None:
        names = [run.name for run in runs]
    elif isinstance(names, str) or len(names) != len(runs):
        raise ValueError(f"give one name a run: {len(runs)} runs, names {names!r:.200}")
    names = unique(names)
    if mode == "answers":
        return compare_answers(runs, names)
    if mode == "hops":
        return compare_hops(runs, names)
    raise ValueError(f"mode is 'answers' or 'hops', not {mode!r}")


def unique(names: Iterable[str]) -> list[str]:
    """Return the names with a number behind those that came before, and none that the table itself uses.

    Examples
    --------
    >>> unique(["a", "b", "a", "same"])
    ['a', 'b', 'a (2)', 'same (2)']
    """
    found: list[str] = []
    taken = {"field", "same", "lost_at", "loss"}
    for name in map(str, names):
        free, number = name, 1
        while free in taken:
            number += 1
            free = f"{name} ({number})"
        taken.add(free)
        found.append(free)
    return found
