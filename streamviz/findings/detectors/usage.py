"""Token counts that are missing, preliminary, repeated, or cannot be right."""

from __future__ import annotations

from collections.abc import Iterable

from ...assembly.usage import derive_usage
from ...providers import get_stream_wrapper
from ..evidence import Evidence, counted, shortened
from ..finding import Finding, Lost, Place
from ..registry import detector
from ..rules import Side


@detector
def missing(evidence: Evidence) -> Iterable[Finding]:
    """Find that nobody said how many tokens it took, and whether anybody asked."""
    if not evidence.take("usage-missing") or not evidence.chunks:
        return
    option = get_stream_wrapper(evidence.run.dialect).usage_option
    place = evidence.last("the last frame; none before it has a usage report either")
    if option and evidence.request.is_known and not evidence.request.at(option):
        yield evidence.finding("usage-not-requested", place, option=option)
    else:
        yield evidence.finding("usage-missing", place, chunks=evidence.chunks)


@detector
def zero(evidence: Evidence) -> Iterable[Finding]:
    """Find zeros beside content."""
    if not evidence.take("usage-zero-beside-content"):
        return
    numbers = {
        "character": sum(len(said.text) for said in evidence.said),
        "tool call": len(evidence.calls),
        "block": len(evidence.blocks),
    }
    content = next(counted(number, what) for what, number in numbers.items() if number)
    yield evidence.finding("usage-zero-beside-content", *_reports(evidence)[-1:], content=content)


@detector
def preliminary(evidence: Evidence) -> Iterable[Finding]:
    """Find that only the report of the start came, or none after the cut."""
    payload = evidence.payloads[0]
    usage = payload.usage
    if usage is None or usage.state != "preliminary":
        return
    side: Side = "transport" if payload.ended == "torn" else "unknown"
    start = evidence.state.usage_reports.preliminary
    yield evidence.finding(
        "usage-preliminary-only",
        *_reports(evidence)[-1:],
        side=side,
        input=_number(usage.input_tokens),
        output=_number(usage.output_tokens),
        when="when the response began" if start else "before the stream broke off",
    )


@detector
def repeated(evidence: Evidence) -> Iterable[Finding]:
    """Find several reports from a vendor that sends one."""
    chunks = evidence.state.usage_reports.chunks
    habit = get_stream_wrapper(evidence.run.dialect).repeats_usage or evidence.was_restarted
    if len(chunks) < 2 or habit:
        return
    counts = []
    for k in chunks:
        report = evidence.run.chunks[k].usage
        usage = None if report is None or report.preliminary else derive_usage(report.raw, report.fields)[0]
        if usage is not None and usage.output_tokens:
            counts.append((k, usage.output_tokens))
    if len(counts) < 2:
        return
    added, last = sum(count for _, count in counts), counts[-1][1]
    yield evidence.finding(
        "usage-reported-twice",
        *(evidence.at(k, counted(count, "output token")) for k, count in counts),
        lost=Lost(tokens=added - last),
        times=len(counts),
        last=last,
        added=added,
    )


@detector
def total(evidence: Evidence) -> Iterable[Finding]:
    """Find a total that is not the sum."""
    found = evidence.take("usage-total-mismatch")
    usage = evidence.payloads[0].usage
    if not found or usage is None:
        return
    parts = (usage.input_tokens or 0) + (usage.output_tokens or 0)
    yield evidence.finding(
        "usage-total-mismatch",
        *_reports(evidence)[-1:],
        lost=Lost(tokens=abs((usage.total_tokens or 0) - parts)),
        message=shortened(found[0].message),
    )


def _reports(evidence: Evidence) -> list[Place]:
    return [evidence.at(k, "a usage report") for k in evidence.state.usage_reports.chunks]


def _number(count: int | None) -> str:
    return "an unknown number of" if count is None else f"{count:,}"
