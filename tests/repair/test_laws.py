"""Laws of the repair, on generated JSON in every spelling, cut anywhere."""

import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from support.json_texts import SPECIAL, documents

import streamviz as sv


class Members(list):
    """An object as its members, in order, repeated keys kept."""


class Number(str):
    """A number as it is written: ``-0`` is the beginning of ``-0.5``, and 0 is not."""

    __slots__ = ()


def parsed(text):
    members = {"object_pairs_hook": lambda pairs: Members(list(pair) for pair in pairs)}
    return json.loads(text, parse_float=Number, parse_int=Number, **members)


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
        case Number(), Number():
            return part == whole or (last_number and whole.startswith(part))
        case str(), str() if type(part) is type(whole):
            return whole.startswith(part)
        case _:
            return part == whole


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
    cut = text[: data.draw(st.integers(1, len(text) - 1))]
    report = sv.repair_tool_call_arguments(cut)
    lost = [edit for edit in report.edits if edit.removed]
    assert len(lost) <= 1
    for edit in lost:
        assert cut.endswith(edit.removed)
        assert edit.level == ("lossless" if edit.rule == "drop-trailing-comma" else "truncation")
        if edit.rule == "drop-partial-escape":
            assert len(edit.removed) <= 11
        elif edit.rule == "drop-trailing-comma":
            assert edit.removed.strip(" \t\r\n") == ","


@given(documents, st.data())
@settings(max_examples=200)
def test_the_view_of_a_text_that_arrives_never_takes_anything_back(text, data):
    cuts = sorted(data.draw(st.tuples(*[st.integers(1, len(text) - 1)] * 2)))
    views = [sv.repair_json(text[:cut], mode="partial") for cut in cuts]
    earlier, later = (parsed(view.replay()) for view in views)
    assert is_prefix(earlier, later, last_number=False)
    assert is_prefix(later, parsed(text), last_number=False)
    assert "keep-unconfirmed-number" not in [edit.rule for view in views for edit in view.edits]


broken = st.one_of(st.text(), st.binary(), st.text(SPECIAL), documents.flatmap(st.permutations).map("".join))


@given(broken, st.sampled_from(["off", "safe", "guess"]), st.sampled_from(["any", "object"]), st.booleans())
@settings(max_examples=600)
def test_data_never_raises_and_the_edits_give_strict_json_with_the_value(text, level, expect, final):
    report = sv.repair_json(text, expect=expect, repair=level, mode="final" if final else "partial")
    sent = text if isinstance(text, str) else text.decode("utf-8", "replace")
    assert report.raw == sent
    if report.value is None and report.status not in ("exact", "repaired"):
        assert report.edits == ()
        assert report.message
    elif report.status != "empty":
        assert repr(json.loads(report.replay())) == repr(report.value)
        again = sv.repair_json(report.replay(), expect=expect)
        assert (again.status, repr(again.value)) == ("exact", repr(report.value))
    if level == "off":
        assert report.edits == ()
    if level == "safe":
        assert all(edit.level != "guess" for edit in report.edits)


# -- faults: what was not harmed is not contradicted ----------------------------------------------------------------


@st.composite
def numbered(draw):
    """JSON whose keys and values are all different, as pieces: punctuation, and (key or None, value) leaves."""
    count = 0
    pieces = []

    def leaf():
        nonlocal count
        count += 1
        filling = draw(st.sampled_from(["", " ", ",", ": ", "{", "}]", "\\n", '\\"', "'", "//", ", x", "\\\\"]))
        return f'"v{count}{filling}w{count}"' if draw(st.booleans()) else str(1000 + count)

    def value(depth):
        nonlocal count
        kind = draw(st.sampled_from(["leaf", "leaf", "object", "list"])) if depth < 3 else "leaf"
        if kind == "leaf":
            pieces.append(leaf())
            return
        pieces.append("{" if kind == "object" else "[")
        for position in range(draw(st.integers(0, 3))):
            if position:
                pieces.append(draw(st.sampled_from([",", ", "])))
            if kind == "object":
                count += 1
                pieces.append(f'"k{count}"')
                pieces.append(draw(st.sampled_from([":", ": "])))
            value(depth + 1)
        pieces.append("}" if kind == "object" else "]")

    pieces.append("{")
    for position in range(draw(st.integers(1, 3))):
        if position:
            pieces.append(",")
        count += 1
        pieces += [f'"k{count}"', ":"]
        value(1)
    pieces.append("}")
    return "".join(pieces)


def leaves(value, key=None):
    """Yield (nearest key, leaf) of a value."""
    if isinstance(value, Members):
        for name, item in value:
            yield from leaves(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item, key)
    else:
        yield key, value


def stands(token, text):
    """Whether a token stands in a text just once, with nothing but punctuation around it."""
    edge = r"[^\s,:\[\]{}]"
    return len(re.findall(rf"(?<!{edge}){re.escape(json.dumps(token))}(?!{edge})", text)) == 1


@given(numbered(), st.data())
@settings(max_examples=1500)
def test_what_was_not_harmed_is_not_contradicted(text, data):
    original = {leaf: key for key, leaf in leaves(json.loads(text, object_pairs_hook=Members))}
    broken = text
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, max(0, len(broken) - 1)))
        match data.draw(st.sampled_from(["drop", "insert", "swap", "cut"])):
            case "drop":
                broken = broken[:at] + broken[at + 1 :]
            case "insert":
                broken = broken[:at] + data.draw(st.sampled_from('"{}[],: \\x')) + broken[at:]
            case "swap":
                broken = broken[:at] + broken[at + 1 : at + 2] + broken[at : at + 1] + broken[at + 2 :]
            case "cut":
                broken = broken[: at + 1]
    report = sv.repair_json(broken)
    if report.value is None:
        return
    unharmed = {leaf for leaf in original if stands(leaf, broken)}
    found = list(leaves(json.loads(report.replay(), object_pairs_hook=Members)))
    swallowed = {
        u for u in unharmed for key, leaf in found if isinstance(u, str) and u != leaf and u in f"{key} {leaf}"
    }
    assert not swallowed, broken
    if report.complete:
        lost = unharmed - {leaf for _, leaf in found}
        texts = re.findall(r'"(?:[^"\\]|\\.)*"', report.replay())  # lost quotes may put a number into a string
        assert {leaf for leaf in lost if not any(str(leaf) in text for text in texts)} == set(), broken
    for key, leaf in found:
        if leaf in unharmed and key is not None and original[leaf] is not None:
            assert key == original[leaf] or not stands(original[leaf], broken) or key not in original.values(), broken
