"""The vendors' own SDKs over bytes instead of a network."""

from importlib.util import find_spec

import pytest


def http_client(data, content_type="text/event-stream", module=None):
    """Return an HTTP client that answers every request with ``data``, in reads of 100 bytes."""
    httpx = pytest.importorskip(module or ("httpx2" if find_spec("httpx2") else "httpx"))

    class Body(httpx.SyncByteStream):
        def __iter__(self):
            yield from (data[start : start + 100] for start in range(0, len(data), 100))

    def answer(request):
        return httpx.Response(200, headers={"content-type": content_type}, stream=Body())

    return httpx.Client(transport=httpx.MockTransport(answer))
