"""Values of a JSON text with their places: held against the standard library's decoder."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamviz.provenance.leaves import leaves, letter_starts

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
documents = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


def walk(value, path=()):
    match value:
        case dict():
            for key, item in value.items():
                yield from walk(item, (*path, key))
        case list():
            for number, item in enumerate(value):
                yield from walk(item, (*path, number))
        case _:
            yield path, value


@given(documents, st.booleans(), st.sampled_from([None, 0, 2]))
def test_every_value_has_its_path_and_its_range(document, ascii_only, indent):
    data = json.dumps(document, ensure_ascii=ascii_only, indent=indent).encode("utf-8", "surrogatepass")
    found = list(leaves(data))
    assert [(leaf.path, leaf.value) for leaf in found] == list(walk(document))
    assert all(data[leaf.start : leaf.end] == leaf.literal for leaf in found)


@given(st.text(), st.booleans())
def test_every_character_of_a_string_has_its_bytes(text, ascii_only):
    literal = json.dumps(text, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    starts = letter_starts(literal)
    pieces = [json.loads(b'"' + literal[a:b] + b'"') for a, b in pairwise(starts)]
    assert pieces == list(text)


@given(st.binary(max_size=30))
def test_bytes_that_are_no_utf8_are_counted_as_they_are_shown(data):
    data = data.replace(b"\\", b"/").replace(b'"', b"'")
    assert len(letter_starts(b'"' + data + b'"')) == len(data.decode("utf-8", "replace")) + 1


@pytest.mark.parametrize("data", [b"", b"{", b'{"a', b'{"a"', b'{"a":', b"]]}}", b'{"a":1}}{"b":[2', b'\xff\xfe"'])
def test_a_broken_text_gives_what_stands_before_the_fault(data):
    assert all(data[leaf.start : leaf.end] == leaf.literal for leaf in leaves(data))
