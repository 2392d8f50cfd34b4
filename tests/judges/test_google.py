"""The google-genai SDK as judge; it has no accumulation of its own, so its chunks are joined here."""

import pytest
from support.sdks import http_client

from streamviz.samples import load_sample

genai = pytest.importorskip("google.genai")
pytestmark = pytest.mark.filterwarnings("default")


def responses(run):
    options = genai.types.HttpOptions(httpx_client=http_client(run.recording.data))
    client = genai.Client(api_key="none", http_options=options)
    try:
        return list(client.models.generate_content_stream(model="m", contents="q"))
    finally:
        client.close()


@pytest.mark.parametrize("name", ["gemini-thoughts-call", "vertex-partial-args"])
def test_text_thoughts_calls_and_usage(name):
    run = load_sample(name)
    theirs = responses(run)
    parts = [part for response in theirs for part in response.candidates[0].content.parts or []]
    payload = run.payload
    assert payload.thinking == "".join(part.text for part in parts if part.text and part.thought)
    assert payload.assistant_text == "".join(part.text for part in parts if part.text and not part.thought)
    whole = [part for part in parts if part.function_call is not None and part.function_call.args is not None]
    if whole:
        assert [(c.name, c.arguments) for c in payload.calls] == [
            (part.function_call.name, part.function_call.args) for part in whole
        ]
    assert [c.name for c in payload.calls] == [
        part.function_call.name for part in parts if part.function_call is not None and part.function_call.name
    ]
    last = theirs[-1]
    assert payload.finish.raw == (last.candidates[0].finish_reason.value,)
    assert (payload.response_id, payload.model) == (last.response_id, last.model_version)
    usage, counts = payload.usage, last.usage_metadata
    assert usage.input_tokens == counts.prompt_token_count
    assert usage.output_tokens == counts.candidates_token_count + (counts.thoughts_token_count or 0)
    assert usage.reasoning_output_tokens == counts.thoughts_token_count
    assert usage.total_tokens == counts.total_token_count
