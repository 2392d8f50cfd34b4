"""What makes a call uncertain: pieces that could not be read while it was open, and that nobody said it is over."""

import json

import pytest
from support.wire import anthropic, chat, converse, message, sse

import streamviz as sv

CHAT_START = {"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f", "arguments": ""}}]}


def chat_piece(text):
    return {"tool_calls": [{"index": 0, "function": {"arguments": text}}]}


def block(event, index=0, **members):
    return {"type": f"content_block_{event}", "index": index, **members}


def use(index=0, **members):
    return block(
        "start", index, content_block={"type": "tool_use", "id": f"t{index}", "name": "f", "input": {}} | members
    )


def piece(text, index=0):
    return block("delta", index, delta={"type": "input_json_delta", "partial_json": text})


def named(name, **members):
    return {"type": f"response.{name}", **members}


def item(call_id="c", arguments="", **members):
    return {"type": "function_call", "id": "i", "call_id": call_id, "name": "f", "arguments": arguments, **members}


def part(call, **candidate):
    return {"candidates": [{"content": {"parts": [{"functionCall": call}]}, **candidate}]}


def leaf(path, **members):
    return part({"partialArgs": [{"jsonPath": path, **members}], "willContinue": True})


def cohere(event, **function):
    return {"type": event, "index": 0, "delta": {"message": {"tool_calls": {"id": "c", "function": function}}}}


def step(event, **members):
    return {"event_type": f"step.{event}", "index": 0, **members}


STOP, CLOSED = block("stop"), part({})
OPENED = part({"name": "f", "id": "1", "willContinue": True})
MESSAGE = {
    "type": "message_start",
    "message": {"id": "m", "content": [], "usage": {"input_tokens": 5, "output_tokens": 1}},
}
USED = {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}
END = {"type": "message_stop"}
GOOGLE_END = {"candidates": [{"content": {}, "finishReason": "STOP"}]}

STREAMS = {
    "openai-chat": (
        [chat(CHAT_START, done=False)],
        [chat(chat_piece(text), done=False) for text in ('{"a": "x', 'y"}')],
        [chat(({}, "tool_calls"))],
    ),
    "openai-responses": (
        [sse(named("output_item.added", output_index=0, item=item()))],
        [
            sse(named("function_call_arguments.delta", output_index=0, item_id="i", delta=text))
            for text in ('{"a": "x', 'y"}')
        ],
        [sse(named("completed", response={"status": "completed", "output": []}))],
    ),
    "anthropic": (
        [anthropic(use())],
        [anthropic(piece(text)) for text in ('{"a": "x', 'y"}')],
        [anthropic(STOP, USED, END)],
    ),
    "google": (
        [sse(OPENED)],
        [sse(leaf("$.a", stringValue="x", willContinue=True)), sse(leaf("$.a", stringValue="y"))],
        [sse(CLOSED, GOOGLE_END)],
    ),
    "cohere": (
        [sse(cohere("tool-call-start", name="f", arguments=""))],
        [sse(cohere("tool-call-delta", arguments=text)) for text in ('{"a": "x', 'y"}')],
        [sse({"type": "tool-call-end", "index": 0}, {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}})],
    ),
    "google-interactions": (
        [sse(step("start", step={"type": "function_call", "id": "c", "name": "f", "arguments": {}}))],
        [sse(step("delta", delta={"type": "arguments_delta", "arguments": text})) for text in ('{"a": "x', 'y"}')],
        [sse(step("stop"), {"event_type": "interaction.completed", "interaction": {"status": "requires_action"}})],
    ),
    "ag-ui": (
        [sse({"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "f"})],
        [sse({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": text}) for text in ('{"a": "x', 'y"}')],
        [sse({"type": "TOOL_CALL_END", "toolCallId": "c"}, {"type": "RUN_FINISHED"})],
    ),
    "ai-sdk-ui": (
        [sse({"type": "tool-input-start", "toolCallId": "c", "toolName": "f"})],
        [sse({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": text}) for text in ('{"a": "x', 'y"}')],
        [sse({"type": "finish"}, "[DONE]")],
    ),
    "bedrock-converse": (
        [
            converse(
                ("contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "c", "name": "f"}}})
            )
        ],
        [
            converse(("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": text}}}))
            for text in ('{"a": "x', 'y"}')
        ],
        [converse(("contentBlockStop", {"contentBlockIndex": 0}), ("messageStop", {"stopReason": "tool_use"}))],
    ),
}
"""How a call begins, goes on and ends, by dialect."""
STREAMS["mistral"] = STREAMS["openai-chat"]


def only_call(data, provider=None):
    (call,) = sv.read(data, provider=provider).payload.calls
    return call


@pytest.mark.parametrize("dialect", STREAMS)
def test_a_whole_call_is_executable_with_and_without_arguments(dialect):
    start, pieces, end = STREAMS[dialect]
    assert only_call(b"".join([*start, *pieces, *end]), dialect).executable
    empty = only_call(b"".join([*start, *end]), dialect)
    assert (empty.status, empty.executable) == ("empty", True)


@pytest.mark.parametrize("dialect", STREAMS)
@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_frame_that_cannot_be_read_in_an_open_call_is_a_gap(dialect, kept):
    start, pieces, end = STREAMS[dialect]
    headers = {":event-type": "contentBlockDelta", ":message-type": "event"}
    lost = message(headers, b'{"oops') if dialect == "bedrock-converse" else b'data: {"oops\n\n'
    for place in (kept, 2):  # in the place of a fragment, or behind the last one
        body = b"".join([*start, *pieces[:kept], lost, *pieces[place:], *end])
        payload = sv.read(body, provider=dialect).payload
        (call,) = payload.calls
        assert (call.gap, call.executable) == (True, False)
        assert "call-gap" in {d.code for d in payload.diagnostics}


@pytest.mark.parametrize("dialect", STREAMS)
def test_a_frame_that_cannot_be_read_behind_the_end_of_a_call_is_none(dialect):
    start, pieces, end = STREAMS[dialect]
    lost = (
        message({":event-type": "metadata", ":message-type": "event"}, b"{") if "bedrock" in dialect else b"data: {\n\n"
    )
    assert only_call(b"".join([*start, *pieces, *end, lost]), dialect).executable


@pytest.mark.parametrize("dialect", STREAMS)
def test_a_call_that_nobody_ended_is_incomplete_without_arguments(dialect):
    start, pieces, _ = STREAMS[dialect]
    call = only_call(b"".join(start), dialect)
    assert (call.status, call.executable) == ("incomplete", False)
    assert not only_call(b"".join([*start, pieces[0]]), dialect).executable


ILL_TYPED = {
    "chat function": chat({"tool_calls": [{"index": 0, "function": "y"}]}, done=False),
    "chat calls as text": chat({"tool_calls": "y"}, done=False),
    "chat calls as object": chat({"tool_calls": {"index": 0}}, done=False),
    "chat misplaced": chat({"tool_calls": [{"index": 0, "arguments": "y"}]}, done=False),
    "chat misspelt": chat({"tool_calls": [{"index": 0, "function": {"argument": "y"}}]}, done=False),
    "responses object": sse(named("function_call_arguments.delta", output_index=0, delta={"y": 1})),
    "responses null": sse(named("function_call_arguments.delta", output_index=0, delta=None)),
    "anthropic object": anthropic(piece({"y": 1})),
    "anthropic null": anthropic(piece(None)),
    "anthropic delta": anthropic(block("delta", delta="y")),
    "anthropic no delta": anthropic(block("delta")),
    "anthropic kind": anthropic(block("delta", delta={"type": "input_patch", "patch": "y"})),
    "anthropic index": anthropic(piece("y", index=7)),
    "cohere calls": sse({"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": "y"}}}),
    "cohere number": sse(cohere("tool-call-delta", arguments=5)),
    "cohere delta": sse({"type": "tool-call-delta", "index": 0, "delta": "y"}),
    "google leaves": sse(part({"partialArgs": "y", "willContinue": True})),
    "google leaf": sse(part({"partialArgs": [{"stringValue": "y"}], "willContinue": True})),
    "google value": sse(leaf("$.b", numberValue="y")),
    "google call": sse({"candidates": [{"content": {"parts": [{"functionCall": "y"}]}}]}),
    "google-interactions number": sse(step("delta", delta={"type": "arguments_delta", "arguments": 5})),
    "google-interactions delta": sse(step("delta", delta="y")),
    "ag-ui number": sse({"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": 5}),
    "ai-sdk-ui number": sse({"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": 5}),
    "bedrock number": converse(("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": 5}}})),
    "bedrock text": converse(("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": "y"}})),
    "bedrock no delta": converse(("contentBlockDelta", {"contentBlockIndex": 0})),
}


@pytest.mark.parametrize("what", ILL_TYPED)
@pytest.mark.parametrize("kept", [0, 1])
def test_an_ill_typed_fragment_in_an_open_call_is_a_gap(what, kept):
    dialect = next(name for name in STREAMS if what.split()[0] in name)
    start, pieces, end = STREAMS[dialect]
    rest = pieces[1:] if kept else []
    payload = sv.read(b"".join([*start, *pieces[:kept], ILL_TYPED[what], *rest, *end]), provider=dialect).payload
    assert (payload.calls[0].gap, payload.calls[0].executable) == (True, False)
    assert {d.code for d in payload.diagnostics} & {
        "ill-typed",
        "unexpected-json",
        "unknown-delta",
        "call-name-missing",
    }


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "MALFORMED_FUNCTION_CALL", None])
def test_a_call_that_is_cut_between_two_leaves_is_incomplete(reason):
    end = [{"candidates": [{"content": {}, "finishReason": reason}]}] if reason else []
    call = only_call(sse(OPENED, leaf("$.path", stringValue="/home"), *end))
    assert (call.status, call.arguments, call.executable) == ("incomplete", {"path": "/home"}, False)


@pytest.mark.parametrize(
    ("leaves", "arguments", "executable"),
    [
        ([("$.a[99999999999]", "x")], {}, False),
        ([("$.a[2]", "x")], {"a": [None, None, "x"]}, False),
        ([("$.a[1]", "x"), ("$.a[0]", "y")], {"a": ["y", "x"]}, True),
        ([("$.a[1].b", "x"), ("$.a[0].b", "y")], {"a": [{"b": "y"}, {"b": "x"}]}, True),
        ([("$.a[1].b", "x")], {"a": [None, {"b": "x"}]}, False),
        ([("$.a", "x"), ("$.a.b", "y")], {"a": "x"}, False),
        ([("$.a", "x"), ("$.a", "y")], {"a": "y"}, False),
    ],
)
def test_leaves_without_a_place_and_places_without_a_leaf(leaves, arguments, executable):
    events = [leaf(path, stringValue=text) for path, text in leaves]
    call = only_call(sse(OPENED, *events, CLOSED, GOOGLE_END))
    assert (call.arguments, call.gap, call.executable) == (arguments, not executable, executable)


TEXT = block("start", 1, content_block={"type": "text", "text": "hm"})


@pytest.mark.parametrize(
    ("body", "statuses"),
    [
        (anthropic(use(), TEXT), ["incomplete"]),
        (anthropic(use(), use(1), piece("{}", 1)), ["incomplete", "exact"]),
        (anthropic(use(), use(1)), ["incomplete", "incomplete"]),
        (anthropic(use(), STOP, TEXT), ["empty"]),
        (anthropic(use(), TEXT, USED, END), ["empty"]),
        (chat(CHAT_START, {"mystery": {"x": 1}}, done=False), ["incomplete"]),
        (chat(CHAT_START, {"content": "hm"}, ({}, "length")), ["incomplete"]),
        (chat(CHAT_START, {"content": "hm"}, ({}, "tool_calls")), ["empty"]),
        (chat(CHAT_START, ({}, "tool_calls"), done=False) + b"data: {", ["empty"]),
        (sse(part({"name": "f", "id": "1"})), ["empty"]),
    ],
)
def test_calls_without_arguments_that_are_not_the_last_block(body, statuses):
    assert [call.status for call in sv.read(body).payload.calls] == statuses


BAD = b'{"model":"m","done":true,"message":{"tool_calls":[{"function":{"name":"f","arguments":%s}}]}}\n'


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        (chat(CHAT_START, done=False) + chat(chat_piece('{"a": "?"}'), ({}, "tool_calls")), {"bad-utf8"}),
        (chat({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f?", "arguments": "{}"}}]}), {"bad-utf8"}),
        (chat(CHAT_START, done=False) + chat(chat_piece("{}")).replace(b'"arguments"', b'"argument?"'), {"bad-utf8"}),
        (BAD % b'{"a": "?"}', {"bad-utf8"}),
        (BAD % b'{"a?": 1}', {"bad-utf8"}),
        (sse(part({"name": "f", "id": "1", "args": {"a": "?"}}), GOOGLE_END), {"bad-utf8"}),
        (chat(chat_piece('{"a": "!"}'), CHAT_START), {"replacement-characters"}),
        (chat({"tool_calls": [{"index": 0, "id": "x", "function": {"name": "f!", "arguments": "{}"}}]}), set()),
    ],
)
def test_characters_that_are_none_in_a_call(body, codes):
    body = body.replace(b"?", b"\xff").replace(b"!", b"\\ud800")
    payload = sv.read(body).payload
    (call,) = payload.calls
    assert (call.gap, call.executable) == (True, False)
    assert codes <= {d.code for d in payload.diagnostics}
    json.dumps(payload.to_dict()).encode()


@pytest.mark.parametrize(
    "lost",
    [
        b"event: content_block_delta\xffdata: {}\n\n",
        b"event: content_block_delta\n\n",
        b"event: content_block_delta\ndata:\n\n",
        b"event: content_block_delta\nd\xffta: {}\n\n",
    ],
)
def test_an_event_without_data_is_told_and_may_have_been_a_fragment(lost):
    run = sv.read(anthropic(use(), piece('{"a": "x')) + lost + anthropic(piece('"}'), STOP, USED, END))
    assert {"event-without-data", "not-a-field"} & {d.code for d in run.payload.diagnostics}
    assert not run.payload.calls[0].executable


@pytest.mark.parametrize(
    "quiet", [b"event: ping\n\n", b"event: ping\ndata:\n\n", b"retry: 5\n\n", b": hm\n\n", b"data:\n\n"]
)
def test_what_only_keeps_the_connection_open_is_no_gap(quiet):
    run = sv.read(anthropic(use(), piece('{"a": "x')) + quiet + anthropic(piece('"}'), STOP, USED, END))
    assert (run.payload.calls[0].executable, run.payload.diagnostics) == (True, ())


def test_a_whole_text_makes_up_for_what_was_lost_before_it():
    start, pieces, end = STREAMS["openai-responses"]
    whole = sse(named("function_call_arguments.done", output_index=0, item_id="i", arguments='{"a": "xy"}'))
    call = only_call(b"".join([*start, b"data: {oops\n\n", pieces[1], whole, *end]))
    assert (call.arguments, call.gap, call.executable) == ({"a": "xy"}, False, True)


def test_a_second_message_has_an_end_of_its_own():
    first = anthropic(MESSAGE, use(), piece('{"a": 1}'), STOP, USED, END)
    second = anthropic(MESSAGE, use(id="t9"), STOP, USED, END)
    whole = sv.read(first + second).payload
    assert (whole.ended, whole.complete, whole.finish.raw) == ("terminal", True, ("tool_use",))
    assert [call.executable for call in whole.calls] == [True, True]
    assert [(usage.input_tokens, usage.output_tokens) for usage in whole.usage_by_message] == [(5, 9), (5, 9)]
    assert (whole.total_usage.input_tokens, whole.total_usage.output_tokens, whole.total_usage.total_tokens) == (
        10,
        18,
        28,
    )
    torn = sv.read(first + second[: second.index(b"event: content_block_stop") + 9]).payload
    assert (torn.ended, torn.complete, torn.finish) == ("torn", False, None)
    assert [(call.status, call.executable) for call in torn.calls] == [("exact", True), ("incomplete", False)]
    assert (torn.usage.state, torn.total_usage.output_tokens) == ("preliminary", 10)
    cut = sv.read(first + anthropic(MESSAGE, use(id="t9"))).payload
    assert (cut.ended, cut.complete, "stream-cut" in {d.code for d in cut.diagnostics}) == ("clean", False, True)


@pytest.mark.parametrize("ident", ["c-1", "c-2"])
def test_content_behind_the_end_mark_that_is_torn_has_no_end(ident):
    again = chat(CHAT_START, chat_piece('{"a": 1}'), done=False).replace(b"c-1", ident.encode())
    payload = sv.read(chat({"content": "hm"}, ({}, "stop")) + again[:-20]).payload
    assert (payload.ended, payload.complete, payload.calls[0].executable) == ("torn", False, False)


def test_a_call_with_another_id_at_the_end_is_the_same_call():
    start, pieces, _ = STREAMS["openai-responses"]
    done = sse(named("output_item.done", item=item("c2", '{"a": "xy"}')))
    answer = {"status": "completed", "output": [item("c3", '{"a": "xy"}')]}
    for tail in (done, sse(named("completed", response=answer)), done + sse(named("completed", response=answer))):
        payload = sv.read(b"".join([*start, *pieces, tail]), provider="openai-responses").payload
        assert [(call.name, call.arguments) for call in payload.calls] == [("f", {"a": "xy"})]
        assert "call-id-changed" in {d.code for d in payload.diagnostics}


def test_calls_without_index_are_told_apart_by_place_when_only_the_first_pieces_have_ids():
    first = [
        {"id": "a", "function": {"name": "f", "arguments": '{"a":'}},
        {"id": "b", "function": {"name": "g", "arguments": '{"b":'}},
    ]
    then = [{"function": {"arguments": "1}"}}, {"function": {"arguments": "2}"}}]
    payload = sv.read(chat({"tool_calls": first}, ({"tool_calls": then}, "tool_calls"))).payload
    assert [(call.id, call.name, call.arguments) for call in payload.calls] == [
        ("a", "f", {"a": 1}),
        ("b", "g", {"b": 2}),
    ]


def test_a_call_that_was_stopped_for_want_of_room_in_an_earlier_message():
    room = {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}
    body = anthropic(MESSAGE, use(), STOP, room, END, MESSAGE, use(id="t9"), STOP, USED, END)
    assert [call.status for call in sv.read(body).payload.calls] == ["incomplete", "empty"]


def test_half_a_character_in_a_leaf():
    whole = sse(
        OPENED, leaf("$.a", stringValue="!", willContinue=True), leaf("$.a", stringValue="?"), CLOSED, GOOGLE_END
    )
    call = only_call(whole.replace(b"!", b"\\ud83c").replace(b"?", b"\\udf78"))
    assert (call.raw_arguments, call.executable) == ('{"a":"🍸"}', True)
    assert not only_call(whole.replace(b"!", b"\\ud83c")).executable
