"""Whether somebody on the way held a stream back."""

import pytest
from support.timed import timed
from support.wire import chat

import streamviz as sv

TEXT = chat({"content": "Hi"}, done=False)
SIZE = len(TEXT)
DONE = b"data: [DONE]\n\n"


def test_a_frame_a_read_is_streamed():
    found = timed(*((0.5 + 0.25 * k, TEXT) for k in range(12)), (3.5, DONE)).transport()
    assert found.verdict == "streamed"
    assert (found.frames_per_read_median, found.frames_per_read_max) == (1, 1)
    assert (found.bytes_per_read_median, found.bytes_per_read_max, found.interval_s) == (SIZE, SIZE, 0.25)
    assert (found.reads, found.content_frames, found.batched_share) == (13, 12, 0)
    assert found.reason == f"1 frame a read, reads of {SIZE} ± 0 bytes every 0.25 s"


def test_a_proxy_that_lets_go_64_frames_at_a_time_is_buffered():
    run = timed(*((1.0 + 16.5 * k, TEXT * 64) for k in range(5)), (80.0, TEXT * 3 + DONE))
    found = run.transport()
    assert found.verdict == "buffered"
    assert (found.frames_per_read_median, found.frames_per_read_max) == (64, 64)
    assert found.batched_share == 320 / 323
    assert found.reason == (
        f"64 frames a read, reads of {64 * SIZE:,} ± 0 bytes every 16.5 s; "
        "99% of the frames with content came 8 or more at a time"
    )
    assert (run.timing.transport, run.timing.unreliable) == ("buffered", True)
    assert run.timing_table().loc[0, "unreliable"]
    assert "buffered" in repr(run.timing)


def test_reads_that_cut_frames_anywhere_are_buffered_too():
    data, size = TEXT * 400, 4096
    reads = [(1.0 + k, data[start : start + size]) for k, start in enumerate(range(0, len(data), size))]
    found = timed(*reads).transport()
    assert found.verdict == "buffered"
    assert found.bytes_per_read_median == size


def test_one_read_that_holds_everything_is_a_single_one():
    run = timed((0.75, TEXT * 5 + DONE))
    found = run.transport()
    assert (found.verdict, found.reason) == ("single-read", "all came at once after 0.75 s: 6 frames")
    assert (found.reads, found.batched_share, found.interval_s) == (1, 0, None)
    assert run.timing.unreliable


def test_a_first_read_is_no_single_one_while_more_may_come():
    run = timed((0.75, TEXT * 5), finish=False)
    assert (run.transport().verdict, run.timing.unreliable) == ("unknown", False)
    assert run.finish().transport().verdict == "single-read"


def test_empty_reads_do_not_count():
    assert timed((0.5, b""), (0.75, TEXT * 5), (0.9, b"")).transport().verdict == "single-read"


def test_reads_that_a_library_cut_from_one_are_one():
    at_once = [(1.0 + k + 0.00001 * n, TEXT) for k in range(3) for n in range(10)]
    found = timed(*at_once).transport()
    assert (found.verdict, found.reads, found.frames_per_read_median) == ("buffered", 30, 10)
    assert found.reason.endswith("reads less than 0.2 ms apart are taken as one")
    assert timed(*at_once[:10]).transport().verdict == "single-read"


def test_some_frames_at_a_time_are_bursts():
    found = timed(*((0.5 * k, TEXT * 4) for k in range(1, 9))).transport()
    assert (found.verdict, found.batched_share) == ("bursty", 0)
    assert found.reason == f"4 frames a read, reads of {4 * SIZE} ± 0 bytes every 0.5 s, and up to 4 frames at a time"
    mixed = timed(*((0.5 * k, TEXT) for k in range(1, 31)), (20.0, TEXT * 10)).transport()
    assert (mixed.verdict, mixed.batched_share) == ("bursty", 0.25)


def test_frames_at_the_begin_and_end_do_not_make_a_burst():
    role = chat({"role": "assistant", "content": ""}, done=False)
    run = timed((0.25, role * 5), *((0.5 * k, TEXT) for k in range(1, 21)), (11.0, role * 7 + DONE))
    assert run.transport().verdict == "streamed"


@pytest.mark.parametrize(
    ("reads", "words"),
    [
        ([], "no times were recorded"),
        ([(0.5, b"")], "nothing came"),
        ([(0.5, TEXT), (1.0, DONE)], "1 frame with content"),
        ([(0.5, b": ping\n\n"), (1.0, b": ping\n\n")], "0 frames with content"),
        ([(0.5, b": ping\n\n"), (1.0, TEXT * 4 + b": ping\n\n" * 4)], "4 frames with content"),
    ],
)
def test_what_does_not_tell_is_unknown(reads, words):
    found = timed(*reads).transport()
    assert found.verdict == "unknown"
    assert found.reason.startswith(words)


def test_a_file_without_times_tells_nothing():
    found = sv.read(TEXT * 99).transport()
    assert found == sv.Transport(reason="no times were recorded")
    assert repr(found) == "<Transport: unknown: no times were recorded>"


def test_headers_are_evidence_whatever_their_case(tmp_path):
    headers = {"Server": "nginx", "CF-Ray": "8a-FRA", "X-Accel-Buffering": "no", "Date": "today", "via": "1.1 <b>\x1b"}
    run = timed((0.5, TEXT), headers=headers)
    run.save(tmp_path / "run.svrec")
    found = sv.read(tmp_path / "run.svrec").transport()
    assert found == run.transport()
    assert found.headers == {"server": "nginx", "via": "1.1 <b>\x1b", "x-accel-buffering": "no", "cf-ray": "8a-FRA"}
    assert "server: nginx; via: 1.1 <b>␛; x-accel-buffering: no" in repr(found)
    page = found._repr_html_()
    assert "8a-FRA" in page
    assert "1.1 &lt;b&gt;" in page
    assert "\x1b" not in page
