"""At level ``safe`` a text with two readings is refused: nothing that may be content is dropped, moved or altered."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import streamviz as sv


def refused(text):
    guess = sv.repair_json(text, repair="guess")
    return sv.repair_json(text).status == "invalid" and (guess.value is None or not guess.safe)


@pytest.mark.parametrize("mark", ["#2 pencil", "// pencil", "/* pencil"])
@pytest.mark.parametrize("text", ['{\n "a": "5" %s"\n}', '["5" %s", "x"\n]', '{"a": "5"} %s"}', "{\n 'a': '5' %s'\n}"])
def test_a_comment_with_a_quote_may_be_the_rest_of_a_string(text, mark):
    assert sv.repair_json(text % mark).status in ("invalid", "incomplete")


def test_the_string_goes_on_at_guess():
    assert sv.repair_json('{\n "size": "5" #2 pencil"\n}', repair="guess").value == {"size": '5" #2 pencil'}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1, // see "x"\n "b": 2}', {"a": 1, "b": 2}),
        ('{"a": "x", // "old": 1,\n "b": 2}', {"a": "x", "b": 2}),
        ('{"a": 1 /* , "b": 2 */}', {"a": 1}),
        ('{"a": "x" // note\n}', {"a": "x"}),
        ('{"a": "x", // don\'t\n "b": 2}', {"a": "x", "b": 2}),
    ],
)
def test_comments_with_whole_strings_or_none_are_dropped(text, value):
    report = sv.repair_json(text)
    assert (report.status, report.value, report.safe) == ("repaired", value, True)


@pytest.mark.parametrize("text", ["[7#2, 9\n]", "[7 #2, 9\n]", '{"a": 7//b\n}', '{"a": true\\n# Title\n}'])
def test_a_comment_that_touches_a_word_may_be_more_of_it(text):
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"c": "1 "}"}',
        '{"c": "1 "}" }',
        '{"c": "x"}"}',
        '{\n "c": "x"}"\n}',
        '{"c": "x"} and "y"}',
        '{"c": "x"} and "y" is',
        '{"f": [1, {}}, "!!"]}',
        '{"f": [1}], "--"]}',
        '{"f": [1]} !!]}',
        '"c: ""}',
    ],
)
def test_a_suffix_may_be_the_rest_of_what_was_closed_too_early(text):
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": "x"} Hope this helps!',
        '{"a": "x"}<|im_end|>',
        '```json\n{"a": "x"}\n```\nDone.',
        '{"a": "x"}"',
        '{"a": "x"}" }',
        'call({"a": "x"});',
    ],
)
def test_what_no_value_goes_on_with_is_dropped(text):
    report = sv.repair_json(text)
    assert (report.value, report.safe) == ({"a": "x"}, True)


@pytest.mark.parametrize("kept", [r"\P", r"\d", r"\S"])
@pytest.mark.parametrize(
    "other", [r"\x86", r"\u00e9", r"\u86", r"\U0001F680", r"\u{e9}", r"\012", r"\'", r"\`", r"\n", r"\/", "\\\\"]
)
@pytest.mark.parametrize("text", ['{{"a": "x{0}y{1}z"}}', '{{"a": "x{1}y{0}z"}}', "{{'a': 'x{0}y{1}z'}}"])
def test_an_escape_beside_a_literal_backslash_is_doubtful(text, kept, other):
    assert refused(text.format(kept, other))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'{"a": "C:\x86"}', None),
        (r'{"a": "\x1b[1m it\'s"}', "\x1b[1m it's"),
        (r'{"a": "\d+ \"x\" \w"}', r'\d+ "x" \w'),
        ('{"a": "one\n C:\\\\x86"}', "one\n C:\\x86"),
    ],
)
def test_escapes_of_one_kind_are_read(text, value):
    report = sv.repair_json(text)
    assert report.value == (None if value is None else {"a": value})


@pytest.mark.parametrize(
    "text",
    [
        "[1 500, 2]",
        "[1 500]",
        "[1. 5]",
        "[-1 5]",
        "[100 200 300]",
        "[1 2, 3]",
        "[1\u202f500]",
        "[1\u00a0500, 2]",
        "[1\u200b500]",
        "[1 /* x */ 5]",
        '[5" b"]',
    ],
)
def test_a_gap_in_a_number_is_no_lost_comma(text):
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        '["use " " here"]',
        '["a," "b"]',
        '["a" "" "b"]',
        '{"a": "x " "b": 1}',
        '{"a": "x" /* c */ "b": 1}',
        '{"a": {} "b": 1}',
        '{"a": 5."b": 1}',
        '{"a:" 1}',
        '{"a" " x"}',
        '{"a": "use " + " here"}',
        '["a; "; "b"]',
        '"{a": 1}',
    ],
)
def test_quotes_and_marks_that_may_have_changed_places_are_left(text):
    assert refused(text)


@pytest.mark.parametrize(
    "text",
    [
        '{"f": 0, "b": {} "e": 1}}',
        '{"f": 0, "b": {"c": 1}, "e": 1}}',
        '{"b": [{"x": {"p": 1}, "q": 2], "c": 1}',
        '{"b": [[1], [2, 3}',
        '{"b": ["x"}',
        '{"b": [}',
        '{"x": [{"a": 1], "b": 2}]}',
        '{"a": 1 ]\n}',
        '{"a": [1, 2 // ], "b": [\n}, "c": 3}',
        '{"b": [{"g": "x}"], "c": 1}',
        '1, {"a": 2}]',
        "[1], [1]",
        '{}, {"a": 1}',
    ],
)
def test_a_bracket_that_may_be_wrong_elsewhere_is_left(text):
    assert refused(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": {"b": 1, "c": 2}}}', {"a": {"b": 1, "c": 2}}),
        ('{"a": [{"b": 1}, {"c": 2}]}}', {"a": [{"b": 1}, {"c": 2}]}),
        ('{"a": [{"b": 1], "c": 2}', {"a": [{"b": 1}], "c": 2}),
        ('{"a": {"b": 1} "c": 2}', {"a": {"b": 1}, "c": 2}),
        ("[1 2 3]", [1, 2, 3]),
        ('{"a" "b", "c": 2}', {"a": "b", "c": 2}),
    ],
)
def test_a_fault_with_one_reading_is_mended(text, value):
    report = sv.repair_json(text)
    assert (report.value, report.safe) == (value, True)


contents = st.text(st.sampled_from('ab5 "#/*,:{}[]+.\\\n'), max_size=8)
documents = st.recursive(
    contents | st.integers(0, 9999),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("kmn"), inner, max_size=3),
    max_leaves=6,
).map(lambda value: {"k": value})


def words(value):
    """All that is content in a text: letters and digits, in their order."""
    return re.sub(r"[^\w]", "", value)


@given(documents, st.sampled_from([None, 1]), st.data())
@settings(max_examples=400)
def test_no_word_is_lost_with_the_backslash_of_a_quote(value, indent, data):
    """A text whose inner quotes are not escaped is refused, or has all its words and in their order."""
    text = json.dumps(value, indent=indent)
    quotes = [found.start() for found in re.finditer(r'(?<!\\)(?:\\\\)*\\"', text)]
    for at in reversed(quotes):
        if data.draw(st.booleans()):
            at = text.index('\\"', at)
            text = text[:at] + text[at + 1 :]
    report = sv.repair_json(text)
    if report.executable(allow_repaired=True):
        assert words(json.dumps(report.value, ensure_ascii=False)) == words(text)
