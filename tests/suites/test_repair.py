"""The cases of ``repair-cases.jsonl``: what is cut comes out right, and nothing ever comes out wrong.

This reader closes what was cut off, and refuses the rest: a refusal is no silent mistake.
"""

import base64
import json
from decimal import Decimal

import pytest
from support.material import MATERIAL, cases, need

import streamviz as sv

CASES = cases("repair")
PURE_CUT = {
    "close_string", "close_container", "drop_trailing_comma", "drop_partial_escape", "drop_partial_number",
    "complete_literal", "drop_partial_key", "drop_partial_member", "keep_unconfirmed_number", "drop_partial_utf8",
    "drop_partial_literal", "empty_to_object",
}  # fmt: skip
"""The operations of a case that is cut off, and otherwise sound."""


def text_of(case):
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    return "".join(part * count for part, count in case["input_parts"]) if "input_parts" in case else case["input"]


def exact(text):
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def right_values(case):
    expected = case.get("expected")
    if "expected_parts" in case:
        expected = "".join(part * count for part, count in case["expected_parts"])
    right = [] if expected is None else [expected]
    found = []
    for text in [*right, *case.get("accept", [])]:
        try:
            found.append(exact(text))
        except RecursionError:
            continue  # ten thousand levels: only a refusal can be compared
    return found


def may_refuse(case):
    whole = set(case["ops"]) <= PURE_CUT and case["kind"] != "refuse" and case["truncated"] is not False
    is_object = any(isinstance(value, dict) for value in right_values(case))
    return not (whole and is_object) or case.get("accept_refuse", False)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_nothing_comes_out_wrong(case):
    text = text_of(case)
    report = sv.repair_tool_call_arguments(text)
    if report.value is None:
        assert report.status == "invalid"
        assert report.message
        assert may_refuse(case)
        return
    if report.status == "incomplete" and case.get("accept_refuse") and case["truncated"] is False:
        return  # text that could go on as valid JSON counts as cut, and is never executed: as good as a refusal
    read = exact(report.replay()) if report.status != "empty" else {}
    right = [{} if value is None else value for value in right_values(case)]  # ``null`` means no arguments
    if case["mode"] == "partial" and "keep-unconfirmed-number" in [edit.rule for edit in report.edits]:
        return  # the view of a stream that still runs withholds the number; this one is over
    assert read in right
    truncated = case["truncated"]
    assert truncated is None or case["mode"] == "partial" or report.complete == (not truncated)


def test_every_case_is_run():
    path = need(MATERIAL / "suites" / "repair-cases.jsonl")
    assert len(CASES) == path.read_bytes().strip().count(b"\n") + 1
