"""Calls that were cut off, or lost a frame, are never executable; and what else must not look well."""

import json

import pytest
from support.wire import anthropic, chat, sse
from typer.testing import CliRunner

import streamviz as sv
from streamviz.cli import app
from streamviz.samples import load_sample

OPEN = {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f", "arguments": ""}}]}
START = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
}
STOP = {"type": "content_block_stop", "index": 0}


def ended(reason):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (chat(OPEN, done=False), "incomplete"),
        (chat((OPEN, "length")), "incomplete"),
        (chat((OPEN, "content_filter")), "incomplete"),
        (chat(OPEN, {"error": {"message": "x"}}, done=False), "incomplete"),
        (chat((OPEN, "tool_calls")), "empty"),
        (anthropic(START), "incomplete"),
        (anthropic(START, STOP, ended("max_tokens")), "incomplete"),
        (anthropic(START, STOP, ended("tool_use")), "empty"),
    ],
)
def test_a_call_that_ends_before_its_first_fragment(body, status):
    payload = sv.read(body).payload
    (call,) = payload.calls
    assert (call.status, call.executable) == (status, status == "empty")
    assert ("call-incomplete" in {d.code for d in payload.diagnostics}) == (status == "incomplete")


def test_a_call_that_ends_inside_a_leaf():
    def part(call):
        return {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}

    leaf = {"jsonPath": "$.path", "stringValue": "/home", "willContinue": True}
    end = {"candidates": [{"content": {}, "finishReason": "MAX_TOKENS"}]}
    opening = part({"name": "rm", "id": "1", "willContinue": True})
    payload = sv.read(sse(opening, part({"partialArgs": [leaf], "willContinue": True}), end)).payload
    (call,) = payload.calls
    assert (call.status, call.arguments, call.repair.open_path, call.executable) == (
        "incomplete",
        {"path": "/home"},
        "$.path",
        False,
    )


def test_a_frame_that_was_lost_inside_the_arguments():
    pieces = ({"tool_calls": [{"index": 0, "function": {"arguments": text}}]} for text in ('{"a":1', "0}"))
    first, second = (chat(piece, done=False) for piece in pieces)
    body = chat(OPEN, done=False) + first + b"data: {oops\n\n" + second + chat(({}, "tool_calls"))
    payload = sv.read(body).payload
    assert (payload.calls[0].gap, payload.calls[0].executable) == (True, False)
    assert "call-gap" in {d.code for d in payload.diagnostics}


@pytest.mark.parametrize("name", ["openai-text", "anthropic-text", "gemini-thoughts-call", "bedrock-converse"])
def test_a_stream_that_stops_between_two_frames_is_not_well(name, tmp_path):
    run = load_sample(name)
    path = tmp_path / "cut"
    path.write_bytes(run.recording.data[: run.frame_ends[len(run.frame_ends) // 2]])
    assert CliRunner().invoke(app, ["show", str(path)]).exit_code == 1


def test_an_answer_that_failed_is_not_well():
    payload = sv.read(chat(({}, "error"))).payload
    assert "finish-error" in {d.code for d in payload.diagnostics if d.severity == "fault"}


def test_buffers_are_read_as_bytes():
    data = load_sample("openai-text").recording.data
    whole = sv.read(data).payload
    for kind in (bytearray, memoryview):
        run = sv.read([kind(data[start : start + 64]) for start in range(0, len(data), 64)])
        assert (run.payload, len(run.chunks)) == (whole, len(sv.read(data).chunks))
    with pytest.raises(TypeError, match="a read is bytes, not str"):
        list(sv.process_stream("openai", ["data: {}"]))


def test_counts_that_are_none():
    for count in (10**400, -(10**400), float("inf")):
        body = {"choices": [], "usage": {"prompt_tokens": count, "completion_tokens": 1}}
        assert sv.read(f"data: {json.dumps(body)}\n\n".encode()).payload.usage.input_tokens is None


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}{"a": true}',
        '{"a":1}{"a":1.0}',
        '{"a":1e400}{"a":1e500}',
        '{"path": "C:\\Users\\name"}',
        '{"tex": "\\alpha \\beta"}',
        '{"x": “a", "y": "b”}',
        '{"x": \'a", "y": "b\'}',
        '{"a": [“x", "y”]}',
    ],
)
def test_what_is_not_certain_is_refused_at_safe(text):
    assert sv.repair_json(text).status == "invalid"


def test_words_that_are_none_are_refused():
    for options in ({"repair": "aggressive"}, {"expect": "list"}, {"mode": "live"}):
        with pytest.raises(ValueError, match="is one of"):
            sv.repair_json("{}", **options)
    with pytest.raises(ValueError, match="repair is one of"):
        sv.read(b"", repair="aggressive")
    with pytest.raises(TypeError, match="text is str or bytes"):
        sv.repair_json(None)
    assert sv.repair_json("null", schema={"type": "object"}).schema_violations
    report = sv.repair_json('{"a": null, "b": "[1,2"}', schema={"additionalProperties": {"type": "array"}})
    assert (report.edits, len(report.schema_violations)) == ((), 2)


def test_a_fence_in_a_fragment_of_its_own_is_no_value():
    reader = sv.IncrementalReader()
    for fragment in ("```", "json\n", '{"a": 1, ', '"b": "' + "c" * 50, '"}\n', "```"):
        reader.feed(fragment)
        assert reader.value is None or reader.value["a"] == 1
    assert reader.value == {"a": 1, "b": "c" * 50}
