"""Edits on edits, and where values stand."""

import json

from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import documents

from streamviz.repair.compose import compose
from streamviz.repair.report import Edit, replay
from streamviz.repair.spans import spans


@st.composite
def edits(draw, text):
    """Edits on a text, in order, none touching what another removes."""
    found, at = [], 0
    for _ in range(draw(st.integers(0, 4))):
        if at > len(text):
            break
        position = draw(st.integers(at, len(text)))
        removed = text[position : position + draw(st.integers(0, 4))]
        inserted = draw(st.text("ABC", max_size=3))
        level = draw(st.sampled_from(["lossless", "guess"]))
        if removed or inserted:
            found.append(Edit(rule="r", level=level, position=position, removed=removed, inserted=inserted))
        at = position + len(removed) + draw(st.integers(0, 1))
    return found


@given(st.text("abcdef", max_size=12), st.data())
def test_both_at_once_are_one_after_the_other(text, data):
    first = data.draw(edits(text))
    between = replay(text, first)
    second = data.draw(edits(between))
    both = compose(text, first, second)
    assert replay(text, both) == replay(between, second)
    assert ("guess" in {edit.level for edit in both}) == ("guess" in {edit.level for edit in [*first, *second]})
    assert sum(len(edit.removed) for edit in both) <= len(text)


def all_values(value, path=()):
    yield path, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from all_values(item, (*path, key))


@given(documents)
def test_every_value_is_found_where_it_stands(text):
    values = dict(all_values(json.loads(text)))
    found = spans(text, values.keys())
    assert found.keys() == values.keys()
    for path, (start, end) in found.items():
        assert repr(json.loads(text[start:end])) == repr(values[path])
        assert text[start:end] == text[start:end].strip()
