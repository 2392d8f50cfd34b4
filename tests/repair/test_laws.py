"""Laws of the repair, on generated JSON in every spelling, cut anywhere."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

import streamviz as sv

SPECIAL = '"\\/{}[],:\b\f\n\r\t\0\x1f\u2028é🚀 ax'
texts = st.text(st.one_of(st.sampled_from(SPECIAL), st.characters(exclude_categories=["Cs"])), max_size=12)
numbers = st.one_of(
    st.integers(-(10**30), 10**30).map(str),
    st.sampled_from(["0", "-0", "1e5", "1E+05", "1.50", "-0.0e-3", "1e400"]),
    st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9).map(str),
)
blanks = st.sampled_from(["", "", "", " ", "\n", "\t \r\n"])


@st.composite
def strings(draw, value=None):
    """A JSON string: each character raw, as a short escape, or as one or two ``\\u`` escapes."""
    pieces = []
    for character in draw(texts) if value is None else value:
        styles = [f"\\u{unit:04x}" for unit in _units(character)]
        escaped = "".join(styles)
        short = json.dumps(character)[1:-1]
        raw = character if character >= " " and character not in '"\\' else short
        pieces.append(draw(st.sampled_from([raw, raw, short, escaped, escaped.upper().replace("\\U", "\\u")])))
    return '"' + "".join(pieces) + '"'


def _units(character):
    data = character.encode("utf-16-be")
    return [int.from_bytes(data[i : i + 2]) for i in range(0, len(data), 2)]


def spaced(draw, items, opening, closing):
    return opening + ",".join(draw(blanks) + item + draw(blanks) for item in items) + closing


@st.composite
def objects(draw, children):
    members = draw(st.lists(st.tuples(strings(), blanks, blanks, children), max_size=4))
    return spaced(draw, [f"{key}{before}:{behind}{value}" for key, before, behind, value in members], "{", "}")


@st.composite
def lists(draw, children):
    return spaced(draw, draw(st.lists(children, max_size=4)), "[", "]")


values = st.recursive(
    st.one_of(st.sampled_from(["true", "false", "null"]), numbers, strings()),
    lambda children: st.one_of(objects(children), lists(children)),
    max_leaves=12,
)
documents = objects(values)


class Members(list):
    """An object as its members, in order, repeated keys kept."""


def parsed(text):
    return json.loads(text, object_pairs_hook=lambda pairs: Members(list(pair) for pair in pairs), parse_float=str)


def is_prefix(part, whole, last_number):
    """The order of values: only the last element on each level may be shorter; ``last_number`` may be cut as text."""
    match part, whole:
        case Members(), Members():
            pairs = list(zip(part, whole, strict=False))
            return (
                len(part) <= len(whole)
                and all(a[0] == b[0] for a, b in pairs)
                and all(a == b for a, b in pairs[:-1])
                and all(is_prefix(a[1], b[1], last_number) for a, b in pairs[-1:])
            )
        case list(), list() if type(part) is type(whole):
            pairs = list(zip(part, whole, strict=False))
            return (
                len(part) <= len(whole)
                and all(a == b for a, b in pairs[:-1])
                and all(is_prefix(a, b, last_number) for a, b in pairs[-1:])
            )
        case (str(), str()) if not last_number:
            return whole.startswith(part)
        case _:
            return part == whole or (last_number and str(whole).startswith(str(part)))


@given(documents)
def test_valid_json_is_exact(text):
    report = sv.repair_tool_call_arguments(text)
    assert (report.status, report.complete, report.edits, report.text) == ("exact", True, (), text)
    assert repr(report.value) == repr(json.loads(text))


@given(documents, st.data())
@settings(max_examples=200)
def test_a_cut_object_is_a_prefix_of_the_whole_one(text, data):
    data_bytes = text.encode()
    cut = data_bytes[: data.draw(st.integers(1, len(data_bytes) - 1))]
    report = sv.repair_tool_call_arguments(cut)
    assert (report.status, report.complete) == ("incomplete", False)
    kept = [edit.rule for edit in report.edits]
    assert is_prefix(parsed(report.replay()), parsed(text), "keep-unconfirmed-number" in kept)
    assert repr(json.loads(report.replay())) == repr(report.value)
    assert all(edit.level != "guess" for edit in report.edits)
    assert sv.repair_tool_call_arguments(report.replay()).status == "exact"


@given(documents, st.data())
def test_a_cut_loses_no_more_than_its_last_piece(text, data):
    """Every string that is complete in the cut text, but for a last key, is in the repaired text too."""
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    report = sv.repair_tool_call_arguments(cut)
    lost = [edit for edit in report.edits if edit.removed]
    assert len(lost) <= 1
    for edit in lost:
        assert cut.endswith(edit.removed)
        assert edit.level == "truncation"
        whole = 2 + edit.removed.count("\\") if edit.rule in ("drop-partial-key", "drop-partial-member") else 0
        assert edit.rule != "drop-partial-escape" or len(edit.removed) <= 11
        assert whole or edit.removed.count('"') <= 2 + 2 * edit.removed.count("\\")


@given(st.one_of(st.text(), st.binary(), documents.flatmap(st.permutations).map("".join)))
@settings(max_examples=200)
def test_data_never_raises_and_nothing_is_read_that_a_strict_parser_would_not_read(text):
    report = sv.repair_tool_call_arguments(text)
    assert report.raw == (text if isinstance(text, str) else text.decode("utf-8", "replace"))
    if report.status in ("exact", "incomplete"):
        assert repr(json.loads(report.replay())) == repr(report.value)
    else:
        assert report.value == ({} if report.status == "empty" else None)
        assert report.edits == ()
