"""What is found in the times of a recording, the times given by hand."""

import pytest
from support.timed import timed
from support.wire import anthropic, chat, sse

USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}}
COMMENT = b": keep-alive\n\n"


def word(text="Hi "):
    return chat({"content": text}, done=False)


END = chat(({}, "stop"), USAGE)


def codes(*reads, **options):
    return timed(*reads, **options).explain().codes


def only(*reads, **options):
    found = timed(*reads, **options).explain()
    assert len(found) == 1, found
    return found[0]


def steady(start_s, number, step_s=0.1, first=0):
    return [(start_s + step_s * k, word(f"{first + k} ")) for k in range(number)]


def test_silence_is_a_stall_from_ten_seconds_on():
    reads = steady(0.5, 3)  # content at 0.5, 0.6, 0.7
    assert codes(*reads, (10.6, word("x")), (10.7, END)) == ()
    found = only(*reads, (10.8, word("x")), (10.9, END))
    assert (found.code, found.severity, found.side) == ("stalled", "warning", "unknown")
    assert found.title == "Nothing came for 10.1 s after chunk 2."
    assert (found.evidence[0].chunk, found.evidence[0].time_s) == (2, pytest.approx(0.7))


def test_the_longest_of_several_stalls_is_named_and_each_is_placed():
    found = only((0.5, word("a")), (20.5, word("b")), (60.5, word("c")), (60.6, END))
    assert found.title == "Nothing came for 40 s after chunk 1, and 1 shorter time elsewhere."
    assert [place.chunk for place in found.evidence] == [0, 1]


def test_half_a_frame_and_an_end_that_does_not_come_are_told():
    half = word("b")
    found = only((0.5, word("a")), (1.0, half[:20]), (31.0, half[20:]), (31.1, END))
    assert found.title.startswith("Only a part of a frame came for 30.5 s")
    found = only((0.5, word("a")), (60.5, END))
    assert found.title == "The connection stayed open without content for 60 s after chunk 0."


def test_comments_and_pings_are_signs_of_life():
    waiting = [(10.5, COMMENT), (20.5, COMMENT), (30.5, COMMENT)]
    found = only((0.5, word("a")), *waiting, (40.5, word("b")), (40.6, END))
    assert (found.code, found.side) == ("alive-without-content", "unknown")  # a comment may be of a proxy
    assert found.title == "For 40 s after chunk 0 only 3 frames without content came."


def test_pings_of_the_vendor_are_the_providers():
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}}
    block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    stop = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 5}}
    ping = anthropic({"type": "ping"})
    last = anthropic(delta, stop, {"type": "message_stop"})
    found = only((0.5, anthropic(start, block, delta)), (15.0, ping), (30.0, ping), (45.0, last))
    assert (found.code, found.side) == ("alive-without-content", "provider")


def test_what_opens_the_next_block_is_no_sign_of_life():
    found = only((0.5, word("a")), (30.4, COMMENT), (30.5, word("b")), (30.6, END))
    assert found.code == "stalled"


def test_a_stream_that_never_says_anything():
    found = timed(*((10.0 * k, COMMENT) for k in range(4)), provider="openai").explain()
    silent = found.of("alive-without-content")[0]
    assert silent.title == "For 30 s after the first frame only 4 frames without content came; no content came at all."


def test_a_late_first_token_says_what_came_before_it():
    assert codes((9.9, word("a")), (10.0, END)) == ()
    found = only((0.5, COMMENT), (12.5, word("a")), (12.6, END))
    assert (found.code, found.severity) == ("slow-first-token", "note")
    assert (
        found.title
        == "The first token came after 12.5 s; the first byte after 0.5 s, and 1 frame without content between."
    )
    assert found.evidence[0].chunk == 1


def test_a_queue_that_the_vendor_reports_is_the_providers():
    usage = {"queue_time": 11.0, "prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
    last = sse({"choices": [], "usage": usage, "x_groq": {"id": "r"}}, "[DONE]")
    found = only((12.5, word("a")), (12.6, chat(({}, "stop"), done=False)), (12.7, last))
    assert (found.code, found.side) == ("slow-first-token", "provider")


def test_frames_that_come_in_portions_were_held_back():
    portions = [(2.0 * k, b"".join(word(f"{k}{n} ") for n in range(16))) for k in range(1, 5)]
    found = only(*portions, (8.1, END))
    assert (found.code, found.side) == ("buffered", "unknown")
    assert "16 frames a read" in found.title
    for headers, side in (
        ({"Via": "1.1 varnish"}, "gateway"),
        ({"server": "nginx"}, "gateway"),
        ({"server": "cloudflare", "cf-ray": "1"}, "unknown"),
    ):
        assert only(*portions, (8.1, END), headers=headers).side == side
    together = b"".join(word(f"{n} ") for n in range(16)) + END
    assert only((9.0, together)).code == "buffered"
    assert codes((0.5, word("a") + END)) == ()  # too little to tell


def test_in_a_stream_that_was_held_back_times_tell_nothing_more():
    portions = [(16.0 * k, b"".join(word(f"{k}{n} ") for n in range(40))) for k in range(1, 5)]
    assert codes(*portions, (64.1, END)) == ("buffered",)


def test_without_times_nothing_is_said():
    run = timed((0.5, word("a")), (60.5, END))
    del run.recording.times_s[:]
    assert run.explain().codes == ()
