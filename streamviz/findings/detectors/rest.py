"""Every diagnostic that no other detector has explained, in its own words: nothing that is known is withheld."""

from __future__ import annotations

from collections.abc import Iterable

from ...diagnostics import CODES
from ..evidence import Evidence, shortened
from ..finding import Finding
from ..registry import detector


@detector
def rest(evidence: Evidence) -> Iterable[Finding]:
    """Make one finding of each code that is left and more than a note."""
    for code in evidence.left:
        severity, what = CODES[code]
        if severity == "note":
            continue
        found = evidence.take(code)
        message = shortened(found[0].message)
        sentence = message if message.lower().startswith(what[:20].lower()) else f"{what}: {message}"
        if len(found) > 1:
            sentence = f"{len(found):,} times: {sentence}"
        yield evidence.finding(code, *evidence.places(found), sentence=sentence)
