"""The bytes of one response as they came."""

from __future__ import annotations

from array import array
from typing import Any


class Recording:
    """All reads of one response, with what is known of the request.

    Attributes
    ----------
    reads : list of bytes
        The bytes each read gave, after content decoding.
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

    @property
    def data(self) -> bytes:
        """The whole body."""
        return self.reads[0] if len(self.reads) == 1 else b"".join(self.reads)

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return sum(map(len, self.reads))

    def __repr__(self) -> str:
        return f"<Recording: {self.size} bytes in {len(self.reads)} reads>"
