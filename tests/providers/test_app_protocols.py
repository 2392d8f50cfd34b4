"""What a browser's capture holds: AI SDK UI, AG-UI, LangGraph; judged by the packages that speak them."""

import json

import pytest
from support.wire import compact, sse

import streamviz as sv

CITY = '{"city": "Oslo"}'


def outcome(payload):
    return {
        "text": payload.assistant_text,
        "thinking": payload.thinking,
        "calls": [(c.id, c.name, c.raw_arguments, c.status) for c in payload.calls],
        "results": [(b.id, b.value) for b in payload.blocks if b.kind == "tool_result"],
        "finish": payload.finish and payload.finish.unified,
        "ended": payload.ended,
        "id": payload.response_id,
        "faults": [d.code for d in payload.diagnostics if d.severity == "fault"],
    }


EXPECTED = {
    "text": "Let me look. It rains.",
    "thinking": "Weather? I need a tool.",
    "calls": [("c1", "get_weather", CITY, "exact")],
    "results": [("c1", "rain")],
    "finish": "stop",
    "id": "run-1",
    "faults": [],
}

# -- AI SDK UI --------------------------------------------------------------------------------------------------------

UI = [
    {"type": "start", "messageId": "run-1"},
    {"type": "start-step"},
    {"type": "reasoning-start", "id": "r"},
    {"type": "reasoning-delta", "id": "r", "delta": "Weather? "},
    {"type": "reasoning-delta", "id": "r", "delta": "I need a tool."},
    {"type": "reasoning-end", "id": "r"},
    {"type": "text-start", "id": "t1"},
    {"type": "text-delta", "id": "t1", "delta": "Let me "},
    {"type": "text-delta", "id": "t1", "delta": "look. "},
    {"type": "text-end", "id": "t1"},
    {"type": "tool-input-start", "toolCallId": "c1", "toolName": "get_weather"},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '{"city": '},
    {"type": "tool-input-delta", "toolCallId": "c1", "inputTextDelta": '"Oslo"}'},
    {"type": "tool-input-available", "toolCallId": "c1", "toolName": "get_weather", "input": {"city": "Oslo"}},
    {"type": "tool-output-available", "toolCallId": "c1", "output": "ra", "preliminary": True},
    {"type": "tool-output-available", "toolCallId": "c1", "output": "rain"},
    {"type": "finish-step"},
    {"type": "data-weather", "id": "w", "data": {"mm": 3}},
    {"type": "text-start", "id": "t2"},
    {"type": "text-delta", "id": "t2", "delta": "It rains."},
    {"type": "text-end", "id": "t2"},
    {"type": "finish", "finishReason": "stop"},
]


def test_ai_sdk_ui():
    run = sv.read(sse(*UI, "[DONE]"))
    assert run.dialect == "ai-sdk-ui"
    assert outcome(run.payload) == EXPECTED | {"ended": "done"}
    assert "app-data" in {d.code for d in run.payload.diagnostics}
    assert run.state_at(13).preview().arguments == {"city": "Oslo"}
    assert run.state_at(12).preview().open_path == "$"


def test_ai_sdk_ui_without_deltas_with_files_sources_and_faults():
    payload = sv.read(
        sse(
            {"type": "start"},
            {
                "type": "tool-input-available",
                "toolCallId": "c",
                "toolName": "f",
                "input": {"a": 1},
                "providerExecuted": True,
            },
            {"type": "tool-output-error", "toolCallId": "c", "errorText": "no"},
            {"type": "tool-input-error", "toolCallId": "d", "toolName": "g", "input": "{bad", "errorText": "parse"},
            {"type": "file", "url": "data:image/png;base64,AAEC", "mediaType": "image/png"},
            {"type": "file", "url": "https://x/y.png", "mediaType": "image/png"},
            {"type": "source-url", "sourceId": "s", "url": "https://x"},
            {"type": "hologram"},
            {"type": "abort", "reason": "user"},
            {"type": "error", "errorText": "boom"},
        )
    ).payload
    assert [(c.name, c.arguments) for c in payload.server_tools] == [("f", {"a": 1})]
    assert [(c.name, c.raw_arguments, c.status) for c in payload.calls] == [("g", "{bad", "incomplete")]
    assert [b.value for b in payload.blocks if b.kind == "tool_result"] == ["no", "parse"]
    media = [b.value for b in payload.blocks if b.kind == "media"]
    assert (media[0]["data"], media[-1]["url"]) == (("AAEC",), "https://x/y.png")
    assert payload.citations == ({"type": "source-url", "sourceId": "s", "url": "https://x"},)
    assert payload.error.message == "boom"
    assert {"unknown-event", "stream-aborted"} <= {d.code for d in payload.diagnostics}


# -- AG-UI ------------------------------------------------------------------------------------------------------------

AG = [
    {"type": "RUN_STARTED", "threadId": "th", "runId": "run-1"},
    {"type": "STEP_STARTED", "stepName": "s"},
    {"type": "REASONING_START", "messageId": "r"},
    {"type": "REASONING_MESSAGE_START", "messageId": "r", "role": "reasoning"},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "Weather? "},
    {"type": "REASONING_MESSAGE_CONTENT", "messageId": "r", "delta": "I need a tool."},
    {"type": "REASONING_MESSAGE_END", "messageId": "r"},
    {"type": "REASONING_END", "messageId": "r"},
    {"type": "TEXT_MESSAGE_START", "messageId": "m1", "role": "assistant"},
    {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m1", "delta": "Let me look. "},
    {"type": "TEXT_MESSAGE_END", "messageId": "m1"},
    {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "get_weather", "parentMessageId": "m1"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"city": '},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '"Oslo"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c1"},
    {"type": "TOOL_CALL_RESULT", "messageId": "t", "toolCallId": "c1", "content": "rain", "role": "tool"},
    {"type": "STATE_SNAPSHOT", "snapshot": {"a": 1}},
    {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/b", "value": 2}]},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "role": "assistant", "delta": "It "},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m2", "delta": "rains."},
    {"type": "STEP_FINISHED", "stepName": "s"},
    {"type": "RUN_FINISHED", "threadId": "th", "runId": "run-1", "outcome": {"type": "success"}},
]


@pytest.mark.parametrize(
    "body", [sse(*AG), "".join(compact(event) + "\n" for event in AG).encode()], ids=["sse", "lines"]
)
def test_ag_ui(body):
    run = sv.read(body)
    assert run.dialect == "ag-ui"
    assert outcome(run.payload) == EXPECTED | {"ended": "terminal"}
    assert [d.code for d in run.payload.diagnostics].count("app-data") == 2


def test_the_ag_ui_events_are_what_the_protocols_own_package_takes():
    events = pytest.importorskip("ag_ui.core").events
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(events.Event)
    theirs = [adapter.validate_python(event) for event in AG]
    chunks = sv.read(sse(*AG)).chunks
    for event, chunk in zip(theirs, chunks, strict=True):
        match event.type.value:
            case "TEXT_MESSAGE_CONTENT" | "TEXT_MESSAGE_CHUNK":
                assert chunk.content == event.delta
            case "REASONING_MESSAGE_CONTENT":
                assert chunk.thinking == event.delta
            case "TOOL_CALL_ARGS":
                assert [(d.id, d.arguments) for d in chunk.tool_calls] == [(event.tool_call_id, event.delta)]


def test_an_ag_ui_run_that_fails():
    payload = sv.read(
        sse(
            *AG[:10],
            {"type": "RUN_ERROR", "message": "boom", "code": "E1"},
            {"type": "REASONING_ENCRYPTED_VALUE", "entityId": "r", "encryptedValue": "x"},
        )
    ).payload
    assert (payload.error.message, payload.error.code, payload.assistant_text) == ("boom", "E1", "Let me look. ")
    assert [b.redacted for b in payload.blocks if b.kind == "thinking"] == ["x"]


# -- LangGraph --------------------------------------------------------------------------------------------------------


def piece(content="", **members):
    return {
        "type": "AIMessageChunk",
        "id": "m1",
        "content": content,
        "additional_kwargs": {},
        "response_metadata": {},
        "tool_calls": [],
        "tool_call_chunks": [],
        "usage_metadata": None,
        **members,
    }


PIECES = [
    piece(
        [{"type": "thinking", "thinking": "Weather? ", "index": 0}],
        usage_metadata={"input_tokens": 9, "output_tokens": 0, "total_tokens": 9},
    ),
    piece([{"type": "thinking", "thinking": "I need a tool.", "index": 0}]),
    piece([{"type": "text", "text": "Let me look. ", "index": 1}]),
    piece(
        [{"type": "tool_use", "id": "c1", "name": "get_weather", "input": {}, "index": 2}],
        tool_call_chunks=[{"name": "get_weather", "args": "", "id": "c1", "index": 2, "type": "tool_call_chunk"}],
    ),
    piece(
        [{"type": "input_json_delta", "partial_json": '{"city": ', "index": 2}],
        tool_call_chunks=[{"name": None, "args": '{"city": ', "id": None, "index": 2, "type": "tool_call_chunk"}],
    ),
    piece(
        [{"type": "input_json_delta", "partial_json": '"Oslo"}', "index": 2}],
        tool_call_chunks=[{"name": None, "args": '"Oslo"}', "id": None, "index": 2, "type": "tool_call_chunk"}],
    ),
    piece(
        "",
        usage_metadata={"input_tokens": 0, "output_tokens": 7, "total_tokens": 7},
        response_metadata={"stop_reason": "tool_use"},
    ),
]


def graph(*events):
    return "".join(f"event: {name}\ndata: {compact(data)}\n\n" for name, data in events).encode()


def test_langgraph_messages():
    answer = [piece("It rains.", id="m2"), piece("", id="m2", response_metadata={"stop_reason": "end_turn"})]
    tool = {"type": "tool", "content": "rain", "tool_call_id": "c1", "id": "t"}
    human = {"type": "human", "content": "Weather?", "id": "h"}
    wrapped = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "messages", "AIMessageChunk"],
        "kwargs": PIECES[2],
    }
    messages = [human, *PIECES[:2], wrapped, *PIECES[3:], tool, *answer]
    run = sv.read(
        graph(
            ("metadata", {"run_id": "run-1", "attempt": 1}),
            ("values", {"messages": []}),
            *(
                ("messages|agent:1" if n % 2 else "messages", [message, {"langgraph_node": "agent"}])
                for n, message in enumerate(messages)
            ),
            ("end", None),
        )
    )
    assert run.dialect == "langgraph"
    assert outcome(run.payload) == EXPECTED | {"ended": "terminal"}
    assert (run.payload.usage.input_tokens, run.payload.usage.output_tokens, run.payload.usage.total_tokens) == (
        9,
        7,
        16,
    )


def test_the_pieces_come_to_what_langchain_adds_up():
    messages = pytest.importorskip("langchain_core.messages")
    whole = messages.AIMessageChunk(content="")
    for one in PIECES:
        members = {
            key: value
            for key, value in one.items()
            if key in ("content", "tool_call_chunks", "usage_metadata", "response_metadata")
        }
        whole += messages.AIMessageChunk(**members)
    payload = sv.read(graph(*(("messages", [one, {}]) for one in PIECES))).payload
    (call,) = whole.tool_calls
    assert [(c.id, c.name, c.arguments) for c in payload.calls] == [(call["id"], call["name"], call["args"])]
    assert payload.assistant_text == "".join(
        p["text"] for p in whole.content if isinstance(p, dict) and p["type"] == "text"
    )
    assert payload.thinking == "".join(
        p["thinking"] for p in whole.content if isinstance(p, dict) and p["type"] == "thinking"
    )
    usage = whole.usage_metadata
    assert (payload.usage.input_tokens, payload.usage.output_tokens) == (usage["input_tokens"], usage["output_tokens"])


def test_langgraph_whole_messages_as_they_grow():
    def message(text, **members):
        return {"type": "ai", "id": "m1", "content": text, "tool_calls": [], **members}

    call = {"name": "f", "args": {"a": 1}, "id": "c"}
    run = sv.read(
        graph(
            ("metadata", {"run_id": "r"}),
            ("messages/metadata", {"m1": {}}),
            ("messages/partial", [message("It")]),
            ("messages/partial", [message("It rains")]),
            ("messages/partial", [message("It rains.", tool_calls=[{"name": "f", "args": {}, "id": "c"}])]),
            (
                "messages/partial",
                [message("It rains.", tool_calls=[call], response_metadata={"finish_reason": "stop"})],
            ),
            ("error", {"error": "GraphRecursionError", "message": "limit"}),
        )
    )
    payload = run.payload
    assert (run.dialect, payload.assistant_text, payload.error.message) == ("langgraph", "It rains.", "limit")
    assert [(c.id, c.arguments) for c in payload.calls] == [("c", {"a": 1})]
    assert "snapshot-differs" not in {d.code for d in payload.diagnostics}


def test_broken_events_raise_nothing():
    for dialect in ("langgraph", "ag-ui", "ai-sdk-ui", "google-interactions", "cohere", "ollama", "openai-completions"):
        for data in ("{}", "[]", "null", '"x"', "{bad", "[1]", '{"type": 5}', '{"message": 3}', '{"error": "x"}'):
            run = sv.read(f"event: messages\ndata: {data}\n\ndata: {data}\n\n".encode(), dialect)
            json.dumps(run.payload.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("dialect", "event"),
    [
        ("google-interactions", {"event_type": "step.delta", "index": 0, "delta": {"type": "thought_summary"}}),
        (
            "google-interactions",
            {"event_type": "step.delta", "delta": {"type": "thought_summary", "content": {"type": "x"}}},
        ),
        ("google", {"response": "\ud800"}),
        ("google", {"response": {"candidates": "\ud800", "x": [1]}}),
    ],
)
def test_values_of_the_wrong_form_raise_nothing(dialect, event):
    run = sv.read(f"data: {json.dumps(event)}\n\n".encode(), dialect)
    json.dumps(run.payload.to_dict(), allow_nan=False)


LINES = b"""f:{"messageId":"run-1"}
g:"Weather? "
g:"I need a tool."
0:"Let me "
0:"look. "
b:{"toolCallId":"c1","toolName":"get_weather"}
c:{"toolCallId":"c1","argsTextDelta":"{\\"city\\": "}
c:{"toolCallId":"c1","argsTextDelta":"\\"Oslo\\"}"}
9:{"toolCallId":"c1","toolName":"get_weather","args":{"city":"Oslo"}}
a:{"toolCallId":"c1","result":"rain"}
e:{"finishReason":"tool-calls","usage":{"promptTokens":1,"completionTokens":2},"isContinued":false}
2:[{"mm":3}]
8:[{"note":1}]
h:{"sourceType":"url","id":"s","url":"https://x"}
0:"It rains."
d:{"finishReason":"stop","usage":{"promptTokens":9,"completionTokens":7}}
"""


def test_the_ai_sdks_older_lines():
    run = sv.read(LINES)
    assert (run.dialect, run.framing) == ("ai-sdk-ui", "json-lines")
    assert outcome(run.payload) == EXPECTED | {"ended": "terminal"}
    assert (run.payload.usage.input_tokens, run.payload.usage.output_tokens) == (9, 7)
    assert [d.code for d in run.payload.diagnostics].count("app-data") == 2
    assert len(run.payload.citations) == 1
    rest = sv.read(
        b'0:"a"\ni:{"data":"x"}\nj:{"signature":"s"}\nk:{"data":"AA==","mimeType":"image/png"}\nz:1\n0:{bad\n3:"boom"\n'
    )
    assert (rest.payload.assistant_text, rest.payload.error.message) == ("a", "boom")
    assert {"bad-json"} <= {d.code for d in rest.payload.diagnostics}
    for cut in range(1, len(LINES), 7):
        assert sv.read([LINES[:cut], LINES[cut:]]).payload == run.payload
