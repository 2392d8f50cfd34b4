"""botocore as judge: its event-stream parser and its service model read the same bytes."""

import json

import pytest

from streamviz.samples import load_sample

eventstream = pytest.importorskip("botocore.eventstream")
parsers = pytest.importorskip("botocore.parsers")
session = pytest.importorskip("botocore.session")
exceptions = pytest.importorskip("botocore.exceptions")
pytestmark = pytest.mark.filterwarnings("default")


class Raw:
    """A response body in reads of 100 bytes."""

    def __init__(self, data):
        self.data = data

    def stream(self):
        yield from (self.data[start : start + 100] for start in range(0, len(self.data), 100))

    def close(self):
        pass


@pytest.fixture(scope="module")
def model():
    return session.get_session().get_service_model("bedrock-runtime")


def events(run, model, operation):
    members = model.operation_model(operation).output_shape.members
    shape = members["stream" if "stream" in members else "body"]
    return eventstream.EventStream(Raw(run.recording.data), shape, parsers.EventStreamJSONParser(), operation)


def test_converse(model):
    run = load_sample("bedrock-converse")
    texts = {"text": "", "thinking": "", "signature": "", "input": ""}
    use = stop = usage = None
    count = 0
    for event in events(run, model, "ConverseStream"):
        count += 1
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        texts["text"] += delta.get("text", "")
        texts["thinking"] += delta.get("reasoningContent", {}).get("text", "")
        texts["signature"] += delta.get("reasoningContent", {}).get("signature", "")
        texts["input"] += delta.get("toolUse", {}).get("input", "")
        use = event.get("contentBlockStart", {}).get("start", {}).get("toolUse", use)
        stop = event.get("messageStop", {}).get("stopReason", stop)
        usage = event.get("metadata", {}).get("usage", usage)
    payload = run.payload
    assert count == len(run.chunks)
    assert (payload.assistant_text, payload.thinking) == (texts["text"], texts["thinking"])
    assert payload.blocks[0].signature == texts["signature"]
    (call,) = payload.calls
    assert (call.id, call.name, call.raw_arguments) == (use["toolUseId"], use["name"], texts["input"])
    assert call.arguments == json.loads(texts["input"])
    assert payload.finish.raw == (stop,)
    ours = payload.usage
    assert ours.input_tokens == usage["inputTokens"] + usage["cacheReadInputTokens"] + usage["cacheWriteInputTokens"]
    assert (ours.output_tokens, ours.total_tokens) == (usage["outputTokens"], usage["totalTokens"])
    assert ours.cache_read_input_tokens == usage["cacheReadInputTokens"]


def test_an_exception_ends_the_stream(model):
    run = load_sample("bedrock-throttled")
    text = ""
    with pytest.raises(exceptions.EventStreamError) as raised:
        for event in events(run, model, "ConverseStream"):
            text += event.get("contentBlockDelta", {}).get("delta", {}).get("text", "")
    assert run.payload.assistant_text == text
    error = raised.value.response["Error"]
    assert (run.payload.error.type, run.payload.error.message) == (error["Code"], error["Message"])


def test_invoke_model_with_anthropic_inside(model):
    run = load_sample("bedrock-invoke-claude")
    inner = [json.loads(event["chunk"]["bytes"]) for event in events(run, model, "InvokeModelWithResponseStream")]
    deltas = [event["delta"] for event in inner if event["type"] == "content_block_delta"]
    payload = run.payload
    assert payload.assistant_text == "".join(delta.get("text", "") for delta in deltas)
    (call,) = payload.calls
    assert call.raw_arguments == "".join(delta.get("partial_json", "") for delta in deltas)
    (use,) = [event["content_block"] for event in inner if event.get("content_block", {}).get("type") == "tool_use"]
    assert (call.id, call.name) == (use["id"], use["name"])
    assert payload.finish.raw == tuple(
        event["delta"]["stop_reason"] for event in inner if event["type"] == "message_delta"
    )
    metrics = inner[-1]["amazon-bedrock-invocationMetrics"]
    assert (payload.usage.input_tokens, payload.usage.output_tokens) == (
        metrics["inputTokenCount"],
        metrics["outputTokenCount"],
    )


@pytest.mark.parametrize("name", ["bedrock-converse", "bedrock-throttled", "bedrock-invoke-claude"])
def test_every_message_is_framed_alike(name):
    run = load_sample(name)
    buffer = eventstream.EventStreamBuffer()
    buffer.add_data(run.recording.data)
    theirs = [(message.headers, message.payload) for message in buffer]
    assert [({header.name: header.value for header in f.headers}, f.data) for f in run.frames] == theirs
