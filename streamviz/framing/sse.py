"""Server-sent events.

The rules are those of the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream"
(https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation).
"""

from __future__ import annotations

import re

from ..diagnostics import Note
from ..limits import DEFAULT_LIMITS, Limits
from .frame import Frame, FrameKind
from .json_text import is_json

BOM = b"\xef\xbb\xbf"
DONE = b"[DONE]"

_LINE_END = re.compile(rb"(\r\n|\n|\r)")
_only_digits = re.compile(rb"[0-9]+").fullmatch
_MAX_EVENT_LINES = 256
_HEARTBEATS = {"ping", "heartbeat", "keepalive", "keep-alive", "keep_alive"}
"""Events that are sent for the connection's sake, and need no data."""


def missing_data(event: str | None) -> Note | None:
    """Say of a named event without data that it should have some; None where that is in order."""
    if event is None or event.lower() in _HEARTBEATS:
        return None
    return Note("event-without-data", f"{event!r:.80} comes without data")


class SSEFramer:
    r"""Cut a server-sent event stream into frames.

    `feed` may be called with any cut of the bytes, down to one at a time; the frames are the same. Nothing is
    dropped: a block of comments, a blank line alone, lines that are no fields, and the torn end are frames too, and
    the frames' ``start``/``end`` offsets tile the stream. Bytes that are no UTF-8 are kept as they are in
    `Frame.data` and become U+FFFD in `Frame.text`.

    The standard discards a block that the end of the stream cuts off. Here it is one ``tail`` frame: gateways close
    right behind the last event, and whoever looks for a fault must see what was there.

    Parameters
    ----------
    limits : Limits
        A block longer than ``frame_bytes`` is not kept in memory; it becomes one ``bad`` frame.

    Examples
    --------
    >>> framer = SSEFramer()
    >>> framer.feed(b": hi\ndata: {}\n\nda")[0].data
    b'{}'
    >>> framer.finish()[0].kind
    'tail'
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self.last_event_id: str | None = None
        """The last event ID; it persists from block to block."""
        self.retry: int | None = None
        """The last valid retry field, in milliseconds."""
        self._limit = limits.frame_bytes
        # The unfinished line, in the pieces that came, and how many of its bytes were given up for the limit's sake.
        self._line: list[bytes] = []
        self._line_bytes = 0
        # The unfinished block: its fields so far.
        self._start = 0
        self._offset = 0  # after the last complete line
        self._data: list[bytes] = []
        self._event: str | None = None
        self._id: str | None = None  # the ID buffer: committed when the block is dispatched
        self._block_retry: int | None = None
        self._comment = False
        self._unknown: list[bytes] = []
        self._plain = True  # nothing but data and event lines so far
        self._event_lines: dict[bytes, str | None] = {}  # event lines met so far: streams use a handful
        # Line ends. A lone CR ends its line at once, so an LF right behind it belongs to that same end.
        self._begun = False
        self._idle = False  # nothing is pending, no line end is open
        self._after_cr = False
        self._after_crlf = False
        self._held_cr = False

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        return self._offset - self._start + self._line_bytes + self._held_cr

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete."""
        if self._idle and data[-2:] == b"\n\n":  # whole blocks, nothing pending: what a live stream's reads mostly are
            if data[:6] == b"data: ":
                event = None
                value = data[6:-2]
            else:
                line, _, value = data[:-2].partition(b"\ndata: ")
                event = self._event_lines.get(line, "")  # an event line, once it was read; "" is no event's name
            if event != "" and value.splitlines() == [value] and len(data) <= self._limit:  # one line, and not empty
                start = self._start
                self._start = self._offset = start + len(data)
                self._after_crlf = False
                return [Frame("event", start, self._start, value, event, self.last_event_id)]
            if b"\r" not in data:
                blocks = data.split(b"\n\n")
                if not blocks.pop():  # what an odd number of line feeds leaves is a blank line of its own
                    return self._read_blocks(blocks, b"\n")
        elif self._idle and data[-4:] == b"\r\n\r\n" and data[:6] == b"data: ":
            value = data[6:-4]
            if value.splitlines() == [value] and len(data) <= self._limit:
                start = self._start
                self._start = self._offset = start + len(data)
                self._after_crlf = True
                return [Frame("event", start, self._start, value, None, self.last_event_id)]
        self._idle = False
        if self._held_cr:
            data = b"\r" + data
            self._held_cr = False
        elif self._after_cr and data:
            self._after_cr = False
            if data[0] == 0x0A:
                self._offset += 1
                self._after_crlf = True
                data = data[1:]
        has_cr = b"\r" in data
        if not has_cr and b"\n" not in data:
            if data:
                self._keep(data)
            return []
        if self._line:
            data = b"".join(self._line) + data
            self._offset += self._line_bytes - sum(map(len, self._line))
            self._line.clear()
            self._line_bytes = 0
        if not self._begun:
            data = self._without_bom(data)
        if not has_cr or data.count(b"\r\n") == data.count(b"\r") == data.count(b"\n"):
            end = b"\r\n" if has_cr else b"\n"
            blocks = data.split(end + end)
            rest = blocks.pop()
            frames = self._read_blocks(blocks, end) if blocks else []
            if rest:
                lines = rest.split(end)
                rest = lines.pop()
                if lines:
                    frames += self._read_lines(lines, [end] * len(lines))
            self._idle = not rest and self._offset == self._start
        else:
            pieces = _LINE_END.split(data)
            lines, ends = pieces[:-1:2], pieces[1::2]
            rest = pieces[-1]
            self._after_cr = not rest and ends[-1] == b"\r"
            if self._after_cr and not lines[-1] and (ends[-2] == b"\r\n" if len(ends) > 1 else self._after_crlf):
                # A stream of CRLFs: this CR is the first half of a blank line. Its LF belongs to the same frame.
                del lines[-1], ends[-1]
                self._held_cr, self._after_cr = True, False
            frames = self._read_lines(lines, ends)
        if rest:
            self._keep(rest)
        return frames

    def finish(self) -> list[Frame]:
        """Return the unfinished block as one ``tail`` frame, read where its data is whole."""
        if self._held_cr:
            self._held_cr = False
            return self._read_lines([b""], [b"\r"])
        line = b"".join(self._line)
        if not self._begun:
            line = self._without_bom(line)
        if not line and self._offset == self._start:
            return []
        torn_line = bool(line)
        if line:
            self._field(line)
            self._offset += self._line_bytes
        self._line.clear()
        self._line_bytes = 0
        return [self._tail(torn_line=torn_line)]

    def _keep(self, piece: bytes) -> None:
        """Keep a piece of the unfinished line; of a line beyond the limit only its length and that it is there."""
        if not piece:
            return
        self._line.append(piece)
        self._line_bytes += len(piece)
        if self._offset - self._start + self._line_bytes > self._limit:
            self._line = [b":"]
            self._data.clear()
            self._unknown.clear()

    def _without_bom(self, data: bytes) -> bytes:
        """Drop one byte order mark at the very start of the stream."""
        self._begun = True
        if data.startswith(BOM):
            self._offset += len(BOM)
            self._line_bytes = max(0, self._line_bytes - len(BOM))
            return data[len(BOM) :]
        return data

    def _read_blocks(self, blocks: list[bytes], line_end: bytes) -> list[Frame]:
        """Read blocks whose lines all end in LF, or all in CRLF, as nearly everybody's do.

        Each block has lost the two line ends behind it.

        A block of one data line, with or without an event line before it, is read at a glance; any other one line by
        line.
        """
        frames: list[Frame] = []
        append, names, limit = frames.append, self._event_lines, self._limit
        start, ident = self._start, self.last_event_id
        unfinished = self._offset > start
        closing = 2 * len(line_end)
        before_data = line_end + b"data: "
        for block in blocks:
            end = start + len(block) + closing
            if block[:6] == b"data: ":
                event = None
                data = block[6:]
            else:
                line, _, data = block.partition(before_data)
                event = names.get(line, "")  # an event line, once it was read; "" is no event's name
            if event == "" or unfinished or data.splitlines() != [data] or end - start > limit:
                if not unfinished:
                    if start != self._start:  # blocks were read at a glance in between
                        self._after_crlf = closing == 4
                    self._start = self._offset = start
                lines = [*block.split(line_end), b""]
                frames += self._read_lines(lines, [line_end] * len(lines))
                start, ident = self._start, self.last_event_id
                unfinished = False
            else:
                append(Frame("event", start, end, data, event, ident))
                start = end
        self._start = self._offset = start
        self._after_crlf = closing == 4
        return frames

    def _read_lines(self, lines: list[bytes], ends: list[bytes]) -> list[Frame]:
        """Read complete lines; ``ends`` are their line ends."""
        frames: list[Frame] = []
        values = self._data
        offset, limit = self._offset, self._limit
        after_crlf = self._after_crlf
        for line, size in zip(lines, map(len, ends), strict=True):
            offset += len(line) + size
            if line[:6] == b"data: ":
                values.append(line[6:])
            elif line[:7] == b"event: ":
                self._event = line[7:].decode("utf-8", "replace") or None
                if len(self._event_lines) < _MAX_EVENT_LINES:
                    self._event_lines[line] = self._event
            elif line:
                self._field(line)
            else:
                # Behind a line that ended in CR or LF, the frame is over at this line's CR: an LF opens the next one.
                end = offset if size == 1 or after_crlf else offset - 1
                start = self._start
                if self._plain and len(values) == 1 and end - start <= limit:
                    frames.append(Frame("event", start, end, values.pop(), self._event, self.last_event_id))
                    self._start = end
                    self._event = None
                else:
                    frames.append(self._dispatch(end))
            after_crlf = size == 2
        self._offset = offset
        self._after_crlf = after_crlf
        return frames

    def _field(self, line: bytes) -> None:
        """Read one line that is not blank."""
        self._plain = False
        name, _, value = line.partition(b":")
        if value[:1] == b" ":
            value = value[1:]
        match name:
            case b"data":
                self._data.append(value)
            case b"event":
                self._event = value.decode("utf-8", "replace") or None
            case b"id":
                if b"\0" not in value:
                    self._id = value.decode("utf-8", "replace")
            case b"retry":
                if _only_digits(value) and len(value) <= 18:
                    self._block_retry = int(value)
            case b"":
                self._comment = True
            case _:
                self._unknown.append(line)

    def _dispatch(self, end: int) -> Frame:
        """End the block at its blank line."""
        start = self._start
        if end - start > self._limit:
            # No field of it counts: how many of them were still seen depends on where the reads were cut.
            large = Note("frame-too-large", f"a block of {end - start} bytes; the limit is {self._limit}")
            self._reset(end)
            return Frame("bad", start, end, b"", None, self.last_event_id, fault=large)
        if self._id is not None:
            self.last_event_id = self._id
        if self._block_retry is not None:
            self.retry = self._block_retry
        fault = None
        kind: FrameKind
        data = b"\n".join(self._data)
        if self._data:
            kind = "event"
        elif self._unknown:
            kind, data = "bad", b"\n".join(self._unknown)
            fault = Note("not-a-field", f"{len(self._unknown)} lines that are no fields: {data[:80]!r}")
        else:
            kind = "comment" if self._comment else "heartbeat"
            fault = missing_data(self._event)
        frame = Frame(kind, start, end, data, self._event, self.last_event_id, self._block_retry, fault=fault)
        self._reset(end)
        return frame

    def _tail(self, *, torn_line: bool) -> Frame:
        """Close the block that the end of the stream cut off; its ID is not committed."""
        start, end = self._start, self._offset
        if end - start > self._limit:
            fault = Note("frame-too-large", f"the last block has {end - start} bytes and no end")
            self._reset(end)
            return Frame("tail", start, end, b"", None, self.last_event_id, fault=fault)
        if self._block_retry is not None:
            self.retry = self._block_retry
        data = b"\n".join(self._data or self._unknown)
        if self._data and (data == DONE or is_json(data)):
            fault = Note("unterminated-tail", "the last event has no blank line behind it, but its data is whole")
        elif self._data or self._unknown or torn_line:
            fault = Note("torn-tail", f"the stream stops inside an event, after {end - start} bytes of it")
        else:
            return self._dispatch(end)  # complete lines without data or text: nothing is torn
        frame = Frame("tail", start, end, data, self._event, self.last_event_id, fault=fault)
        self._reset(end)
        return frame

    def _reset(self, end: int) -> None:
        """Begin the next block."""
        self._start = end
        self._data.clear()
        self._event = self._id = self._block_retry = None
        self._unknown.clear()
        self._comment = False
        self._plain = True
