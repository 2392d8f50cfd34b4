"""Messages: the events and blocks that few streams have."""

import pytest
from support.wire import anthropic

import streamviz as sv


def block(index, content, *deltas):
    return [
        {"type": "content_block_start", "index": index, "content_block": content},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def read(*events):
    return sv.read(anthropic(*events), provider="anthropic").payload


def test_every_kind_of_block():
    payload = read(
        *block(0, {"type": "thinking", "thinking": "", "signature": ""}, {"type": "thinking_delta", "thinking": "hm"}),
        *block(1, {"type": "redacted_thinking", "data": "Zm9v"}),
        *block(2, {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "x"}}),
        *block(3, {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]}),
        *block(
            4,
            {"type": "text", "text": "A", "citations": [{"n": 1}]},
            {"type": "citations_delta", "citation": {"n": 2}},
            {"type": "text_delta", "text": "B"},
        ),
        *block(5, {"type": "hologram", "x": 1}, {"type": "hologram_delta", "y": 2}),
        *block(6, {"type": "tool_use", "id": "t1", "name": "f", "input": {}}),
        {"type": "content_block_delta", "index": 7},
        {"type": "novelty", "z": 3},
    )
    assert (payload.thinking, payload.assistant_text) == ("hm", "AB")
    assert [b.redacted for b in payload.blocks if b.redacted] == ["Zm9v"]
    (server,) = payload.server_tools
    assert (server.name, server.arguments) == ("web_search", {"query": "x"})
    assert [b.value for b in payload.blocks if b.kind == "tool_result"] == [[{"url": "u"}]]
    assert payload.citations == ({"n": 1}, {"n": 2})
    assert [b.name for b in payload.blocks if b.kind == "unknown"] == ["hologram", "hologram_delta"]
    assert [(c.name, c.status) for c in payload.calls] == [("f", "empty")]
    assert {"unexpected-json", "unknown-event"} <= {d.code for d in payload.diagnostics}


def test_fields_of_other_vendors_inside_the_deltas():
    payload = read(
        *block(0, {"type": "thinking", "thinking": ""}, {"type": "thinking_delta", "reasoning_content": "hm"}),
        *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "content": "Hi"}),
    )
    assert (payload.thinking, payload.assistant_text) == ("hm", "Hi")


def test_a_paused_turn_says_so():
    payload = read({"type": "message_delta", "delta": {"stop_reason": "pause_turn"}, "usage": {"output_tokens": 1}})
    assert payload.finish.raw == ("pause_turn",)
    assert "turn-continues" in [d.code for d in payload.diagnostics]


def test_one_whole_message_instead_of_events():
    body = b'{"type":"message","id":"m","role":"assistant","model":"x","content":[{"type":"text","text":"Hi"},'
    body += b'{"type":"tool_use","id":"t","name":"f","input":{"a":1}}],"stop_reason":"tool_use",'
    body += b'"usage":{"input_tokens":3,"output_tokens":2}}'
    payload = sv.read(body).payload
    assert (payload.assistant_text, payload.calls[0].arguments, payload.usage.total_tokens) == ("Hi", {"a": 1}, 5)
    assert (payload.finish.unified, payload.ended) == ("tool_calls", "terminal")


@pytest.mark.parametrize(
    ("event", "kind", "text"),
    [
        (
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "overloaded_error",
            "Overloaded",
        ),
        ({"type": "error", "message": "no"}, "error", "no"),
    ],
)
def test_errors(event, kind, text):
    payload = read(*block(0, {"type": "text", "text": "so far"}), event)
    assert (payload.error.type, payload.error.message, payload.assistant_text) == (kind, text, "so far")
