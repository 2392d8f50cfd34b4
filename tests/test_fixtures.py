"""Fixtures: the smallest stream that still shows what is wrong."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.strategies import streams
from support.material import recordings
from support.wire import chat, sse

import streamviz as sv
from streamviz.fixtures import _fewest, _smaller
from streamviz.samples import SAMPLES, load_sample


def codes(run):
    return {d.code for payload in run.payloads for d in payload.diagnostics}


def assert_smallest(found, code):
    """It shows the code, and without any frame of it no more."""
    assert code in codes(found)
    for k in range(len(found.frame_ends)):
        assert code not in codes(found.drop(k)), k


FAULTY = [
    (name, code)
    for name in SAMPLES
    for code in sorted(codes(load_sample(name)))
    if code != "usage-missing"  # of which an empty stream is the smallest
]


@pytest.mark.parametrize(("name", "code"), FAULTY)
@pytest.mark.parametrize("neutral", [False, True])
def test_a_fixture_is_a_local_minimum_and_keeps_the_code(name, code, neutral):
    run = load_sample(name)
    found = sv.fixture(run, code, neutral=neutral)
    assert_smallest(found, code)
    assert found.recording.size <= run.recording.size
    assert found.dialect == run.dialect
    again = sv.fixture(run, code, neutral=neutral)
    assert again.recording.data == found.recording.data


def test_frames_and_members_go_that_are_not_needed():
    def call(arguments, finish=None):
        function = {"name": "look", "arguments": arguments}
        return {"tool_calls": [{"index": 0, "id": "c", "function": function}]}, finish

    run = sv.read(chat({"content": "Hello"}, call('{"a": 1, "b'), ({}, "length")), "openai")
    found = sv.fixture(run, "call-incomplete")
    assert found.recording.data == b'data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{"}}]}}]}\n\n'
    assert found.name == "run, fixture that shows call-incomplete"


def test_a_fixture_of_a_predicate():
    run = sv.read(chat(*({"content": text} for text in ("so ", "it ", "was, ", "said ", "she"))))

    def says_it_was(other):
        return "it was" in other.payload.assistant_text

    found = sv.fixture(run, says_it_was)
    assert found.payload.assistant_text == "it was"
    assert len(found.frames) == 2
    assert found.name == "run, fixture that shows says_it_was"


def test_chunks_that_stay():
    run = sv.read(sse(*({"choices": [{"delta": {"content": str(n)}}]} for n in range(5)), '{"choices":', "[DONE]"))
    found = sv.fixture(run, "bad-json", chunks=slice(1, 3))
    assert [run.bytes_of(1), run.bytes_of(2)] == [found.bytes_of(0), found.bytes_of(1)]
    assert found.bytes_of(2) == b"data: {\n\n"
    assert found.payload.assistant_text == "12"


def test_what_is_shown_where_nothing_is_said():
    run = sv.read(sse({"choices": [{"delta": {"content": "a"}}]}, '{"choices":', "[DONE]"), "openai")
    assert "bad-json" in codes(sv.fixture(run))
    assert sv.fixture(run, chunks=1).recording.data == run.bytes_of(1)
    assert sv.fixture(run, chunks=0).recording.data == run.bytes_of(0)


def test_what_cannot_be_shown():
    run = load_sample("openai-text")
    with pytest.raises(ValueError, match="does not show torn-tail; it shows nothing"):
        sv.fixture(run, "torn-tail")
    with pytest.raises(ValueError, match="no diagnostic 'melted'"):
        sv.fixture(run, "melted")
    with pytest.raises(ValueError, match="nothing is odd"):
        sv.fixture(run)
    with pytest.raises(IndexError, match="no frame 99"):
        sv.fixture(run, lambda other: True, chunks=99)


def test_times_stay_with_their_frames():
    run = sv.StreamRun("openai")
    for time, data in ((1.0, chat({"content": "a"}, done=False)), (2.5, b"data: {\n\n"), (3.0, b"data: [DONE]\n\n")):
        run.feed(data, time)
    found = sv.fixture(run.finish(), "bad-json")
    assert (found.recording.reads, list(found.recording.times_s)) == ([b"data: {\n\n"], [2.5])


def test_checksums_are_made_anew():
    run = load_sample("bedrock-throttled")
    found = sv.fixture(run, "error-in-stream")
    assert codes(found) & {"prelude-crc-mismatch", "message-crc-mismatch", "bad-frame"} == set()
    assert found.payload.error.type == "throttlingException"


def test_an_array_stays_one():
    run = sv.read(load_sample("vertex-array").recording.data.replace(b'"STOP"', b'"WHO_KNOWS"'), "google")
    found = sv.fixture(run, "finish-unknown")
    assert found.framing == "json-array"
    assert_smallest(found, "finish-unknown")


def test_a_neutral_fixture_says_nothing_of_whom_it_came_from(tmp_path):
    path = tmp_path / "ann-lee.sse"
    call = {"index": 0, "id": "c", "function": {"name": "mail", "arguments": '{"to": "Ann Lee'}}
    path.write_bytes(chat({"content": "Dear Ann"}, {"tool_calls": [call]}))
    run = sv.read(path)
    run.recording.request = {"messages": ["Dear Ann"]}

    def has_all(other):
        return len(other.payload.assistant_text) == 8 and len(other.payload.calls[0].raw_arguments) == 15

    found = sv.fixture(run, has_all, neutral=True)
    assert found.payload.assistant_text == "Xxxx Xxx"
    assert found.payload.calls[0].raw_arguments == '{"to": "Xxx Xxx'
    found.save(tmp_path / "fixture.svrec")
    saved = (tmp_path / "fixture.svrec").read_text(encoding="utf-8").lower()
    assert "ann" not in saved
    assert sv.read(tmp_path / "fixture.svrec").payload.calls == found.payload.calls


def test_letters_that_are_needed_stay():
    run = sv.read(chat({"content": "keep"}, {"content": " Ann"}))
    found = sv.fixture(run, lambda other: other.payload.assistant_text[:4] == "keep", neutral=True, chunks=slice(0, 2))
    assert found.payload.assistant_text == "keep Xxx"


def test_the_trials_are_bounded():
    run = load_sample("openai-broken-arguments")
    asked = itertools.count()

    def shows(other):
        next(asked)
        return "call-repaired" in codes(other)

    found = sv.fixture(run, shows, trials=10)
    assert next(asked) <= 12
    assert "call-repaired" in codes(found)


@given(streams)
@settings(deadline=None, max_examples=40)
def test_a_fixture_of_any_stream_shows_what_it_should(stream):
    run = sv.read(stream[1], stream[0])
    for code in sorted(codes(run))[:2]:
        found = sv.fixture(run, code, trials=200)
        assert code in codes(found)
        assert code in codes(sv.fixture(run, code, trials=100, neutral=True))
        assert found.recording.size <= run.recording.size + 1


def test_fixtures_of_recordings():
    for path in recordings(largest=1500)[::4]:
        run = sv.read(path)
        for code in sorted(codes(run) - {"usage-missing"}):
            assert_smallest(sv.fixture(run, code, trials=1000), code)


# -- the shrinkers ----------------------------------------------------------------------------------------------------


@given(st.sets(st.integers(0, 60)), st.integers(0, 60))
def test_the_fewest_items_that_are_needed(needed, more):
    items = list(range(61 + more))
    assert _fewest(items, needed.issubset) == sorted(needed)


def test_values_get_smaller_as_long_as_it_shows():
    seen = []

    def shows(value):
        if isinstance(value, dict) and "xy" in str(value.get("a", [None])[-1:]):
            seen.append(value)
            return True
        return False

    _smaller({"b": {"c": 1}, "a": [1, {"d": "wxyz", "e": 2}]}, shows)
    assert seen[-1] == {"a": [{"d": "xy"}]}
