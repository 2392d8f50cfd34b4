"""Recorded bytes in the place of a network, for libraries that bring their own HTTP client."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Any


def http_module(client_class: type) -> Any:
    """Return the HTTP library that a client class is built on: ``httpx`` or its successor ``httpx2``.

    Examples
    --------
    >>> import httpx
    >>> http_module(type("Mine", (httpx.Client,), {})).__name__
    'httpx'
    """
    for base in client_class.__mro__:
        name = base.__module__.partition(".")[0]
        if name.startswith("httpx"):
            return import_module(name)
    return import_module("httpx")


def http_client(httpx: Any, reads: Sequence[bytes], content_type: str, status: int = 200) -> Any:
    """Return an HTTP client that answers every request with recorded reads, and has no network.

    Parameters
    ----------
    httpx : module
        The HTTP library that the client is to be of.
    reads : sequence of bytes
        The body, in the pieces in which it is to arrive.
    content_type : str
        What the answer says it is.
    status : int
        Its HTTP status.

    Examples
    --------
    >>> import httpx
    >>> with http_client(httpx, [b"a", b"b"], "text/plain") as client:
    ...     client.get("http://stream.invalid").text
    'ab'
    """

    class Body(httpx.SyncByteStream):  # type: ignore[misc]
        def __iter__(self) -> Iterator[bytes]:
            yield from reads

    def answer(_request: Any) -> Any:
        return httpx.Response(status, headers={"content-type": content_type}, stream=Body())

    return httpx.Client(transport=httpx.MockTransport(answer))


class RawBody:
    """Recorded reads in the place of the response body that botocore reads from."""

    def __init__(self, reads: Sequence[bytes]) -> None:
        self._reads = reads

    def stream(self) -> Iterator[bytes]:
        """Yield the reads."""
        yield from self._reads

    def close(self) -> None:
        """Do nothing: there is no connection."""
