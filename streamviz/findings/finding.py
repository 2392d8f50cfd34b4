"""One finding: what is wrong, on which evidence, on whose side, and what to do."""

from __future__ import annotations

from msgspec import Struct

from ..diagnostics import Severity
from .rules import OWN_PAGES, Side


class Place(Struct, frozen=True, repr_omit_defaults=True, kw_only=True, gc=False):
    """A place in a run that shows something."""

    start: int
    end: int
    """The range of bytes in the recording."""
    chunk: int | None = None
    """The chunk, which is also the frame; None for the stream as a whole."""
    time_s: float | None = None
    """When that frame was complete, in seconds since the request; None where no times were recorded."""
    shows: str = ""
    """What is to be seen there; untrusted text."""

    @property
    def frame(self) -> int | None:
        """The frame: frames and chunks have one numbering."""
        return self.chunk

    def __str__(self) -> str:
        parts = [] if self.chunk is None else [f"chunk {self.chunk}"]
        parts.append(f"bytes {self.start}:{self.end}")
        if self.time_s is not None:
            parts.append(f"{self.time_s:.3f} s")
        return ", ".join(parts) + (f": {self.shows}" if self.shows else "")


class Lost(Struct, frozen=True, repr_omit_defaults=True, order=True, gc=False):
    """How much was lost, or cannot be relied on."""

    calls: int = 0
    characters: int = 0
    tokens: int = 0


class Finding(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    r"""Something that is wrong with a run, or worth knowing.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n', "openai")
    >>> finding = run.explain()[0]
    >>> finding.code, finding.severity, finding.side
    ('end-mark-missing', 'warning', 'unknown')
    >>> print(finding.evidence[0])
    chunk 0, bytes 0:71: the last frame
    """

    code: str
    """One of `streamviz.findings.RULES`."""
    severity: Severity
    """``fault``: something is lost or wrong. ``warning``: look at it. ``note``: good to know."""
    title: str
    """One sentence with the numbers. It may quote the stream: untrusted text."""
    evidence: tuple[Place, ...]
    """Where it shows, at least one place; of very many the first ones."""
    side: Side
    """On whose side the cause lies: ``unknown`` unless the evidence decides it."""
    remedy: str
    """What to do, in one sentence."""
    lost: Lost = Lost()

    @property
    def doc(self) -> str:
        """Its page in the documentation."""
        return f"findings/{self.code}.md" if self.code in OWN_PAGES else f"findings/index.md#{self.code}"

    def __str__(self) -> str:
        return f"{self.severity} {self.code}: {self.title}"
