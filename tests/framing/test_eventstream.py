"""The event-stream framer, against the Smithy specification. The suite has the header types and many more faults."""

import struct
from zlib import crc32

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.reads import cuts_of, every, read, read_every_way, seconds_to_read
from support.wire import message

from streamviz.framing import EventStreamFramer, Header
from streamviz.limits import Limits

DELTA = message({":message-type": "event", ":event-type": "contentBlockDelta"}, b'{"delta":{}}')
STOP = message({":message-type": "event", ":event-type": "messageStop"}, b"{}")


def raw_message(block, payload=b""):
    """Encode a message with a header block as it is."""
    head = struct.pack("!II", 16 + len(block) + len(payload), len(block))
    head += struct.pack("!I", crc32(head))
    body = head + block + payload
    return body + struct.pack("!I", crc32(body))


def prelude(total, headers_length):
    """Encode a prelude whose checksum is right, whatever its lengths."""
    lengths = struct.pack("!II", total, headers_length)
    return lengths + struct.pack("!I", crc32(lengths))


def flip(data, offset):
    return data[:offset] + bytes([data[offset] ^ 1]) + data[offset + 1 :]


def outline(frames):
    """Kind, range and code of each frame."""
    return [(f.kind, f.start, f.end, f.fault and f.fault.code) for f in frames]


def test_a_message_is_one_frame_with_its_headers_and_payload():
    (frame,) = read_every_way(EventStreamFramer, DELTA)
    assert (frame.kind, frame.start, frame.end, frame.fault) == ("event", 0, len(DELTA), None)
    assert (frame.category, frame.event, frame.data) == ("event", "contentBlockDelta", b'{"delta":{}}')
    assert frame.headers == (
        Header(":message-type", "string", "event"),
        Header(":event-type", "string", "contentBlockDelta"),
    )


def test_the_bytes_of_the_smallest_message():
    (frame,) = EventStreamFramer().feed(bytes.fromhex("00000010 00000000 05c248eb 7d98c8ff"))
    assert (frame.kind, frame.category, frame.event, frame.headers, frame.data) == ("event", "unknown", None, (), b"")


def test_an_exception_names_its_type_and_keeps_its_payload():
    data = message({":message-type": "exception", ":exception-type": "throttlingException"}, b'{"message":"wait"}')
    (frame,) = EventStreamFramer().feed(data)
    assert (frame.kind, frame.category, frame.event) == ("event", "exception", "throttlingException")
    assert frame.data == b'{"message":"wait"}'


def test_an_error_message_has_its_text_in_the_headers_only():
    data = message({":message-type": "error", ":error-code": "InternalFailure", ":error-message": "hiccup"}, b"")
    (frame,) = EventStreamFramer().feed(data)
    assert (frame.category, frame.event, frame.data) == ("error", "InternalFailure", b"")
    assert frame.headers[2] == Header(":error-message", "string", "hiccup")


@pytest.mark.parametrize("block", [b"\x0d:message-type\x00", b"\x0d:message-type\x07\x00\x05EVENT"])
def test_a_message_type_that_is_not_known_is_kept_as_unknown(block):
    (frame,) = EventStreamFramer().feed(raw_message(block, b"{}"))
    assert (frame.kind, frame.category, frame.event, frame.data) == ("event", "unknown", None, b"{}")


def test_the_last_byte_of_a_message_delivers_it():
    framer = EventStreamFramer()
    assert framer.feed(DELTA[:-1]) == []
    assert framer.pending_bytes == len(DELTA) - 1
    assert len(framer.feed(DELTA[-1:])) == 1
    assert framer.pending_bytes == 0


def test_a_wrong_prelude_checksum_is_reported_at_the_twelfth_byte():
    framer = EventStreamFramer()
    data = flip(DELTA, 10)
    assert framer.feed(data[:11]) == []
    (frame,) = framer.feed(data[11:12])
    assert (frame.kind, frame.start, frame.end, frame.data) == ("bad", 0, 12, data[:12])
    assert frame.fault.code == "prelude-crc-mismatch"
    assert frame.fault.message == "the checksum sent is {:08x}, that of the prelude is {:08x}".format(
        int.from_bytes(data[8:12], "big"), crc32(data[:8])
    )


def test_a_damaged_length_is_a_wrong_checksum_and_never_believed():
    data = b"\x7f" + DELTA[1:]
    assert outline(read_every_way(EventStreamFramer, data)) == [
        ("bad", 0, 12, "prelude-crc-mismatch"),
        ("tail", 12, len(data), "unread"),
    ]


def test_after_a_wrong_prelude_nothing_is_delivered_and_the_rest_is_one_tail():
    data = DELTA + flip(DELTA, 8) + STOP
    n = len(DELTA)
    frames = read_every_way(EventStreamFramer, data, [n, n + 12, n + 20])
    assert outline(frames) == [
        ("event", 0, n, None),
        ("bad", n, n + 12, "prelude-crc-mismatch"),
        ("tail", n + 12, len(data), "unread"),
    ]
    assert frames[2].data == data[n + 12 :]


@pytest.mark.parametrize("offset", [20, -20, -1])
def test_a_wrong_message_checksum_ends_the_stream_with_that_message(offset):
    n = len(DELTA)
    data = DELTA + flip(DELTA, offset % n) + STOP
    assert outline(read_every_way(EventStreamFramer, data)) == [
        ("event", 0, n, None),
        ("bad", n, 2 * n, "message-crc-mismatch"),
        ("tail", 2 * n, len(data), "unread"),
    ]


def test_the_payload_of_a_message_with_a_wrong_checksum_can_be_looked_at():
    frames = read_every_way(EventStreamFramer, flip(DELTA, len(DELTA) - 1))
    assert outline(frames) == [("bad", 0, len(DELTA), "message-crc-mismatch")]
    assert frames[0].data == b'{"delta":{}}'


def test_a_checksum_is_tried_again_where_the_same_headers_were_right_before():
    assert outline(read_every_way(EventStreamFramer, DELTA + DELTA + flip(DELTA, len(DELTA) - 6)))[2] == (
        ("bad", 2 * len(DELTA), 3 * len(DELTA), "message-crc-mismatch")
    )


@pytest.mark.parametrize(
    ("total", "headers_length", "code"),
    [
        (0, 0, "length-too-small"),
        (15, 0, "length-too-small"),
        (15, 99, "length-too-small"),
        (16, 1, "headers-length"),
        (40, 25, "headers-length"),
        (16, 2**32 - 1, "headers-length"),
        (2**32 - 1, 2**32 - 1, "headers-length"),
    ],
)
def test_a_length_that_cannot_be_ends_the_stream_though_its_checksum_is_right(total, headers_length, code):
    data = prelude(total, headers_length) + STOP
    assert outline(read_every_way(EventStreamFramer, data)) == [("bad", 0, 12, code), ("tail", 12, len(data), "unread")]


@pytest.mark.parametrize("body", [b'{"message": "The security token is invalid"}', b"event: error\ndata: {}\n\n"])
def test_text_in_place_of_messages_is_quoted(body):
    bad, tail = read_every_way(EventStreamFramer, body)
    assert bad.fault.message == f"this is text, not an event-stream message: {body[:12]!r}"
    assert (
        tail.fault.message
        == f"{len(body) - 12} bytes behind the fault that ended the stream; it begins with {body[12:]!r}"
    )


@pytest.mark.parametrize(
    ("block", "code", "headers"),
    [
        (b"\x01k\x0a", "header-type", 0),
        (b"\x00\x00", "header-name-empty", 0),
        (b"\x01k\x04\x00\x00", "header-truncated", 0),
        (b"\x01k\x07\x00\x09abc", "header-truncated", 0),
        (b"\x09k", "header-truncated", 0),
        (b"\x01k", "header-truncated", 0),
        (b"\x01\xff\x00", "header-utf8", 0),
        (b"\x01k\x07\x00\x01\xff", "header-utf8", 0),
        (b"\x01a\x00\x01k\x00\x01k\x01", "duplicate-header", 2),
    ],
)
def test_headers_that_cannot_be_read_spoil_one_message_only(block, code, headers):
    data = raw_message(block, b"{}")
    bad, good = read_every_way(EventStreamFramer, data + STOP)
    assert (bad.kind, bad.end, bad.fault.code, bad.data, bad.category) == ("bad", len(data), code, b"{}", "unknown")
    assert len(bad.headers) == headers
    assert (good.kind, good.event) == ("event", "messageStop")


def test_a_message_over_the_limit_is_skipped_and_reading_goes_on():
    big = message({":message-type": "event"}, bytes(1000))
    data = DELTA + big + STOP
    frames = read_every_way(lambda: EventStreamFramer(Limits(frame_bytes=200)), data, [len(DELTA) + 5, 300])
    n = len(DELTA)
    assert outline(frames) == [
        ("event", 0, n, None),
        ("bad", n, n + len(big), "frame-too-large"),
        ("event", n + len(big), len(data), None),
    ]
    assert frames[1].data == b""
    assert frames[1].fault.message == f"a message of {len(big)} bytes; the limit is 200"


def test_a_message_as_long_as_the_limit_is_read():
    (frame,) = read_every_way(lambda: EventStreamFramer(Limits(frame_bytes=len(DELTA))), DELTA)
    assert frame.kind == "event"


def test_a_message_over_the_limit_is_never_held():
    framer = EventStreamFramer(Limits(frame_bytes=1000))
    framer.feed(prelude(2**31, 0))
    for _ in range(100):
        framer.feed(bytes(1000))
    assert framer.pending_bytes == 100_012
    assert len(framer._pending) == 0
    (tail,) = framer.finish()
    assert (tail.kind, tail.end, tail.data) == ("tail", 100_012, b"")
    assert tail.fault.message == f"the stream stops inside a message, after 100012 of {2**31} bytes"


def test_of_what_follows_the_end_no_more_than_the_limit_is_held():
    data = b"x" * 12 + b"y" * 500
    frames = read_every_way(lambda: EventStreamFramer(Limits(frame_bytes=100)), data)
    assert outline(frames) == [("bad", 0, 12, "prelude-crc-mismatch"), ("tail", 12, 512, "unread")]
    assert frames[1].data == b"y" * 100


def test_a_message_that_the_end_cuts_off_is_a_torn_tail_with_what_there_is_of_its_payload():
    data = STOP + DELTA[:-8]
    _, tail = read_every_way(EventStreamFramer, data)
    assert (tail.kind, tail.start, tail.end, tail.data) == ("tail", len(STOP), len(data), b'{"delta"')
    assert tail.fault.code == "torn-tail"
    assert tail.fault.message == f"the stream stops inside a message, after {len(DELTA) - 8} of {len(DELTA)} bytes"


def test_a_cut_inside_the_checksum_adds_nothing_to_the_payload():
    (tail,) = read_every_way(EventStreamFramer, DELTA[:-1])
    assert tail.data == b'{"delta":{}}'


def test_a_cut_inside_a_prelude_is_a_torn_tail():
    (tail,) = read_every_way(EventStreamFramer, DELTA[:7])
    assert (tail.kind, tail.data) == ("tail", DELTA[:7])
    assert tail.fault.message == "the stream stops inside a prelude, after 7 of 12 bytes"


def test_an_empty_stream_has_no_frames():
    assert read(EventStreamFramer(), [b"", b""]) == []


def test_a_torn_stream_of_every_length_has_the_whole_messages_and_a_tail():
    data = DELTA + STOP
    for size in range(len(data)):
        frames = read_every_way(EventStreamFramer, data[:size])
        assert [f.kind for f in frames] == ["event"] * (size >= len(DELTA)) + ["tail"] * (size not in (0, len(DELTA)))


def test_headers_that_never_repeat_do_not_fill_the_memory():
    framer = EventStreamFramer()
    for n in range(3000):
        framer.feed(message({":event-type": f"e{n}"}, b"{}"))
    framer.feed(message({"x": "y" * 5000}, b"{}"))
    assert len(framer._heads) == len(framer._blocks) == 1024
    assert max(map(len, framer._heads)) < 100


@pytest.mark.parametrize(("size", "step"), [(1 << 24, 1460), (400_000, 1)])
def test_the_time_for_one_large_message_is_linear_in_small_reads(size, step):
    reads = every(step, raw_message(b"", bytes(size)))
    assert seconds_to_read(EventStreamFramer(), reads) < 3  # far less; quadratic would be far more


messages = st.builds(
    message,
    st.dictionaries(st.sampled_from([":message-type", ":event-type", "k"]), st.sampled_from(["event", "error", "x"])),
    st.binary(max_size=20),
)
parts = st.one_of(
    messages,
    st.builds(raw_message, st.binary(max_size=8), st.binary(max_size=4)),
    st.builds(prelude, st.integers(0, 60), st.integers(0, 60)),
    st.binary(max_size=14),
)


@given(st.lists(messages, max_size=5), st.data())
def test_valid_streams_give_a_frame_a_message_however_they_are_cut(sent, draw):
    data = b"".join(sent)
    frames = read_every_way(EventStreamFramer, data, draw.draw(cuts_of(data)))
    assert [f.end - f.start for f in frames] == [len(m) for m in sent]
    assert {f.kind for f in frames} <= {"event"}


@given(st.lists(parts, max_size=5), st.sampled_from([16, 40, 10_000]), st.data())
@example([prelude(30, 0), b"abc"], 16, None)
@example([raw_message(b"", bytes(30)), DELTA], 40, None)
def test_cuts_do_not_matter_and_frames_tile_whatever_the_bytes_are(sent, limit, draw):
    data = b"".join(sent)
    cuts = draw.draw(cuts_of(data)) if draw else [13]
    frames = read_every_way(lambda: EventStreamFramer(Limits(frame_bytes=limit)), data, cuts)
    assert all((f.kind == "event") == (f.fault is None) for f in frames)
    assert [f.kind for f in frames[:-1]].count("tail") == 0
