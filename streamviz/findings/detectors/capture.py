"""What the recording itself lost."""

from __future__ import annotations

from collections.abc import Iterable

from ..evidence import Evidence, counted, shortened
from ..finding import Finding, Lost
from ..registry import detector


@detector
def lossy(evidence: Evidence) -> Iterable[Finding]:
    """Find that the recording is not all of what was sent."""
    found = evidence.take("recording-torn", "recording-line", "recording-changed")
    if found:
        yield evidence.finding(
            "capture-lossy", *evidence.places(found), message="; ".join(shortened(one.message) for one in found[:3])
        )
    made = evidence.take("synthetic-framing")
    if made:
        yield evidence.finding("capture-lossy", evidence.whole(), severity="note", message=shortened(made[0].message))
    missing = _missing_bytes(evidence)
    if missing > 0:
        yield evidence.finding(
            "capture-lossy",
            evidence.last("the last frame that was recorded"),
            severity="warning",
            lost=Lost(characters=missing),
            message=f"the header announces {counted(evidence.size + missing, 'byte')}, and {evidence.size:,} are here",
        )


def _missing_bytes(evidence: Evidence) -> int:
    """Return how many bytes the headers announce that are not here; the length of a compressed body says nothing."""
    headers = {name.lower(): value for name, value in (evidence.run.recording.headers or {}).items()}
    length = str(headers.get("content-length", ""))
    if not (length.isascii() and length.isdigit()) or headers.get("content-encoding", "identity") != "identity":
        return 0
    return int(length) - evidence.size
