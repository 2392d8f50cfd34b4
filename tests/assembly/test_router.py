"""Everything in a chunk is routed, in the order in which it stands."""

import streamviz as sv
from streamviz.providers.usage_tables import OPENAI_CHAT


def route(*chunks):
    state = sv.AssemblyState()
    for chunk in chunks:
        sv.route_chunk(state, chunk if isinstance(chunk, sv.NormalizedChunk) else sv.NormalizedChunk(chunk))
    return state


def kinds(state):
    return [block.kind for block in state.accumulators]


def test_a_chunk_with_thinking_routes_its_text_calls_and_usage_too():
    report = sv.chunks.UsageReport({"prompt_tokens": 3, "completion_tokens": 2}, OPENAI_CHAT)
    state = route(
        sv.NormalizedChunk(
            (sv.ThinkingDelta("hm"), sv.TextDelta("Hi"), sv.ToolCallDelta("{}", 0, "a", "f")),
            (sv.FinishReason("stop", "stop"),),
            report,
        )
    )
    assert (state.thinking, state.text) == ("hm", "Hi")
    assert [(c.id, c.name, c.arguments) for c in state.calls] == [("a", "f", {})]
    assert state.usage.input_tokens == 3
    assert state.finish.raw == "stop"


def test_a_switch_of_kind_opens_a_new_block_and_the_order_is_kept():
    state = route(
        (sv.TextDelta("a"),), (sv.ThinkingDelta("t"),), (sv.TextDelta("b"),), (sv.TextDelta("c"), sv.RefusalDelta("no"))
    )
    assert kinds(state) == ["text", "thinking", "text", "refusal"]
    assert state.text == "abc"
    assert state.refusal == "no"


def test_text_between_fragments_of_one_call_does_not_split_the_call():
    state = route(
        (sv.ToolCallDelta('{"a"', 0, "x", "f"),),
        (sv.TextDelta("aside "),),
        (sv.ToolCallDelta(":1}", 0),),
        (sv.TextDelta("over"),),
    )
    assert kinds(state) == ["tool_call", "text"]
    assert state.text == "aside over"
    assert state.calls[0].arguments == {"a": 1}


def test_blocks_with_an_index_are_found_again_when_they_interleave():
    state = route(
        (sv.TextDelta("a", 0, 0),), (sv.TextDelta("x", 0, 1),), (sv.TextDelta("b", 0, 0),), (sv.BlockStop(0, 0),)
    )
    assert [block.pieces.text for block in state.accumulators] == ["ab", "x"]
    assert [block.closed for block in state.accumulators] == [True, False]


def test_choices_are_kept_apart():
    state = route((sv.TextDelta("a", 0), sv.TextDelta("b", 1)), (sv.TextDelta("A", 0), sv.TextDelta("B", 1)))
    payloads = sv.build_embedded_run_payloads(state)
    assert [(p.choice, p.assistant_text) for p in payloads] == [(0, "aA"), (1, "bB")]


def test_an_equal_snapshot_changes_no_origin_and_a_longer_one_adds_its_tail():
    state = route(
        (sv.TextDelta("Hel"),), (sv.TextDelta("Hel", snapshot=True),), (sv.TextDelta("Hello", snapshot=True),)
    )
    block = state.accumulators[0]
    assert (block.pieces.fragments, list(block.pieces.chunks), block.pieces.version) == (["Hel", "lo"], [0, 2], 1)
    assert state.diagnostics == []


def test_a_snapshot_that_differs_replaces_the_text_and_says_so():
    state = route((sv.TextDelta("Hallo"),), (sv.TextDelta("Hello", snapshot=True),))
    assert state.text == "Hello"
    assert state.accumulators[0].pieces.version == 2
    assert [(d.code, d.chunk) for d in state.diagnostics] == [("snapshot-differs", 1)]


def test_surrogate_halves_in_neighbouring_deltas_are_joined_and_a_lone_one_is_shown_as_a_replacement():
    assert route((sv.TextDelta("x\ud83c"),), (sv.TextDelta("\udf78y"),)).text == "x🍸y"
    assert route((sv.TextDelta("x\ud83c"),), (sv.TextDelta("y"),)).text == "x\ufffdy"


def test_signature_pieces_are_joined_and_a_signature_without_text_is_a_block():
    state = route((sv.ThinkingDelta("", 0, 0, signature="ab"),), (sv.ThinkingDelta("", 0, 0, signature="cd"),))
    assert [(b.kind, b.signature, b.pieces.text) for b in state.accumulators] == [("thinking", "abcd", "")]


def test_a_signature_of_its_own_belongs_to_the_latest_block():
    state = route((sv.ToolCallDelta("{}", None, None, "f", whole=True),), (sv.SignatureDelta("sig"),))
    assert state.calls[0].signature == "sig"
    assert route((sv.TextDelta("a"),), (sv.SignatureDelta("s"),)).accumulators[0].signature == "s"
    assert kinds(route((sv.SignatureDelta("s"),))) == ["text"]


def test_a_second_message_in_one_stream_numbers_its_blocks_anew():
    start = sv.NormalizedChunk(response=sv.ResponseInfo("m1", "model", "assistant", starts=True))
    again = sv.NormalizedChunk(response=sv.ResponseInfo("m2", "other", "assistant", starts=True))
    state = route(start, (sv.TextDelta("a", 0, 0),), again, (sv.TextDelta("b", 0, 0),))
    assert [block.pieces.text for block in state.accumulators] == ["a", "b"]
    assert (state.response.id, state.response.model) == ("m1", "model")
    assert [d.code for d in state.diagnostics] == ["message-restarted"]


def test_content_behind_the_end_mark_is_kept_and_flagged_once():
    state = route((sv.TextDelta("a"),), sv.NormalizedChunk(terminal="done"), (sv.TextDelta("b"),), (sv.TextDelta("c"),))
    assert state.text == "abc"
    assert [d.code for d in state.diagnostics] == ["frames-after-end"]


def test_citations_hang_on_the_text_they_came_in():
    state = route((sv.TextDelta("a", 0, 0),), (sv.CitationDelta({"url": "u"}, 0, 0),), (sv.TextDelta("b", 0, 1),))
    assert [block.citations for block in state.accumulators] == [[{"url": "u"}], []]


def test_unknown_content_is_a_block_with_its_value_and_a_note():
    state = route((sv.UnknownDelta("sparkle", {"glitter": 3}),))
    (block,) = sv.build_embedded_run_payloads(state)[0].blocks
    assert (block.kind, block.name, block.value) == ("unknown", "sparkle", {"glitter": 3})
    assert [d.code for d in state.diagnostics] == ["unknown-delta"]
