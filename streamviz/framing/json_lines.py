"""Newline-delimited JSON: what Ollama sends, and Cohere's first API."""

from __future__ import annotations

from ..diagnostics import Note
from ..limits import DEFAULT_LIMITS, Limits
from .frame import Frame
from .json_text import is_json

BOM = b"\xef\xbb\xbf"


class JSONLinesFramer:
    r"""Cut newline-delimited JSON into frames, one a line.

    A line ends at LF or CRLF (https://github.com/ndjson/ndjson-spec, section 3.1). A lone CR is a blank inside JSON and
    ends nothing, and so are the other line ends of Unicode. `feed` may be called with any cut of the bytes, down to
    one at a time; the frames are the same, and their ``start``/``end`` offsets tile the stream. One byte order mark
    at the very start belongs to the first line's range, not to its data.

    What becomes of bad input:

    - A line of blanks is a ``heartbeat``.
    - A line that is no JSON is an ``event`` like any other, and its reader's to judge.
    - A last line without its LF is a ``tail``, marked ``unterminated-tail`` where its data is one whole JSON value and
      ``torn-tail`` where it is not. (A number may be whole and yet cut; nobody streams those.)

    Parameters
    ----------
    limits : Limits
        A line longer than ``frame_bytes`` is not held; it becomes a ``bad`` frame, and reading goes on.

    Examples
    --------
    >>> framer = JSONLinesFramer()
    >>> [frame.data for frame in framer.feed(b'{"a": 1}\r\n{"a"')]
    [b'{"a": 1}']
    >>> framer.finish()[0].fault.code
    'torn-tail'
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limit = limits.frame_bytes
        self._held = bytearray()  # the unfinished line
        self._dropped = 0  # how much of it was beyond the limit
        self._offset = 0  # of its first byte

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        return len(self._held) + self._dropped

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete."""
        lines = data.split(b"\n")
        rest = lines.pop()
        frames: list[Frame] = []
        if lines:
            if self._held or self._dropped:
                frames.append(self._end_held_line(lines.pop(0)))
            start = self._offset
            for line in lines:
                end = start + len(line) + 1
                frames.append(self._frame(start, end, line))
                start = end
            self._offset = start
        self._hold(rest)
        return frames

    def finish(self) -> list[Frame]:
        """Return a last line without its LF as one ``tail``, or as a ``heartbeat`` if it is blank."""
        size = self.pending_bytes
        if not size:
            return []
        start = self._offset
        end = self._offset = start + size
        data = _without_bom(bytes(self._held), start)
        self._held.clear()
        if self._dropped:
            fault = Note("torn-tail", f"the stream stops inside a line, after {size} bytes; the limit is {self._limit}")
        elif not data.strip():
            return [Frame("heartbeat", start, end)]
        elif is_json(data):
            fault = Note("unterminated-tail", "the last line has no line end, but it is whole")
        else:
            fault = Note("torn-tail", f"the stream stops inside a line, after {size} bytes of it")
        self._dropped = 0
        return [Frame("tail", start, end, data, fault=fault)]

    def _hold(self, data: bytes) -> None:
        """Keep a piece of the unfinished line; of one beyond the limit, only its length."""
        if self._dropped or len(self._held) + len(data) > self._limit:
            self._dropped += len(self._held) + len(data)
            self._held.clear()
        else:
            self._held += data

    def _end_held_line(self, piece: bytes) -> Frame:
        """Make a frame of the line that came in pieces, of which ``piece`` is the last."""
        start = self._offset
        end = self._offset = start + self.pending_bytes + len(piece) + 1
        line = b"".join((self._held, piece))
        self._held.clear()
        self._dropped = 0
        return self._frame(start, end, line)

    def _frame(self, start: int, end: int, line: bytes) -> Frame:
        """Make a frame of a line without its LF."""
        if end - start - 1 > self._limit:
            fault = Note("frame-too-large", f"a line of {end - start} bytes; the limit is {self._limit}")
            return Frame("bad", start, end, fault=fault)
        line = _without_bom(line, start).removesuffix(b"\r")
        if not line or line.isspace():
            return Frame("heartbeat", start, end)
        return Frame("event", start, end, line)


def _without_bom(line: bytes, start: int) -> bytes:
    """Drop one byte order mark at the very start of the stream."""
    return line if start else line.removeprefix(BOM)
