"""When a response began, thought, spoke and ended: streams whose times can be read off."""

import pytest
from support.material import index, need, recordings
from support.timed import marks, timed
from support.wire import anthropic, chat, converse, sse

import streamviz as sv
from streamviz.timing import TIMING


def block(index, kind, **more):
    return {"type": "content_block_start", "index": index, "content_block": {"type": kind, **more}}


def delta(index, kind, **more):
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **more}}


def stop(index):
    return {"type": "content_block_stop", "index": index}


MESSAGE = {"type": "message_start", "message": {"id": "m", "role": "assistant", "usage": {"input_tokens": 9}}}
PING = {"type": "ping"}
THINKING = (
    (0.25, anthropic(MESSAGE, block(0, "thinking", thinking=""), PING)),
    (0.5, anthropic(delta(0, "thinking_delta", thinking="We"))),
    (0.75, anthropic(delta(0, "thinking_delta", thinking="igh"))),
    (1.0, anthropic(delta(0, "signature_delta", signature="s"), stop(0), block(1, "text", text=""))),
    (1.25, anthropic(delta(1, "text_delta", text="Hi"))),
    (1.5, anthropic(delta(1, "text_delta", text=" there"), stop(1))),
    (2.0, anthropic(block(2, "tool_use", id="t", name="f", input={}), delta(2, "input_json_delta", partial_json=""))),
    (2.5, anthropic(delta(2, "input_json_delta", partial_json='{"a":'))),
    (3.0, anthropic(delta(2, "input_json_delta", partial_json="1}"))),
    (
        3.25,
        anthropic(
            stop(2),
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 26}},
        ),
    ),
    (3.5, anthropic({"type": "message_stop"})),
)


def test_thinking_text_and_a_call_each_have_their_time():
    run = timed(*THINKING)
    assert marks(run) == {
        "first_byte_s": 0.25,
        "first_frame_s": 0.25,
        "first_token_s": 0.5,
        "first_text_s": 1.25,
        "first_thinking_s": 0.5,
        "thinking_end_s": 0.75,
        "first_tool_s": 2.0,
        "last_token_s": 3.0,
        "end_s": 3.5,
        "tail_s": 0.5,
    }
    assert (run.timing.timed, run.timing.transport, run.timing.unreliable) == ("reads", "streamed", False)
    assert run.timing.tokens_per_s == 26 / 2.5
    # the vendor does not say how much of the output was reasoning
    assert run.timing.thinking_tokens_per_s is run.timing.text_tokens_per_s is None


def test_a_role_an_empty_string_and_a_comment_are_no_tokens():
    run = timed(
        (0.1, b": waiting\n\n"),
        (0.2, chat({"role": "assistant", "content": ""}, done=False)),
        (0.3, chat({"content": None}, {"reasoning_content": ""}, done=False)),
        (0.4, chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": ""}}]}, done=False)),
        (0.5, chat({"tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]}, done=False)),
        (0.6, chat(({}, "tool_calls"))),
    )
    assert marks(run) == {
        "first_byte_s": 0.1,
        "first_frame_s": 0.1,
        "first_token_s": 0.5,
        "first_tool_s": 0.4,
        "last_token_s": 0.5,
        "end_s": 0.6,
        "tail_s": pytest.approx(0.1),
    }


def test_a_refusal_is_made_of_tokens_but_no_text():
    run = timed((0.5, chat({"role": "assistant"}, done=False)), (1.0, chat({"refusal": "No"}, done=False)))
    assert (run.timing.first_token_s, run.timing.first_text_s) == (1.0, None)


def test_a_call_that_never_gets_arguments_has_a_beginning_and_no_token():
    run = timed(
        (0.5, anthropic(MESSAGE, block(0, "tool_use", id="t", name="now", input={}))),
        (1.0, anthropic(stop(0), {"type": "message_stop"})),
    )
    assert (run.timing.first_tool_s, run.timing.first_token_s, run.timing.tail_s) == (0.5, None, None)


def test_arguments_that_come_whole_at_the_start_of_a_call_are_a_token():
    run = timed((0.5, anthropic(MESSAGE)), (1.0, anthropic(block(0, "tool_use", id="t", name="f", input={"a": 1}))))
    assert run.timing.first_token_s == 1.0


def test_arguments_that_come_leaf_by_leaf_are_tokens():
    def part(**call):
        return sse({"candidates": [{"content": {"role": "model", "parts": [{"functionCall": call}]}}]})

    run = timed(
        (0.5, part(name="f", willContinue=True)),
        (
            1.0,
            part(partialArgs=[{"jsonPath": "$.city", "stringValue": "Par", "willContinue": True}], willContinue=True),
        ),
        (1.5, part(partialArgs=[{"jsonPath": "$.city", "stringValue": "is"}], willContinue=True)),
        (2.0, part()),
        provider="google",
    )
    assert run.payload.calls[0].arguments == {"city": "Paris"}
    assert (run.timing.first_tool_s, run.timing.first_token_s, run.timing.last_token_s) == (0.5, 1.0, 1.5)


def test_arguments_beyond_the_limit_came_all_the_same():
    def call(text):
        return chat({"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}]}, done=False)

    run = timed((1.0, call('{"a": "')), (2.0, call("b" * 40)), limits=sv.Limits(argument_bytes=20))
    assert run.timing.last_token_s == 2.0


def response(kind, **more):
    return {"type": f"response.{kind}", **more}


def test_an_answer_that_is_said_again_came_when_it_was_said_first():
    item = {"type": "message", "id": "i", "role": "assistant", "content": [{"type": "output_text", "text": "Hi you"}]}
    whole = {"id": "r", "status": "completed", "output": [item], "usage": {"input_tokens": 1, "output_tokens": 4}}
    at = {"item_id": "i", "output_index": 0, "content_index": 0}
    run = timed(
        (0.1, sse(response("created", response={"id": "r", "status": "in_progress"}))),
        (0.2, sse(response("output_item.added", output_index=0, item=item | {"content": []}))),
        (0.3, sse(response("content_part.added", **at, part={"type": "output_text", "text": ""}))),
        (1.0, sse(response("output_text.delta", **at, delta="Hi"))),
        (2.0, sse(response("output_text.delta", **at, delta=" you"))),
        (3.0, sse(response("output_text.done", **at, text="Hi you"))),
        (4.0, sse(response("completed", response=whole))),
    )
    assert run.dialect == "openai-responses"
    assert (run.timing.first_frame_s, run.timing.first_token_s, run.timing.last_token_s) == (0.1, 1.0, 2.0)
    assert (run.timing.tail_s, run.timing.tokens_per_s) == (2.0, 4.0)


def test_reasoning_and_answer_have_rates_of_their_own():
    usage = {"completion_tokens": 30, "prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 10}}
    run = timed(
        (0.2, chat({"role": "assistant", "content": ""}, done=False)),
        (0.5, chat({"reasoning_content": "a"}, done=False)),
        (1.0, chat({"reasoning_content": "b"}, done=False)),
        (1.5, chat({"content": "x"}, done=False)),
        (2.5, chat({"content": "y"}, ({}, "stop"), done=False)),
        (3.0, chat({"choices": [], "usage": usage})),
    )
    found = run.timing
    assert (found.tokens_per_s, found.thinking_tokens_per_s, found.text_tokens_per_s) == (30 / 2, 10 / 0.5, 20 / 1)


def test_reasoning_that_is_not_sent_is_no_part_of_the_rate():
    usage = {"completion_tokens": 110, "prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 100}}
    run = timed(
        (5.0, chat({"content": "x"}, done=False)),
        (6.0, chat({"content": "y"}, ({}, "stop"), {"choices": [], "usage": usage})),
    )
    found = run.timing
    assert (found.tokens_per_s, found.thinking_tokens_per_s, found.text_tokens_per_s) == (10, None, 10)


def test_a_summary_of_the_reasoning_has_no_rate():
    usage = {"input_tokens": 1, "output_tokens": 110, "output_tokens_details": {"reasoning_tokens": 100}}
    run = timed(
        (1.0, sse(response("reasoning_summary_text.delta", item_id="a", output_index=0, summary_index=0, delta="We"))),
        (2.0, sse(response("reasoning_summary_text.delta", item_id="a", output_index=0, summary_index=0, delta="igh"))),
        (3.0, sse(response("output_text.delta", item_id="b", output_index=1, content_index=0, delta="Hi"))),
        (4.0, sse(response("output_text.delta", item_id="b", output_index=1, content_index=0, delta="!"))),
        (4.0, sse(response("completed", response={"id": "r", "status": "completed", "usage": usage}))),
    )
    found = run.timing
    assert (found.first_thinking_s, found.thinking_end_s, found.first_text_s) == (1.0, 2.0, 3.0)
    assert (found.tokens_per_s, found.thinking_tokens_per_s, found.text_tokens_per_s) == (None, None, 10)


def test_reasoning_between_answers_has_no_rate_of_its_own():
    usage = {"completion_tokens": 30, "prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 10}}
    run = timed(
        *((1.0 + k, chat({name: "a"}, done=False)) for k, name in enumerate(["content", "reasoning_content"] * 2)),
        (5.0, chat(({}, "stop"), {"choices": [], "usage": usage})),
    )
    found = run.timing
    assert (found.tokens_per_s, found.thinking_tokens_per_s, found.text_tokens_per_s) == (10, None, None)


def test_reasoning_that_is_counted_as_none_is_not_told_from_the_answer():
    usage = {"completion_tokens": 30, "prompt_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 0}}
    run = timed(
        *(
            (1.0 + k, chat({name: "a"}, done=False))
            for k, name in enumerate(["reasoning_content", "content", "content"])
        ),
        (5.0, chat(({}, "stop"), {"choices": [], "usage": usage})),
    )
    found = run.timing
    assert (found.tokens_per_s, found.thinking_tokens_per_s, found.text_tokens_per_s) == (15, None, None)


def test_counts_that_are_not_final_give_no_rate():
    start = MESSAGE["message"] | {"usage": {"input_tokens": 9, "output_tokens": 1}}
    run = timed(
        (0.5, anthropic(MESSAGE | {"message": start}, delta(0, "text_delta", text="Hi"))),
        (1.0, anthropic(delta(0, "text_delta", text=" you"))),
    )
    assert run.payload.usage.output_tokens == 1
    assert run.timing.tokens_per_s is None


def test_one_chunk_has_no_rate():
    run = timed((0.5, chat({"content": "Hi"}, {"choices": [], "usage": {"completion_tokens": 3, "prompt_tokens": 5}})))
    assert run.timing.tokens_per_s is None


def test_reasoning_between_tags_is_told_from_the_text():
    run = timed(
        *(
            (0.5 + k, chat({"content": text}, done=False))
            for k, text in enumerate(["<think>", "we", "igh</think>", "Hi"])
        ),
        (5.0, chat(({}, "stop"))),
        reasoning_tags=True,
    )
    assert (run.payload.thinking, run.payload.assistant_text) == ("weigh", "Hi")
    assert (run.timing.first_thinking_s, run.timing.thinking_end_s, run.timing.first_text_s) == (1.5, 2.5, 3.5)


def test_a_frame_comes_with_its_last_byte():
    data = chat({"content": "Hi"}, done=False)
    run = timed((0.1, data[:5]), (0.2, data[5:-1]), (0.7, data[-1:]))
    assert (run.timing.first_byte_s, run.timing.first_frame_s, run.timing.first_token_s) == (0.1, 0.7, 0.7)


def test_a_stream_that_stops_inside_its_first_frame_has_none():
    run = timed((0.1, b'data: {"choices": [{"del'), (0.2, b'ta"'))
    assert marks(run) == {"first_byte_s": 0.1, "end_s": 0.2}


def test_what_the_vendor_measured_stands_beside():
    run = timed(
        (0.5, converse(("messageStart", {"role": "assistant"}))),
        (0.7, converse(("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hi"}}))),
        (0.9, converse(("contentBlockStop", {"contentBlockIndex": 0}), ("messageStop", {"stopReason": "end_turn"}))),
        (
            1.0,
            converse(
                (
                    "metadata",
                    {
                        "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3},
                        "metrics": {"latencyMs": 450},
                    },
                )
            ),
        ),
    )
    assert run.timing.server_timing == {"total": 0.45}
    assert run.timing.first_token_s == 0.7
    assert run.timing_table().loc[0, "server_total_s"] == 0.45


def test_a_file_without_times_says_so():
    run = sv.read(b"".join(data for _, data in THINKING))
    assert run.timing == sv.Timing()
    assert repr(run.timing) == "<Timing: no times were recorded; the number of the chunk can be the axis instead>"
    assert "no times were recorded" in run.timing._repr_html_()


def test_a_number_that_is_no_time_is_none():
    assert timed((float("nan"), chat({"content": "Hi"}))).timing.timed == "none"


def test_an_empty_run_has_no_times():
    assert sv.StreamRun().finish().timing == sv.Timing()
    assert marks(timed((0.5, b""))) == {"end_s": 0.5}


def test_a_run_that_still_arrives_has_no_end():
    run = sv.StreamRun("openai")
    run.feed(chat({"content": "Hi"}, done=False), 0.5)
    assert (run.timing.last_token_s, run.timing.end_s, run.timing.tail_s) == (0.5, None, None)
    run.feed(chat({"content": "!"}, done=False), 1.0)
    assert run.timing.last_token_s == 1.0
    assert run.finish().timing.end_s == 1.0


def test_a_clock_that_is_set_back_does_not_undo_what_came():
    run = timed((0.5, chat({"content": "Hi"}, done=False)), (0.2, chat({"content": "!"})))
    assert (run.timing.first_token_s, run.timing.last_token_s) == (0.5, 0.5)


def test_the_table_has_one_row_of_the_same_numbers(tmp_path):
    run = timed(*THINKING)
    run.save(tmp_path / "run.svrec")
    for one in (run, sv.read(tmp_path / "run.svrec"), sv.StreamRun().finish()):
        table = one.timing_table()
        assert list(table.columns) == [column.name for column in TIMING.columns]
        assert {str(dtype) for dtype in table.dtypes} == {"string", "float64", "bool"}
        assert len(table) == 1
        for name in sv.Timing.__struct_fields__:
            value = getattr(one.timing, name)
            if name != "server_timing":
                assert table[name].isna()[0] if value is None else table[name][0] == value
    assert sv.read(tmp_path / "run.svrec").timing == run.timing


def test_the_card_names_every_time():
    page = timed(*THINKING).timing._repr_html_()
    for words in ("first token", "0.500 s", "10.4 tokens/s", "streamed"):
        assert words in page


@pytest.mark.parametrize("api", sorted({row["api"] for row in index()}))
def test_every_recording_has_views_without_times(api):
    need(recordings(api)[0])
    for path in recordings(api):
        run = sv.read(path)
        assert run.timing == sv.Timing(server_timing=run.timing.server_timing)
        assert run.gaps_table().empty
        assert run.transport().verdict == "unknown"
        again = timed(*((0.5 + 0.1 * k, run.bytes_of(k)) for k in range(len(run.frame_ends))))
        found = again.timing
        assert (found.first_thinking_s is not None) == any(p.thinking for p in again.payloads)
        texts = [p.assistant_text + p.thinking + (p.refusal or "") for p in again.payloads]
        assert found.first_token_s is not None or not any(texts)
        assert found.first_tool_s is not None or not any(p.calls for p in again.payloads)
