"""The bytes of one response as they came."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import Any


class Recording:
    """All reads of one response, with what is known of the request.

    Attributes
    ----------
    reads : list of bytes
        The bytes each read gave, after content decoding; `append` adds to it.
    size : int
        Bytes of the body.
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
        self.size = 0  # bytes of the body
        self._starts = array("Q")
        self.times_s = array("d")
        self.request = request
        self.status = status
        self.headers = headers
        self.source = source

    def append(self, data: bytes, time_s: float | None = None) -> None:
        """Add a read."""
        self.reads.append(data)
        self._starts.append(self.size)
        self.size += len(data)
        if time_s is not None:
            self.times_s.append(time_s)

    @property
    def data(self) -> bytes:
        """The whole body."""
        return self.reads[0] if len(self.reads) == 1 else b"".join(self.reads)

    def slice(self, start: int, end: int) -> bytes:
        """Return the bytes from offset ``start`` to ``end``, without joining the rest."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        last = bisect_left(self._starts, end)
        base = self._starts[first] if self.reads else 0
        return b"".join(self.reads[first:last])[start - base : end - base]

    def __repr__(self) -> str:
        return f"<Recording: {self.size} bytes in {len(self.reads)} reads>"
