"""Findings as a card for a notebook."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from . import html_parts as parts
from .facts import count
from .findings_text import FINDINGS, PLACES, summary
from .html_parts import Room
from .palette import SEVERITY_KINDS

if TYPE_CHECKING:
    from ..findings import Finding, Findings

_ROOM_CHARACTERS = 150_000


def findings_html(findings: Findings) -> str:
    """Return findings as a card that stands alone.

    Examples
    --------
    >>> from streamviz.findings import Findings
    >>> "nothing found" in findings_html(Findings("a.sse", []))
    True
    """
    room = Room(_ROOM_CHARACTERS)
    kind = SEVERITY_KINDS[findings[0].severity] if findings else "usage"
    title = f"<strong>{parts.mark(summary(findings), kind)}</strong> {parts.code(findings.name, room)}"
    return parts.card(
        f'<p class="sv-title">{title}</p>',
        *(_finding(finding, room) for finding in findings[:FINDINGS]),
        parts.more_rows(len(findings) - FINDINGS, "findings"),
        *(f"<p>{parts.dim(sentence)}</p>" for sentence in findings.unseen),
    )


def _finding(finding: Finding, room: Room) -> str:
    kind = SEVERITY_KINDS[finding.severity]
    side = "" if finding.side == "unknown" else f"on the side of the {finding.side}"
    shown = finding.evidence[:PLACES]
    places = "".join(f"<li>{parts.prose(place, room, 300)}</li>" for place in shown)
    left = len(finding.evidence) - PLACES
    more = f"<li>{parts.dim(count(left, 'more place'))}</li>" if left > 0 else ""
    return parts.barred(
        kind,
        f"<p>{parts.mark(finding.severity, kind)} <strong>{escape(finding.code)}</strong> {parts.dim(side)}</p>",
        f"<p>{parts.prose(finding.title, room)}</p>",
        f"<ul>{places}{more}</ul>",
        f"<p>{parts.prose(finding.remedy, room)}</p>",
    )
