"""The vendors' own SDKs over bytes instead of a network."""

from importlib.util import find_spec

import pytest

from streamviz.comparing import transport


def http_client(data, content_type="text/event-stream", module=None):
    """Return an HTTP client that answers every request with ``data``, in reads of 100 bytes."""
    httpx = pytest.importorskip(module or ("httpx2" if find_spec("httpx2") else "httpx"))
    reads = [data[start : start + 100] for start in range(0, len(data), 100)]
    return transport.http_client(httpx, reads, content_type)
