"""The google-genai SDK as judge; it has no accumulation of its own, so its chunks are joined here."""

import json
import re
from itertools import pairwise

import pytest
from support.sdks import http_client

from streamviz.samples import load_sample, sample_path

genai = pytest.importorskip("google.genai")
pytestmark = pytest.mark.filterwarnings("default")


def responses(name):
    if sample_path(name).suffix == ".json":  # the SDK always asks for events; its types read the elements as well
        return [
            genai.types.GenerateContentResponse.model_validate(one)
            for one in json.loads(sample_path(name).read_bytes())
        ]
    options = genai.types.HttpOptions(httpx_client=http_client(sample_path(name).read_bytes()))
    client = genai.Client(api_key="none", http_options=options)
    try:
        return list(client.models.generate_content_stream(model="m", contents="q"))
    finally:
        client.close()


def put(arguments, leaf):
    """Put a leaf at its path; strings grow."""
    steps = [int(number) if number else name for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", leaf.json_path)]
    node = arguments
    for step, following in pairwise(steps):
        made = [] if isinstance(following, int) else {}
        if isinstance(step, str):
            node = node.setdefault(step, made)
            continue
        if step == len(node):
            node.append(made)
        node = node[step]
    if leaf.string_value is not None:
        node[steps[-1]] = node.get(steps[-1], "") + leaf.string_value
    else:
        node[steps[-1]] = leaf.bool_value if leaf.number_value is None else leaf.number_value


def calls_of(parts):
    """Return name and arguments of each call; pieces without a name belong to the call before them."""
    calls = []
    for call in (part.function_call for part in parts if part.function_call is not None):
        if call.name:
            calls.append((call.name, dict(call.args or {})))
        for leaf in call.partial_args or []:
            put(calls[-1][1], leaf)
    return calls


@pytest.mark.parametrize("name", ["gemini-thoughts-call", "vertex-array", "vertex-partial-args"])
def test_text_thoughts_calls_and_usage(name):
    run = load_sample(name)
    theirs = responses(name)
    parts = [part for response in theirs for part in response.candidates[0].content.parts or []]
    payload = run.payload
    assert payload.thinking == "".join(part.text for part in parts if part.text and part.thought)
    assert payload.assistant_text == "".join(part.text for part in parts if part.text and not part.thought)
    assert [(call.name, call.arguments) for call in payload.calls] == calls_of(parts)
    assert all(call.id_is_made_up for call in payload.calls)
    assert all(part.function_call.id is None for part in parts if part.function_call is not None)
    last = theirs[-1]
    assert payload.finish.raw == (last.candidates[0].finish_reason.value,)
    assert (payload.response_id, payload.model) == (last.response_id, last.model_version)
    usage, counts = payload.usage, last.usage_metadata
    assert usage.input_tokens == counts.prompt_token_count
    assert usage.output_tokens == counts.candidates_token_count + (counts.thoughts_token_count or 0)
    assert usage.reasoning_output_tokens == counts.thoughts_token_count
    assert usage.total_tokens == counts.total_token_count
