"""`repair_tool_call_arguments`: what is valid stays, what is cut is closed, anything else is refused with its place."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import documents

import streamviz as sv
from streamviz.limits import Limits
from streamviz.repair.document import read_document
from streamviz.repair.editing import RefusalError

repair = sv.repair_tool_call_arguments


@pytest.mark.parametrize("text", ["", " ", "\r\n\t ", "null", " null ", '""', b""])
def test_nothing_sent_means_no_arguments(text):
    report = repair(text)
    assert (report.status, report.value, report.complete, report.edits) == ("empty", {}, True, ())


@pytest.mark.parametrize(
    "text",
    [
        "{}",
        ' \n{"a": [1, {"b": null}], "c": "}{]["} ',
        '{"a":"\\u00e9 \\ud83d\\ude80 \\/ \\n"}',
        '{"a":"list [1,2,]"}',
        '{"a":-0.0,"b":1E5,"c":9007199254740993,"d":123456789012345678901234567890}',
        '{"":{"":""}}',
    ],
)
def test_valid_json_is_never_touched(text):
    report = repair(text)
    assert (report.status, report.edits, report.text, report.value) == ("exact", (), text, json.loads(text))


@pytest.mark.parametrize(
    ("text", "value", "path"),
    [
        ("{", {}, "$"),
        ('{"', {}, "$"),
        ('{"a', {}, "$"),
        ('{"a\\', {}, "$"),
        ('{"a\\"', {}, "$"),
        ('{"a"', {}, "$"),
        ('{"a" \n', {}, "$"),
        ('{"a":', {}, "$"),
        ('{"a": ', {}, "$"),
        ('{"a":"', {"a": ""}, "$.a"),
        ('{"a":"x, y: {[', {"a": "x, y: {["}, "$.a"),
        ('{"a":"x ', {"a": "x "}, "$.a"),
        ('{"a":"x"', {"a": "x"}, "$"),
        ('{"a":"x",', {"a": "x"}, "$"),
        ('{"a":"x", "key, with: all', {"a": "x"}, "$"),
        ('{"a":"x\\', {"a": "x"}, "$.a"),
        ('{"a":"x\\\\', {"a": "x\\"}, "$.a"),
        ('{"a":"x\\"', {"a": 'x"'}, "$.a"),
        ('{"a":"x\\u00e', {"a": "x"}, "$.a"),
        ('{"a":"x\\ud83d', {"a": "x"}, "$.a"),
        ('{"a":"x\\ud83d\\u', {"a": "x"}, "$.a"),
        ('{"a":"x\\\\ud83d', {"a": "x\\ud83d"}, "$.a"),
        ('{"a":"x\\\\\\ud83d', {"a": "x\\"}, "$.a"),
        ('{"a":"x\\ud83d\\ude80', {"a": "x🚀"}, "$.a"),
        ('{"a":"x\ud83d', {"a": "x"}, "$.a"),
        ('{"a":-', {}, "$"),
        ('{"a":1,"b":0.', {"a": 1}, "$"),
        ('{"a":1e', {}, "$"),
        ('{"a":1.5E+', {}, "$"),
        ('{"a":1 ', {"a": 1}, "$"),
        ('{"a":t', {}, "$"),
        ('{"a":nul', {}, "$"),
        ('{"a":null', {"a": None}, "$"),
        ('{"a":[', {"a": []}, "$.a"),
        ('{"a":[1,', {"a": [1]}, "$.a"),
        ('{"a":[1,fals', {"a": [1]}, "$.a"),
        ('{"a":[{"b":[]},{"c d":"x', {"a": [{"b": []}, {"c d": "x"}]}, "$.a[1]['c d']"),
        ('{"a":[[1],["x', {"a": [[1], ["x"]]}, "$.a[1][0]"),
        ('{"a":{"b":1}', {"a": {"b": 1}}, "$"),
        ('{"a":{"b":1}, ', {"a": {"b": 1}}, "$"),
        ('{"a":{"b":1},"a":{"c":"x', {"a": {"c": "x"}}, "$.a.c"),
    ],
)
def test_a_cut_text_is_closed(text, value, path):
    report = repair(text)
    assert (report.status, report.complete, report.value, report.open_path) == ("incomplete", False, value, path)
    assert json.loads(report.replay()) == value
    assert report.position == len(text)
    assert not report.executable(allow_repaired=True)


def test_a_last_number_is_kept_and_marked():
    report = repair('{"a":[1,2')
    assert report.value == {"a": [1, 2]}
    assert ("keep-unconfirmed-number", "truncation", 9) in [(e.rule, e.level, e.position) for e in report.edits]
    assert "keep-unconfirmed-number" not in [edit.rule for edit in repair('{"a":[1,2 ').edits]


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ('{"a":"go 🚀'.encode()[:-1], {"a": "go "}),
        ('{"a":"é'.encode()[:-1], {"a": ""}),
        ('{"é":1,"é'.encode()[:-1], {"é": 1}),
    ],
)
def test_half_a_utf8_character_is_withheld(data, value):
    report = repair(data)
    assert (report.status, report.value) == ("incomplete", value)
    assert "drop-partial-character" in [edit.rule for edit in report.edits]
    assert json.loads(report.replay()) == value


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ('{"a":01', 6),
        ('{"a":nope', 5),
        ('{"a":nope}', 5),
        ('{"a":"he said "go""}', 15),
        ('{"a":{"b":1}:2', 12),
        ("[object Object]", 1),
        ("}", 0),
        ("call me", 0),
        (b'{"a":"\xff"}', 6),
        (b'{"a":1}\xf0\x9f', 7),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text, position):
    report = repair(text)
    assert (report.status, report.value, report.edits, report.complete) == ("invalid", None, (), False)
    assert report.position == position
    assert report.message


def test_a_word_that_is_no_json_is_found_where_it_stands():
    report = repair('{"a":"NaN","b":NaN}')
    assert (report.status, report.position) == ("invalid", 15)
    assert str(report) == "<RepairReport: invalid, NaN is no JSON at position 15>"


def test_a_suffix_that_may_be_the_rest_of_the_value_is_not_dropped_without_a_word():
    assert repair("{} and so on").status == "repaired"
    assert repair('{}k"1:1002}').status == "invalid"
    report = repair('{}k"1:1002}', repair="guess")
    assert (report.value, report.safe) == ({}, False)


@pytest.mark.parametrize(
    ("unit", "before", "behind", "value"),
    [
        ("}", "[1", ",2]", [1, 2]),
        ("},1", "[1", "]", None),
        ("...,", "{", "}", {}),
        ("\\d", '["', '"]', None),
        ("{}", "", "", {}),
        ('"', '["', '"]', None),
    ],
)
def test_a_fault_half_a_million_times_over(unit, before, behind, value):
    """It ends in seconds where the reader is linear; where it looks at the rest again each time, not in hours."""
    report = sv.repair_json(before + unit * 500_000 + behind, repair="guess")
    assert report.status in ("repaired", "incomplete", "invalid")
    if value is not None:
        assert report.value == value


@pytest.mark.parametrize("text", ["[" * 20_000 + "]" * 20_000, "[" * 20_000, "['x'," + "[" * 20_000 + "]" * 20_001])
def test_where_the_limit_allows_it_no_depth_is_too_deep(text):
    assert repair(text, limits=Limits(depth=20)).message == "nested too deep: more than 20 levels"
    value, depth = sv.repair_json(text, limits=Limits(depth=20_001)).value, 0
    while value:
        value, depth = value[-1], depth + 1
    assert depth in (19_999, 20_000)


def test_two_values_that_differ_are_handed_back():
    report = repair('{"a":1}\n{"a":2}')
    assert (report.status, report.value, report.position) == ("invalid", None, 8)
    assert [(root.start, root.end, root.value) for root in report.roots] == [(0, 7, {"a": 1}), (8, 15, {"a": 2})]


@pytest.mark.parametrize("text", ["[1, 2]", '"x"', "3", "1.5", "6e+1", "1e400", "true", '"[1]"'])
def test_what_is_no_object_is_refused(text):
    report = repair(text)
    assert report.status == "invalid"
    assert "not an object" in report.message


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
@pytest.mark.parametrize("end", ["}", ""])
def test_words_that_are_no_json_are_refused(word, end):
    assert repair(f'{{"a":{word}{end}').status == "invalid"


def test_numbers_beyond_a_double_are_kept_as_sent():
    report = repair('{"a":[1e999],"b c":-1e400,"d":2.5')
    assert report.value == {"a": [float("inf")], "b c": float("-inf"), "d": 2.5}
    assert report.lexemes == {"$.a[0]": "1e999", "$['b c']": "-1e400"}
    assert all(type(number) is float for number in (report.value["a"][0], report.value["b c"]))


def test_integers_of_any_size_are_exact():
    report = repair('{"a":-' + "7" * 20_000 + "}")
    assert report.status == "exact"
    assert report.value["a"] == -7 * (10**20_000 - 1) // 9
    refused = repair('{"a":' + "7" * 101 + "7" * 5000 + "}", limits=Limits(integer_digits=100))
    assert (refused.status, refused.value) == ("invalid", None)
    assert "more than 100 digits" in refused.message


def test_depth_and_size_are_limited_and_strings_do_not_count():
    deep = '{"a":' + "[" * 600
    for text in (deep, deep + "]" * 600 + "}"):
        report = repair(text)
        assert report.status == "invalid"
        assert "too deep: more than 500 levels" in report.message
    assert repair('{"a":"' + "[" * 600 + '"}').status == "exact"
    assert repair('{"a":"' + "[" * 600).status == "incomplete"
    nested = '{"a":' * 499 + '"x'
    assert repair(nested).status == "incomplete"
    assert repair(nested).open_path == "$" + ".a" * 499
    assert repair('{"a":"xyz"}', limits=Limits(argument_bytes=10)).message == "more than 10 characters"


def test_edits_know_their_fragment_and_chunk():
    fragments = ['{"a":"🚀', "\\", "u26", "3a \ud83d", '\ude80","b":"x', "y\\u0"]
    state = sv.AssemblyState()
    sv.route_chunk(state, sv.NormalizedChunk((sv.TextDelta("Let me see."),)))
    for fragment in fragments:
        sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(fragment, index=0),)))
    (call,) = state.calls
    assert call.arguments == {"a": "🚀☺ 🚀".replace("☺", "\u263a"), "b": "xy"}
    assert [(e.rule, e.fragment, e.chunk) for e in call.repair.edits] == [
        ("drop-partial-escape", 5, 6),
        ("close-string", 5, 6),
        ("close-container", 5, 6),
    ]


def test_replay_refuses_edits_that_do_not_fit():
    report = sv.RepairReport(
        raw="abc",
        value=None,
        status="invalid",
        complete=False,
        edits=(sv.Edit(rule="x", level="guess", position=1, removed="c"),),
    )
    with pytest.raises(ValueError, match="is not there"):
        report.replay()


def test_a_report_says_what_it_is():
    assert repr(repair('{"a":"x')) == "<RepairReport: incomplete, 2 edits, ends at $.a>"
    assert repr(repair("{a}")).startswith("<RepairReport: invalid, Expecting property name")


@given(documents, st.booleans())
def test_single_quotes_throughout_are_read_as_the_reader_would(text, guess):
    """There is a short way for them; it comes to what the long way does."""
    text = text.replace("'", "").replace('"', "'")
    report = sv.repair_json(text, repair="guess" if guess else "safe")
    try:
        document = read_document(text, expect_object=False, guess=False)
    except RefusalError:
        return
    if "\\" not in text and report.status == "repaired" and not document.truncated:
        assert list(report.edits) == sorted(document.edits, key=lambda edit: edit.position)


@pytest.mark.parametrize(
    ("text", "guess"),
    [
        ('{"a": (1)}', {"a": [1]}),
        ('{"a": ("x"', {"a": ["x"]}),
        ("[#one, #two\n]", ["#one", "#two"]),
        ('{"color": #ff0000, "b": 1}', {"color": "#ff0000", "b": 1}),
        ('{"a": 1, #b: 2\n}', {"a": 1, "#b": 2}),
        ('{"a": //x\n 1}', {"a": 1}),
        ("[7 //2, 9\n]", None),
    ],
)
def test_what_may_be_content_is_no_comment_and_one_value_no_tuple(text, guess):
    assert sv.repair_json(text).status == "invalid"
    assert sv.repair_json(text, repair="guess").value == guess


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // note\n "b": 2}', {"a": 1, "b": 2}),
        ('{"a": 1, //note\n "b": 2}', {"a": 1, "b": 2}),
        ("[1, # one\n 2]", [1, 2]),
        ("[1,\n#one\n 2]", [1, 2]),
        ('{\n//a: old\n"a":1}', {"a": 1}),
        ('{"a": (1,), "b": (1, 2), "c": ()}', {"a": [1], "b": [1, 2], "c": []}),
    ],
)
def test_comments_and_tuples_that_are_certain(text, value):
    assert sv.repair_json(text).value == value
