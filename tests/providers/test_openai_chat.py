"""Chat Completions: what compatible vendors put into a delta, and where."""

import pytest
from support.wire import chat, sse

import streamviz as sv


def read(*events, provider="openai"):
    return sv.read(chat(*events), provider=provider).payload


def test_reasoning_details_are_the_fullest_source_and_count_once():
    payload = read(
        {
            "reasoning": "Let me",
            "reasoning_details": [{"type": "reasoning.text", "text": "Let me", "signature": "sig"}],
        },
        {"reasoning_details": [{"type": "reasoning.summary", "summary": " see."}]},
        {"reasoning_details": [{"type": "reasoning.encrypted", "data": "Zm9v"}, {"data": "YmFy"}, {"type": "new"}]},
        ({"content": "Yes."}, "stop"),
    )
    assert (payload.thinking, payload.assistant_text) == ("Let me see.", "Yes.")
    assert payload.blocks[0].signature == "sig"
    assert {b.redacted for b in payload.blocks if b.kind == "thinking"} & {"Zm9v", "YmFy", "Zm9vYmFy"}
    assert [b.value for b in payload.blocks if b.kind == "unknown"] == [{"type": "new"}]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_text_and_reasoning_of_one_delta_keep_their_order(field):
    thinking_first = read({field: "hm", "content": "a"})
    text_first = read({"content": "a", field: "hm"})
    assert [b.kind for b in thinking_first.blocks] == ["thinking", "text"]
    assert [b.kind for b in text_first.blocks] == ["text", "thinking"]


def test_content_lists():
    payload = read(
        {
            "content": [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}, {"type": "x"}], "signature": "s"},
                {"type": "reasoning", "text": "…"},
                {"type": "text", "text": "See "},
                "this",
                {"type": "reference", "reference_ids": [1]},
                {"type": "refusal", "refusal": "no"},
                {"type": "image_url", "image_url": {"url": "data:"}},
                {"type": "hologram"},
                7,
            ]
        },
        provider="mistral",
    )
    assert (payload.thinking, payload.assistant_text, payload.refusal) == ("hm…", "See this", "no")
    assert payload.citations == ({"type": "reference", "reference_ids": [1]},)
    assert [b.name for b in payload.blocks if b.kind == "unknown"] == ["content.hologram", "content.int"]
    assert [b.kind for b in payload.blocks].count("media") == 1


def test_the_rare_members_of_a_delta():
    payload = read(
        {"refusal": "I can't"},
        {"refusal": " help."},
        {"audio": {"id": "a1", "data": "AAA=", "transcript": "Hel"}},
        {"audio": {"transcript": "lo", "data": "BBB=", "expires_at": 5}},
        {"images": [{"url": "x"}], "annotations": [{"type": "url_citation"}]},
    )
    assert payload.refusal == "I can't help."
    audio = next(b for b in payload.blocks if b.kind == "media")
    assert (audio.text, audio.value["data"], audio.value["id"]) == ("Hello", ("AAA=", "BBB="), "a1")
    assert payload.citations == ({"type": "url_citation"},)
    assert payload.assistant_text == ""


def test_the_legacy_function_call_is_one_call():
    payload = read(
        {"function_call": {"name": "f", "arguments": '{"a"'}},
        {"function_call": {"arguments": ":1}"}},
        ({}, "function_call"),
    )
    (call,) = payload.calls
    assert (call.name, call.arguments, call.status) == ("f", {"a": 1}, "exact")
    assert payload.finish.unified == "tool_calls"


def test_odd_forms_of_tool_calls():
    payload = read(
        {
            "tool_calls": [
                {"index": 0.0, "id": "a", "function": {"name": "f", "arguments": {"n": 1.50, "s": "é"}}},
                {"index": 1, "id": "b", "custom": {"name": "sql", "input": "SELECT 1"}},
                {"index": 2, "id": "c", "extra_content": {"google": {"thought_signature": "ts"}}},
                {"index": 2, "function": {"name": "g", "arguments": "{}"}},
            ]
        }
    )
    whole, custom, signed = payload.calls
    assert (whole.raw_arguments, whole.arguments, whole.whole) == ('{"n":1.5,"s":"é"}', {"n": 1.5, "s": "é"}, True)
    assert (custom.status, custom.raw_arguments, custom.arguments) == ("text", "SELECT 1", None)
    assert (signed.name, signed.signature, signed.id) == ("g", "ts", "c")


@pytest.mark.parametrize(
    ("index", "choice"), [(0, 0), (1, 1), ("1", 1), (1.0, 1), (None, 0), ([], 0), (float("inf"), 0), (float("nan"), 0)]
)
def test_the_number_of_a_choice(index, choice):
    data = sse({"choices": [{"index": index, "delta": {"content": "x"}}]})
    assert [p.choice for p in sv.read(data, provider="openai").payloads if p.assistant_text] == [choice]


def test_usage_wherever_it_stands():
    counts = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    tail = {"choices": [], "usage": counts}
    in_choice = {"choices": [{"index": 0, "delta": {}, "usage": counts}]}
    groq = {"choices": [{"index": 0, "delta": {}}], "usage": None, "x_groq": {"usage": counts}}
    for event in (tail, in_choice, groq):
        usage = read({"content": "hi"}, event).usage
        assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (3, 2, 5)


def test_a_whole_answer_instead_of_a_stream():
    body = b'{"id":"c","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},'
    body += b'"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}'
    payload = sv.read(body).payload
    assert (payload.assistant_text, payload.finish.unified, payload.usage.total_tokens) == ("Hi", "stop", 2)
    assert "not-streamed" in [d.code for d in payload.diagnostics]


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        ({"error": {"message": "slow down", "type": "rate_limit", "code": 429}}, "slow down", 429),
        ({"error": "overloaded"}, "overloaded", None),
        ({"message": "no such model", "code": 404}, "no such model", 404),
        ({"detail": [{"loc": ["body"]}]}, '[{"loc": ["body"]}]', None),
        ({"error": {"message": {"why": 1}, "code": None}}, '{"why": 1}', None),
    ],
)
def test_errors_in_every_shape_keep_what_came_before(error, message, code):
    payload = sv.read(chat({"content": "so far"}, done=False) + sse(error), provider="openai").payload
    assert (payload.error.message, payload.error.code, payload.ended) == (message, code, "error")
    assert payload.assistant_text == "so far"
