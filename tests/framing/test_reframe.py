"""Frames with other data: what is around the data stays, lengths and checksums are right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.wire import compact

from streamviz.framing import FRAMERS
from streamviz.framing.encode import bedrock_event
from streamviz.framing.reframe import change_strings, document_of, rewritten, with_data
from streamviz.limits import DEFAULT_LIMITS
from streamviz.samples import SAMPLES, load_sample


def frames_of(framing, raw):
    framer = FRAMERS[framing](DEFAULT_LIMITS)
    return framer.feed(raw) + framer.finish()


@pytest.mark.parametrize(
    ("framing", "raw", "expected"),
    [
        ("sse", b"data: {}\n\n", b"data: [1]\n\n"),
        ("sse", b": hi\r\nevent: a\r\ndata:{}\r\nid: 7\r\n\r\n", b": hi\r\nevent: a\r\ndata:[1]\r\nid: 7\r\n\r\n"),
        ("sse", b"data: {\ndata: }\n\n", b"data: [1]\n\n"),
        ("sse", b"data: {\r\nid: 7\r\ndata: }\r\n\r\n", b"data: [1]\r\nid: 7\r\n\r\n"),
        ("json-lines", b'{"a": 2}\r\n', b"[1]\r\n"),
        ("json-array", b'[\n{"a": 2}', b"[\n[1]"),
    ],
)
def test_the_bytes_around_the_data_stay(framing, raw, expected):
    assert with_data(frames_of(framing, raw)[0], raw, b"[1]") == expected


def test_a_message_gets_its_lengths_and_checksums():
    raw = bedrock_event("messageStop", {"stopReason": "end_turn"})
    expected = bedrock_event("messageStop", {"stopReason": "max_tokens", "é": 1})
    payload = compact({"stopReason": "max_tokens", "é": 1}).encode()
    assert with_data(frames_of("eventstream", raw)[0], raw, payload) == expected


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_data_gives_the_same_frame(name):
    run = load_sample(name)
    for k, frame in enumerate(run.frames):
        raw = run.bytes_of(k)
        document, wrap = document_of(frame)
        assert wrap(document) == frame.data
        assert rewritten(frame, raw, lambda key, text: text) == raw
        if frame.data:
            assert with_data(frame, raw, frame.data) == raw


strings = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.recursive(
        st.none() | st.integers() | strings,
        lambda inner: st.lists(inner) | st.dictionaries(strings, inner),
        max_leaves=10,
    )
)
def test_strings_of_any_document_are_changed_and_keys_are_not(value):
    import json

    def doubled(value):
        match value:
            case str():
                return value * 2
            case list():
                return [doubled(item) for item in value]
            case dict():
                return {key: doubled(item) for key, item in value.items()}
        return value

    for ascii_only in (True, False):
        document = json.dumps(value, ensure_ascii=ascii_only).encode()
        changed = change_strings(document, lambda key, text: text * 2)
        assert json.loads(changed) == doubled(value)
        assert change_strings(document, lambda key, text: text) == document


def test_a_document_that_is_broken_keeps_its_bytes():
    broken = b'{"a": "b\xff", "c": "\\ud8'
    assert change_strings(broken, lambda key, text: text) == broken
    assert change_strings(broken, lambda key, text: "x") == b'{"a": "x", "c": "\\ud8'
