"""The framer of whole bodies."""

import gzip
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.reads import cuts_of, read, read_every_way

from streamviz.framing import BodyFramer
from streamviz.limits import Limits


def frame_of(data, cuts=()):
    (frame,) = read_every_way(BodyFramer, data, cuts)
    return frame


@pytest.mark.parametrize("data", [b'{\n  "error": {"code": 429}\n}\n', b"[1, 2]", b' "text"', b"null", b"{}"])
def test_a_json_document_is_one_event(data):
    frame = frame_of(data)
    assert (frame.kind, frame.data, frame.fault) == ("event", data, None)


def test_nothing_comes_before_the_end():
    framer = BodyFramer()
    assert framer.feed(b"{}") == []
    assert framer.pending_bytes == 2
    assert [frame.data for frame in framer.finish()] == [b"{}"]


def test_an_empty_body_has_no_frames():
    assert read(BodyFramer(), [b""]) == []


def test_blanks_alone_are_a_heartbeat():
    assert frame_of(b"\r\n").kind == "heartbeat"


def test_a_byte_order_mark_is_in_the_range_and_not_in_the_data():
    frame = frame_of(b"\xef\xbb\xbf{}")
    assert (frame.kind, frame.start, frame.end, frame.data) == ("event", 0, 5, b"{}")


def test_a_document_that_is_cut_off_is_a_torn_tail():
    frame = frame_of(b'{\n "error": {"message": "quota }')
    assert (frame.kind, frame.fault.code) == ("tail", "torn-tail")
    assert frame.data == b'{\n "error": {"message": "quota }'


def test_a_document_that_is_closed_and_wrong_is_left_to_its_reader():
    frame = frame_of(b"{'error': 'single quotes'}")
    assert (frame.kind, frame.fault) == ("event", None)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (
            gzip.compress(b"data: {}\n\n", mtime=0),
            "gzip-compressed data (the first bytes are 1f 8b): decompress it first",
        ),
        (b"\x28\xb5\x2f\xfd\x04\x00", "zstd-compressed data (the first bytes are 28 b5 2f fd): decompress it first"),
        (zlib.compress(b"data: {}\n\n"), "zlib-compressed data (HTTP calls it deflate): decompress it first"),
        (b"x\x9c is no zlib data", "binary data"),
        (b"BZh91AY", "bzip2-compressed data: decompress it first"),
        (b"PK\x03\x04\x14", "a ZIP archive"),
        (b"\x89PNG\r\n\x1a\n\x00", "a PNG image"),
        (b"\xff\xd8\xff\xe0", "a JPEG image"),
        (b"%PDF-1.7", "a PDF document"),
        ("data: {}".encode("utf-16"), "UTF-16 text: it must be UTF-8"),
        (b"\n<!DOCTYPE html>\n<html>", "an HTML page"),
        (b"<html><body>502</body>", "an HTML page"),
        (b'<?xml version="1.0"?><Error/>', "an XML document"),
        (b"<Error><Code>AccessDenied</Code></Error>", "markup (HTML or XML)"),
        (b"upstream connect error", "plain text"),
        ("Zugriff verweigert: \u00fcberlastet".encode(), "plain text"),
        (b"\x1b[31mred\x1b[0m", "plain text"),
        (b"caf\xe9", "binary data"),
        (b"a\x00b", "binary data"),
    ],
)
def test_a_body_that_is_no_stream_is_named_and_quoted(data, what):
    frame = frame_of(data)
    assert (frame.kind, frame.data, frame.fault.code) == ("bad", data, "not-a-stream")
    assert frame.fault.message == f"{what}; it begins with {data[:80]!r}"


def test_a_body_over_the_limit_is_bad_and_not_held():
    framer = BodyFramer(Limits(frame_bytes=10))
    for _ in range(5):
        framer.feed(b"[1, 2]")
        assert len(framer._held) <= 10
    (frame,) = framer.finish()
    assert (frame.kind, frame.start, frame.end, frame.data) == ("bad", 0, 30, b"")
    assert (frame.fault.code, frame.fault.message) == ("frame-too-large", "a body of 30 bytes; the limit is 10")


def test_a_body_as_long_as_the_limit_is_read():
    (frame,) = read(BodyFramer(Limits(frame_bytes=6)), [b"[1, 2]"])
    assert frame.kind == "event"


bodies = st.one_of(
    st.binary(max_size=40),
    st.lists(st.sampled_from([b"{", b"}", b"[", b"]", b'"', b"1", b" ", b"\n", b"<", b"\xef\xbb\xbf"])).map(b"".join),
)


@given(bodies, st.data())
def test_cuts_do_not_matter_and_the_frame_covers_everything(data, draw):
    assert len(read_every_way(BodyFramer, data, draw.draw(cuts_of(data)))) == (len(data) > 0)
