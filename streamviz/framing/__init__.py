"""Bytes to frames: one incremental framer a transport, and how to tell which one a body needs."""

from __future__ import annotations

from collections.abc import Callable

from ..limits import Limits
from .body import BodyFramer
from .detect import detect_framing
from .eventstream import EventStreamFramer
from .frame import Frame, Framer, Header
from .json_array import JSONArrayFramer
from .json_lines import JSONLinesFramer
from .sse import SSEFramer

FRAMERS: dict[str, Callable[[Limits], Framer]] = {
    "sse": SSEFramer,
    "eventstream": EventStreamFramer,
    "json-array": JSONArrayFramer,
    "json-lines": JSONLinesFramer,
    "body": BodyFramer,
}
"""Every framing by the name that `detect_framing` gives it. A framer is made with the limits."""

__all__ = [
    "FRAMERS",
    "BodyFramer",
    "EventStreamFramer",
    "Frame",
    "Framer",
    "Header",
    "JSONArrayFramer",
    "JSONLinesFramer",
    "SSEFramer",
    "detect_framing",
]
