"""The text and the cards of the smaller values: frames, chunks, steps, states, calls, diagnostics."""

import pytest
from support.html import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, HOSTILE, Reader
from support.wire import chat, converse

import streamviz as sv
from streamviz.diagnostics import Diagnostics


def call(arguments, **fields):
    return {"tool_calls": [{"index": 0, "id": "call_a", "function": {"name": "f", "arguments": arguments}, **fields}]}


@pytest.fixture
def run():
    usage = {"choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}}
    return sv.read(chat({"content": "Hel"}, {"content": "lo"}, (call("{'a': 1}"), "tool_calls"), usage))


def words(value):
    return Reader(value._repr_html_()).words


def test_each_value_is_a_line_of_text(run):
    payload = run.payload
    assert repr(payload.usage) == "<Usage: input 12, output 3, total 15>"
    assert repr(run.state) == "<AssemblyState after 5 chunks: 1 text, 1 tool call, finish tool_calls>"
    assert repr(run.steps()) == "<5 steps>"
    assert repr(run.steps()[1]).startswith("<Step: chunk 1, bytes ")
    assert repr(run.steps()[1]).endswith(": text (block 0) takes 'lo' at 3>")
    assert repr(payload.calls[0]) == "<ToolCall 'f' 'call_a': repaired, \"{'a': 1}\">"
    assert repr(payload.calls[0].repair) == "<RepairReport: repaired, 2 edits>"
    for value in (payload.usage, run.state, run.steps(), run.steps()[1], *payload.calls, *payload.diagnostics):
        assert "\n" not in repr(value)


def test_calls_are_a_tuple_that_shows_itself_as_a_table(run):
    calls = run.payload.calls
    assert calls == tuple(calls)
    assert calls[0] is run.payload.tool_calls[0]
    assert "1 tool call" in words(calls)
    assert '1 f repaired not executable 1 chunk 2 {"a": 1}' in words(calls)
    assert "call 1: everything" in words(calls)
    assert words(run.payload.malformed_tool_calls) == "no tool calls"


def test_diagnostics_are_a_tuple_that_shows_itself_as_a_table(run):
    found = run.payload.diagnostics
    assert found == tuple(found)
    assert "warning call-repaired chunk 2" in words(found)
    assert "call-repaired" in words(found[0])
    assert words(Diagnostics()) == "Diagnostics nothing is odd"


def test_a_state_shows_what_has_come_so_far(run):
    told = words(run.state_at(1))
    for said in ("chunks 1 routed so far", "1 block so far", "1 text", "Hel", "finish — none so far"):
        assert said in told
    assert "Hello" in words(run.state)
    assert "0 blocks so far" in words(run.state_at(0))


def test_steps_show_the_first_and_the_last(run):
    assert "text block 0 takes" not in words(run.steps())
    assert "0 0:" in words(run.steps())
    many = sv.read(chat(*({"content": f"w{k}"} for k in range(100))))
    told = words(many.steps())
    assert "61 steps between are not shown here" in told
    for said in ("w0", "w29", "w99"):
        assert said in told
    assert "w30 " not in told


def test_a_step_shows_what_changed(run):
    told = words(run.steps()[1])
    for said in ("Chunk 1", "text 0 lo 3"):
        assert said in told


def test_a_frame_shows_its_fields_and_a_chunk_what_is_in_it(run):
    assert "kind event" in words(run.frames[0])
    assert '"content":"Hel"' in words(run.frames[0])
    assert "text 'Hel'" in words(run.chunks[0])
    assert "without content" in words(sv.NormalizedChunk())
    message = sv.read(converse(("messageStart", {"role": "assistant"}))).frames[0]
    assert "header type value" in words(message)
    assert ":event-type string messageStart" in words(message)


def test_a_usage_on_a_line_says_what_it_is():
    usage = sv.Usage(input_tokens=0, output_tokens=5, reasoning_output_tokens=5, state="preliminary")
    assert repr(usage) == "<Usage: input 0, output 5 (reasoning 5), preliminary>"


def test_text_reprs_show_what_is_hidden():
    run = sv.read(chat({"error": {"message": HOSTILE}}, call(f'{{"{HOSTILE}": "')))
    for value in (*run.payload.diagnostics, *run.payload.calls, *(c.repair for c in run.payload.calls), run.state):
        for text in (str(value), repr(value)):
            assert "\x1b" not in text
            assert "\u202e" not in text


def test_cards_are_made_of_the_few_allowed_parts_and_the_same_each_time(run):
    payload = run.payload
    values = (*run.frames, *run.chunks, *run.steps(), run.steps(), run.state, payload.calls, payload.diagnostics)
    for value in (*values, *payload.diagnostics):
        html = value._repr_html_()
        reader = Reader(html)
        assert reader.tags <= ALLOWED_TAGS
        assert reader.attributes <= ALLOWED_ATTRIBUTES
        assert html == value._repr_html_()


def test_huge_values_have_small_cards():
    run = sv.read(chat({"content": "<" * 1_000_000}, call('{"a": "' + "<" * 1_000_000)))
    for value in (*run.frames, *run.chunks, *run.steps(), run.steps(), run.state, run.payload.calls):
        assert len(value._repr_html_()) < 400_000
