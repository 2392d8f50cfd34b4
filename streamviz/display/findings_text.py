"""Findings as text, and in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from ..diagnostics import Severity
from .facts import count
from .palette import SEVERITY_KINDS, Kind
from .untrusted import shortened, visible_line

if TYPE_CHECKING:
    from ..findings import Findings, Place

PLACES = 3
"""How many places of a finding are shown."""
FINDINGS = 200
_TITLE = 600
_SIGNS: dict[Severity, str] = {"fault": "✗", "warning": "!", "note": "·"}


class Line(NamedTuple):
    """A line of text: what stands at its front in colour, and the rest."""

    mark: str
    text: str
    kind: Kind = "other"
    dim: bool = False


def findings_text(findings: Findings, *, short: bool = False) -> str:
    """Return findings as text; what is hidden in it is shown. ``short`` leaves out what could not be looked for.

    Examples
    --------
    >>> from streamviz.findings import Findings
    >>> print(findings_text(Findings("a.sse", [])))
    a.sse: nothing found.
    """
    return "\n".join(f"{line.mark}{line.text}" for line in findings_lines(findings, short=short))


def findings_lines(findings: Findings, *, short: bool = False) -> Iterator[Line]:
    """Yield the lines of that text."""
    yield Line("", f"{visible_line(shortened(findings.name, 400))}: {summary(findings)}.")
    for finding in findings[:FINDINGS]:
        side = "" if finding.side == "unknown" else f" ({finding.side})"
        mark = f"{_SIGNS[finding.severity]} {finding.severity}"
        yield Line(mark, f" {finding.code}{side}", SEVERITY_KINDS[finding.severity])
        yield Line("", f"    {visible_line(shortened(finding.title, _TITLE))}")
        for place in finding.evidence[:PLACES]:
            yield Line("", f"    at {place_words(place)}", dim=True)
        if len(finding.evidence) > PLACES:
            yield Line("", f"    and at {count(len(finding.evidence) - PLACES, 'more place')}", dim=True)
        yield Line("", f"    {visible_line(finding.remedy)}")
    if len(findings) > FINDINGS:
        yield Line("", f"… {len(findings) - FINDINGS:,} more", dim=True)
    for sentence in () if short else findings.unseen:
        yield Line("", sentence, dim=True)


def summary(findings: Findings) -> str:
    """Say in a few words what was found; nothing is said in words, too.

    Examples
    --------
    >>> from streamviz.findings import Findings
    >>> summary(Findings("a.sse", []))
    'nothing found'
    """
    numbers = Counter(finding.severity for finding in findings)
    return ", ".join(count(numbers[word], word) for word in _SIGNS if numbers[word]) or "nothing found"


def place_words(place: Place) -> str:
    """Return a place in words, on one line."""
    return visible_line(shortened(str(place), 300))
