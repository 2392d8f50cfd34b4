"""Line ends of server-sent events: which byte belongs to which frame does not depend on the reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.reads import cuts_of, read_every_way

from streamviz.framing import SSEFramer
from streamviz.limits import Limits

LINES = st.sampled_from([b"data: a", b"data:b", b"data", b": ping", b"event: e", b"id: 7", b"retry: 5", b"oddity", b""])
ENDS = [st.just(b"\n"), st.just(b"\r\n"), st.just(b"\r"), st.sampled_from([b"\n", b"\r\n", b"\r"])]


@st.composite
def bodies(draw):
    ends = draw(st.sampled_from(ENDS))
    lines = draw(st.lists(st.tuples(LINES, ends), max_size=14))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + b"".join(line + end for line, end in lines)


@given(bodies(), st.data(), st.sampled_from([10, 24, 1 << 20]))
@settings(max_examples=400)
def test_any_cut_gives_the_same_frames(body, data, limit):
    read_every_way(lambda: SSEFramer(Limits(frame_bytes=limit)), body, data.draw(cuts_of(body)))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_a_blank_line_of_its_own_is_a_heartbeat_of_the_length_of_its_line_end(end):
    body = b"data: 1" + end * 3 + b"data: 2" + end * 2
    frames = read_every_way(SSEFramer, body)
    assert [(f.kind, f.end - f.start) for f in frames] == [
        ("event", 7 + 2 * len(end)),
        ("heartbeat", len(end)),
        ("event", 7 + 2 * len(end)),
    ]


def test_nothing_of_a_block_beyond_the_limit_counts():
    body = b"id: 7\nretry: 5\nevent: e\ndata: " + b"x" * 50 + b"\n\ndata: y\n\n"
    bad, event = read_every_way(lambda: SSEFramer(Limits(frame_bytes=40)), body)
    assert (bad.kind, bad.data, bad.id, bad.retry, bad.event) == ("bad", b"", None, None, None)
    assert bad.fault.code == "frame-too-large"
    assert (event.data, event.id) == (b"y", None)


@pytest.mark.parametrize("blank_lines", range(6))
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_blank_lines_are_counted_wherever_a_read_ends(blank_lines, end):
    event = b"event: e" + end + b"data: 1" + end * 2
    for body in (event + end * blank_lines + event, end * blank_lines + event * 2, event * 2 + end * blank_lines):
        for cut in range(len(body)):
            read_every_way(SSEFramer, body, [cut])
            read_every_way(SSEFramer, body, [cut, len(event) + blank_lines * len(end)])
