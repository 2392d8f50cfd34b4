"""The anthropic SDK as judge: its own accumulation of the same bytes comes to the same."""

import pytest
from support.sdks import http_client

from streamviz.samples import load_sample

anthropic = pytest.importorskip("anthropic")
pytestmark = pytest.mark.filterwarnings("default")
QUESTION = {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "q"}]}


@pytest.fixture
def client():
    """Return what makes a client for a run's bytes; all of them are closed in the end."""
    made = []

    def make(run):
        made.append(anthropic.Anthropic(api_key="none", max_retries=0, http_client=http_client(run.recording.data)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def bedrock_client():
    """Return what makes a client of Bedrock for a run's bytes; its keys are made up, and go nowhere."""
    pytest.importorskip("boto3")
    made = []

    def make(run):
        http = http_client(run.recording.data, "application/vnd.amazon.eventstream")
        keys = {"aws_region": "eu-central-1", "aws_access_key": "none", "aws_secret_key": "none"}
        made.append(anthropic.AnthropicBedrock(**keys, max_retries=0, http_client=http))
        return made[-1]

    yield make
    for one in made:
        one.close()


def final_message(client):
    """Return what the SDK makes of the stream, and the argument text of each block that has some."""
    texts = {}
    with client.messages.stream(**QUESTION) as stream:
        for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                texts[event.index] = texts.get(event.index, "") + event.delta.partial_json
        return stream.get_final_message(), list(texts.values())


def compare(payload, message, texts):
    assert len(payload.blocks) == len(message.content)
    for block, theirs in zip(payload.blocks, message.content, strict=True):
        as_ours(block, theirs)
    assert [call.raw_arguments for call in payload.calls] == texts
    assert payload.finish.raw == (message.stop_reason,)
    assert (payload.response_id, payload.model, payload.role) == (message.id, message.model, message.role)
    usage, theirs = payload.usage, message.usage
    cached = (theirs.cache_read_input_tokens or 0) + (theirs.cache_creation_input_tokens or 0)
    assert (usage.input_tokens, usage.output_tokens) == (theirs.input_tokens + cached, theirs.output_tokens)
    assert usage.cache_read_input_tokens == theirs.cache_read_input_tokens
    assert usage.cache_creation_input_tokens == theirs.cache_creation_input_tokens


def as_ours(block, theirs):
    match theirs.type:
        case "text":
            assert (block.kind, block.text) == ("text", theirs.text)
        case "thinking":
            assert (block.kind, block.text, block.signature) == ("thinking", theirs.thinking, theirs.signature)
        case "tool_use":
            call = block.call
            assert (call.id, call.name) == (theirs.id, theirs.name)
            if call.status == "incomplete":  # the SDK drops the open string
                assert theirs.input.items() < call.arguments.items()
            else:
                assert call.arguments == theirs.input
        case kind:
            pytest.fail(f"no sample has a block of {kind}")


@pytest.mark.parametrize("name", ["anthropic-text", "anthropic-thinking-calls", "anthropic-cut-call"])
def test_the_final_message(name, client):
    run = load_sample(name)
    compare(run.payload, *final_message(client(run)))


def test_the_final_message_through_bedrock(bedrock_client):
    run = load_sample("bedrock-invoke-claude")
    compare(run.payload, *final_message(bedrock_client(run)))


def test_an_error_in_mid_stream(client):
    run = load_sample("anthropic-overloaded")
    text = ""
    with pytest.raises(anthropic.APIStatusError) as raised, client(run).messages.stream(**QUESTION) as stream:
        for piece in stream.text_stream:
            text += piece
    assert run.payload.assistant_text == text
    assert raised.value.body["error"] == {"type": run.payload.error.type, "message": run.payload.error.message}
