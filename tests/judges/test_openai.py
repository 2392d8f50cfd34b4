"""The openai SDK as judge: its own accumulation of the same bytes comes to the same."""

import pytest
from support.sdks import http_client

from streamviz.samples import load_sample

openai = pytest.importorskip("openai")
pytestmark = pytest.mark.filterwarnings("default")
QUESTION = {"model": "m", "messages": [{"role": "user", "content": "q"}]}
WHOLE = ["openai-text", "openai-parallel-calls", "openai-broken-arguments", "openai-hostile", "deepseek-reasoning"]


@pytest.fixture
def client():
    """Return what makes a client for a run's bytes; all of them are closed in the end."""
    made = []

    def make(run):
        made.append(openai.OpenAI(api_key="none", max_retries=0, http_client=http_client(run.recording.data)))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize("name", WHOLE)
def test_the_final_completion(name, client):
    run = load_sample(name)
    with client(run).chat.completions.stream(**QUESTION) as stream:
        for _ in stream:
            pass
        completion = stream.get_final_completion()
    (choice,) = completion.choices
    payload = run.payload
    assert payload.assistant_text == (choice.message.content or "")
    assert [(c.id, c.name, c.raw_arguments) for c in payload.calls] == [
        (call.id, call.function.name, call.function.arguments) for call in choice.message.tool_calls or []
    ]
    assert payload.finish.raw == (choice.finish_reason,)
    assert (payload.response_id, payload.model, payload.role) == (completion.id, completion.model, choice.message.role)
    usage, theirs = payload.usage, completion.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (
        theirs.prompt_tokens,
        theirs.completion_tokens,
        theirs.total_tokens,
    )
    if theirs.prompt_tokens_details is not None:
        assert usage.cache_read_input_tokens == theirs.prompt_tokens_details.cached_tokens
        assert usage.reasoning_output_tokens == theirs.completion_tokens_details.reasoning_tokens


@pytest.mark.parametrize("name", [*WHOLE, "mistral-thinking"])
def test_the_chunks(name, client):
    run = load_sample(name)
    theirs = list(client(run).chat.completions.create(**QUESTION, stream=True))
    ours = [chunk for chunk in run.chunks if chunk.response is not None]
    assert len(ours) == len(theirs)
    for chunk, their in zip(ours, theirs, strict=True):
        choice = their.choices[0] if their.choices else None
        assert chunk.finish_reason == (choice.finish_reason if choice else None)
        delta = choice.delta if choice else None
        content = delta.content if delta else None
        if not isinstance(content, list):  # Mistral's lists are none of OpenAI's business
            assert chunk.content == (content or "")
        assert [d.arguments for d in chunk.tool_calls] == [
            call.function.arguments for call in (delta.tool_calls if delta else None) or []
        ]
        reasoning = getattr(delta, "reasoning_content", None)
        if reasoning is not None:
            assert chunk.thinking == reasoning


def test_a_torn_stream_has_the_same_text_before_the_tear(client):
    run = load_sample("openai-torn")
    text = ""
    with pytest.raises(UnicodeDecodeError):  # the SDK gives up where half a letter stands
        for chunk in client(run).chat.completions.create(**QUESTION, stream=True):
            text += chunk.choices[0].delta.content or ""
    assert run.payload.assistant_text == text
