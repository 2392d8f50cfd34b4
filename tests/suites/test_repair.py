"""Every case of ``repair-cases.jsonl``, at level ``guess``; and at level ``safe`` nothing comes out wrong."""

import base64
import json
from decimal import Decimal

import pytest
from support.material import MATERIAL, cases, need

import streamviz as sv

CASES = cases("repair")
SAFE_DIFFERS = {
    "duplicated-07",  # the quote and brace behind the value are a suffix like those that other cases call safe
}
"""Cases in which the report's ``safe`` is not the suite's."""


def text_of(case):
    if "input_b64" in case:
        return base64.b64decode(case["input_b64"])
    return "".join(part * count for part, count in case["input_parts"]) if "input_parts" in case else case["input"]


def exact(text):
    return json.loads(text, parse_float=Decimal, parse_int=Decimal)


def right_values(case):
    """The expected value first, then others that are right as well."""
    expected = case.get("expected")
    if "expected_parts" in case:
        expected = "".join(part * count for part, count in case["expected_parts"])
    found = []
    for text in [*([] if expected is None else [expected]), *case.get("accept", [])]:
        try:
            found.append(exact(text))
        except RecursionError:
            continue  # ten thousand levels: only a refusal can be compared
    return found


def may_be_refused(case):
    return case.get("accept_refuse") or case["kind"] == "refuse"


def repaired(case, level):
    expect = "object" if case["context"] == "arguments" else "any"
    return sv.repair_json(text_of(case), expect=expect, mode=case["mode"], repair=level)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_the_value_is_that_of_the_suite(case):
    report = repaired(case, "guess")
    if report.value is None and report.status != "exact":
        assert report.status in ("invalid", "incomplete")
        assert report.message
        assert may_be_refused(case)
        return
    value = {} if report.status == "empty" else exact(report.replay())
    right = right_values(case)
    assert value in right
    if case["kind"] == "valid":
        assert report.edits == ()
    elif value == right[0] and case["id"] not in SAFE_DIFFERS:
        assert report.safe == case["safe"]
    if case["truncated"] is not None and report.status != "exact" and case["mode"] == "final":
        assert report.complete == (not case["truncated"])


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_nothing_comes_out_wrong_at_level_safe(case):
    report = repaired(case, "safe")
    assert all(edit.level != "guess" for edit in report.edits)
    if report.value is None or report.status == "empty":
        return
    if report.status == "incomplete" and case["truncated"] is False and may_be_refused(case):
        return  # text that could go on as valid JSON counts as cut, and is never executed: as good as a refusal
    assert exact(report.replay()) in right_values(case)


def test_every_case_is_run():
    path = need(MATERIAL / "suites" / "repair-cases.jsonl")
    assert len(CASES) == path.read_bytes().strip().count(b"\n") + 1
    assert len({case["id"] for case in CASES}) == len(CASES)
