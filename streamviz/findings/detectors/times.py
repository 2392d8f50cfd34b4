"""What took too long, or came at the wrong time. Only from recorded times."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...chunks import EMPTY_CHUNK
from ...timing.arrivals import arrivals_of
from ...timing.transport import MANY, seconds
from ..evidence import Evidence, counted, shortened
from ..finding import Finding, Place
from ..registry import detector

LONG_S = 10.0
"""How many seconds without content are worth a word: users take less for a pause, and clients wait longer."""
_BESIDE_S = 1.0
"""How far from content a frame must be to be a sign of life of its own."""
_PROXIES = ("nginx", "envoy", "haproxy", "awselb", "varnish", "squid", "traefik", "caddy", "apache")
"""What names itself in the ``server`` header and may hold a body back; Cloudflare stands before most vendors."""


@detector
def held_back(evidence: Evidence) -> Iterable[Finding]:
    """Find that somebody on the way collected the frames."""
    if not _is_timed(evidence):
        return
    transport = evidence.run.transport()
    if not transport.is_held_back or (transport.content_frames or 0) < MANY:
        return
    server = transport.headers.get("server", "").lower()
    named = "via" in transport.headers or any(name in server for name in _PROXIES)
    said = ", ".join(f"{name}: {value}" for name, value in transport.headers.items())
    yield evidence.finding(
        "buffered",
        evidence.whole(shortened(said or transport.reason, 200)),
        side="gateway" if named else None,
        reason=transport.reason,
    )


@detector
def slow_first_token(evidence: Evidence) -> Iterable[Finding]:
    """Find that the first token was long in coming."""
    timing, arrivals = evidence.run.timing, arrivals_of(evidence.run)
    first, byte = timing.first_token_s, timing.first_byte_s
    if arrivals is None or first is None or byte is None or first < LONG_S or timing.unreliable:
        return
    chunk = int(arrivals.tokens[0])
    queue = (timing.server_timing or {}).get("queue", 0.0)
    yield evidence.finding(
        "slow-first-token",
        evidence.at(chunk, "the first token"),
        side="provider" if 2 * queue > first else None,
        first=seconds(first),
        byte=seconds(byte),
        between=f", and {counted(chunk, 'frame')} without content between" if chunk else "",
    )


@detector
def stalled(evidence: Evidence) -> Iterable[Finding]:
    """Find that nothing came for a long time."""
    gaps = [gap for gap in _gaps(evidence) if not _keepalives(evidence, gap) or gap["kind"] == "partial"]
    if not gaps:
        return
    longest = max(gaps, key=lambda gap: gap["length_s"])
    what = {"partial": "Only a part of a frame came", "tail": "The connection stayed open without content"}
    yield evidence.finding(
        "stalled",
        *(_place(evidence, gap) for gap in gaps),
        what=what.get(longest["kind"], "Nothing came"),
        length=seconds(longest["length_s"]),
        chunk=longest["after_chunk"],
        others=_others(gaps),
    )


@detector
def alive_without_content(evidence: Evidence) -> Iterable[Finding]:
    """Find that only comments and pings came for a long time."""
    gaps = [gap for gap in _gaps(evidence) if gap["kind"] != "partial" and _keepalives(evidence, gap)]
    if gaps:
        longest = max(gaps, key=lambda gap: gap["length_s"])
        found = [k for gap in gaps for k in _keepalives(evidence, gap)]
        yield evidence.finding(
            "alive-without-content",
            *(_place(evidence, gap) for gap in gaps),
            side=_sender(evidence, found),
            length=seconds(longest["length_s"]),
            after=f"chunk {longest['after_chunk']}",
            frames=counted(len(_keepalives(evidence, longest)), "frame"),
            others=_others(gaps),
        )
    timing = evidence.run.timing
    times = evidence.run.frame_times_s
    if timing.first_token_s is None and timing.first_frame_s is not None and not _content(evidence):
        length = times[-1] - timing.first_frame_s
        bare = [k for k, chunk in enumerate(evidence.run.chunks) if _is_bare(chunk)]
        if length >= LONG_S and bare:
            yield evidence.finding(
                "alive-without-content",
                *(evidence.at(k, "a frame without content") for k in bare[:3]),
                side=_sender(evidence, bare),
                length=seconds(length),
                after="the first frame",
                frames=counted(len(bare), "frame"),
                others="; no content came at all",
            )


def _is_timed(evidence: Evidence) -> bool:
    return evidence.run.timing.timed != "none"


def _content(evidence: Evidence) -> bool:
    return any(chunk.deltas for chunk in evidence.run.chunks)


def _gaps(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the long gaps, unless they are the work of a buffer."""
    if not _is_timed(evidence) or evidence.run.timing.unreliable:
        return []
    gaps: list[dict[str, Any]] = evidence.run.gaps_table().to_dict("records")  # type: ignore[assignment]
    return [gap for gap in gaps if gap["length_s"] >= LONG_S]


def _keepalives(evidence: Evidence, gap: Mapping[str, Any]) -> list[int]:
    """Return the chunks inside a gap that say nothing at all.

    A finish reason or an end mark is no sign of life, and what comes right after the content or right before it, such
    as the event that opens a block, belongs to that.
    """
    first, times = gap["after_chunk"] + 1, evidence.run.frame_times_s
    begin, end = gap["start_s"] + _BESIDE_S, gap["start_s"] + gap["length_s"] - _BESIDE_S
    inside = (k for k in range(first, first + gap["frames"]) if begin < times[k] < end)
    return [k for k in inside if _is_bare(evidence.run.chunks[k])]


def _is_bare(chunk: Any) -> bool:
    return bool(chunk == EMPTY_CHUNK)


def _sender(evidence: Evidence, chunks: list[int]) -> Any:
    """Return who sent these frames, where that is sure: events are the vendor's, comments anybody's."""
    return "provider" if all(evidence.run.frames[k].kind == "event" for k in chunks) else None


def _place(evidence: Evidence, gap: Mapping[str, Any]) -> Place:
    return evidence.at(gap["after_chunk"], f"the last content before {seconds(gap['length_s'])} without any")


def _others(gaps: list[dict[str, Any]]) -> str:
    return f", and {counted(len(gaps) - 1, 'shorter time')} elsewhere" if len(gaps) > 1 else ""
