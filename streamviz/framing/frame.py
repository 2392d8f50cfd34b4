"""One transport unit, whatever the transport."""

from __future__ import annotations

from typing import Literal, Protocol

from msgspec import Struct

from ..diagnostics import Note

FrameKind = Literal["event", "comment", "heartbeat", "bad", "end", "tail"]


class Header(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """One header of an AWS event-stream message."""

    name: str
    type: str
    """true, false, byte, short, int, long, bytes, string, timestamp or uuid."""
    value: bool | int | bytes | str
    """A timestamp is milliseconds since the epoch; a uuid its text form."""


class Frame(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A transport unit: a server-sent event, an event-stream message, an element of a JSON array, a JSON line.

    The ranges ``start:end`` of all frames tile the recording without gap or overlap.
    """

    kind: FrameKind
    """``event``: carries data. ``comment``, ``heartbeat``: no data. ``bad``: cannot be read. ``end``: the closing
    bracket of a JSON array and what follows it. ``tail``: what is left when the stream stops inside a frame."""
    start: int
    """Byte offset of the first byte in the recording."""
    end: int
    """Byte offset after the last byte."""
    data: bytes = b""
    """The payload (SSE: the data lines joined with LF); for ``bad`` and ``tail`` what could be had of it."""
    event: str | None = None
    """SSE: the event field. Event stream: the event, exception or error code. None where there is none."""
    id: str | None = None
    """SSE: the last event ID when this frame was dispatched."""
    retry: int | None = None
    """SSE: a valid retry field of this block, in milliseconds."""
    category: str = "event"
    """Event stream: ``event``, ``exception``, ``error`` or ``unknown`` (the ``:message-type`` header)."""
    headers: tuple[Header, ...] = ()
    """Event stream: the headers in wire order."""
    fault: Note | None = None
    """Why the frame is bad, or what is odd about it."""

    @property
    def text(self) -> str:
        """The data as text; bytes that are no UTF-8 become U+FFFD."""
        return self.data.decode("utf-8", "replace")

    def _repr_html_(self) -> str:
        from ..display import frame_html

        return frame_html(self)


class Framer(Protocol):
    """What every framing offers: a pure, incremental object, the same frames for any cut of the bytes."""

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete."""
        ...

    def finish(self) -> list[Frame]:
        """Return what is left at the end of the stream: an unfinished frame is one ``tail``."""
        ...

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        ...
