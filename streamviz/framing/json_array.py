"""A JSON array that grows: what Gemini sends without ``alt=sse``."""

from __future__ import annotations

import re
from enum import Enum, auto

from ..diagnostics import Note
from ..limits import DEFAULT_LIMITS, Limits
from .frame import Frame
from .json_scan import ValueScanner

BOM = b"\xef\xbb\xbf"

_OPEN, _CLOSE, _STRAY = b"[]}"
_NESTED = b'{["'

_separators = re.compile(rb"[ \t\r\n,]*").match
_scalar = re.compile(rb'[^ \t\r\n,\[\]{}"]*').match


class _State(Enum):
    BETWEEN = auto()
    """Before the array, or between its elements."""
    NESTED = auto()
    """Inside an object, an array or a string."""
    SCALAR = auto()
    """Inside a number, a word, or something that is no JSON at all."""
    AFTER = auto()
    """Behind the closing bracket."""


class JSONArrayFramer:
    r"""Cut a JSON array into frames, one an element, as each element closes.

    `feed` may be called with any cut of the bytes, down to one at a time; the frames are the same, and their
    ``start``/``end`` offsets tile the stream. An element is an ``event`` frame: its data is exactly the element, its
    range also has the bracket, commas and blanks before it. The closing bracket and everything behind it is one
    ``end`` frame.

    What becomes of bad input:

    - Elements are cut apart, not validated: text that is no JSON is an ``event`` frame too, and its reader's to judge.
    - Brackets that do not match cost as little of what follows as can be known (see `ValueScanner`). A closing brace
      outside any element is a ``bad`` frame.
    - Missing and superfluous commas do not matter, nor does a missing ``[``.
    - Text behind the closing bracket, as when a server breaks off with an error, is the data of the ``end`` frame.
    - The end of the stream inside an element makes a ``tail`` with what there is of it; between elements, of an array
      that is still open, a ``tail`` without data.

    Parameters
    ----------
    limits : Limits
        An element longer than ``frame_bytes`` is not held; it becomes a ``bad`` frame, and reading goes on.

    Examples
    --------
    >>> framer = JSONArrayFramer()
    >>> [frame.data for frame in framer.feed(b'[{"a": "]"},\n{"b"')]
    [b'{"a": "]"}']
    >>> [(frame.kind, frame.data) for frame in framer.feed(b": 2}]") + framer.finish()]
    [('event', b'{"b": 2}'), ('end', b'')]
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limit = limits.frame_bytes
        self._state = _State.BETWEEN
        self._offset = 0  # of the next byte to be fed
        self._start = 0  # of the unfinished frame
        self._value_start = 0  # of the unfinished element
        self._held = bytearray()  # the unfinished element, or what stands behind the array
        self._scanner = ValueScanner()
        self._begun = False  # whether the place of the opening bracket is behind us
        self._in_array = False  # whether it was there

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        return self._offset - self._start

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes and return the frames that they complete."""
        frames: list[Frame] = []
        position, size = 0, len(data)
        while position < size:
            match self._state:
                case _State.BETWEEN:
                    position = self._begin(data, position, frames)
                    continue
                case _State.NESTED:
                    end = self._scanner.scan(data, position)
                case _State.SCALAR:
                    end = _scalar(data, position).end()  # type: ignore[union-attr]  # it matches anything
                    end = -1 if end == size else end
                case _State.AFTER:
                    self._hold_rest(data[position:])
                    break
            if end < 0:
                self._hold(data)
                break
            self._end_element(data, end, frames)
            position = end
        self._offset += size
        return frames

    def finish(self) -> list[Frame]:
        """Return what is left at the end of the stream: the ``end`` frame, or a ``tail``."""
        start, end = self._start, self._offset
        self._start = end
        if start == end:
            return []
        data = bytes(self._held)
        self._held.clear()
        if self._state is _State.AFTER:
            data = data.strip()
            fault = Note("trailing-data", f"behind the array: {data[:80]!r}") if data else None
            return [Frame("end", start, end, data, fault=fault)]
        if self._state is not _State.BETWEEN:
            size = end - self._value_start
            torn = Note("torn-tail", f"the stream stops inside an element of the array, after {size} bytes of it")
            return [Frame("tail", start, end, data, fault=torn)]
        if self._in_array:
            torn = Note("torn-tail", "the stream stops before the array is closed")
            return [Frame("tail", start, end, fault=torn)]
        return [Frame("heartbeat", start, end)]  # blanks, and no array

    def _begin(self, data: bytes, position: int, frames: list[Frame]) -> int:
        """Pass over what stands between elements, and see what comes next."""
        position = _separators(data, position).end()  # type: ignore[union-attr]  # it matches anything
        if position == len(data):
            return position
        byte = data[position]
        if byte == _OPEN and not self._begun:
            self._begun = self._in_array = True
            return position + 1
        if byte == _CLOSE:
            self._state = _State.AFTER
            return position + 1
        if byte == _STRAY:
            end = self._offset + position + 1
            fault = Note("bad-frame", "a closing brace outside any element")
            frames.append(Frame("bad", self._start, end, b"}", fault=fault))
            self._start = end
            return position + 1
        self._value_start = self._offset + position
        if byte in _NESTED:
            self._begun = True
            self._state = _State.NESTED
            self._scanner = ValueScanner()
        else:
            self._state = _State.SCALAR
        return position

    def _end_element(self, data: bytes, position: int, frames: list[Frame]) -> None:
        """Make a frame of the element that ends at ``position``."""
        self._state = _State.BETWEEN
        begin, end = self._value_start - self._offset, self._offset + position
        size = end - self._value_start
        if size > self._limit:
            fault = Note("frame-too-large", f"an element of {size} bytes; the limit is {self._limit}")
            frames.append(Frame("bad", self._start, end, fault=fault))
        else:
            value = data[begin:position] if begin >= 0 else b"".join((self._held, data[:position]))
            if self._value_start == 0 and value.startswith(BOM):
                value = value[len(BOM) :]
                if not value:  # the mark alone: it belongs to the first frame, and the array is still to come
                    self._held.clear()
                    return
            frames.append(Frame("event", self._start, end, value))
        self._begun = True
        self._held.clear()
        self._start = end

    def _hold(self, data: bytes) -> None:
        """Keep what ``data`` has of the unfinished element; of one beyond the limit, nothing."""
        begin = self._value_start - self._offset
        if len(data) - begin > self._limit:
            self._held.clear()
        else:
            self._held += data[begin:] if begin > 0 else data

    def _hold_rest(self, data: bytes) -> None:
        """Keep what stands behind the array, its first bytes up to the limit."""
        self._held += data[: max(0, self._limit - len(self._held))]
