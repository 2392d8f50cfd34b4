"""A run in the words of OpenTelemetry.

The names are written out here from the page of the conventions, v0.1.0 of semantic-conventions-genai:
docs/gen-ai/client-inference.md (span, events), docs/gen-ai/openai.md, model/gen-ai/gen-ai-output-messages.json.
"""

import json

import pytest
from support.material import recordings
from support.wire import anthropic, chat, converse, sse

import streamviz as sv

SPAN = {
    # attribute: type, as in the table of the span gen_ai.client.inference
    "gen_ai.operation.name": str,
    "gen_ai.provider.name": str,
    "error.type": str,
    "gen_ai.request.choice.count": int,
    "gen_ai.request.model": str,
    "gen_ai.request.seed": int,
    "gen_ai.request.stream": bool,
    "gen_ai.request.top_k": int,
    "server.port": int,
    "gen_ai.request.frequency_penalty": float,
    "gen_ai.request.max_tokens": int,
    "gen_ai.request.presence_penalty": float,
    "gen_ai.request.previous_response.id": str,
    "gen_ai.request.reasoning.level": str,
    "gen_ai.request.stop_sequences": list,
    "gen_ai.request.temperature": float,
    "gen_ai.request.top_p": float,
    "gen_ai.response.finish_reasons": list,
    "gen_ai.response.id": str,
    "gen_ai.response.model": str,
    "gen_ai.response.time_to_first_chunk": float,
    "gen_ai.usage.audio.input_tokens": int,
    "gen_ai.usage.audio.output_tokens": int,
    "gen_ai.usage.cache_read.input_tokens": int,
    "gen_ai.usage.cache_write.input_tokens": int,
    "gen_ai.usage.image.input_tokens": int,
    "gen_ai.usage.image.output_tokens": int,
    "gen_ai.usage.input_tokens": int,
    "gen_ai.usage.output_tokens": int,
    "gen_ai.usage.reasoning.output_tokens": int,
    "server.address": str,
    "gen_ai.output.messages": str,
    # docs/gen-ai/openai.md
    "openai.api.type": str,
    "openai.response.service_tier": str,
}
PROVIDERS = {
    "anthropic": "anthropic",
    "azure": "azure.ai.openai",
    "deepseek": "deepseek",
    "gemini": "gcp.gemini",
    "groq": "groq",
    "mistral": "mistral_ai",
    "openai": "openai",
    "perplexity": "perplexity",
    "vertex": "gcp.vertex_ai",
    "xai": "x_ai",
}
"""Ours, and the well-known value of gen_ai.provider.name."""


def attributes(run, **options):
    return run.to_otel(**options)["span"]["attributes"]


def asked(run, url=None, **body):
    run.recording.request = {"method": "POST", "url": url, "body": body}
    return run


def test_a_message_with_cached_input():
    run = sv.read(
        anthropic(
            {
                "type": "message_start",
                "message": {
                    "id": "msg_1",
                    "model": "claude-x",
                    "usage": {
                        "input_tokens": 9,
                        "cache_read_input_tokens": 100,
                        "cache_creation_input_tokens": 25,
                        "output_tokens": 1,
                    },
                },
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
            {"type": "message_stop"},
        )
    )
    assert run.to_otel() == {
        "conventions": "https://github.com/open-telemetry/semantic-conventions-genai/tree/v0.1.0",
        "span": {
            "name": "chat",
            "kind": "CLIENT",
            "status": {"code": "UNSET"},
            "duration_s": None,
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.provider.name": "anthropic",
                "gen_ai.request.stream": True,
                "gen_ai.response.id": "msg_1",
                "gen_ai.response.model": "claude-x",
                "gen_ai.response.finish_reasons": ["stop"],
                # "This value SHOULD include all types of input tokens, including cached tokens"
                "gen_ai.usage.input_tokens": 134,
                "gen_ai.usage.output_tokens": 4,
                "gen_ai.usage.cache_read.input_tokens": 100,
                "gen_ai.usage.cache_write.input_tokens": 25,
            },
        },
        "events": [],
    }


def test_what_the_request_says():
    run = asked(
        sv.read(chat(({"content": "Hi"}, "stop"))),
        "https://api.openai.com/v1/chat/completions",
        model="gpt-x",
        n=2,
        max_completion_tokens=100,
        temperature=0,
        top_p=0.5,
        stop="END",
        seed=7,
        reasoning_effort="low",
        frequency_penalty="high",
        presence_penalty=True,
    )
    found = attributes(run)
    assert run.to_otel()["span"]["name"] == "chat gpt-x"
    assert {name: found[name] for name in found if ".request." in name or name.startswith("server.")} == {
        "gen_ai.request.model": "gpt-x",
        "gen_ai.request.stream": True,
        "gen_ai.request.choice.count": 2,
        "gen_ai.request.max_tokens": 100,
        "gen_ai.request.temperature": 0.0,
        "gen_ai.request.top_p": 0.5,
        "gen_ai.request.stop_sequences": ["END"],
        "gen_ai.request.seed": 7,
        "gen_ai.request.reasoning.level": "low",
        "server.address": "api.openai.com",
        "server.port": 443,
    }
    assert type(found["gen_ai.request.temperature"]) is float


@pytest.mark.parametrize(
    ("url", "model", "provider"),
    [
        ("https://generativelanguage.googleapis.com/v1beta/models/gemini-x:streamGenerateContent?key=k", "gemini-x",
         "gcp.gemini"),
        ("https://us-central1-aiplatform.googleapis.com/v1/projects/p/models/gemini-x:streamGenerateContent",
         "gemini-x", "gcp.vertex_ai"),
        ("https://elsewhere.example:8443/models/gemini-x:streamGenerateContent", "gemini-x", "gcp.gen_ai"),
        ("https://notgenerativelanguage.googleapis.com.evil.example/", None, "gcp.gen_ai"),
    ],
)  # fmt: skip
def test_the_address_tells_model_and_backend(url, model, provider):
    run = sv.read(sse({"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "finishReason": "STOP"}]}), "google")
    found = attributes(asked(run, url))
    assert (found.get("gen_ai.request.model"), found["gen_ai.provider.name"]) == (model, provider)
    assert found["gen_ai.operation.name"] == "generate_content"


def test_a_model_in_the_path_of_bedrock():
    run = sv.read(converse(("messageStart", {"role": "assistant"}), ("messageStop", {"stopReason": "end_turn"})))
    found = attributes(asked(run, "https://bedrock-runtime.us-east-1.amazonaws.com/model/a.c%3A0/converse-stream"))
    assert (found["gen_ai.request.model"], found["gen_ai.provider.name"]) == ("a.c:0", "aws.bedrock")


@pytest.mark.parametrize(("ours", "theirs"), PROVIDERS.items())
def test_providers_have_their_well_known_names(ours, theirs):
    assert attributes(sv.read(b"", ours))["gen_ai.provider.name"] == theirs


def test_a_vendor_without_a_well_known_name_keeps_its_own():
    assert attributes(sv.read(chat({"content": "Hi"}), "together"))["gen_ai.provider.name"] == "together"


@pytest.mark.parametrize(
    ("raw", "unified"),
    [
        ("stop", "stop"),
        ("length", "length"),
        ("tool_calls", "tool_call"),
        ("content_filter", "content_filter"),
        ("strange", "strange"),
    ],
)
def test_finish_reasons_are_the_well_known_ones(raw, unified):
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}]}
    run = sv.read(chat((call if raw == "tool_calls" else {"content": "Hi"}, raw)))
    assert attributes(run)["gen_ai.response.finish_reasons"] == [unified]


def test_every_choice_has_its_reason_and_one_that_never_came_is_an_error():
    choices = [{"index": n, "delta": {"content": "Hi"}} for n in (0, 1)]
    finish = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    run = sv.read(chat({"choices": choices}, finish))
    assert attributes(run)["gen_ai.response.finish_reasons"] == ["stop", "error"]


def test_an_error_in_the_stream():
    run = sv.read(chat({"content": "Hel"}, {"error": {"message": "Overloaded", "type": "server_error", "code": 529}}))
    found = run.to_otel()
    assert found["span"]["status"] == {"code": "ERROR", "description": "Overloaded"}
    assert found["span"]["attributes"]["error.type"] == "server_error"
    assert found["events"] == [
        {
            "name": "gen_ai.client.inference.exception",
            "severity_number": 13,
            "attributes": {"exception.type": "server_error", "exception.message": "Overloaded"},
        }
    ]


def test_a_torn_stream_is_an_error_and_a_status_is_one():
    assert attributes(sv.read(chat({"content": "Hi"}, done=False) + b'data: {"cho', "openai"))["error.type"] == "torn"
    run = sv.read(chat({"content": "Hi"}))
    run.recording.status = 503
    assert attributes(run)["error.type"] == "503"


def test_what_nobody_said_has_no_attribute_and_zero_is_zero():
    run = sv.read(chat({"content": "Hi"}, {"choices": [], "usage": {"prompt_tokens": 0, "completion_tokens": 0}}))
    found = attributes(run)
    assert found["gen_ai.usage.input_tokens"] == 0
    assert "gen_ai.usage.cache_read.input_tokens" not in found
    assert not [name for name in attributes(sv.read(chat({"content": "Hi"}))) if "usage" in name]


def test_times_are_those_of_the_recording():
    run = sv.StreamRun("openai")
    run.feed(b": waiting\n\n", 0.2)
    run.feed(chat({"content": "Hi"}, done=False), 0.75)
    run.feed(b"data: [DONE]\n\n", 1.5)
    found = run.finish().to_otel()["span"]
    assert found["duration_s"] == 1.5
    assert found["attributes"]["gen_ai.response.time_to_first_chunk"] == 0.75


def test_content_only_when_asked_for():
    secret = "my secret"
    run = sv.read(
        anthropic(
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm."}},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": secret}},
            {
                "type": "content_block_start",
                "index": 2,
                "content_block": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}},
            },
            {
                "type": "content_block_start",
                "index": 3,
                "content_block": {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
            },
            {
                "type": "content_block_start",
                "index": 4,
                "content_block": {"type": "tool_use", "id": "t1", "name": "look_up", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 4,
                "delta": {"type": "input_json_delta", "partial_json": '{"x": 1}'},
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
            {"type": "message_stop"},
        )
    )
    assert secret not in json.dumps(run.to_otel())
    messages = [
        {
            "role": "assistant",
            "parts": [
                {"type": "reasoning", "content": "Hm."},
                {"type": "text", "content": secret},
                {
                    "type": "server_tool_call",
                    "id": "s1",
                    "name": "web_search",
                    "server_tool_call": {"type": "web_search", "arguments": {"q": "x"}},
                },
                {
                    "type": "server_tool_call_response",
                    "id": "s1",
                    "server_tool_call_response": {
                        "type": "web_search_tool_result",
                        "value": [],
                    },
                },
                {"type": "tool_call", "id": "t1", "name": "look_up", "arguments": {"x": 1}},
            ],
        }
    ]
    found = run.to_otel(content=True)
    # "When the attribute is recorded on events, it MUST be recorded in structured form. When recorded on spans, it MAY
    # be recorded as a JSON string"
    assert json.loads(found["span"]["attributes"]["gen_ai.output.messages"]) == messages
    [event] = found["events"]
    assert (event["name"], event["severity_number"]) == ("gen_ai.client.inference.operation.details", 5)
    assert event["attributes"]["gen_ai.output.messages"] == messages


def test_arguments_that_cannot_be_read_and_a_refusal():
    call = {"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": "no json"}}]}
    run = sv.read(chat({"refusal": "No."}, (call, "stop")))
    [event] = run.to_otel(content=True)["events"]
    assert event["attributes"]["gen_ai.output.messages"][0]["parts"] == [
        {"type": "generic", "generic_type": "refusal", "content": "No."},
        {"type": "tool_call", "id": None, "name": "f", "arguments": "no json"},
    ]


def test_every_recording_gives_names_and_types_of_the_conventions():
    for path in recordings():
        found = sv.read(path).to_otel(content=True)
        json.loads(json.dumps(found, allow_nan=False).encode("utf-8"))
        for name, value in found["span"]["attributes"].items():
            assert type(value) is SPAN[name], (path, name)
            assert not isinstance(value, list) or {type(item) for item in value} == {str}, (path, name)
        assert found["span"]["attributes"]["gen_ai.operation.name"] in ("chat", "generate_content", "text_completion")
