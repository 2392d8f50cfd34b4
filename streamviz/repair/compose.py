"""Edits on an edited text, told as edits on the text as it was sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from .report import Edit, EditLevel, replay

LEVELS: tuple[EditLevel, ...] = ("lossless", "truncation", "guess")


class _Cluster(Struct):
    """Edits that touch each other in the text between the two lists, where it begins and ends."""

    start: int
    end: int
    first: list[Edit]
    second: list[Edit]


def compose(raw: str, first: Sequence[Edit], second: Sequence[Edit]) -> list[Edit]:
    """Return edits on ``raw`` that do what ``first`` and then ``second`` do.

    Parameters
    ----------
    raw : str
        The text as sent.
    first : sequence of Edit
        Edits on it, in order.
    second : sequence of Edit
        Edits on what the first make of it, in order. Those that change what an earlier edit wrote become one with it,
        under the name of the larger.

    Examples
    --------
    >>> comma = Edit(rule="drop-trailing-comma", level="lossless", position=6, removed=",")
    >>> quotes = [Edit(rule="quote-scalar", level="lossless", position=at, inserted='"') for at in (5, 6)]
    >>> [(edit.position, edit.removed, edit.inserted) for edit in compose('{"a":5,}', [comma], quotes)]
    [(5, '', '"'), (6, '', '"'), (6, ',', '')]
    """
    between = replay(raw, first)
    grown = 0
    out = []
    for cluster in _clusters(first, second):
        start = cluster.start - grown
        grown += sum(len(edit.inserted) - len(edit.removed) for edit in cluster.first)
        match cluster:
            case _Cluster(second=[]):
                out += cluster.first
            case _Cluster(first=[], second=[edit]):
                out.append(replace(edit, position=start))
            case _:
                own = [replace(edit, position=edit.position - cluster.start) for edit in cluster.second]
                widths = [(len(edit.inserted), edit.rule) for edit in cluster.first]
                widths += [(len(edit.removed), edit.rule) for edit in own]
                merged = Edit(
                    rule=max(widths)[1],
                    level=max((edit.level for edit in [*cluster.first, *own]), key=LEVELS.index),
                    position=start,
                    removed=raw[start : cluster.end - grown],
                    inserted=replay(between[cluster.start : cluster.end], own),
                )
                out.append(merged)
    return out


def _clusters(first: Sequence[Edit], second: Sequence[Edit]) -> Iterator[_Cluster]:
    """Put together what overlaps, in order."""
    spans: list[tuple[int, int, bool, Edit]] = []
    grown = 0
    for edit in first:
        start = edit.position + grown
        grown += len(edit.inserted) - len(edit.removed)
        spans.append((start, start + len(edit.inserted), True, edit))
    spans += [(edit.position, edit.position + len(edit.removed), False, edit) for edit in second]
    cluster: _Cluster | None = None
    for start, end, is_first, edit in sorted(spans, key=lambda span: span[:3]):
        if cluster is None or start >= cluster.end:
            if cluster is not None:
                yield cluster
            cluster = _Cluster(start, end, [], [])
        (cluster.first if is_first else cluster.second).append(edit)
        cluster.end = max(cluster.end, end)
    if cluster is not None:
        yield cluster
