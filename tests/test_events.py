"""`from_events`: what SDKs yield and logs hold, read as if it came from the wire."""

import json
from dataclasses import dataclass
from typing import NamedTuple

import pytest

import streamviz as sv
from streamviz.samples import SAMPLES, sample_path

COMPARED = ("assistant_text", "thinking", "usage", "finish", "model", "response_id", "refusal")


def what(payload):
    calls = [(c.name, c.id, c.raw_arguments, c.status) for c in payload.calls]
    return [getattr(payload, name) for name in COMPARED], calls, [(b.kind, b.text) for b in payload.blocks]


def events_of(run):
    frames = [f for f in run.frames if f.kind == "event" and f.data != b"[DONE]"]
    if run.dialect == "langgraph":  # the kind of an event is in its name only
        return [json.dumps({"event": f.event, "data": json.loads(f.data)}) for f in frames]
    return [f.data.decode() for f in frames]


WHOLE = [s for s in SAMPLES.values() if s.provider != "bedrock"]


@pytest.mark.parametrize("sample", WHOLE, ids=lambda s: s.name)
def test_the_events_of_a_sample_come_to_the_same(sample):
    run = sv.read(sample_path(sample.name))
    for events in (events_of(run), map(json.loads, events_of(run))):
        again = sv.from_events(events)
        assert what(again.payload) == what(run.payload)
        assert again.dialect == run.dialect
        assert again.synthetic
        codes = {d.code for d in again.payload.diagnostics}
        assert "synthetic-framing" in codes
        assert "end-mark-missing" not in codes


def test_bedrock_events_as_boto3_yields_them():
    run = sv.from_events(
        [
            {"messageStart": {"role": "assistant"}},
            {"contentBlockDelta": {"delta": {"text": "Hi"}, "contentBlockIndex": 0}},
            {
                "contentBlockDelta": {
                    "delta": {"reasoningContent": {"redactedContent": b"\x00\xff"}},
                    "contentBlockIndex": 1,
                }
            },
            '{"messageStop": {"stopReason": "end_turn"}}',
            {"throttlingException": {"message": "slow down"}},
        ],
        times_s=[0.1, 0.2, 0.3, 0.4, 0.5],
    )
    assert (run.dialect, run.framing, run.payload.assistant_text) == ("bedrock-converse", "eventstream", "Hi")
    assert (run.payload.finish.raw, run.payload.error.message) == (("end_turn",), "slow down")
    assert [b.redacted for b in run.payload.blocks] == [None, "AP8="]
    assert list(run.recording.times_s) == [0.1, 0.2, 0.3, 0.4, 0.5]
    inner = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    run = sv.from_events([{"chunk": {"bytes": json.dumps(inner).encode()}}])
    assert (run.dialect, run.payload.assistant_text) == ("bedrock-invoke", "Hi")


def test_sdk_objects():
    chunk_type = pytest.importorskip("openai").types.chat.ChatCompletionChunk
    chunk = chunk_type.model_validate(
        {
            "id": "c1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
            "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],
        }
    )
    run = sv.from_events([chunk])
    assert (run.dialect, run.payload.assistant_text, run.payload.model) == ("openai-chat", "Hi", "m")


class ServerSentEvent(NamedTuple):
    event: str
    data: str


@dataclass
class Event:
    type: str
    message: dict


def test_other_forms_of_events():
    start = {
        "type": "message_start",
        "message": {"id": "m1", "role": "assistant", "content": [], "usage": {"input_tokens": 3}},
    }
    for event in (
        start,
        ServerSentEvent("message_start", json.dumps(start)),
        {"event": "message_start", "data": start},
        Event(**start),
        json.dumps(start, indent=1),
        "data: " + json.dumps(start),
        json.dumps(start).encode(),
    ):
        run = sv.from_events([event, {"type": "message_stop"}])
        assert (run.dialect, run.payload.response_id, run.payload.usage.input_tokens) == ("anthropic", "m1", 3)


def test_what_holds_no_json_is_refused_by_number():
    with pytest.raises(TypeError, match="event 1 is a int"):
        sv.from_events([{}, 3])
    for events in ({"a": 1}, "{}", b"{}", 3):
        with pytest.raises(TypeError, match="events is an iterable of events"):
            sv.from_events(events)
    assert sv.from_events([]).payload.assistant_text == ""


def test_the_options_of_read_are_taken():
    events = [{"choices": [{"delta": {"content": "<think>a</think>b"}}]}]
    assert sv.from_events(events, reasoning_tags=True).payload.thinking == "a"
    with pytest.raises(TypeError, match="unexpected keyword"):
        sv.from_events(events, colour=True)
