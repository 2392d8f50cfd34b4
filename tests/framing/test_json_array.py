"""The framer of growing JSON arrays."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.reads import cuts_of, every, read, read_every_way, seconds_to_read

from streamviz.framing import JSONArrayFramer
from streamviz.limits import Limits


def frames_of(data, cuts=(), limit=None):
    limits = Limits() if limit is None else Limits(frame_bytes=limit)
    return read_every_way(lambda: JSONArrayFramer(limits), data, cuts)


def elements(frames):
    return [frame.data for frame in frames if frame.kind == "event"]


def outline(frames):
    return [(f.kind, f.start, f.end, f.data, f.fault and f.fault.code) for f in frames]


def test_an_element_comes_out_when_it_closes():
    framer = JSONArrayFramer()
    assert framer.feed(b'[{"a": {"b": [1]}') == []
    assert framer.pending_bytes == 17
    (frame,) = framer.feed(b"}")
    assert (frame.kind, frame.start, frame.end, frame.data) == ("event", 0, 18, b'{"a": {"b": [1]}}')
    assert framer.pending_bytes == 0


def test_an_element_is_exactly_its_bytes_and_what_stands_before_it_is_in_its_range():
    assert outline(frames_of(b'[{"a":1}\n,\r\n{"b":2}\n]\n')) == [
        ("event", 0, 8, b'{"a":1}', None),
        ("event", 8, 19, b'{"b":2}', None),
        ("end", 19, 22, b"", None),
    ]


def test_brackets_inside_strings_do_not_count():
    data = rb'[{"text": "Hi [x] }{ \"]}"}, {"text": "\\"}, {"]": "\\\""}]'
    assert elements(frames_of(data)) == [
        rb'{"text": "Hi [x] }{ \"]}"}',
        rb'{"text": "\\"}',
        rb'{"]": "\\\""}',
    ]


def test_elements_may_be_scalars_strings_and_arrays():
    assert elements(frames_of(b'[1, -2.5e3,true ,null,"a,]b",[[],{}],"",{}]')) == [
        b"1", b"-2.5e3", b"true", b"null", b'"a,]b"', b"[[],{}]", b'""', b"{}",
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"[]", b" [ ] \r\n", b"\xef\xbb\xbf[\n]"])
def test_an_empty_array_is_one_end_frame(data):
    assert outline(frames_of(data)) == [("end", 0, len(data), b"", None)]


def test_a_byte_order_mark_belongs_to_the_first_frame():
    assert outline(frames_of(b"\xef\xbb\xbf[{}]")) == [("event", 0, 6, b"{}", None), ("end", 6, 7, b"", None)]


def test_an_empty_stream_has_no_frames():
    assert frames_of(b"") == []


def test_blanks_alone_are_a_heartbeat():
    assert outline(frames_of(b" \n")) == [("heartbeat", 0, 2, b"", None)]


def test_text_behind_the_array_is_reported_and_stays_readable():
    (frame,) = frames_of(b'[]\n{"error": {"code": 503}}\n')
    assert (frame.kind, frame.fault.code) == ("end", "trailing-data")
    assert json.loads(frame.data) == {"error": {"code": 503}}
    assert frame.fault.message == """behind the array: b'{"error": {"code": 503}}'"""


def test_an_element_that_the_end_cuts_off_is_a_torn_tail():
    tail = frames_of(b'[{"a":1},\n{"b": "x')[-1]
    assert (tail.kind, tail.start, tail.end, tail.data) == ("tail", 8, 18, b'{"b": "x')
    assert tail.fault.code == "torn-tail"
    assert tail.fault.message == "the stream stops inside an element of the array, after 8 bytes of it"


def test_an_array_that_is_never_closed_ends_in_a_torn_tail():
    assert outline(frames_of(b'[{"a":1},\n'))[1:] == [("tail", 8, 10, b"", "torn-tail")]
    assert outline(frames_of(b"["))[0] == ("tail", 0, 1, b"", "torn-tail")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'[{"a": [}, {"b":1}]', [b'{"a": [}', b'{"b":1}']),
        (b'[{"a": ]}, {"b":1}]', [b'{"a": ]}', b'{"b":1}']),
        (b'[[{"a":1], {"b":1}]', [b'[{"a":1]', b'{"b":1}']),
        (b"[oops, {}]", [b"oops", b"{}"]),
        (b"[oops{}]", [b"oops", b"{}"]),
        (b"[{},,{} {}]", [b"{}", b"{}", b"{}"]),
        (b'{"a":1}\n{"b":1}', [b'{"a":1}', b'{"b":1}']),
        (b'{"a":1},[1]', [b'{"a":1}', b"[1]"]),
        (b'[\xff\xfe, "\xff"]', [b"\xff\xfe", b'"\xff"']),
    ],
)
def test_garbage_does_not_take_the_next_element_with_it(data, expected):
    assert elements(frames_of(data)) == expected


def test_a_stray_closing_brace_is_a_bad_frame_of_its_own():
    assert outline(frames_of(b"[{}}, {}]")) == [
        ("event", 0, 3, b"{}", None),
        ("bad", 3, 4, b"}", "bad-frame"),
        ("event", 4, 8, b"{}", None),
        ("end", 8, 9, b"", None),
    ]


def test_an_element_over_the_limit_is_bad_and_reading_goes_on():
    data = b'[{"a":1}, {"b":"%s"}, {"c":2}]' % (b"x" * 50)
    frames = frames_of(data, [20, 30], limit=20)
    assert [(f.kind, f.data, f.fault and f.fault.code) for f in frames] == [
        ("event", b'{"a":1}', None),
        ("bad", b"", "frame-too-large"),
        ("event", b'{"c":2}', None),
        ("end", b"", None),
    ]
    assert frames[1].fault.message == "an element of 58 bytes; the limit is 20"


def test_an_element_as_long_as_the_limit_is_read():
    assert elements(frames_of(b"[1234567, 12345678]", limit=7)) == [b"1234567"]


def test_an_element_over_the_limit_is_never_held():
    framer = JSONArrayFramer(Limits(frame_bytes=1000))
    framer.feed(b'["')
    for _ in range(100):
        framer.feed(b"x" * 500)
        assert len(framer._held) <= 1000
    assert framer.pending_bytes == 50_002


def test_blanks_between_elements_are_not_held():
    framer = JSONArrayFramer(Limits(frame_bytes=10))
    framer.feed(b"[" + b" \n" * 1000)
    assert [frame.kind for frame in framer.feed(b"{}")] == ["event"]


def test_of_what_follows_the_array_no_more_than_the_limit_is_held():
    (frame,) = frames_of(b"[]" + b"x" * 100, limit=10)
    assert (frame.data, frame.end) == (b"x" * 10, 102)


def test_depth_is_no_danger():
    deep = b"[" * 200_000 + b"]" * 200_000
    assert elements(read(JSONArrayFramer(), [b"[" + deep + b"]"])) == [deep]
    frames = read(JSONArrayFramer(), [b"[" + b"[{" * 100_000 + b"]" * 100_001])
    assert [frame.kind for frame in frames] == ["event", "end"]


def test_strings_and_escapes_longer_than_the_scanners_window_are_read():
    for filler in (b"x", b"\\n", b'\\"', b"\\\\", b"x\\\\"):
        for shift in (b"", b"y"):
            element = b'{"a":"' + shift + filler * 50_000 + b'"}'
            assert elements(read(JSONArrayFramer(), [b"[" + element + b',{"b":1}]'])) == [element, b'{"b":1}']
            assert elements(read(JSONArrayFramer(), every(1000, b"[" + element + b"]"))) == [element]


@pytest.mark.parametrize("element", [b'{"a": "%s"}', b"[%s]", b'["%s"]', b"%s"])
def test_the_time_is_linear_in_one_byte_reads(element):
    reads = every(1, b"[" + element % (b"1" * 400_000) + b"]")
    assert seconds_to_read(JSONArrayFramer(), reads) < 6  # far less; quadratic would be far more


@pytest.mark.parametrize("filler", [b"1", b'"x",', b"\\n", b"[", b"{}", b"[}", b"{]"])
def test_the_time_for_one_large_element_is_linear_whatever_is_in_it(filler):
    for start in (b"[[", b'[["'):
        data = start + filler * (600_000 // len(filler))
        assert seconds_to_read(JSONArrayFramer(), [data]) < 6
        assert seconds_to_read(JSONArrayFramer(), every(1460, data)) < 6


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
separators = st.sampled_from([",", ", ", "\n,\r\n", " ,\t"])
garbage = st.lists(
    st.sampled_from([b"[", b"]", b"{", b"}", b'"', b"\\", b",", b" ", b"1", b"a", b"\xef\xbb\xbf", b"\xff"])
)


@given(st.lists(json_values, max_size=5), separators, st.sampled_from([None, 2]), st.data())
def test_valid_arrays_give_their_elements_however_they_are_cut(values, separator, indent, draw):
    texts = [json.dumps(value, indent=indent, ensure_ascii=False) for value in values]
    data = f"[{separator.join(texts)}]\n".encode()
    frames = frames_of(data, draw.draw(cuts_of(data)))
    assert elements(frames) == [text.encode() for text in texts]
    assert [f.kind for f in frames] == ["event"] * len(values) + ["end"]
    assert all(f.fault is None for f in frames)


@given(garbage.map(b"".join) | st.binary(max_size=30), st.sampled_from([3, 1000]), st.data())
@example(b"\xef\xbb\xbf[", 1000, None)
@example(b"\xef\xbb\xbf\xef\xbb\xbf[1]", 1000, None)
@example(b'\xef\xbb["\\', 1000, None)
@example(b"\xef\xbb\xbf[1]", 2, None)
def test_cuts_do_not_matter_and_frames_tile_whatever_the_bytes_are(data, limit, draw):
    frames = frames_of(data, draw.draw(cuts_of(data)) if draw else [1], limit)
    for frame in frames:
        if frame.kind == "event":
            assert data[frame.start : frame.end].endswith(frame.data)
