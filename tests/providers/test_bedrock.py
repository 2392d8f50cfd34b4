"""Bedrock: every member of ConverseStream, and every vendor's body inside InvokeModel's chunks."""

import base64
import json

import pytest
from support.wire import converse, message

import streamviz as sv


def invoke(*bodies):
    """Encode the bodies as InvokeModelWithResponseStream does."""
    headers = {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
    return b"".join(
        message(headers, {"bytes": base64.b64encode(json.dumps(body).encode()).decode(), "p": "abc"}) for body in bodies
    )


METRICS = {"inputTokenCount": 4, "outputTokenCount": 2, "invocationLatency": 800, "firstByteLatency": 300}


@pytest.mark.parametrize(
    ("bodies", "text", "finish"),
    [
        ([{"generation": "Hel", "stop_reason": None}, {"generation": "lo", "stop_reason": "stop"}], "Hello", "stop"),
        (
            [{"outputText": "Hel", "completionReason": None}, {"outputText": "lo", "completionReason": "FINISH"}],
            "Hello",
            "FINISH",
        ),
        ([{"outputs": [{"text": "Hel"}]}, {"outputs": [{"text": "lo", "stop_reason": "length"}]}], "Hello", "length"),
        (
            [{"text": "Hel", "is_finished": False}, {"text": "lo", "is_finished": True, "finish_reason": "COMPLETE"}],
            "Hello",
            "COMPLETE",
        ),
        ([{"generations": [{"text": "Hello", "finish_reason": "MAX_TOKENS"}]}], "Hello", "MAX_TOKENS"),
        ([{"completion": "Hel"}, {"completion": "lo", "stop_reason": "stop_sequence"}], "Hello", "stop_sequence"),
        ([{"choices": [{"text": "Hello", "finish_reason": "stop"}]}], "Hello", "stop"),
        ([{"choices": [{"index": 0, "delta": {"content": "Hello"}, "finish_reason": "stop"}]}], "Hello", "stop"),
        (
            [
                {"contentBlockDelta": {"delta": {"text": "Hello"}, "contentBlockIndex": 0}},
                {"messageStop": {"stopReason": "end_turn"}},
            ],
            "Hello",
            "end_turn",
        ),
        (
            [
                {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hello"}},
                {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            ],
            "Hello",
            "end_turn",
        ),
    ],
    ids=["llama", "titan", "mistral", "cohere", "cohere-generations", "claude-text", "ai21", "chat", "nova", "claude"],
)
def test_the_bodies_inside_invoke_model(bodies, text, finish):
    bodies[-1]["amazon-bedrock-invocationMetrics"] = METRICS
    run = sv.read(invoke(*bodies))
    payload = run.payload
    assert (run.dialect, payload.assistant_text, payload.finish.raw) == ("bedrock-invoke", text, (finish,))
    assert (payload.usage.input_tokens, payload.usage.output_tokens) == (4, 2)
    assert payload.usage.server_timing == {"first_byte": 0.3, "total": 0.8}


def test_bodies_that_say_nothing_known_are_kept_and_noted():
    data = invoke({"mystery": 1}) + message({":event-type": "chunk", ":message-type": "event"}, {"bytes": "%%%"})
    data += invoke([1, 2]) + invoke({"error": {"message": "no", "code": "X"}})
    run = sv.read(data, provider="bedrock")
    codes = [d.code for d in run.payload.diagnostics]
    assert {"unknown-event", "unexpected-json", "error-in-stream"} <= set(codes)
    assert run.payload.error.message == "no"


def test_the_members_of_a_converse_delta():
    run = sv.read(
        converse(
            ("messageStart", {"role": "assistant", "p": "ab"}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"text": "hm"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"reasoningContent": {"signature": "s"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Hi"}, "p": "abc"}),
            ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"citation": {"title": "t"}}}),
            ("contentBlockStart", {"contentBlockIndex": 2, "start": {"toolResult": {"toolUseId": "u"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 2, "delta": {"toolResult": [{"text": "r"}]}}),
            ("contentBlockStart", {"contentBlockIndex": 3, "start": {"image": {"format": "png"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 3, "delta": {"image": {"source": "x"}}}),
            ("contentBlockDelta", {"contentBlockIndex": 4, "delta": {"hologram": 1}}),
            ("contentBlockStart", {"contentBlockIndex": 5, "start": {"hologram": 1}}),
            ("contentBlockDelta", {"contentBlockIndex": 6}),
            ("somethingNew", {"x": 1}),
            ("messageStop", {"stopReason": "end_turn"}),
            (
                "metadata",
                {"usage": {"inputTokens": 5, "outputTokens": 3, "totalTokens": 8}, "metrics": {"latencyMs": 9}},
            ),
            ("metadata", {"metrics": {"latencyMs": 9}}),
        )
    )
    payload = run.payload
    assert (payload.thinking, payload.assistant_text) == ("hm", "Hi")
    assert payload.blocks[0].signature == "s"
    assert payload.citations == ({"title": "t"},)
    kinds = [b.kind for b in payload.blocks]
    assert (kinds.count("tool_result"), kinds.count("media"), kinds.count("unknown")) == (1, 1, 2)
    assert payload.usage.total_tokens == 8
    assert run.state.padding == 5
    assert [d.code for d in payload.diagnostics].count("unknown-event") == 1


@pytest.mark.parametrize(
    ("headers", "body", "message_text", "kind"),
    [
        (
            {":exception-type": "throttlingException", ":message-type": "exception"},
            {"message": "Too many tokens"},
            "Too many tokens",
            "throttlingException",
        ),
        (
            {":error-code": "InternalError", ":error-message": "went wrong", ":message-type": "error"},
            b"",
            "went wrong",
            "InternalError",
        ),
    ],
)
@pytest.mark.parametrize("provider", ["bedrock-converse", "bedrock-invoke"])
def test_exceptions_and_errors(headers, body, message_text, kind, provider):
    payload = sv.read(message(headers, body), provider=provider).payload
    assert (payload.error.message, payload.error.type, payload.ended) == (message_text, kind, "error")
