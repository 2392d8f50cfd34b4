"""Which fragment belongs to which call, and what a call amounts to."""

import pytest

import streamviz as sv
from streamviz.assembly.json_path import PathBuilder, parse_path
from streamviz.assembly.tool_calls import unescape_entities
from streamviz.chunks import PathArgument
from streamviz.limits import Limits

D = sv.ToolCallDelta


def calls(*deltas, limits=None):
    state = sv.AssemblyState(limits or Limits())
    for delta in deltas:
        sv.route_chunk(state, sv.NormalizedChunk((delta,)))
    return state.calls, [d.code for d in state.diagnostics]


def payload(*deltas):
    state = sv.AssemblyState()
    for delta in deltas:
        sv.route_chunk(state, sv.NormalizedChunk((delta,)))
    return sv.build_embedded_run_payloads(state)[0]


def summary(*deltas):
    found, codes = calls(*deltas)
    return [(c.id if not c.id_is_made_up else None, c.name, c.raw_arguments) for c in found], codes


def test_interleaved_fragments_go_by_index():
    deltas = D("", 0, "a", "f"), D("", 1, "b", "g"), D('{"x":', 0), D('{"y":', 1), D("1}", 0), D("2}", 1)
    assert summary(*deltas)[0] == [("a", "f", '{"x":1}'), ("b", "g", '{"y":2}')]


def test_a_new_id_opens_a_call_without_any_index():
    assert summary(D("{}", None, "a", "f"), D("{}", None, "b", "g"))[0] == [("a", "f", "{}"), ("b", "g", "{}")]


def test_an_empty_id_continues_the_call_at_its_index():
    assert summary(D("{", 0, "a", "f"), D("}", 0, "", None))[0] == [("a", "f", "{}")]


def test_a_new_id_at_a_used_index_is_a_new_call_and_said_to_be_one():
    found, codes = summary(D("{}", 0, "a", "f"), D("{", 0, "b", "g"), D("}", 0))
    assert found == [("a", "f", "{}"), ("b", "g", "{}")]
    assert codes == ["call-index-reused"]


def test_an_id_that_was_seen_names_its_call_whatever_the_index():
    assert summary(D("{", 0, "a", "f"), D("}", 5, "a"))[0] == [("a", "f", "{}")]


def test_a_fragment_with_neither_id_nor_index_goes_to_the_latest_call():
    assert summary(D("{", 0, "a", "f"), D("}"))[0] == [("a", "f", "{}")]


def test_whole_calls_without_ids_are_calls_of_their_own():
    found, _ = calls(D('{"a":1}', None, None, "f", whole=True), D('{"a":2}', None, None, "f", whole=True))
    assert [(c.id, c.id_is_made_up, c.arguments) for c in found] == [
        ("call_1", True, {"a": 1}),
        ("call_2", True, {"a": 2}),
    ]


def test_a_made_up_id_never_collides_with_a_real_one():
    found, _ = calls(D("{}", None, "call_2", "f", whole=True), D("{}", None, None, "g", whole=True))
    assert [c.id for c in found] == ["call_2", "call_2_"]


def test_order_is_that_of_first_appearance_not_of_the_index():
    assert [c.name for c in calls(D("{}", 5, "a", "f"), D("{}", 1, "b", "g"))[0]] == ["f", "g"]


def test_an_equal_name_is_a_repetition_and_a_different_one_a_continuation():
    assert calls(D(None, 0, "a", "search"), D("{}", 0, "a", "search"))[0][0].name == "search"
    assert calls(D(None, 0, "a", "edit_"), D(None, 0, None, "file"), D("{}", 0))[0][0].name == "edit_file"


def test_another_name_after_the_arguments_began_is_a_diagnostic():
    found, codes = calls(D("{", 0, "a", "f"), D("}", 0, None, "g"))
    assert (found[0].name, codes) == ("f", ["call-name-changed"])


def test_a_name_may_come_after_the_first_fragment():
    assert calls(D("{", 0, "a"), D("}", 0, None, "late"))[0][0].name == "late"


@pytest.mark.parametrize(
    ("raw", "status", "arguments", "executable"),
    [
        ('{"a":1}', "exact", {"a": 1}, True),
        ("", "empty", {}, True),
        ("  ", "empty", {}, True),
        ("null", "empty", {}, True),
        ('{"a":"x', "incomplete", {"a": "x"}, False),
        ("[1,2]", "invalid", None, False),
        ("5", "invalid", None, False),
        ('{"a":1}{"b":2}', "invalid", None, False),
        ("{'a':1,}", "repaired", {"a": 1}, False),
        ("{'a':", "incomplete", {}, False),
        ("{a b}", "invalid", None, False),
    ],
)
def test_the_status_of_a_call_follows_from_its_text(raw, status, arguments, executable):
    (call,) = calls(D(raw, 0, "a", "f"))[0]
    assert (call.status, call.arguments, call.raw_arguments, call.executable) == (status, arguments, raw, executable)


def test_a_seed_counts_only_where_no_fragment_follows():
    assert summary(D('{"q":1}', 0, "a", "f", seed=True))[0] == [("a", "f", '{"q":1}')]
    found, codes = summary(D('{"q":1}', 0, "a", "f", seed=True), D('{"q":1}', 0))
    assert (found, codes) == ([("a", "f", '{"q":1}')], ["call-input-sent-twice"])


def test_a_custom_tool_takes_free_text():
    (call,) = calls(D("SELECT 1", 0, "a", "sql", custom=True))[0]
    assert (call.status, call.arguments, call.executable) == ("text", None, False)


def test_arguments_beyond_the_limit_are_refused_and_said_to_be_so():
    found, codes = calls(D('{"a":"', 0, "a", "f"), D("x" * 50, 0), D("y", 0), limits=Limits(argument_bytes=20))
    assert (found[0].status, found[0].raw_arguments, codes) == ("invalid", '{"a":"', ["arguments-too-large"])


def test_a_path_of_arguments_is_split_into_its_steps():
    assert parse_path("$.a['b c'][2].d") == ["a", "b c", 2, "d"]
    assert parse_path("$") == []
    assert parse_path("a.b") is None
    assert parse_path("$.a[") is None


def test_leaves_build_one_object_and_strings_that_go_on_are_joined():
    builder = PathBuilder(Limits())
    leaves = [
        PathArgument("$.city", "Par", more=True),
        PathArgument("$.city", "is"),
        PathArgument("$.days[0].n", 1),
        PathArgument("$.days[1].ok", value=True),
        PathArgument("$.none", None),
    ]
    assert all(builder.set(leaf) for leaf in leaves)
    assert builder.value == {"city": "Paris", "days": [{"n": 1}, {"ok": True}], "none": None}


def test_a_hostile_path_has_no_place_and_allocates_nothing():
    builder = PathBuilder(Limits())
    hostile = ["$.a[999999999]", "$", "x", "$[0]", "$" + ".a" * 1000]
    assert not any(builder.set(PathArgument(path, 1)) for path in hostile)
    assert builder.value in ({}, {"a": []})


def test_entities_are_decoded_once_and_only_when_asked_for():
    state = sv.AssemblyState()
    sv.route_chunk(state, sv.NormalizedChunk((D('{"c":"a &amp;&amp; b","d":"&amp;amp;"}', 0, "x", "f"),)))
    (plain,) = sv.build_embedded_run_payloads(state)
    (decoded,) = sv.build_embedded_run_payloads(state, options=sv.CallOptions(decode_entities=True))
    assert plain.calls[0].arguments == {"c": "a &amp;&amp; b", "d": "&amp;amp;"}
    assert decoded.calls[0].arguments == {"c": "a && b", "d": "&amp;"}


def test_an_entity_that_is_no_character_becomes_a_replacement():
    assert unescape_entities("&#xD800; &#99999999; &notit; &lt;") == "\ufffd &#99999999; &notit; <"


def test_calls_glued_into_one_index_are_two_where_the_name_came_again():
    first = sv.ToolCallDelta('{"city":', 0, "a", "weather")
    found = payload(
        first,
        sv.ToolCallDelta('"Oslo"}', 0),
        sv.ToolCallDelta('{"city":"Ro', 0, None, "weather"),
        sv.ToolCallDelta('me"}', 0),
    )
    assert [(c.name, c.id, c.id_is_made_up, c.arguments, c.status) for c in found.calls] == [
        ("weather", "a", False, {"city": "Oslo"}, "exact"),
        ("weather", "call_2", True, {"city": "Rome"}, "exact"),
    ]
    assert [(c.first_chunk, c.last_chunk, c.fragments, c.block) for c in found.calls] == [(0, 1, 2, 0), (2, 3, 2, 1)]
    assert [b.call.arguments["city"] for b in found.blocks] == ["Oslo", "Rome"]
    assert "calls-told-apart" in {d.code for d in found.diagnostics}


@pytest.mark.parametrize(
    "again",
    [
        [sv.ToolCallDelta('{"city":"Rome"}', 0)],  # nobody named it again
        [sv.ToolCallDelta('{"city":"Rome"}', 0, "a", "weather")],  # its id says that it is the same call
        [sv.ToolCallDelta('{"city":', 0), sv.ToolCallDelta('"Rome"}', 0, None, "weather")],  # named in the middle
    ],
)
def test_glued_calls_stay_one_where_their_identity_is_not_certain(again):
    found = payload(sv.ToolCallDelta('{"city":"Oslo"}', 0, "a", "weather"), *again)
    (call,) = found.calls
    assert (call.status, len(call.repair.roots)) == ("invalid", 2)


def test_a_name_in_every_fragment_and_a_value_sent_twice_make_no_second_call():
    found = payload(*(sv.ToolCallDelta(text, 0, None, "weather") for text in ('{"a":', "{}", "}")))
    assert [c.arguments for c in found.calls] == [{"a": {}}]
    found = payload(*(sv.ToolCallDelta('{"a":1}', 0, None, "weather") for _ in range(2)))
    assert [(c.arguments, c.status) for c in found.calls] == [({"a": 1}, "repaired")]


def test_a_whole_text_after_a_name_that_came_again_is_one_call():
    deltas = sv.ToolCallDelta('{"a":', 0, None, "f"), sv.ToolCallDelta("1}", 0, None, "f")
    found = payload(*deltas, sv.ToolCallDelta('{"a":2}{"a":3}', 0, snapshot=True))
    assert [(c.name, c.status) for c in found.calls] == [("f", "invalid")]
