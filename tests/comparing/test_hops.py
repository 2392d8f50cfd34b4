"""One answer at several places: what was lost where, by content and not by chunk."""

import pytest
from support.wire import anthropic, chat, sse

import streamviz as sv


def claude(*pieces, thinking="", call=None, stop="end_turn", end=True):
    """A provider's answer: reasoning, text in pieces, one call."""
    events = [{"type": "message_start", "message": {"id": "msg", "model": "m", "usage": {"input_tokens": 7}}}]
    number = 0
    for kind, texts in (("thinking", [thinking] if thinking else []), ("text", pieces)):
        if not texts:
            continue
        events.append({"type": "content_block_start", "index": number, "content_block": {"type": kind, kind: ""}})
        events += [
            {"type": "content_block_delta", "index": number, "delta": {"type": f"{kind}_delta", kind: text}}
            for text in texts
        ]
        number += 1
    if call:
        ident, name, *fragments = call
        block = {"type": "tool_use", "id": ident, "name": name, "input": {}}
        events.append({"type": "content_block_start", "index": number, "content_block": block})
        events += [
            {
                "type": "content_block_delta",
                "index": number,
                "delta": {"type": "input_json_delta", "partial_json": text},
            }
            for text in fragments
        ]
    usage = {"output_tokens": 5, "cache_read_input_tokens": 4}
    events.append({"type": "message_delta", "delta": {"stop_reason": stop}, "usage": usage})
    return sv.read(anthropic(*events, *([{"type": "message_stop"}] if end else [])))


def ui(*events):
    return sv.read(sse(*events, {"type": "finish"}, "[DONE]"), "ai-sdk-ui")


def openai(*deltas, finish="stop", usage=None):
    more = [{"choices": [], "usage": usage}] if usage else []
    return sv.read(chat(*deltas, ({}, finish), *more), "openai")


def losses(*runs, names=("provider", "gateway", "ui")):
    return sv.compare(runs, mode="hops", names=names[: len(runs)])


def test_other_chunks_and_another_dialect_lose_nothing():
    usage = {"prompt_tokens": 11, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 4}}
    found = losses(
        claude("Hel", "lo ", "you", call=("t1", "look", '{"q"', ":1}"), stop="tool_use"),
        openai(
            {"content": "Hello"},
            {"content": " you"},
            {"tool_calls": [{"index": 0, "id": "t1", "function": {"name": "look", "arguments": '{"q": 1}'}}]},
            finish="tool_calls",
            usage=usage,
        ),
        ui(
            {"type": "text-delta", "id": "0", "delta": "Hello you"},
            {"type": "tool-input-available", "toolCallId": "t1", "toolName": "look", "input": {"q": 1}},
        ),
    )
    assert found.losses == ()
    assert found.first_loss is None
    assert repr(found).startswith("provider → gateway → ui: nothing is lost")


def test_a_text_that_is_cut_at_a_gateway():
    found = losses(
        claude("Hel", "lo ", "you"), openai({"content": "He"}, {"content": "ll"}), openai({"content": "Hell"})
    )
    loss = found.first_loss
    assert (loss.source, loss.hop, loss.field, loss.kind, loss.position) == ("provider", "gateway", "text", "cut", 4)
    # "lo " is chunk 3 of the provider (start, block, "Hel", "lo "), "ll" chunk 1 of the gateway
    assert (loss.chunk_before, loss.chunk_after) == (3, 1)
    assert str(loss) == "gateway: text is cut at 4 of 9 characters (chunk 3 of provider, chunk 1 of gateway)"
    assert {one.hop for one in found.losses if one.field == "text"} == {"gateway"}


def test_a_text_that_is_changed():
    found = losses(claude("Zo", "ë!"), openai({"content": "Zo\ufffd"}, {"content": "!"}))
    loss = found.first_loss
    assert (loss.field, loss.kind, loss.position, loss.chunk_before, loss.chunk_after) == ("text", "changed", 2, 3, 0)


def test_reasoning_that_goes_missing_comes_before_the_text():
    found = losses(claude("Hi", thinking="hm"), openai({"content": "H"}))
    assert found.first_loss.field == "thinking"
    assert (found.first_loss.kind, found.first_loss.chunk_before, found.first_loss.chunk_after) == ("lost", 2, None)


def call_delta(arguments, **more):
    return {"tool_calls": [{"index": 0, "function": {"arguments": arguments, **more.pop("function", {})}, **more}]}


def test_arguments_that_break_off():
    found = losses(
        claude(call=("t", "look", '{"q":', '"Paris"', "}"), stop="tool_use"),
        openai(call_delta('{"q":"P', id="t", function={"name": "look"}), call_delta("ar"), finish="tool_calls"),
    )
    loss = found.first_loss
    assert (loss.field, loss.kind, loss.position) == ("call 1 arguments", "cut", 9)
    assert (loss.chunk_before, loss.chunk_after) == (3, 1)


def test_a_call_that_is_lost_and_one_that_is_found_by_its_id():
    two = [{"index": n, "id": f"t{n}", "function": {"name": "look", "arguments": f'{{"n":{n}}}'}} for n in range(2)]
    found = losses(
        openai({"tool_calls": [two[0]]}, {"tool_calls": [two[1]]}, finish="tool_calls"),
        openai({"tool_calls": [{**two[1], "index": 0}]}, finish="tool_calls"),
    )
    (loss,) = found.losses
    assert (loss.field, loss.kind, loss.before, loss.chunk_before) == ("call 1", "lost", "look", 0)


def test_another_id_is_a_change_and_no_loss_but_none_is():
    with_id = openai(call_delta("{}", id="a", function={"name": "f"}), finish="tool_calls")
    other_id = openai(call_delta("{}", id="b", function={"name": "f"}), finish="tool_calls")
    without = openai(call_delta("{}", function={"name": "f"}), finish="tool_calls")
    changed = losses(with_id, other_id)
    assert [(loss.field, loss.kind) for loss in changed.losses] == [("call 1 id", "changed")]
    assert changed.first_loss is None
    assert losses(with_id, without).first_loss.kind == "lost"


def test_a_name_that_is_doubled():
    found = losses(
        openai(call_delta("{}", id="a", function={"name": "f"}), finish="tool_calls"),
        openai(call_delta("{}", id="a", function={"name": "ff"}), finish="tool_calls"),
    )
    assert (found.first_loss.field, found.first_loss.before, found.first_loss.after) == ("call 1 name", "f", "ff")


def test_usage_and_finish():
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    found = losses(claude("Hi", stop="max_tokens"), openai({"content": "Hi"}, usage=usage))
    assert [(loss.field, loss.kind, loss.before, loss.after) for loss in found.losses] == [
        ("finish", "changed", "length", "stop"),
        ("cache read input tokens", "lost", "4", None),
    ]
    assert found.first_loss.field == "finish"
    assert found.losses[1].chunk_before == 3


def test_a_user_interface_need_not_carry_usage():
    found = losses(claude("Hi"), ui({"type": "text-delta", "id": "0", "delta": "Hi"}))
    assert found.losses == ()
    assert "not carried by this protocol" in found._repr_html_()


def test_a_stream_that_did_not_come_to_its_end():
    found = losses(claude("Hi"), openai({"content": "Hi"}).cut(-20))
    assert found.losses[-1].field == "complete"
    assert (found.losses[-1].before, found.losses[-1].after) == ("terminal", "torn")


def test_an_error_that_is_swallowed():
    failed = sv.read(
        anthropic({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}), "anthropic"
    )
    assert losses(failed, openai()).first_loss.field == "error"


def test_the_first_place_counts_and_the_table_names_it():
    full, half = openai({"content": "Hello"}), openai({"content": "Hel"})
    found = losses(full, half, openai({"content": ""}))
    assert found.first_loss.hop == "gateway"
    rows = found.table().set_index("field")
    assert list(rows.columns) == ["provider", "gateway", "ui", "same", "lost_at", "loss"]
    assert rows.loc["text", "lost_at"] == "gateway"
    assert rows.loc["text", "loss"].startswith("gateway: text is cut at 3 of 5 characters")
    assert rows.loc["calls"].isna().tolist() == [False, False, False, False, True, True]


def test_the_card_and_the_text_say_where():
    found = losses(openai({"content": "Hello"}), openai({"content": "Hel"}))
    sentence = "gateway: text is cut at 3 of 5 characters (chunk 0 of provider, chunk 0 of gateway)"
    assert repr(found).splitlines()[-1] == sentence
    html = found._repr_html_()
    assert sentence in html
    assert "provider → gateway: first loss at gateway: text is cut" in html


def test_more_than_before_is_no_loss():
    assert losses(openai({"content": "Hi"}), openai({"content": "Hi there"})).losses == ()


@pytest.mark.parametrize("seed", range(5))
def test_other_reads_of_the_same_stream_lose_nothing(seed):
    run = claude("Hel", "lo", thinking="so", call=("t", "look", '{"a":', "1}"), stop="tool_use")
    assert losses(run, run.resplit(seed=seed)).losses == ()


def test_when_the_first_token_came_at_each_place_is_shown_and_no_loss():
    runs = []
    for time in (0.5, 2.0):
        run = sv.StreamRun("openai")
        run.feed(chat({"content": "Hi"}, ({}, "stop")), time)
        runs.append(run.finish())
    found = losses(*runs)
    assert found.losses == ()
    assert found.same
    assert found.table().set_index("field").loc["first token (s)"].tolist()[:2] == ["0.500", "2.000"]
