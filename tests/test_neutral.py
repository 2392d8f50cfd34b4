"""Neutral letters: as long as those they stand for, in characters and bytes, and the shape of all else kept."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.wire import anthropic, chat

import streamviz as sv
from streamviz.neutral import neutral_arguments, neutral_frames, neutral_text
from streamviz.samples import SAMPLES, load_sample

letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | letters,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(letters, inner, max_size=3),
    max_leaves=8,
)


@given(letters)
def test_a_text_keeps_its_length_in_characters_and_bytes(text):
    neutral = neutral_text(text)
    assert len(neutral) == len(text)
    assert len(neutral.encode()) == len(text.encode())
    assert [c.isalnum() for c in neutral] == [c.isalnum() for c in text]


@given(st.dictionaries(letters, values, max_size=4), st.booleans())
def test_arguments_keep_their_shape(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    neutral = neutral_arguments(text)
    assert len(neutral) == len(text)
    assert shape(json.loads(neutral)) == shape(value)


def shape(value):
    """A value with its texts gone, keys and all else kept."""
    match value:
        case str():
            return "text"
        case dict():
            return {key: shape(item) for key, item in value.items()}
        case list():
            return [shape(item) for item in value]
    return value


@given(letters)
def test_any_text_as_arguments(text):
    assert len(neutral_arguments(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"city": "Par', '{"city": "Xxx'),
        ('{"to: "Ann", "n": 12}', '{"xx: "Xxx", "x": 00}'),  # a quote too few: what is a string is not certain
        ('{"a": secret}', '{"a": xxxxxx}'),
        ('{"a": true, "b": null}', '{"a": true, "b": null}'),
        ('"caf\\u00e9\\n\\ud83d\\ude00"', '"xxx\\u00e9\\n\\ud835\\udc31"'),
        ('{"d": "2026-07-14"}', '{"d": "0000-00-00"}'),
    ],
)
def test_arguments_whole_cut_and_broken(text, expected):
    assert neutral_arguments(text) == expected


def read_neutral(run):
    return run._again(neutral_frames(run), [], "neutral")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_keeps_its_outline(name):
    run = load_sample(name)
    other = read_neutral(run)
    assert [d.code for d in other.payload.diagnostics] == [d.code for d in run.payload.diagnostics]
    assert [frame.kind for frame in other.frames] == [frame.kind for frame in run.frames]
    one, two = run.payload, other.payload
    assert two.assistant_text == neutral_text(one.assistant_text)
    assert two.thinking == neutral_text(one.thinking)
    assert [(c.name, c.id, c.status) for c in two.calls] == [(c.name, c.id, c.status) for c in one.calls]
    assert [len(c.raw_arguments) for c in two.calls] == [len(c.raw_arguments) for c in one.calls]
    assert (two.usage, two.finish, two.ended, two.model, two.response_id) == (
        one.usage,
        one.finish,
        one.ended,
        one.model,
        one.response_id,
    )


def test_nothing_that_was_said_is_left():
    call = {"index": 0, "id": "c1", "function": {"name": "mail", "arguments": '{"to":"Ann Lee","when":"no'}}
    more = {"index": 0, "function": {"arguments": 'on"}'}}
    run = sv.read(chat({"content": "stop Ann"}, {"tool_calls": [call]}, {"tool_calls": [more]}, ({}, "stop")))
    data = b"".join(neutral_frames(run))
    for word in (b"Ann", b"Lee", b"no", b"on\\"):
        assert word not in data.replace(b"function", b"").replace(b"content", b"").replace(b"reason", b"").replace(
            b"json", b""
        )
    assert b'"finish_reason":"stop"' in data
    assert b'"name":"mail"' in data


def test_argument_objects_and_texts_that_look_like_words_of_the_vendor():
    block = {"type": "tool_use", "id": "t", "name": "find", "input": {"name": "Ann", "type": "secret", "n": 1}}
    run = sv.read(
        anthropic(
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "end_turn"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        ),
        "anthropic",
    )
    other = read_neutral(run)
    assert other.payload.calls[0].arguments == {"name": "Xxx", "type": "xxxxxx", "n": 1}
    assert (other.payload.calls[0].name, other.payload.assistant_text) == ("find", "xxx_xxxx")
    assert other.payload.finish.raw == ("end_turn",)


def test_the_message_of_an_error_stays():
    run = load_sample("anthropic-overloaded")
    assert read_neutral(run).payload.error == run.payload.error
