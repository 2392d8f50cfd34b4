"""`IncrementalReader`: the view of a text that arrives is that of the text so far, however it was cut."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.json_texts import documents

import streamviz as sv
from streamviz.repair.prefix import is_beginning

ANY_FRAGMENTS = st.lists(st.integers(1, 9), min_size=1, max_size=6)


def fragments(text, sizes):
    """Cut a text into pieces of the sizes, over and over."""
    at = 0
    while at < len(text):
        for size in sizes:
            if at < len(text):
                yield text[at : at + size]
            at += size


def views(text, sizes, **options):
    """Yield the reader and the text so far, after each fragment."""
    reader, so_far = sv.IncrementalReader(**options), ""
    for fragment in fragments(text, sizes):
        reader.feed(fragment)
        so_far += fragment
        yield reader, so_far


@given(documents, ANY_FRAGMENTS)
@settings(max_examples=300)
def test_the_view_is_that_of_the_text_so_far(text, sizes):
    for reader, so_far in views(text, sizes, expect="object"):
        whole = sv.repair_json(so_far, mode="partial", expect="object")
        assert reader.fault is None
        assert repr(reader.value) == repr(whole.value)
        assert reader.complete == whole.complete
        if whole.value is not None:
            assert reader.open_path == whole.open_path
            assert repr(json.loads(reader.text)) == repr(reader.value)
            assert reader.text == so_far[: reader.kept] + reader.closers
    assert (reader.complete, reader.value) == (True, json.loads(text))
    assert reader.finish() == sv.repair_tool_call_arguments(text)


@given(documents, st.data(), ANY_FRAGMENTS)
def test_nothing_that_was_shown_is_taken_back_from_a_broken_text(text, data, sizes):
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = (
            text[:at]
            + data.draw(st.sampled_from(["", "'", '"', "}", "]", ",", "\\", "\x07", "{}", "x"]))
            + text[at + 1 :]
        )
    shown = None
    for reader, _ in views(text, sizes):
        value = json.loads(json.dumps(reader.value))
        assert shown is None or is_beginning(shown, value) or reader.repeats_key
        shown = value
        if reader.text:
            assert json.loads(reader.text) == value
    if text:
        assert reader.finish() == sv.repair_json(text)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 100])
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": "one\ntwo\t", "re": "\\d+", "s": "\\x41\\\'"}', {"a": "one\ntwo\t", "re": "\\d+", "s": "A'"}),
        ('{"a": [1, 2,], "b": {"c": True,},}', {"a": [1, 2], "b": {"c": True}}),
    ],
)
def test_what_is_wrong_inside_a_string_is_mended_on_the_way(text, value, size):
    shown = None
    for reader, so_far in views(text, [size]):
        assert reader.fault is None
        assert reader.value == sv.repair_json(so_far, mode="partial").value
        assert shown is None or is_beginning(shown, reader.value)
        shown = json.loads(json.dumps(reader.value))
    assert (reader.complete, reader.value) == (True, value)
    assert [edit.level for edit in reader.edits] == ["lossless"] * len(reader.edits)
    assert sorted(reader.edits, key=lambda e: e.position) == list(reader.finish().edits)


def test_a_text_that_is_no_json_is_read_again_as_it_grows():
    text = "```json\n{'rows': [" + ", ".join(f"{{'n': {n}, 's': 'row {n}'}}" for n in range(200)) + "]}\n```"
    counts = [len((reader.value or {}).get("rows", ())) for reader, _ in views(text, [7], expect="object")]
    assert counts == sorted(counts)
    assert len(set(counts)) > 10
    assert counts[-1] > 150


@pytest.mark.parametrize("cut", [1, 2, 5, 6, 7, 11, 12])
def test_characters_that_are_cut_in_two_are_shown_whole(cut):
    text = '"' + "\\ud83d\\ude80" + '!"'
    reader = sv.IncrementalReader()
    reader.feed(text[:cut])
    assert reader.value == ("" if cut < 12 else None if cut > 12 else "") or reader.value == "🚀"
    reader.feed(text[cut:])
    assert reader.value == "🚀!"


def test_raw_surrogate_halves_are_joined():
    reader = sv.IncrementalReader()
    for fragment in ('["a\ud83d', "", "\ude80b", "\ud83d", 'c"]'):
        reader.feed(fragment)
    assert reader.value == ["a🚀b\ufffdc"]


def test_limits_are_kept():
    reader = sv.IncrementalReader(limits=sv.Limits(argument_bytes=8, depth=2))
    reader.feed("[[")
    assert reader.value == [[]]
    reader.feed("[")
    assert (reader.value, reader.fault) == ([[]], 2)
    reader = sv.IncrementalReader(limits=sv.Limits(argument_bytes=8))
    reader.feed('["123')
    reader.feed("45678")
    assert (reader.value, reader.fault) == (["123"], 8)


def test_off_mends_nothing():
    reader = sv.IncrementalReader(repair="off")
    reader.feed('["a\nb"')
    assert (reader.value, reader.fault) == (["a"], 3)


def test_a_million_fragments_of_a_number_or_key_cost_what_they_are():
    """Joining what is held at every fragment would take hours."""
    reader = sv.IncrementalReader()
    reader.feed("[1")
    for _ in range(300_000):
        reader.feed("0")
    assert reader.value == []
    reader = sv.IncrementalReader()
    reader.feed('{"')
    for _ in range(300_000):
        reader.feed("k")
    reader.feed('": "')
    for _ in range(300_000):
        reader.feed("v")
        assert reader.value
    assert [(len(key), len(value)) for key, value in reader.value.items()] == [(300_000, 300_000)]
