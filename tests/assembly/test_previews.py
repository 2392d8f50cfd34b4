"""`AssemblyState.preview`: the latest call as far as it has come."""

import streamviz as sv


def shown(*deltas):
    state = sv.AssemblyState()
    found = []
    for delta in deltas:
        sv.route_chunk(state, sv.NormalizedChunk((delta,)))
        preview = state.preview()
        found.append(None if preview is None else (preview.name, repr(preview.arguments), preview.open_path))
    return found


def test_each_call_is_followed_on_its_own():
    assert shown(
        sv.TextDelta("hello"),
        sv.ToolCallDelta('{"a', index=0, id="1", name="f"),
        sv.ToolCallDelta('{"b": [1,', index=1, id="2", name="g"),
        sv.ToolCallDelta('": "x', index=0),
        sv.ToolCallDelta(" 2]}", index=1),
        sv.ToolCallDelta('y"}', index=0),
    ) == [
        None,
        ("f", "{}", "$"),
        ("g", "{'b': [1]}", "$.b"),
        ("f", "{'a': 'x'}", "$.a"),
        ("g", "{'b': [1, 2]}", None),
        ("f", "{'a': 'xy'}", None),
    ]


def test_the_whole_value_takes_the_place_of_its_pieces():
    assert shown(
        sv.ToolCallDelta('{"a": 1', index=0, id="1", name="f"),
        sv.ToolCallDelta('{"a": 2}', index=0, whole=True),
    ) == [("f", "{}", "$"), ("f", "{'a': 2}", None)]


def test_free_text_has_no_value():
    assert shown(sv.ToolCallDelta("*** Begin", index=0, id="1", name="patch", custom=True)) == [("patch", "None", None)]


def test_the_preview_text_is_the_covered_part_and_its_closers():
    state = sv.AssemblyState()
    text = '{"rows": [{"n": 12, "s": "a\\u00'
    sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(text, index=0, name="f"),)))
    preview = state.preview()
    assert text[: preview.kept] + preview.closers == '{"rows": [{"n": 12, "s": "a"}]}'
    assert (preview.arguments, preview.fault, preview.complete) == ({"rows": [{"n": 12, "s": "a"}]}, None, False)
