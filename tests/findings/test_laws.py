"""What holds for the findings of every run."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from laws.strategies import damaged, mangled, streams
from support.cuts import pieces, read_cut
from support.material import recordings

import streamviz as sv
from streamviz.findings import RULES

cuts = st.lists(st.integers(0, 6000), max_size=8)
slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


EXPLAINED = {
    "call-name-unknown": {"call-name-not-in-request"},
    "call-schema-violation": {"call-breaks-schema", "call-empty-arguments"},
    "call-incomplete": {"call-truncated-by-limit", "call-truncated-by-cut"},
    "prompt-blocked": {"filtered"},
    "finish-missing": {"stream-cut", "empty-body", "unknown-dialect"},
    "end-mark-missing": {"stream-cut", "empty-body"},
    "finish-contradicts": {"message-restarted"},
    "finish-error": {"error-in-stream"},
    "unknown-dialect": {"not-a-stream", "empty-body"},
}
"""Diagnostics that follow from what another finding says."""


def check(run):
    """Assert that each finding has its places in the run, and that nothing the library knows is withheld."""
    found = run.explain()
    for finding in found:
        assert finding.evidence
        assert finding.severity in ("fault", "warning", "note")
        assert finding.title.endswith(".")
        assert finding.remedy == RULES[finding.code].remedy or "{" in RULES[finding.code].remedy
        for place in finding.evidence:
            assert 0 <= place.start <= place.end <= run.recording.size
            if place.chunk is not None:
                assert place.chunk < len(run.chunks)
                assert run.bytes_of(place.chunk) == run.recording.slice(place.start, place.end)
    for code in {d.code for p in run.payloads for d in p.diagnostics if d.severity != "note"}:
        assert {code, *EXPLAINED.get(code, ())} & set(found.codes), code
    rank = {"fault": 0, "warning": 1, "note": 2}
    order = [(rank[f.severity], -f.lost.calls, -f.lost.characters, -f.lost.tokens) for f in found]
    assert order == sorted(order)
    return found


@given(stream=streams, at=cuts)
@settings(slow, max_examples=150)
def test_the_same_bytes_give_the_same_findings_however_they_were_cut(stream, at):
    provider, data = stream
    whole = check(sv.read(data, provider=provider))
    assert read_cut(data, at, provider=provider).explain() == whole


@given(stream=mangled(), at=cuts)
@settings(slow, max_examples=100)
def test_and_so_do_values_of_the_wrong_form(stream, at):
    provider, data = stream
    assert read_cut(data, at, provider=provider).explain() == check(sv.read(data, provider=provider))


@given(stream=streams.flatmap(lambda stream: damaged(stream[1])))
@settings(slow, max_examples=100)
def test_damage_is_explained_without_an_exception(stream):
    check(sv.read(stream))


@given(stream=streams, at=cuts, times=st.lists(st.floats(0, 1e5), min_size=10, max_size=10))
@settings(slow, max_examples=100)
def test_whatever_the_times_each_finding_has_its_places(stream, at, times):
    provider, data = stream
    run = sv.StreamRun(provider)
    for piece, time_s in zip(pieces(data, at), times, strict=False):
        run.feed(piece, time_s)
    check(run.finish())


SHARES = 4


@pytest.mark.parametrize("share", range(SHARES))
def test_every_recording_is_explained(share):
    for path in recordings()[share::SHARES]:
        run = sv.read(path)
        found = check(run)
        assert str(found)
        assert found == run.explain()
