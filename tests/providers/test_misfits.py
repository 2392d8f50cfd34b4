"""What does not fit a vendor's own shapes is told and kept; nothing readable beside it is lost."""

from __future__ import annotations

import json

import pytest

import streamviz as sv


def sse(*events, done=True):
    frames = [f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join([*frames, *(["data: [DONE]\n\n"] if done else [])]).encode()


def chat(delta, **choice):
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, **choice}]}


def gemini(parts, **candidate):
    return {"candidates": [{"content": {"role": "model", "parts": parts}, **candidate}]}


def codes(payload):
    return {d.code for d in payload.diagnostics}


LAST = chat({"content": "ok"}, finish_reason="stop")
CALL = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}
ODD = [
    (chat({"tool_calls": CALL}), "choices[0].delta.tool_calls", CALL, True),
    (chat("hello"), "choices[0].delta", "hello", True),
    (chat(["a"]), "choices[0].delta", ["a"], True),
    ({"object": "chat.completion.chunk", "choices": [7]}, "choices[0]", 7, True),
    (chat({"tool_calls": [3]}), "choices[0].delta.tool_calls[0]", 3, True),
    (chat({"tool_calls": [{**CALL, "function": "f"}]}), "choices[0].delta.tool_calls[0].function", "f", True),
    (chat({"reasoning_trace": "hm"}), "choices[0].delta.reasoning_trace", "hm", False),
    (chat({"refusal": {"a": 1}}), "refusal", {"a": 1}, False),
    (chat({"reasoning_content": ["x"]}), "reasoning_content", ["x"], False),
    (chat({"reasoning_details": {"x": 1}}), "reasoning_details", {"x": 1}, False),
    (chat({"images": {"url": "u"}}), "images", {"url": "u"}, False),
]


@pytest.mark.parametrize(("event", "place", "value", "typed"), ODD, ids=[place for _, place, _, _ in ODD])
def test_chat_pieces_of_another_shape_are_kept_and_told(event, place, value, typed):
    payload = sv.read(sse(event, LAST)).payload
    assert payload.assistant_text == "ok"
    assert (place, value) in [(b.name, b.value) for b in payload.blocks if b.kind == "unknown"]
    assert ("ill-typed" in codes(payload)) == typed
    assert any(d.code in ("ill-typed", "unknown-delta") and d.chunk == 0 for d in payload.diagnostics)


def test_fields_that_hold_nothing_or_are_no_content_are_not_worth_a_word():
    event = chat({"content": "a", "foo": None, "bar": [], "token_ids": [1, 2], "name": "assistant", "channel": "final"})
    assert codes(sv.read(sse(event, LAST)).payload) == {"usage-missing"}


def test_an_unknown_field_on_every_chunk_is_told_once():
    payload = sv.read(sse(*[chat({"foo": n}) for n in range(1, 50)], LAST)).payload
    assert [d.message for d in payload.diagnostics if d.code == "unknown-delta"] == [
        "'choices[0].delta.foo' is not known"
    ]
    assert [b.value for b in payload.blocks if b.kind == "unknown"] == list(range(1, 50))


@pytest.mark.parametrize(
    ("parts", "name", "value"),
    [
        ({"text": "hi"}, "candidates[0].content.parts", {"text": "hi"}),
        ([{"text": 5}], "part.text", 5),
        ([{"shellCall": {"cmd": "ls"}}], "candidates[0].content.parts[0].shellCall", {"cmd": "ls"}),
        ([{"inlineData": "x"}], "part.inlineData", "x"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_gemini_parts_of_another_shape_are_kept_and_told(parts, name, value, wrapped):
    events = [gemini(parts), gemini([{"text": "ok"}], finishReason="STOP")]
    payload = sv.read(sse(*[{"response": e} for e in events] if wrapped else events, done=False)).payload
    assert payload.assistant_text == "ok"
    name = f"response.{name}" if wrapped and not name.startswith("part.") else name
    assert (name, value) in [(b.name, b.value) for b in payload.blocks if b.kind == "unknown"]


def test_gemini_finish_message_is_shown():
    payload = sv.read(
        sse(gemini([], finishReason="MALFORMED_FUNCTION_CALL", finishMessage="call: x("), done=False)
    ).payload
    assert any(d.code == "finish-message" and "call: x(" in d.message for d in payload.diagnostics)


def test_a_finish_for_tool_calls_without_a_call_is_told():
    assert "calls-missing" in codes(sv.read(sse(chat({}, finish_reason="tool_calls"))).payload)
    assert "calls-missing" not in codes(sv.read(sse(chat({"tool_calls": [CALL]}, finish_reason="tool_calls"))).payload)


def test_choice_one_alone_does_not_invent_choice_zero():
    run = sv.read(sse({"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]}))
    assert [(p.choice, p.assistant_text) for p in run.payloads] == [(1, "x")]


@pytest.mark.parametrize(
    ("body", "provider", "message"),
    [
        (sse(chat({"content": "a"}), done=False) + b'event: error\ndata: {"message":"boom"}\n\n', None, "boom"),
        (sse(chat({"content": "a"}), done=False) + b'event: error\ndata: {"reason":"boom"}\n\n', None, ""),
        (b'{"errors":[{"message":"Nope","code":7000}],"success":false}', "openai", "Nope"),
        (b'{"errors":[{"message":"Nope","code":7000}],"success":false}', None, "Nope"),
        (b'{"message":"Too many requests"}', "bedrock", "Too many requests"),
        (b'{"Output":{"__type":"x#UnknownOperationException"},"Version":"1.0"}', "bedrock", ""),
        (sse({"choices": [{"delta": {}, "error": {"code": 502, "message": "upstream"}}]}), None, "upstream"),
    ],
)
def test_errors_in_other_shapes(body, provider, message):
    payload = sv.read(body, provider=provider).payload
    assert payload.ended == "error"
    assert payload.error.message == message
    assert "unknown-dialect" not in codes(payload)


@pytest.mark.parametrize(
    "first",
    [
        b'{"object":"chat.completion.chunk","choices":null}',
        b'{"choices":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"choices": [{"delta": ',
    ],
)
def test_an_odd_first_chunk_does_not_hide_the_dialect(first):
    run = sv.read(b"data: " + first + b"\n\n" + sse(LAST))
    assert (run.dialect, run.payload.assistant_text) == ("openai-chat", "ok")


def test_calls_without_index_or_id_are_told_apart_by_their_place():
    def calls(*pairs):
        return {"tool_calls": [{"function": {"name": n, "arguments": a} if n else {"arguments": a}} for n, a in pairs]}

    start, more = calls(("f", '{"x":'), ("f", '{"y":')), calls((None, "1}"), (None, "2}"))
    payload = sv.read(sse(chat(start), chat(more, finish_reason="tool_calls"))).payload
    assert [(c.name, c.arguments, c.status) for c in payload.calls] == [
        ("f", {"x": 1}, "exact"),
        ("f", {"y": 2}, "exact"),
    ]


def test_two_whole_calls_under_one_id_are_two():
    parts = [{"functionCall": {"id": "1", "name": "f", "args": {"a": n}}} for n in (1, 2, 2)]
    payload = sv.read(sse(gemini(parts, finishReason="STOP"), done=False)).payload
    assert [c.arguments for c in payload.calls] == [{"a": 1}, {"a": 2}, {"a": 2}][: len(payload.calls)]
    assert [c.id_is_made_up for c in payload.calls][:2] == [False, True]
    assert len({c.id for c in payload.calls}) == len(payload.calls)
    assert "call-id-reused" in codes(payload)


@pytest.mark.parametrize("done", [False, True])
def test_strict_raises_where_a_stream_is_cut_between_frames(done):
    body = sse(chat({"content": "a"}), chat({"content": "b"}), done=done)
    if done:
        sv.read(body, strict=True)
    else:
        with pytest.raises(sv.StreamFaultError, match="stream-cut"):
            sv.read(body, strict=True)
    assert ("stream-cut" in codes(sv.read(body).payload)) is not done
