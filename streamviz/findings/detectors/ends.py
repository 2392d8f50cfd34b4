"""How the answer began and ended: statuses, errors, cuts, finish reasons, end marks."""

from __future__ import annotations

from collections.abc import Iterable

from ...assembly.payload import EmbeddedRunPayload
from ...framing.body import describe
from ...providers.vendors import OF_APPLICATIONS
from ..evidence import Evidence, counted, quoted, shortened
from ..finding import Finding, Lost
from ..registry import detector
from ..rules import Side

_PROXIES = ("nginx", "cloudflare", "envoy", "haproxy", "awselb", "varnish", "squid", "traefik", "caddy", "apache")
"""What proxies call themselves in the ``server`` header."""
_REFUSALS = ("refusal",)
"""Finish reasons that say the answer was refused (Anthropic)."""


@detector
def http_error(evidence: Evidence) -> Iterable[Finding]:
    """Find that the answer has an error status; everything else that is odd about its body follows from it."""
    status = evidence.run.recording.status
    if status is None or status < 400:
        return
    evidence.take("error-in-stream", "not-a-stream", "empty-body", "unknown-dialect", "not-streamed")
    evidence.take("stream-cut", "finish-missing", "end-mark-missing", "usage-missing", "bad-json")
    error = evidence.payloads[0].error
    body = evidence.run.recording.slice(0, 200).decode("utf-8", "replace")
    yield evidence.finding(
        "http-error",
        evidence.whole(f"HTTP status {status}"),
        side=_side_of(status, said=error is not None),
        status=status,
        message=shortened(error.message if error and error.message else body or "the body is empty"),
    )


def _side_of(status: int, *, said: bool) -> Side:
    """Return on whose side a status puts the error; ``said``: whether a vendor's own error came with it."""
    if status in (502, 504):  # "acting as a gateway or proxy": RFC 9110, 15.6.3 and 15.6.5
        return "gateway"
    if status < 500:
        return "request"
    return "provider" if said else "unknown"


@detector
def empty_body(evidence: Evidence) -> Iterable[Finding]:
    """Find that there is nothing; of what is missing in it nothing more is said."""
    if evidence.take("empty-body"):
        evidence.take("stream-cut", "finish-missing", "end-mark-missing", "usage-missing", "unknown-dialect")
        yield evidence.finding("empty-body", evidence.whole())


@detector
def not_a_stream(evidence: Evidence) -> Iterable[Finding]:
    """Find that the body is none of a model's interface."""
    found = evidence.take("not-a-stream")
    if not found:
        return
    evidence.take("unknown-dialect", "usage-missing")
    body = evidence.run.recording.slice(0, 1024)
    headers = {name.lower(): str(value).lower() for name, value in (evidence.run.recording.headers or {}).items()}
    proxied = "via" in headers or any(name in headers.get("server", "") for name in _PROXIES)
    what = describe(body)
    yield evidence.finding(
        "not-a-stream",
        *evidence.places(found),
        side="gateway" if proxied and "HTML" in what else None,
        size=evidence.size,
        what=what.partition(":")[0],
    )


@detector
def unknown_dialect(evidence: Evidence) -> Iterable[Finding]:
    """Find that nothing is known of what the frames mean; then nothing is missing in them either."""
    if evidence.take("unknown-dialect"):
        evidence.take("finish-missing", "usage-missing")
        yield evidence.finding("unknown-dialect", evidence.whole(), chunks=evidence.chunks)


@detector
def error_in_stream(evidence: Evidence) -> Iterable[Finding]:
    """Find that the vendor reports an error."""
    found = evidence.take("error-in-stream")
    if not found:
        return
    written = sum(evidence.characters(payload) for payload in evidence.payloads)
    evidence.take("finish-error")  # the reason says the same again
    yield evidence.finding(
        "error-in-stream",
        *evidence.places(found),
        side="unknown" if evidence.run.dialect in OF_APPLICATIONS else "provider",
        chunk=found[0].chunk,
        characters=written,
        message=shortened(found[0].message),
    )


@detector
def restarted(evidence: Evidence) -> Iterable[Finding]:
    """Find several messages in one body; what they contradict each other in follows from it."""
    found = evidence.take("message-restarted")
    if found:
        evidence.was_restarted = True
        evidence.take("finish-contradicts", "frames-after-end")
        yield evidence.finding("message-restarted", *evidence.places(found), messages=len(found) + 1)


@detector
def stream_cut(evidence: Evidence) -> Iterable[Finding]:
    """Find that the stream stops between two frames, and nothing says that it is over."""
    if not evidence.take("stream-cut"):
        return
    evidence.take("finish-missing", "end-mark-missing", "usage-missing")
    place = evidence.last()
    yield evidence.finding("stream-cut", place, chunk=place.chunk, end=place.end)


@detector
def torn(evidence: Evidence) -> Iterable[Finding]:
    """Find that the stream stops inside a frame."""
    found = evidence.take("torn-tail")
    if not found:
        return
    place = evidence.at(found[0].chunk, found[0].message)
    written = sum(evidence.characters(payload) for payload in evidence.payloads)
    yield evidence.finding("torn-tail", place, end=place.end, bytes=place.end - place.start, characters=written)


@detector
def finish_missing(evidence: Evidence) -> Iterable[Finding]:
    """Find that no finish reason was sent."""
    if evidence.take("finish-missing"):
        yield evidence.finding("finish-missing", evidence.last(), chunks=evidence.chunks)


@detector
def finish_contradicts(evidence: Evidence) -> Iterable[Finding]:
    """Find that two reasons contradict each other."""
    if not evidence.take("finish-contradicts"):
        return
    for payload in evidence.payloads:
        first: dict[str | int, int] = {}
        for k, finish in evidence.state.finishes:
            if finish.choice == payload.choice and finish.raw is not None:
                first.setdefault(finish.raw, k)
        if len(first) > 1:
            reasons = ", then ".join(quoted(reason, 40) for reason in first)
            yield evidence.finding(
                "finish-contradicts",
                *(evidence.at(k, f"the reason {quoted(reason, 40)}") for reason, k in first.items()),
                reasons=evidence.of_choice(payload, reasons),
            )


@detector
def stop_but_calls(evidence: Evidence) -> Iterable[Finding]:
    """Find that the reason says stop although there are only calls."""
    if not evidence.take("stop-but-calls"):
        return
    for payload in evidence.payloads:
        finishes = [(k, f) for k, f in evidence.state.finishes if f.choice == payload.choice and f.unified == "stop"]
        if finishes and payload.calls and not payload.assistant_text.strip():
            yield evidence.finding(
                "stop-but-calls",
                evidence.at(finishes[-1][0], "the finish reason"),
                *(evidence.at(call.first_chunk, f"the call of {quoted(call.name)}") for call in payload.calls),
                reason=quoted(finishes[-1][1].raw, 40),
                calls=evidence.of_choice(payload, counted(len(payload.calls), "tool call")),
            )


@detector
def end_mark_missing(evidence: Evidence) -> Iterable[Finding]:
    """Find that the vendor's end mark never came."""
    if not evidence.take("end-mark-missing"):
        return
    place = evidence.last()
    reasons = [finish.raw for _, finish in evidence.state.finishes]
    yield evidence.finding(
        "end-mark-missing",
        place,
        dialect=evidence.run.dialect,
        chunk=place.chunk,
        reason=quoted(reasons[-1], 40) if reasons else "unknown",
    )


@detector
def frames_after_end(evidence: Evidence) -> Iterable[Finding]:
    """Find content after the end mark."""
    found = evidence.take("frames-after-end")
    if not found or found[0].chunk is None:
        return
    first = found[0].chunk
    after = [
        (k, sum(len(getattr(d, "text", "") or getattr(d, "arguments", "") or "") for d in chunk.deltas))
        for k, chunk in enumerate(evidence.run.chunks[first:], start=first)
        if chunk.deltas
    ]
    characters = sum(count for _, count in after)
    yield evidence.finding(
        "frames-after-end",
        *(evidence.at(k, f"{counted(count, 'character')} after the end mark") for k, count in after),
        lost=Lost(characters=characters),
        characters=characters,
        chunk=first,
    )


@detector
def refused(evidence: Evidence) -> Iterable[Finding]:
    """Find that the answer is a refusal."""
    for payload in evidence.payloads:
        blocks = [block for block in payload.blocks if block.kind == "refusal" and block.text]
        reasons = _finishes(evidence, payload, "content_filter", _REFUSALS)
        if not blocks and not reasons:
            continue
        places = [evidence.at(block.first_chunk, "the refusal begins") for block in blocks]
        places += [evidence.at(k, f"the finish reason {quoted(raw, 40)}") for k, raw in reasons]
        message = quoted(payload.refusal, 200) if blocks else f"the finish reason is {quoted(reasons[0][1], 40)}"
        yield evidence.finding(
            "refused", *places, side="model" if blocks else "provider", message=evidence.of_choice(payload, message)
        )


@detector
def filtered(evidence: Evidence) -> Iterable[Finding]:
    """Find that a filter stopped the prompt or the answer."""
    blocked = evidence.take("prompt-blocked")
    for payload in evidence.payloads:
        reasons = _finishes(evidence, payload, "content_filter", without=_REFUSALS)
        if not reasons and not blocked:
            continue
        places = [evidence.at(k, f"the finish reason {quoted(raw, 40)}") for k, raw in reasons]
        message = shortened(blocked[0].message) if blocked else f"the finish reason is {quoted(reasons[-1][1], 40)}"
        yield evidence.finding(
            "filtered",
            *evidence.places(blocked),
            *places,
            characters=evidence.characters(payload),
            message=evidence.of_choice(payload, message),
        )


def _finishes(
    evidence: Evidence,
    payload: EmbeddedRunPayload,
    unified: str,
    words: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
) -> list[tuple[int, str | int | None]]:
    """Return (chunk, word) of the reasons of one kind in a choice: those of certain words, or all but these."""
    return [
        (k, finish.raw)
        for k, finish in evidence.state.finishes
        if finish.choice == payload.choice
        and finish.unified == unified
        and finish.raw not in without
        and (not words or finish.raw in words)
    ]
