"""A wrong use, or bytes captured in the wrong place, get an answer that helps."""

from __future__ import annotations

import io

import pytest
from typer.testing import CliRunner

import streamviz as sv
from streamviz.cli import app

BODY = b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


class Response:
    """What httpx and requests give: reads that take no size."""

    def __init__(self, name):
        setattr(self, name, lambda: iter([BODY[:40], BODY[40:]]))

    def read(self):
        raise AssertionError("the whole body at once")


@pytest.mark.parametrize("name", ["iter_bytes", "iter_content"])
def test_responses_of_http_libraries_are_read(name):
    assert sv.read(Response(name)).payload.assistant_text == "Hi"


def test_a_source_that_yields_none_is_at_fault():
    stream = sv.process_stream("openai", iter([BODY[:40], None, BODY[40:]]))
    with pytest.raises(TypeError, match="bytes, not NoneType"):
        list(stream)


def test_swapped_arguments_are_told():
    with pytest.raises(TypeError, match="stands before the source"):
        sv.process_stream([BODY], "openai")
    with pytest.raises(TypeError, match="stands before the source"):
        sv.StreamRun(BODY)


def test_the_stream_itself_is_no_path():
    with pytest.raises(FileNotFoundError, match="as bytes"):
        sv.read(BODY.decode())
    with pytest.raises(FileNotFoundError, match="as bytes"):
        sv.read(BODY.decode() * 100)
    with pytest.raises(FileNotFoundError, match="No such file"):
        sv.read("capture.sse")


def test_fragments_are_text():
    with pytest.raises(TypeError, match="str, not bytes"):
        sv.IncrementalReader().feed(b"{")


def test_repair_of_a_file_that_is_not_there():
    result = CliRunner().invoke(app, ["repair", "nosuchfile.json"])
    assert result.exit_code == 2
    assert "no such file" in result.output
    assert CliRunner().invoke(app, ["repair", "1.5"]).exit_code == 0


def chunked(body, size):
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    return b"".join([b"%x\r\n%s\r\n" % (len(p), p) for p in pieces]) + b"0\r\n\r\n"


@pytest.mark.parametrize("size", [16, 70, 1000])
@pytest.mark.parametrize("body", [BODY, b'{"error":{"message":"no"}}'])
def test_http_chunk_sizes_in_the_body_are_named(body, size):
    payload = sv.read(chunked(body, size)).payload
    assert "chunked-coding" in {d.code for d in payload.diagnostics}


@pytest.mark.parametrize("body", [BODY, b"", b"10\r\n", b"[1]", b"deadbeef", b"5 apples\r\n", io.BytesIO(BODY)])
def test_other_bodies_are_not_taken_for_chunked(body):
    assert "chunked-coding" not in {d.code for d in sv.read(body).payload.diagnostics}
