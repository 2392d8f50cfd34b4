"""The framer of newline-delimited JSON."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.reads import cuts_of, every, read, read_every_way, seconds_to_read

from streamviz.framing import JSONLinesFramer
from streamviz.limits import Limits


def frames_of(data, cuts=(), limit=None):
    limits = Limits() if limit is None else Limits(frame_bytes=limit)
    return read_every_way(lambda: JSONLinesFramer(limits), data, cuts)


def outline(frames):
    return [(f.kind, f.start, f.end, f.data, f.fault and f.fault.code) for f in frames]


def test_a_line_is_one_event():
    assert outline(frames_of(b'{"a":1}\n{"b":2}\n')) == [
        ("event", 0, 8, b'{"a":1}', None),
        ("event", 8, 16, b'{"b":2}', None),
    ]


def test_a_line_comes_out_at_its_line_end():
    framer = JSONLinesFramer()
    assert framer.feed(b'{"a"') == []
    assert framer.pending_bytes == 4
    assert [frame.data for frame in framer.feed(b':1}\n{"b')] == [b'{"a":1}']
    assert framer.pending_bytes == 3


def test_crlf_ends_a_line_too():
    assert outline(frames_of(b"{}\r\n[]\r\n")) == [("event", 0, 4, b"{}", None), ("event", 4, 8, b"[]", None)]


def test_a_lone_cr_and_the_line_ends_of_unicode_end_nothing():
    line = '{\r"a":"x\u2028y\u2029z\x85\x0b\x0c\x1c"}'.encode()
    assert outline(frames_of(line + b"\n")) == [("event", 0, len(line) + 1, line, None)]


def test_lines_of_blanks_are_heartbeats():
    assert [frame.kind for frame in frames_of(b"\n{}\n\r\n \t\n{}\n")] == [
        "heartbeat", "event", "heartbeat", "heartbeat", "event",
    ]  # fmt: skip


def test_a_byte_order_mark_is_in_the_range_of_the_first_line_and_not_in_its_data():
    assert outline(frames_of(b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}\n")) == [
        ("event", 0, 6, b"{}", None),
        ("event", 6, 12, b"\xef\xbb\xbf{}", None),
    ]


def test_a_last_line_without_its_end_is_read_where_it_is_whole():
    (tail,) = frames_of(b'\xef\xbb\xbf{"a":1}')
    assert (tail.kind, tail.data, tail.fault.code) == ("tail", b'{"a":1}', "unterminated-tail")


def test_a_last_line_that_is_cut_off_is_a_torn_tail():
    _, tail = frames_of(b'{}\n{"a":"\xe2\x82')
    assert (tail.kind, tail.data, tail.fault.code) == ("tail", b'{"a":"\xe2\x82', "torn-tail")
    assert tail.fault.message == "the stream stops inside a line, after 8 bytes of it"


@pytest.mark.parametrize("data", [b"  ", b"\r", b"\xef\xbb\xbf"])
def test_blanks_at_the_end_are_no_torn_line(data):
    assert outline(frames_of(data)) == [("heartbeat", 0, len(data), b"", None)]


def test_an_empty_stream_has_no_frames():
    assert frames_of(b"") == []


def test_a_line_that_is_no_json_is_an_event_like_any_other():
    assert [frame.data for frame in frames_of(b'oops\n{"a":1}\n')] == [b"oops", b'{"a":1}']


def test_a_line_over_the_limit_is_bad_and_reading_goes_on():
    data = b'{"a":1}\n' + b"x" * 50 + b'\n{"b":2}\n'
    frames = frames_of(data, [20, 30], limit=10)
    assert [(f.kind, f.data, f.fault and f.fault.code) for f in frames] == [
        ("event", b'{"a":1}', None),
        ("bad", b"", "frame-too-large"),
        ("event", b'{"b":2}', None),
    ]
    assert frames[1].fault.message == "a line of 51 bytes; the limit is 10"


def test_a_line_over_the_limit_is_never_held():
    framer = JSONLinesFramer(Limits(frame_bytes=1000))
    for _ in range(100):
        framer.feed(b"x" * 500)
        assert len(framer._held) <= 1000
    assert framer.pending_bytes == 50_000
    (tail,) = framer.finish()
    assert (tail.data, tail.end, tail.fault.code) == (b"", 50_000, "torn-tail")


@pytest.mark.parametrize(("size", "step"), [(1 << 24, 1460), (400_000, 1)])
def test_the_time_for_one_long_line_is_linear_in_small_reads(size, step):
    reads = every(step, b"[" + b"1" * size)
    assert seconds_to_read(JSONLinesFramer(), reads) < 3  # far less; quadratic would be far more


@given(st.lists(st.dictionaries(st.text(max_size=3), st.text(max_size=5))), st.sampled_from(["\n", "\r\n"]), st.data())
def test_valid_lines_give_an_event_each_however_they_are_cut(values, line_end, draw):
    lines = [json.dumps(value, ensure_ascii=False) for value in values]
    data = "".join(line + line_end for line in lines).encode()
    frames = frames_of(data, draw.draw(cuts_of(data)))
    assert [(f.kind, f.text, f.fault) for f in frames] == [("event", line, None) for line in lines]


pieces_of_lines = st.lists(
    st.sampled_from([b"\n", b"\r", b" ", b"{}", b'{"', b"\xef\xbb\xbf", b"\xff", b"1"]), max_size=12
)


@given(pieces_of_lines.map(b"".join) | st.binary(max_size=30), st.sampled_from([3, 1000]), st.data())
@example(b"abc\r\n", 3, None)
@example(b"\xef\xbb\xbf{}\n", 3, None)
def test_cuts_do_not_matter_and_frames_tile_whatever_the_bytes_are(data, limit, draw):
    frames = frames_of(data, draw.draw(cuts_of(data)) if draw else [4], limit)
    assert all(frame.kind == "tail" or data[frame.end - 1 : frame.end] == b"\n" for frame in frames[:-1])


def test_reads_of_any_size_give_the_same_frames():
    data = b"".join(b'{"response":"word %d"}\n' % n for n in range(500))
    whole = read(JSONLinesFramer(), [data])
    assert len(whole) == 500
    assert all(read(JSONLinesFramer(), every(size, data)) == whole for size in (1, 7, 22, 1460))
