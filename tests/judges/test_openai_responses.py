"""The openai SDK as judge of Responses: over every recording, its own accumulation comes to the same."""

import pytest
from support.material import MATERIAL, index, need
from support.sdks import http_client

import streamviz as sv
from streamviz.samples import sample_path

openai = pytest.importorskip("openai")
pytestmark = pytest.mark.filterwarnings("default")


ENDS = ("response.completed", "response.incomplete", "response.failed")
FILES = [row["file"] for row in index() if row["api"] == "openai-responses"]


def test_the_recordings_are_there():
    need(MATERIAL / "recordings" / "index.jsonl")
    assert FILES


def their_events(data):
    """Return the events as the SDK types them, and what it raised."""
    with openai.OpenAI(api_key="none", max_retries=0, http_client=http_client(data)) as client:
        events = []
        try:
            events += client.responses.create(model="m", input="q", stream=True)
        except openai.APIError as error:
            return events, error
        return events, None


@pytest.mark.parametrize("file", ["sample", *FILES])
def test_what_the_sdk_makes_of_it(file):
    sample = sample_path("responses-reasoning-call")
    data = (sample if file == "sample" else MATERIAL / "recordings" / file).read_bytes()
    run = sv.read(data)
    payload = run.payload
    events, error = their_events(data)
    if error is not None:
        assert payload.error is not None
        assert payload.error.message in str(error)
        return
    responses = [event.response for event in events if hasattr(event, "response")]
    ends = [event.response for event in events if event.type in ENDS]
    if len(ends) != 1:
        return  # a part of a response, or several of them
    (last,) = ends
    assert (payload.response_id, payload.model) == (responses[0].id, last.model)
    assert payload.finish is None or payload.finish.raw[-1].partition(":")[0] == last.status
    if last.usage is not None:
        ours = payload.usage
        assert (ours.input_tokens, ours.total_tokens) == (last.usage.input_tokens, last.usage.total_tokens)
        details = last.usage.input_tokens_details
        assert details is None or ours.cache_read_input_tokens == details.cached_tokens
    if not last.output:
        return
    assert payload.assistant_text == last.output_text
    calls = [item for item in last.output if item.type in ("function_call", "custom_tool_call")]
    assert [(c.id, c.name) for c in payload.calls] == [(item.call_id, item.name) for item in calls]
    given = [item.arguments if item.type == "function_call" else item.input for item in calls]
    assert [c.raw_arguments for c in payload.calls] == given
    summaries = [part.text for item in last.output if item.type == "reasoning" for part in item.summary]
    thought = [part.text for item in last.output if item.type == "reasoning" for part in item.content or ()]
    assert payload.thinking == "".join(summaries + thought)
    others = [item for item in last.output if item.type.endswith("_call") and item not in calls]
    assert len(payload.server_tools) >= len([item for item in others if item.type != "function_call"])
