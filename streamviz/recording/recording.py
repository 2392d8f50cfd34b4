"""The bytes of one response as they came."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any


class Recording:
    """All reads of one response, with what is known of the request.

    Attributes
    ----------
    reads : list of bytes
        The bytes each read gave, after content decoding; `append` adds to it.
    times_s : array of float
        Arrival time of each read, in seconds since the request was sent; empty where times are not known.
    request, status, headers : optional
        What is known of the exchange.
    source : str or None
        Where the bytes were read from.
    """

    def __init__(
        self,
        *,
        source: str | None = None,
        request: dict[str, Any] | None = None,
        status: int | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        self.reads: list[bytes] = []
        self._ends = array("Q")  # offset after each read, as far as it was asked for
        self.times_s = array("d")
        self.request = request
        self.status = status
        self.headers = headers
        self.source = source

    def append(self, data: bytes, time_s: float | None = None) -> None:
        """Add a read."""
        self.reads.append(data)
        if time_s is not None:
            self.times_s.append(time_s)

    def know(self, other: Recording) -> None:
        """Take over what another recording knows beside the bytes: times, request, status, headers."""
        self.times_s = other.times_s
        self.request, self.status, self.headers = other.request, other.status, other.headers

    @property
    def data(self) -> bytes:
        """The whole body."""
        return self.reads[0] if len(self.reads) == 1 else b"".join(self.reads)

    @property
    def size(self) -> int:
        """Bytes of the body."""
        ends = self._read_ends()
        return ends[-1] if ends else 0

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes from offset ``start`` to ``end``, without joining the rest."""
        ends = self._read_ends()
        first, last = bisect_right(ends, start), bisect_left(ends, end)
        base = ends[first - 1] if first else 0
        return b"".join(self.reads[first : last + 1])[start - base : end - base]

    @property
    def is_timed(self) -> bool:
        """Whether the time of every read is known."""
        return 0 < len(self.reads) == len(self.times_s)

    def read_at(self, offset: int) -> int:
        """Return the number of the read that holds the byte at ``offset``."""
        return bisect_right(self._read_ends(), offset)

    def reads_of(self, ends: Iterable[int]) -> array[int]:
        """Return the number of the read that holds the byte before each offset; the offsets go up."""
        read_ends = self._read_ends()
        numbers = array("Q")
        read = 0
        for end in ends:
            while read < len(read_ends) - 1 and read_ends[read] < end:
                read += 1
            numbers.append(read)
        return numbers

    def times_of(self, ends: Iterable[int]) -> array[float]:
        """Return the time at which the byte before each offset was there; empty where times are not known.

        The offsets go up.
        """
        return array("d", [self.times_s[read] for read in self.reads_of(ends)] if self.is_timed else ())

    def _read_ends(self) -> array[int]:
        """Return the offset after each read; nothing is computed while the reads come in."""
        ends = self._ends
        for data in self.reads[len(ends) :]:
            ends.append((ends[-1] if ends else 0) + len(data))
        return ends

    def __repr__(self) -> str:
        return f"<Recording: {self.size} bytes in {len(self.reads)} reads>"
