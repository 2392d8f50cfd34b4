"""Who sent a body and how it is framed, from its first bytes alone."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from .framing import FRAMERS, detect_framing
from .limits import DEFAULT_LIMITS
from .providers.detect import UNDECIDED_FRAMES, guess_dialect
from .providers.vendors import guess_vendor
from .sources import open_source

_HEAD_BYTES = 256 * 1024
"""No more than this is looked at."""


class Detection(Struct, frozen=True):
    """What the first bytes of a body tell."""

    framing: str
    """``sse``, ``eventstream``, ``json-array``, ``json-lines`` or ``body``."""
    dialect: str
    """How it speaks; ``unknown`` where nobody known does."""
    vendor: str | None
    """Who sent it, where that can be seen."""
    confidence: float
    """From 0 to 1: how sure the dialect is. 1 where only this dialect has the sign, 0 where nothing was recognised."""
    reason: str
    """What gave it away."""

    def __repr__(self) -> str:
        vendor = f" of {self.vendor}" if self.vendor else ""
        return f"<Detection: {self.dialect}{vendor} in {self.framing}, confidence {self.confidence:.1f}: {self.reason}>"


def detect(source: Any) -> Detection:
    r"""Say who sent a body and how it is framed, without reading more of it than that takes.

    Parameters
    ----------
    source : path, bytes, binary file or iterable of bytes
        As for `read`.

    Raises
    ------
    OSError
        The file cannot be read.
    TypeError
        ``source`` is nothing that bytes can be read from.

    Examples
    --------
    >>> detect(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    <Detection: openai-chat in sse, confidence 1.0: choices with a delta or a message>
    """
    head = b""
    over = True
    for data in open_source(source).reads:
        head += data
        if len(head) >= _HEAD_BYTES:
            over = False
            break
    framing = detect_framing(head, final=True) or "body"
    framer = FRAMERS[framing](DEFAULT_LIMITS)
    frames = framer.feed(head)
    if over:
        frames += framer.finish()
    seen = 0
    for frame in frames:
        guess = guess_dialect(frame)
        seen += bool(frame.data)
        if guess is not None and (guess.dialect != "unknown" or seen >= UNDECIDED_FRAMES or guess.confidence == 0):
            vendor = guess_vendor(None, guess.dialect, head)
            return Detection(framing, guess.dialect, vendor, guess.confidence, guess.reason)
    if not head:
        return Detection(framing, "unknown", None, 0.0, "no bytes")
    reason = next((f"{frame.fault.message}" for frame in frames if frame.fault), f"none of {seen} frames tells")
    return Detection(framing, "unknown", None, 0.0, reason)
