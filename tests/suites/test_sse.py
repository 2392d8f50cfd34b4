"""Every case of ``sse-cases.jsonl``, cut in every way that it lists."""

import base64

import pytest
from support.material import MATERIAL, cases, need
from support.reads import assert_frames_tile, cuttings, read

from streamviz.framing import SSEFramer

CASES = cases("sse")


def body(case):
    if "input_parts" in case:
        return b"".join(base64.b64decode(part) * count for part, count in case["input_parts"])
    return base64.b64decode(case["input_b64"])


def event_of(frame):
    return (frame.event or "message", frame.text, frame.id or "", frame.retry)


def events_of(rows):
    events = []
    for row in rows:
        data = "".join(text * count for text, count in row["data_parts"]) if "data_parts" in row else row["data"]
        events += [(row["event"], data, row["id"], row["retry"])] * row.get("repeat", 1)
    return events


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_the_events_are_those_of_the_suite(case):
    data = body(case)
    expected = events_of(case["expected"])
    flushed = events_of(case.get("expected_eof_flush", case["expected"]))
    torn = [event for event in flushed[len(expected) :] if event[1]]  # of an empty one the suite leaves it open
    seen = []
    for reads in cuttings(data, case["chunkings"]):
        framer = SSEFramer()
        frames = read(framer, reads)
        assert_frames_tile(frames, len(data))
        assert [event_of(frame) for frame in frames if frame.kind == "event"] == expected
        assert [event_of(frame) for frame in frames if frame.kind == "tail" and frame.data] == torn
        assert (framer.last_event_id or "", framer.retry) == (case["final"]["last_event_id"], case["final"]["retry"])
        seen.append(frames)
    assert seen
    assert all(frames == seen[0] for frames in seen)


def test_every_case_is_run():
    path = need(MATERIAL / "suites" / "sse-cases.jsonl")
    assert len(CASES) == path.read_bytes().strip().count(b"\n") + 1
    assert len({case["id"] for case in CASES}) == len(CASES)
