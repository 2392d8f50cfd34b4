"""AWS event streams (``application/vnd.amazon.eventstream``).

The rules are those of the Smithy "Amazon Event Stream Specification"
(https://smithy.io/2.0/aws/amazon-eventstream.html). A message, big-endian throughout::

    total length   u32   everything, this field included
    headers length u32
    prelude CRC    u32   of the eight bytes before it
    headers              name length u8, name, type u8, value; until the headers length is used up
    payload
    message CRC    u32   of everything before it, the prelude CRC included
"""

from __future__ import annotations

from struct import Struct
from zlib import crc32

from ..diagnostics import Note
from ..limits import DEFAULT_LIMITS, Limits
from .eventstream_headers import Meaning, read_headers
from .frame import Frame, FrameKind, Header

PRELUDE_BYTES = 12
"""Both lengths and their checksum."""
OVERHEAD_BYTES = 16
"""The prelude and the message's checksum: the smallest message."""

_prelude = Struct("!III").unpack_from
_crc = Struct("!I").unpack_from

Head = tuple[int, FrameKind, str | None, str, tuple[Header, ...], Note | None]
"""What is known of a prelude and its headers: their running checksum, then the `Meaning` of the headers."""

_MEMO_ENTRIES = 1024
_MEMO_KEY_BYTES = 1024
"""Bounds that keep a hostile stream from filling the memos."""


class EventStreamFramer:
    """Cut an AWS event stream into frames, one a message.

    `feed` may be called with any cut of the bytes, down to one at a time; the frames are the same, and their
    ``start``/``end`` offsets tile the stream. A message is an ``event`` frame: `Frame.category` is its
    ``:message-type``, `Frame.event` its ``:event-type``, ``:exception-type`` or ``:error-code``, `Frame.data` its
    payload.

    What becomes of bad input:

    - The prelude's checksum is tried as soon as 12 bytes are there, before a length is believed. A wrong one, or a
      length that cannot be, makes those 12 bytes a ``bad`` frame.
    - A wrong message checksum makes the message a ``bad`` frame that holds the doubtful payload.
    - Either ends the stream, as the specification demands: nothing behind it can be trusted to be a message. What
      follows is one ``tail``, kept but not read.
    - Headers that cannot be read under two right checksums were sent like that. The message is a ``bad`` frame
      (its payload and the headers before the fault are kept), and reading goes on.
    - A message over the memory limit is a ``bad`` frame without data, and reading goes on. The specification's own
      size limits are for services; it forbids clients to enforce them.
    - A message that the end of the stream cuts off is a ``tail`` with what there is of its payload; inside a prelude
      the data is the raw bytes.

    Parameters
    ----------
    limits : Limits
        A message longer than ``frame_bytes`` is skipped without being held.

    Examples
    --------
    >>> framer = EventStreamFramer()
    >>> framer.feed(bytes.fromhex("000000100000000005c248eb7d98c8ff"))[0].category
    'unknown'
    >>> framer.feed(b'{"message": "no"}')[0].fault.code
    'prelude-crc-mismatch'
    >>> framer.finish()[0].data
    b'"no"}'
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limit = limits.frame_bytes
        self._pending = bytearray()  # the unfinished message, or what follows a fault that ended the stream
        self._offset = 0  # of its first byte
        self._need = PRELUDE_BYTES  # how much of it is needed to get on
        self._oversize = 0  # total length of a message that is being skipped
        self._dropped = 0  # bytes taken but not held
        self._ended = False
        self._idle = False  # nothing is pending, and the stream goes on
        self._heads: dict[bytes, Head] = {}
        self._blocks: dict[bytes, Meaning] = {}

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        return len(self._pending) + self._dropped

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete."""
        if self._idle and len(data) > PRELUDE_BYTES:  # one message and nothing pending: what a live read mostly is
            total, headers_length, _ = _prelude(data)
            known = self._heads.get(data[: PRELUDE_BYTES + headers_length]) if total == len(data) else None
            if known is not None:
                crc, kind, event, category, headers, fault = known
                payload = data[PRELUDE_BYTES + headers_length : -4]
                if crc32(payload, crc) == _crc(data, total - 4)[0]:
                    start = self._offset
                    self._offset = end = start + total
                    return [Frame(kind, start, end, payload, event, None, None, category, headers, fault)]
        self._idle = False
        if self._ended:
            self._keep_unread(data)
            return []
        frames: list[Frame] = []
        if self._oversize:
            data = self._skip(data, frames)
        if len(self._pending) + len(data) < self._need:
            self._pending += data
            return frames
        if self._pending:
            data = b"".join((self._pending, data))
            self._pending = bytearray()
        self._read_messages(data, frames)
        return frames

    def finish(self) -> list[Frame]:
        """Return what is left at the end of the stream as one ``tail``."""
        have = self.pending_bytes
        if not have:
            return []
        data = bytes(self._pending)
        if self._ended:
            text = f"; it begins with {data[:80]!r}" if data and _is_text(data[:80]) else ""
            fault = Note("unread", f"{have} bytes behind the fault that ended the stream{text}")
        elif have < PRELUDE_BYTES:
            fault = Note("torn-tail", f"the stream stops inside a prelude, after {have} of {PRELUDE_BYTES} bytes")
        else:
            total = self._oversize or self._need
            fault = Note("torn-tail", f"the stream stops inside a message, after {have} of {total} bytes")
            if data:
                data = data[PRELUDE_BYTES + _prelude(data)[1] : total - 4]
        frame = Frame("tail", self._offset, self._offset + have, data, category="unknown", fault=fault)
        self._offset += have
        self._pending = bytearray()
        self._need, self._oversize, self._dropped = PRELUDE_BYTES, 0, 0
        return [frame]

    def _read_messages(self, data: bytes, frames: list[Frame]) -> None:
        """Read whole messages from the start of ``data`` and keep what remains."""
        view = memoryview(data)  # so that a checksum copies nothing
        heads, limit, add = self._heads, self._limit, frames.append
        offset, size = self._offset, len(data)
        position = 0
        self._need = PRELUDE_BYTES
        while size - position >= PRELUDE_BYTES:
            total, headers_length, prelude_crc = _prelude(data, position)
            payload_start = position + PRELUDE_BYTES + headers_length
            payload_end = position + total - 4
            head = data[position:payload_start]
            known = heads.get(head)
            if known is None and (
                crc32(view[position : position + 8]) != prelude_crc or payload_start > payload_end or total > limit
            ):
                position = self._odd_prelude(data, position, frames)
                if position < 0:
                    return
                continue
            if payload_end + 4 > size:
                self._need = total
                break
            if known is None:
                known = self._read_head(head, prelude_crc)
            crc, kind, event, category, headers, fault = known
            crc = crc32(view[payload_start:payload_end], crc)
            if crc != _crc(data, payload_end)[0]:
                self._wrong_message(data, position, crc, frames)
                return
            start = offset + position
            payload = data[payload_start:payload_end]
            add(Frame(kind, start, start + total, payload, event, None, None, category, headers, fault))
            position += total
        self._offset = offset + position
        self._idle = position == size
        if position < size:
            self._pending += view[position:]

    def _read_head(self, head: bytes, prelude_crc: int) -> Head:
        """Return the checksum after a prelude and its headers, and what the headers mean.

        A stream repeats a handful of header blocks, and with them a few hundred lengths. Equal bytes have equal
        checksums and an equal meaning, so both are remembered: of most messages only the payload is summed up.
        """
        block = head[PRELUDE_BYTES:]
        meaning = self._blocks.get(block)
        if meaning is None:
            meaning = read_headers(block)
            if len(self._blocks) < _MEMO_ENTRIES and len(block) <= _MEMO_KEY_BYTES:
                self._blocks[block] = meaning
        known = (crc32(memoryview(head)[8:], prelude_crc), *meaning)
        if len(self._heads) < _MEMO_ENTRIES and len(head) <= _MEMO_KEY_BYTES:
            self._heads[head] = known
        return known

    def _odd_prelude(self, data: bytes, position: int, frames: list[Frame]) -> int:
        """Deal with a prelude that is wrong, or that announces more than the limit.

        Returns
        -------
        int
            Where the next message starts; -1 where there is nothing to go on with in ``data``.
        """
        start = self._offset + position
        prelude = data[position : position + PRELUDE_BYTES]
        fault = _prelude_fault(prelude)
        if fault is not None:
            end = start + PRELUDE_BYTES
            frames.append(Frame("bad", start, end, prelude, category="unknown", fault=fault))
            self._end_stream(end, data[position + PRELUDE_BYTES :])
            return -1
        total = _prelude(prelude)[0]
        if position + total <= len(data):
            frames.append(self._too_large(start, total))
            return position + int(total)
        self._offset = start
        self._oversize, self._dropped = total, len(data) - position
        return -1

    def _skip(self, data: bytes, frames: list[Frame]) -> bytes:
        """Drop what belongs to the oversize message and return what follows it.

        Its checksum is not tried: nothing of it is delivered, and its length is vouched for by the prelude's.
        """
        left = self._oversize - self._dropped
        if len(data) < left:
            self._dropped += len(data)
            return b""
        frames.append(self._too_large(self._offset, self._oversize))
        self._offset += self._oversize
        self._oversize = self._dropped = 0
        return data[left:]

    def _too_large(self, start: int, total: int) -> Frame:
        fault = Note("frame-too-large", f"a message of {total} bytes; the limit is {self._limit}")
        return Frame("bad", start, start + total, category="unknown", fault=fault)

    def _wrong_message(self, data: bytes, position: int, crc: int, frames: list[Frame]) -> None:
        """Close the message whose checksum is wrong, and with it the stream."""
        total, headers_length, _ = _prelude(data, position)
        start, end = self._offset + position, position + total
        sent = int.from_bytes(data[end - 4 : end], "big")
        fault = Note("message-crc-mismatch", f"the checksum sent is {sent:08x}, that of the message is {crc:08x}")
        payload = data[position + PRELUDE_BYTES + headers_length : end - 4]
        frames.append(Frame("bad", start, start + total, payload, category="unknown", fault=fault))
        self._end_stream(start + total, data[end:])

    def _end_stream(self, offset: int, rest: bytes) -> None:
        """Read no more messages: a wrong checksum or length ends the stream."""
        self._ended = True
        self._offset = offset
        self._keep_unread(rest)

    def _keep_unread(self, data: bytes) -> None:
        """Keep what follows the end for whoever looks for an error text in it, its first bytes up to the limit."""
        room = max(0, self._limit - len(self._pending))
        self._pending += data[:room]
        self._dropped += max(0, len(data) - room)


def has_right_checksum(prelude: bytes) -> bool:
    """Return True where the first 12 bytes of ``prelude`` are those of a message."""
    if len(prelude) < PRELUDE_BYTES:
        return False
    return crc32(prelude[:8]) == int.from_bytes(prelude[8:PRELUDE_BYTES], "big")


def _prelude_fault(prelude: bytes) -> Note | None:
    """Say what is wrong with a prelude; None where nothing is."""
    total, headers_length, sent = _prelude(prelude)
    if not has_right_checksum(prelude):
        if _is_text(prelude):
            return Note("prelude-crc-mismatch", f"this is text, not an event-stream message: {prelude!r}")
        crc = crc32(prelude[:8])
        return Note("prelude-crc-mismatch", f"the checksum sent is {sent:08x}, that of the prelude is {crc:08x}")
    if total < OVERHEAD_BYTES:
        return Note("length-too-small", f"a total length of {total}; the smallest message has {OVERHEAD_BYTES} bytes")
    if headers_length > total - OVERHEAD_BYTES:
        return Note("headers-length", f"headers of {headers_length} bytes in a message of {total}")
    return None


def _is_text(data: bytes) -> bool:
    """Return True for what a server sends when it answers in words: printable ASCII and line ends."""
    return all(0x20 <= byte < 0x7F or byte in b"\t\n\r" for byte in data)
