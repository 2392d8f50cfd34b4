"""The limits that keep a hostile or broken stream from filling memory: adjustable, and reported when hit."""

from __future__ import annotations

from msgspec import Struct

MIB = 1024 * 1024


class Limits(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """Upper bounds on what one stream may make us hold.

    Examples
    --------
    >>> from streamviz import Limits
    >>> Limits(frame_bytes=1_000_000).depth
    500
    """

    frame_bytes: int = 64 * MIB
    """One frame. A longer one becomes a ``bad`` frame (its bytes stay in the recording) and the reader goes on."""

    argument_bytes: int = 16 * MIB
    """The joined argument text of one tool call, in characters. What comes after is not collected."""

    depth: int = 500
    """Nesting of arrays and objects in tool-call arguments. Deeper text is refused, never recursed into."""

    integer_digits: int = 100_000
    """Decimal digits of one integer in tool-call arguments. Reading a longer one would take more than linear time."""


DEFAULT_LIMITS = Limits()
