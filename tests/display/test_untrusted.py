"""Text from a stream, made safe to look at."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamviz.display.json_view import one_line_json, pretty_json
from streamviz.display.untrusted import escaped, json_escaped, visible, visible_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;x\x07", "␛]0;x␇"),
        ("\x9b31m", "<U+009B>31m"),  # one character that many terminals take for ESC [
        ("a\rb", "a␍b"),
        ("\u202eabc", "<U+202E>abc"),
        ("\U000e0041", "<U+E0041>"),
        ("\ud83c\udf78 \ud83c", "🍸 \ufffd"),
        ("👩‍🚀 שלום\tx\n", "👩‍🚀 שלום\tx\n"),  # what text is made of stays
    ],
)
def test_what_is_hidden_is_shown(text, shown):
    assert visible(text) == shown


def test_one_line_stays_one_line():
    assert visible_line("a\nb\tc\u2028d") == "a␊b␉c<U+2028>d"


def test_markup_is_text():
    assert escaped("<b a=\"'&") == "&lt;b a=&quot;&#x27;&amp;"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_json_for_reading_is_the_same_json(value):
    text, whole = pretty_json(value, 10**9)
    assert whole
    assert json.loads(text) == value
    assert json.loads(json_escaped(text)) == value
    assert json.loads(one_line_json(value, 10**9)) == value


def test_deep_json_needs_no_recursion():
    value = []
    for _ in range(100_000):
        value = [value]
    assert one_line_json(value, 5) == "[[[[[…"
