"""Each code has a stream that shows it, and nothing else; a stream in order shows nothing."""

import pytest

import streamviz as sv
from streamviz.diagnostics import CODES
from streamviz.findings import OWN_PAGES, RULES
from streamviz.samples import SAMPLES, load_sample
from streamviz.samples.findings import FINDING_SAMPLES, clean

DUE = {
    "usage-not-requested",
    "usage-missing",
    "usage-zero-beside-content",
    "usage-preliminary-only",
    "usage-reported-twice",
    "usage-total-mismatch",
    "call-truncated-by-limit",
    "call-truncated-by-cut",
    "call-invalid-json",
    "call-empty-arguments",
    "call-identity-ambiguous",
    "call-name-not-in-request",
    "call-breaks-schema",
    "finish-missing",
    "finish-contradicts",
    "stop-but-calls",
    "end-mark-missing",
    "frames-after-end",
    "error-in-stream",
    "http-error",
    "not-a-stream",
    "refused",
    "filtered",
    "stalled",
    "alive-without-content",
    "buffered",
    "slow-first-token",
    "text-doubled",
    "replacement-characters",
    "wrong-charset",
    "reasoning-tags-in-text",
    "capture-lossy",
}


@pytest.mark.parametrize("code", OWN_PAGES)
def test_the_sample_of_a_code_shows_exactly_that(code):
    run = FINDING_SAMPLES[code]()
    found = run.explain()
    assert found.codes == (code,)
    assert found[0].evidence
    assert found[0].doc == f"findings/{code}.md"


def test_in_a_clean_stream_nothing_is_found_and_said_so():
    found = clean().explain()
    assert (len(found), found.unseen) == (0, ())
    assert str(found) == "sample: nothing found."
    assert "nothing found" in found.to_html()


def test_every_code_that_is_due_has_a_rule_and_a_sample():
    assert set(OWN_PAGES) >= DUE
    assert set(FINDING_SAMPLES) == set(OWN_PAGES)


EXPLAINED = {
    "call-name-unknown": "call-name-not-in-request",
    "call-schema-violation": "call-breaks-schema",
    "prompt-blocked": "filtered",
    "recording-torn": "capture-lossy",
    "recording-line": "capture-lossy",
    "recording-changed": "capture-lossy",
}


def test_every_diagnostic_that_is_more_than_a_note_has_a_rule_as_grave():
    rank = {"note": 0, "warning": 1, "fault": 2}
    for code, (severity, _) in CODES.items():
        if severity != "note":
            rule = RULES[EXPLAINED.get(code, code)]
            assert rank[rule.severity] >= rank[severity], code
            assert rule.remedy.endswith("."), code


SHOWN = {
    "openai-broken-arguments": {"call-repaired"},
    "openai-torn": {"torn-tail"},
    "anthropic-cut-call": {"call-truncated-by-limit"},
    "anthropic-overloaded": {"error-in-stream", "usage-preliminary-only"},
    "bedrock-throttled": {"error-in-stream"},
    "ollama-thinking-call": {"stop-but-calls"},
    "ai-sdk-call": {"usage-missing"},
    "ag-ui-run": {"usage-missing"},
}
"""What is wrong with the samples that ship with the package, by what their descriptions say."""


@pytest.mark.parametrize("name", SAMPLES)
def test_in_the_shipped_samples_is_found_what_their_makers_put_there(name):
    assert set(load_sample(name).explain().codes) == SHOWN.get(name, set())


def test_what_could_not_be_looked_for_is_said():
    run = sv.StreamRun("openai")
    run.feed(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    still, times, request = run.explain().unseen
    assert "still arriving" in still
    assert "No times" in times
    assert "request is not known" in request
    assert run.explain().codes == ()  # no end is missing as long as it may come
    assert run.finish().explain().codes == ("stream-cut",)
    assert len(run.explain().unseen) == 2
