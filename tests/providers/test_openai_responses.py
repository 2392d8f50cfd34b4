"""Responses: items of every kind, whole texts that repeat or correct, and what gateways leave out."""

import json

import pytest
from support.wire import sse

import streamviz as sv


def E(kind, **members):  # noqa: N802 - short, for tables of events
    return {"type": f"response.{kind}", **members}


def added(index, **item):
    return E("output_item.added", output_index=index, item=item)


def done(index, **item):
    return E("output_item.done", output_index=index, item=item)


def run_of(*events, numbered=True):
    numbers = ({"sequence_number": n} if numbered else {} for n in range(len(events)))
    return sv.read(sse(*({**number, **event} for number, event in zip(numbers, events, strict=True))))


def read(*events, **options):
    run = run_of(*events, **options)
    assert run.dialect == "openai-responses"
    return run.payload


def codes(payload):
    return {d.code for d in payload.diagnostics} - {"usage-missing", "finish-missing", "end-mark-missing", "stream-cut"}


END = E("completed", response={"id": "r", "status": "completed", "output": [], "usage": {"input_tokens": 1}})


def test_parts_are_blocks():
    payload = read(
        added(0, type="reasoning", id="rs"),
        E("reasoning_summary_text.delta", output_index=0, item_id="rs", summary_index=0, delta="a"),
        E("reasoning_summary_text.delta", output_index=0, item_id="rs", summary_index=1, delta="b"),
        E("reasoning_text.delta", output_index=0, item_id="rs", content_index=0, delta="c"),
        done(0, type="reasoning", id="rs", summary=[{"type": "summary_text", "text": "a"}], encrypted_content="x="),
        E("output_text.delta", output_index=1, item_id="m", content_index=0, delta="t"),
        E("refusal.delta", output_index=1, item_id="m", content_index=1, delta="no"),
        E("output_text.delta", output_index=1, item_id="m", content_index=0, delta="u"),
        END,
    )
    assert [(b.kind, b.index, b.text, b.name, b.redacted) for b in payload.blocks] == [
        ("thinking", "0.s0", "a", "summary", "x="),
        ("thinking", "0.s1", "b", "summary", None),
        ("thinking", "0.0", "c", None, None),
        ("text", "1.0", "tu", None, None),
        ("refusal", "1.1", "no", None, None),
    ]
    assert (payload.assistant_text, payload.refusal, codes(payload)) == ("tu", "no", set())


@pytest.mark.parametrize(
    ("item", "name", "arguments", "result"),
    [
        (
            {"type": "web_search_call", "action": {"type": "search", "query": "q"}},
            "web_search",
            {"type": "search", "query": "q"},
            None,
        ),
        (
            {"type": "file_search_call", "queries": ["q"], "results": [{"f": 1}]},
            "file_search",
            {"queries": ["q"]},
            [{"f": 1}],
        ),
        ({"type": "computer_call", "action": {"type": "click", "x": 1}}, "computer", {"type": "click", "x": 1}, None),
        ({"type": "local_shell_call", "action": {"command": ["ls"]}}, "local_shell", {"command": ["ls"]}, None),
        (
            {"type": "apply_patch_call", "operation": {"type": "delete_file", "path": "p"}},
            "apply_patch",
            {"type": "delete_file", "path": "p"},
            None,
        ),
        ({"type": "mcp_call", "name": "f", "arguments": '{"a":1}', "output": "r"}, "f", {"a": 1}, "r"),
        ({"type": "mcp_call", "name": "f", "arguments": "{}", "error": {"code": 1}}, "f", {}, {"code": 1}),
        ({"type": "tool_search_call", "arguments": {"goal": "g"}}, "tool_search", {"goal": "g"}, None),
        ({"type": "hologram_call", "action": {"a": 1}}, "hologram", {"a": 1}, None),
    ],
)
def test_built_in_tools_are_server_tools(item, name, arguments, result):
    opening = {key: item[key] for key in ("type", "name") if key in item}
    payload = read(added(0, id="i", status="in_progress", **opening), done(0, id="i", **item), END)
    (call,) = payload.server_tools
    assert (call.name, call.arguments, call.id, call.status in ("exact", "empty")) == (name, arguments, "i", True)
    assert [(b.value, b.id) for b in payload.blocks if b.kind == "tool_result"] == (
        [] if result is None else [(result, "i")]
    )
    assert (payload.calls, codes(payload)) == ((), set())


def test_code_and_custom_tools_take_free_text():
    payload = read(
        added(0, type="code_interpreter_call", id="ci", code=""),
        E("code_interpreter_call_code.delta", output_index=0, item_id="ci", delta="print("),
        E("code_interpreter_call_code.delta", output_index=0, item_id="ci", delta="1)"),
        E("code_interpreter_call.interpreting", output_index=0, item_id="ci"),
        E("code_interpreter_call_code.done", output_index=0, item_id="ci", code="print(1)"),
        done(0, type="code_interpreter_call", id="ci", code="print(1)", outputs=[{"type": "logs", "logs": "1"}]),
        added(1, type="custom_tool_call", id="ct", call_id="c1", name="patch", input=""),
        E("custom_tool_call_input.delta", output_index=1, item_id="ct", delta="*** Begin"),
        done(1, type="custom_tool_call", id="ct", call_id="c1", name="patch", input="*** Begin"),
        END,
    )
    assert [(c.name, c.raw_arguments, c.status) for c in payload.server_tools] == [
        ("code_interpreter", "print(1)", "text")
    ]
    assert [(c.id, c.item_id, c.raw_arguments, c.status) for c in payload.calls] == [("c1", "ct", "*** Begin", "text")]
    assert [b.value for b in payload.blocks if b.kind == "tool_result"] == [[{"type": "logs", "logs": "1"}]]


def test_shell_commands_grow_inside_the_arguments():
    events = [
        added(0, type="shell_call", id="sh", call_id="c", action={"commands": []}),
        E("shell_call_command.added", output_index=0, command_index=0, command=""),
        E("shell_call_command.delta", output_index=0, command_index=0, delta="ls "),
        E("shell_call_command.delta", output_index=0, command_index=0, delta="-a"),
        E("shell_call_command.delta", output_index=0, command_index=1, delta="pwd"),
        done(0, type="shell_call", id="sh", call_id="c", action={"commands": ["ls -a", "pwd"], "timeout_ms": 1}),
        added(1, type="shell_call_output", id="so", call_id="c", output=[]),
        E("shell_call_output_content.delta", output_index=1, item_id="so", delta={"stdout": "x"}),
        done(1, type="shell_call_output", id="so", call_id="c", output=[{"stdout": "xy"}]),
        END,
    ]
    run = run_of(*events)
    assert run.state_at(4).preview().arguments == {"commands": ["ls -a"]}
    (call,) = run.payload.server_tools
    assert call.arguments == {"commands": ["ls -a", "pwd"], "timeout_ms": 1}
    assert [b.value for b in run.payload.blocks if b.kind == "tool_result"] == [[{"stdout": "xy"}]]


def test_pictures():
    payload = read(
        added(0, type="image_generation_call", id="ig"),
        E(
            "image_generation_call.partial_image",
            output_index=0,
            item_id="ig",
            partial_image_index=0,
            partial_image_b64="AA==",
        ),
        done(0, type="image_generation_call", id="ig", result="AAEC", output_format="webp", revised_prompt="p"),
        END,
    )
    media = [b for b in payload.blocks if b.kind == "media"]
    assert [(b.name, b.value["data"]) for b in media] == [("image/png", ("AA==",)), ("image/webp", ("AAEC",))]
    assert (media[1].value["revised_prompt"], payload.assistant_text) == ("p", "")


def test_the_whole_text_is_the_authority():
    payload = read(
        E("output_text.delta", output_index=0, content_index=0, delta="Hel"),
        E("output_text.done", output_index=0, content_index=0, text="Hello"),
        E("output_text.delta", output_index=1, content_index=0, delta="old"),
        E("output_text.done", output_index=1, content_index=0, text="new"),
        added(2, type="function_call", id="fc", call_id="c", name="f", arguments=""),
        E("function_call_arguments.delta", output_index=2, item_id="fc", delta='{"a":1'),
        E("function_call_arguments.done", output_index=2, item_id="fc", arguments='{"a":2}'),
        END,
    )
    assert (payload.assistant_text, payload.calls[0].arguments) == ("Hellonew", {"a": 2})
    assert [b.version for b in payload.blocks if b.kind == "text"] == [1, 2]
    assert [d.code for d in payload.diagnostics].count("snapshot-differs") == 2


ANSWER = [
    {"type": "reasoning", "id": "rs", "summary": [{"type": "summary_text", "text": "hm"}]},
    {
        "type": "message",
        "id": "m",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "Hi", "annotations": [{"n": 1}]}],
    },
    {"type": "function_call", "id": "fc", "call_id": "c", "name": "f", "arguments": '{"a":1}'},
    {"type": "web_search_call", "id": "ws", "action": {"query": "q"}},
    {"type": "image_generation_call", "id": "ig", "result": "AAEC"},
]
WHOLE = {
    "id": "r",
    "object": "response",
    "model": "m",
    "status": "completed",
    "output": ANSWER,
    "usage": {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5},
}


def outcome(payload):
    return (
        payload.thinking,
        payload.assistant_text,
        payload.citations,
        [(c.id, c.name, c.arguments) for c in payload.calls],
        [c.name for c in payload.server_tools],
        [b.value["data"] for b in payload.blocks if b.kind == "media"],
        payload.usage.total_tokens,
        payload.finish.raw,
        payload.ended,
    )


EXPECTED = (
    "hm",
    "Hi",
    ({"n": 1},),
    [("c", "f", {"a": 1})],
    ["web_search", "image_generation"],
    [("AAEC",)],
    5,
    ("completed",),
    "terminal",
)


def test_what_never_came_is_taken_from_the_last_event():
    items = [
        event
        for n, item in enumerate(ANSWER)
        for event in (added(n, type=item["type"], id=item["id"]), done(n, **item))
    ]
    for events in (items, items[6:], [], items[:4]):
        payload = read(*events, E("completed", response=WHOLE))
        assert sorted(map(repr, outcome(payload))) == sorted(map(repr, EXPECTED))
        assert "snapshot-differs" not in codes(payload)


def test_a_response_that_is_not_streamed():
    run = sv.read(json.dumps(WHOLE).encode())
    assert (run.dialect, run.framing) == ("openai-responses", "body")
    assert outcome(run.payload) == EXPECTED
    assert "not-streamed" in codes(run.payload)


def test_the_last_event_may_contradict_what_came():
    text = {"type": "message", "content": [{"type": "output_text", "text": "other"}]}
    payload = read(
        E("output_text.delta", output_index=0, content_index=0, delta="Hi"),
        E("completed", response={"status": "completed", "output": [text]}),
    )
    assert payload.assistant_text == "Hi"
    assert "snapshot-differs" in codes(payload)


def test_items_are_found_by_their_id_where_no_index_came_and_ids_may_rotate():
    payload = read(
        E(
            "output_item.added",
            item={"type": "function_call", "id": "fa", "call_id": "a", "name": "f", "arguments": ""},
        ),
        E(
            "output_item.added",
            item={"type": "function_call", "id": "fb", "call_id": "b", "name": "g", "arguments": ""},
        ),
        E("function_call_arguments.delta", item_id="fa", delta='{"x":'),
        E("function_call_arguments.delta", item_id="fb", delta="{}"),
        E("function_call_arguments.delta", item_id="fa", delta="1}"),
        E("output_text.delta", item_id="m1", output_index=2, content_index=0, delta="He"),
        E("output_text.delta", item_id="m2", output_index=2, content_index=0, delta="y"),
        E("output_text.delta", delta="!"),
        END,
    )
    assert [(c.id, c.raw_arguments) for c in payload.calls] == [("a", '{"x":1}'), ("b", "{}")]
    assert [b.text for b in payload.blocks if b.kind == "text"] == ["Hey!"]


def test_numbers_are_checked_for_gaps():
    events = [
        E("output_text.delta", output_index=0, content_index=0, delta=str(n), sequence_number=n) for n in (3, 4, 6, 6)
    ]
    assert codes(read(*events, numbered=False)) == {"sequence-gap", "sequence-repeated"}
    assert codes(read(*events[:2], numbered=False)) == set()  # a stream that is taken up again starts late


@pytest.mark.parametrize(
    ("event", "finish", "error"),
    [
        (
            E("incomplete", response={"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}),
            "length",
            None,
        ),
        (
            E("incomplete", response={"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}),
            "content_filter",
            None,
        ),
        (
            E("failed", response={"status": "failed", "error": {"code": "server_error", "message": "oh"}}),
            "error",
            ("server_error", "oh"),
        ),
        ({"type": "error", "code": "rate_limit", "message": "slow", "param": None}, None, ("rate_limit", "slow")),
        ({"type": "error", "error": {"type": "overloaded", "message": "slow"}}, None, ("overloaded", "slow")),
    ],
)
def test_how_it_ends(event, finish, error):
    payload = read(E("output_text.delta", output_index=0, content_index=0, delta="Hi"), event)
    assert payload.assistant_text == "Hi"
    assert (payload.finish and payload.finish.unified) == finish
    assert (payload.error and (payload.error.type, payload.error.message)) == error


def test_what_is_not_known_is_kept_and_told():
    payload = read(
        E("output_item.done", output_index=0, item={"type": "hologram", "x": 1}),
        E("content_part.added", output_index=1, content_index=0, part={"type": "smell", "y": 2}),
        E("telepathy.delta", delta="?"),
        E("output_text.delta", output_index=2, content_index=0, delta={"not": "text"}),
        E("output_item.done", output_index=3, item="text"),
        {"type": "keepalive"},
        END,
    )
    assert [(b.name, b.value) for b in payload.blocks if b.kind == "unknown"] == [
        ("hologram", {"type": "hologram", "x": 1}),
        ("smell", {"type": "smell", "y": 2}),
    ]
    codes = [d.code for d in payload.diagnostics]
    assert (codes.count("unknown-event"), codes.count("ill-typed")) == (1, 2)
