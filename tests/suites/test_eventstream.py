"""Every case of ``eventstream-cases.jsonl``, cut in every way that it lists."""

import base64
import zlib

import pytest
from support.material import MATERIAL, cases, need
from support.reads import assert_frames_tile, cuttings, read

from streamviz.framing import EventStreamFramer
from streamviz.limits import DEFAULT_LIMITS, Limits

CASES = cases("eventstream")

CODES = {
    "prelude_crc": "prelude-crc-mismatch",
    "message_crc": "message-crc-mismatch",
    "too_large": "frame-too-large",
}
"""The suite's word → ours. The others differ in the hyphen only."""


def code_of(error):
    return CODES.get(error, error.replace("_", "-"))


def body(case):
    if "input_parts" in case:
        return b"".join(base64.b64decode(part) * count for part, count in case["input_parts"])
    return base64.b64decode(case["input_b64"])


def limits_of(case):
    """The memory limit of a case: a number, or the only number in an object."""
    given = case.get("limits")
    if given is None:
        return DEFAULT_LIMITS
    return Limits(frame_bytes=given if isinstance(given, int) else min(given.values()))


def headers_of(frame):
    return [
        [h.name, h.type, base64.b64encode(h.value).decode() if isinstance(h.value, bytes) else h.value]
        for h in frame.headers
    ]


def assert_is_message(frame, expected):
    headers = headers_of(frame)
    assert headers == expected["headers"]
    assert [type(value) for _, _, value in headers] == [type(value) for _, _, value in expected["headers"]]
    if "payload_len" in expected:
        assert (len(frame.data), zlib.crc32(frame.data)) == (expected["payload_len"], expected["payload_crc32"])
    else:
        assert frame.data == base64.b64decode(expected["payload_b64"])
    assert frame.category == expected["category"]
    for key in ("event_type", "exception_type", "error_code"):
        if key in expected:
            assert frame.event == expected[key]
    if "error_message" in expected:
        assert [h.value for h in frame.headers if h.name == ":error-message"] == [expected["error_message"]]


def assert_as_expected(frames, case):
    expected = case["expected"]
    messages = [message for message in expected["messages"] for _ in range(message.get("repeat", 1))]
    fault = next((frame.fault.code for frame in frames if frame.kind == "bad"), None)
    before = [frame for frame in frames if frame.kind == "event"]
    if fault is not None:
        before = before[: [frame.kind for frame in frames].index("bad")]
    if fault is None and case.get("or_accept"):
        return
    if fault is not None and case.get("or_error") and fault == code_of(case["or_error"]):
        return
    assert fault == (expected["error"] and code_of(expected["error"]))
    assert len(before) == len(messages)
    for frame, message in zip(before, messages, strict=True):
        assert_is_message(frame, message)
    tails = [frame.fault.code for frame in frames if frame.kind == "tail"]
    match expected["at_eof"]:
        case "clean":
            assert tails == []
        case "truncated":
            assert tails == ["torn-tail"]


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_the_messages_and_faults_are_those_of_the_suite(case):
    data = body(case)
    seen = []
    for reads in cuttings(data, case["chunkings"]):
        frames = read(EventStreamFramer(limits_of(case)), reads)
        assert_frames_tile(frames, len(data))
        assert_as_expected(frames, case)
        seen.append(frames)
    assert seen
    assert all(frames == seen[0] for frames in seen)


def test_every_case_is_run():
    path = need(MATERIAL / "suites" / "eventstream-cases.jsonl")
    assert len(CASES) == path.read_bytes().strip().count(b"\n") + 1
    assert len({case["id"] for case in CASES}) == len(CASES)
