"""What naive assemblers of streams get wrong, one small stream each."""

import json

import pytest
from support.wire import anthropic, chat, sse

import streamviz as sv


def read(*events, **options):
    return sv.read(chat(*events), provider="openai", **options).payload


def call(index=None, ident=None, name=None, arguments=None):
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    fields = {"index": index, "id": ident, "function": function or None}
    return {key: value for key, value in fields.items() if value is not None}


def calls(*fragments):
    return {"tool_calls": list(fragments)}


# -- what a frame may hold ---------------------------------------------------------------------------------------------


def test_a_tail_without_choices_and_a_choice_without_delta():
    payload = read(
        {"content": "Hi"},
        {"choices": [{"index": 0, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3}},
    )
    assert (payload.assistant_text, payload.finish.unified, payload.usage.total_tokens) == ("Hi", "stop", 3)


def test_everything_in_one_chunk_is_routed_in_its_order():
    delta = {"reasoning_content": "hm", "content": "Hi", **calls(call(0, "a", "f", "{}"))}
    payload = read({"choices": [{"index": 0, "delta": delta}], "usage": {"prompt_tokens": 2, "completion_tokens": 1}})
    assert [b.kind for b in payload.blocks] == ["thinking", "text", "tool_call"]
    assert payload.usage.input_tokens == 2


def test_content_that_is_a_list_and_arguments_that_are_an_object():
    payload = read({"content": [{"type": "text", "text": "Hi"}], **calls(call(0, "a", "f", {"n": [1]}))})
    assert (payload.assistant_text, payload.calls[0].arguments) == ("Hi", {"n": [1]})


# -- identity ----------------------------------------------------------------------------------------------------------


def test_calls_without_index_are_told_apart_by_id():
    payload = read(
        calls(call(None, "a", "f", '{"x":')), calls(call(None, "b", "g", '{"y":')), calls(call(None, "a", None, "1}"))
    )
    assert [(c.id, c.raw_arguments) for c in payload.calls] == [("a", '{"x":1}'), ("b", '{"y":')]


def test_two_ids_at_one_index_are_two_calls():
    payload = read(calls(call(0, "a", "f", '{"x":1}')), calls(call(0, "b", "f", '{"x":2}')))
    assert [(c.id, c.arguments) for c in payload.calls] == [("a", {"x": 1}), ("b", {"x": 2})]
    assert "call-index-reused" in [d.code for d in payload.diagnostics]


def test_calls_stand_in_order_of_arrival_not_of_index():
    payload = read(calls(call(5, "a", "f", "{}")), calls(call(1, "b", "g", "{}")))
    assert [c.name for c in payload.calls] == ["f", "g"]


def test_names_in_pieces_are_joined_and_repeated_names_are_not():
    pieces = read(calls(call(0, "a", "get_")), calls(call(0, None, "weather", "{}")))
    repeated = read(calls(call(0, "a", "get", "")), calls(call(0, None, "get", "{}")))
    assert (pieces.calls[0].name, repeated.calls[0].name) == ("get_weather", "get")


def test_a_missing_id_is_made_up_from_the_position_and_collides_with_none():
    payload = read(calls(call(0, "", "f", "{}"), call(1, "call_1", "g", "{}")))
    assert [(c.id_is_made_up, c.name) for c in payload.calls] == [(True, "f"), (False, "g")]
    assert len({c.id for c in payload.calls}) == 2


# -- usage -------------------------------------------------------------------------------------------------------------


def test_usage_replaces_it_never_adds_inside_a_response():
    payload = read(*[{"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": n}} for n in (1, 2, 3)])
    assert (payload.usage.input_tokens, payload.usage.output_tokens) == (10, 3)
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}}
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}
    usage = sv.read(anthropic(start, delta)).payload.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (9, 7, 16)


def test_unknown_is_none_and_zero_is_zero():
    assert read({"content": "Hi"}).usage is None
    usage = read({"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 0, "total_tokens": 3}}).usage
    assert (usage.output_tokens, usage.reasoning_output_tokens) == (0, None)


# -- bytes -------------------------------------------------------------------------------------------------------------


def test_a_frame_without_its_blank_line_is_read_and_half_a_character_is_kept():
    run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}', provider="openai")
    assert run.payload.assistant_text == "Hi"
    cut = 'data: {"choices":[{"delta":{"content":"é'.encode()[:-1]
    torn = sv.read(cut, provider="openai")
    assert (torn.payload.ended, torn.bytes_of(-1)) == ("torn", cut)


def test_a_character_over_two_reads_and_line_ends_that_are_none():
    data = sse({"choices": [{"delta": {"content": "日本\u2028\u0085\x0b\x0c語"}}]})
    for cut in range(len(data)):
        assert (
            sv.read([data[:cut], data[cut:]], provider="openai").payload.assistant_text == "日本\u2028\u0085\x0b\x0c語"
        )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_comments_and_data_over_several_lines(end):
    lines = [": ping", "", 'data: {"choices":[', 'data: {"delta":{"content":"Hi"}}]}', "", "data:[DONE]", "", ""]
    run = sv.read(end.join(lines).encode(), provider="openai")
    assert (run.payload.assistant_text, run.ended) == ("Hi", "done")


def test_stopping_early_releases_the_source():
    closed = []

    def source():
        try:
            yield chat({"content": "Hi"}, done=False)
            yield chat({"content": "never read"})
        finally:
            closed.append(True)

    with sv.process_stream("openai", source()) as stream:
        assert next(stream).content == "Hi"
    assert closed
    assert stream.payload.ended == "aborted"


# -- what it amounts to ------------------------------------------------------------------------------------------------


def test_stop_beside_calls_only_means_tool_calls_and_the_raw_word_stays():
    payload = read(calls(call(0, "a", "f", "{}")), ({}, "stop"))
    assert (payload.finish.unified, payload.finish.raw) == ("tool_calls", ("stop",))


@pytest.mark.parametrize(
    ("text", "status"),
    [("5", "invalid"), ('"hi"', "invalid"), ("[1,2]", "invalid"), ("null", "empty"), ("", "empty"), ("{}", "exact")],
)
def test_arguments_are_an_object_or_nothing(text, status):
    (found,) = read(calls(call(0, "a", "f", text))).calls
    assert (found.status, found.executable) == (status, status != "invalid")


def test_a_call_that_is_cut_off_is_not_executable_whatever_the_reason_says():
    payload = read(calls(call(0, "a", "rm", '{"path":"/tmp/x')), ({}, "tool_calls"))
    (found,) = payload.calls
    assert (found.status, found.executable, found.arguments) == ("incomplete", False, {"path": "/tmp/x"})


def test_malformed_calls_keep_their_text_and_their_place():
    payload = read(calls(call(0, "a", "f", '{"x" y}'), call(1, "b", "g", "{}")))
    assert [(c.name, c.raw_arguments) for c in payload.calls] == [("f", '{"x" y}'), ("g", "{}")]
    assert [c.name for c in payload.malformed_tool_calls] == ["f"]


def test_separate_thoughts_are_separate_blocks():
    payload = read({"reasoning_content": "one"}, {"content": "a"}, {"reasoning_content": "two"})
    assert [b.text for b in payload.blocks] == ["one", "a", "two"]


def test_half_a_surrogate_pair_can_be_shown_and_sent():
    data = b'data: {"choices":[{"delta":{"content":"\\ud83c"}}]}\n\n'
    data += b'data: {"choices":[{"delta":{"content":"\\udf78 \\ud83c!"}}]}\n\n'
    payload = sv.read(data, provider="openai").payload
    assert payload.assistant_text == "🍸 \ufffd!"
    json.dumps(payload.to_dict(), ensure_ascii=False, allow_nan=False).encode()


def test_integers_beyond_what_javascript_holds_travel_as_text():
    payload = read(calls(call(0, "a", "f", '{"big":9007199254740993,"small":9007199254740991}')))
    assert payload.calls[0].arguments == {"big": 9007199254740993, "small": 9007199254740991}
    assert payload.to_dict()["calls"][0]["arguments"] == {"big": "9007199254740993", "small": 9007199254740991}
