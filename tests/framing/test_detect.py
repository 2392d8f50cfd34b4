"""Which framing a body has, told from its first bytes."""

import gzip
import struct
from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.wire import converse

from streamviz.framing import FRAMERS, detect_framing
from streamviz.framing.detect import DECISION_BYTES

MESSAGE = converse(("messageStart", {"role": "assistant"}))


def big_prelude(total):
    lengths = struct.pack("!II", total, 0)
    return lengths + struct.pack("!I", crc32(lengths))


@pytest.mark.parametrize(
    ("head", "framing"),
    [
        (b"data: {}\n\n", "sse"),
        (b"data:", "sse"),
        (b"event: message_start", "sse"),
        (b"id:7", "sse"),
        (b"retry: 3000", "sse"),
        (b": OPENROUTER PROCESSING\n\n", "sse"),
        (b":", "sse"),
        (b"data\n", "sse"),
        (b"data\r", "sse"),
        (b"\n\n\r\ndata: {}", "sse"),
        (b" data: {}", "sse"),
        (b"\xef\xbb\xbfdata: {}", "sse"),
        (b'error: {"code": 500}', "sse"),
        (b"warming up\ndata: {}", "sse"),
        (b"[DONE]\ndata: x", "sse"),
        (MESSAGE, "eventstream"),
        (MESSAGE[:1], "eventstream"),
        (b"\x00 and no message", "eventstream"),
        (big_prelude(0x0300_0010), "eventstream"),
        (b'[{"candidates"', "json-array"),
        (b"[\r\n  {", "json-array"),
        (b"\xef\xbb\xbf [{", "json-array"),
        (b"[]", "json-array"),
        (b'["', "json-array"),
        (b"[[", "json-array"),
        (b'{"model":"llama3"}\n', "json-lines"),
        (b'\r\n{"model":"llama3"}\r\n{"mod', "json-lines"),
        (b'0:"', "json-lines"),
        (b'f:{"messageId":"m"}\n0:"Hi"\n', "json-lines"),
        (b"{\n", "body"),
        (b'{"error": {\n"code"', "body"),
        (b"<", "body"),
        (b"  <html>", "body"),
        (gzip.compress(b"data: {}\n\n", mtime=0), "body"),
        (b"\x28\xb5\x2f\xfd\x00", "body"),
        (b"\x89PNG\r\n\x1a\n\x00", "body"),
        (b"\x03not a prelude at all", "body"),
        (b"one line\n" * 20, "body"),
        (b"a\x00b", "body"),
    ],
)
def test_the_beginning_tells(head, framing):
    assert detect_framing(head) == framing
    assert detect_framing(head, final=True) == framing


@pytest.mark.parametrize(
    ("head", "framing"),
    [
        (b"", "body"),
        (b"  ", "body"),
        (b"\n\n", "sse"),
        (b"\xef", "body"),
        (b"\xef\xbb\xbf", "body"),
        (b"data", "body"),
        (b'{"model":"llama3"}', "body"),
        (b'{"model":"lla', "body"),
        (b"[", "json-array"),
        (b"[DONE]", "body"),
        (b"[12:30:01] started", "body"),
        (b"[1, 2]", "body"),
        (b"upstream connect error\n", "body"),
        (b"Error: no such model", "body"),
        (b"https://example.com/moved", "body"),
        (b'"text"', "body"),
        (b"\x01", "body"),
        (big_prelude(0x0300_0010)[:11], "body"),
    ],
)
def test_more_bytes_are_awaited_until_the_body_is_over(head, framing):
    assert detect_framing(head) is None
    assert detect_framing(head, final=True) == framing


@pytest.mark.parametrize(
    ("head", "framing"),
    [
        (b"\n" * DECISION_BYTES, "sse"),
        (b" " * DECISION_BYTES, "body"),
        (b'{"a":"' + b"x" * DECISION_BYTES, "json-lines"),
        (b"[" + b" " * DECISION_BYTES, "json-array"),
        (b"x" * DECISION_BYTES, "body"),
    ],
)
def test_64_kib_are_always_enough(head, framing):
    assert detect_framing(head[: DECISION_BYTES - 1]) is None
    assert detect_framing(head[:DECISION_BYTES]) == framing
    assert detect_framing(head + b'\n"}]\ndata: {}\n\n') == framing


def test_every_answer_names_a_framer():
    assert sorted(FRAMERS) == ["body", "eventstream", "json-array", "json-lines", "sse"]


tokens = st.sampled_from(
    [b"data", b"id", b"retry", b":", b" ", b"\n", b"\r", b"\t", b"{", b"}", b'"a"', b"[", b"]", b"1", b"DONE", b"<"]
) | st.sampled_from([b"/", b"x", b"E", b"\xef", b"\xbb", b"\xbf", b"\xef\xbb\xbf", b"\0", b"\1", b"\3", b"\x1f\x8b"])
lines = st.sampled_from([b"x\n", b"y y\r", b"z\r\n", b"\n", b"data: 1\n", b"foo", b"data\r", b"a:b\n"])
heads = st.one_of(
    st.binary(max_size=30),
    st.lists(tokens, max_size=30).map(b"".join),
    st.lists(lines, max_size=45).map(b"".join),
)


@given(heads)
@example(big_prelude(0x0100_0010) + b"data")
@example(b"x\r\n" * 25)
@example(b"data\r\ndata")
@example(b"http://example.com")
@example(b"a:/b")
def test_an_answer_for_a_beginning_holds_for_every_longer_one(data):
    answers = [detect_framing(data[:size]) for size in range(len(data) + 1)]
    first = next((n for n, answer in enumerate(answers) if answer is not None), len(answers))
    assert len(set(answers[first:])) <= 1
    final = detect_framing(data, final=True)
    assert final in FRAMERS
    assert answers[-1] in (None, final)


@given(st.sampled_from([b"\n", b" ", b"x", b'{"', b"[ ", b"x\n", b"\xef\xbb\xbf{"]), st.integers(-3, 3), heads)
def test_the_same_is_true_about_the_last_byte_that_is_looked_at(filler, shift, rest):
    lead = (filler * DECISION_BYTES)[: DECISION_BYTES + shift]
    data = lead + rest
    answers = [detect_framing(data[:size]) for size in range(len(lead), len(data) + 1)]
    first = next((n for n, answer in enumerate(answers) if answer is not None), len(answers))
    assert len(set(answers[first:])) <= 1
    assert detect_framing(data[:DECISION_BYTES]) is not None or len(data) < DECISION_BYTES
