"""When a run's parts came, and how its network behaved: a line of text, and a card each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import html_parts as parts
from .facts import UNKNOWN, Row, count
from .html_parts import Room
from .palette import Kind
from .untrusted import shortened, visible_line

if TYPE_CHECKING:
    from ..timing import Timing, Transport

_ROOM_CHARACTERS = 20_000
UNTIMED = "no times were recorded; the number of the chunk can be the axis instead"

_MARKS = {
    "first_byte_s": "first byte",
    "first_frame_s": "first frame",
    "first_token_s": "first token",
    "first_thinking_s": "  first thinking",
    "thinking_end_s": "  last thinking",
    "first_text_s": "  first text",
    "first_tool_s": "  first tool call",
    "last_token_s": "last token",
    "end_s": "end",
    "tail_s": "tail",
}
"""Every mark with its label, in the order in which they usually come. An indent means "of the tokens"."""
_MAIN = ("first_byte_s", "first_token_s", "last_token_s", "end_s")
"""The marks that stand on one line."""
_RATES = {"tokens_per_s": "rate", "thinking_tokens_per_s": "  of thinking", "text_tokens_per_s": "  of the answer"}
_WARNING = "unreliable: the stream was held back on its way"
TRANSPORT_KINDS: dict[str, Kind] = {
    "streamed": "usage",
    "bursty": "warning",
    "buffered": "error",
    "single-read": "error",
    "unknown": "other",
}
"""The colour of each verdict on the transport."""


def timing_line(timing: Timing) -> str:
    """Return the main times on one line."""
    if timing.timed == "none":
        return f"<Timing: {UNTIMED}>"
    values = [(_MARKS[name], getattr(timing, name)) for name in _MAIN]
    words = [f"{label} {value:.3f} s" for label, value in values if value is not None]
    if timing.tokens_per_s is not None:
        words.append(f"{timing.tokens_per_s:,.1f} tokens/s{' (unreliable)' if timing.unreliable else ''}")
    if timing.unreliable:
        words.append(timing.transport)
    return f"<Timing: {', '.join(words) or 'nothing came'}>"


def timing_rows(timing: Timing) -> list[Row]:
    """Return all times, what is not known with a dash; those that the vendor measured stand below ours."""
    rows = [Row("times", UNTIMED)] if timing.timed == "none" else []
    if not rows:
        rows += [Row(label, _seconds(getattr(timing, name))) for name, label in _MARKS.items()]
        note = _WARNING if timing.unreliable else ""
        for name, label in _RATES.items():
            value = getattr(timing, name)
            if value is not None:
                rows.append(Row(label, f"{value:,.1f} tokens/s", note))
        rows.append(Row("transport", timing.transport, note))
    return rows + [
        Row(f"server, {name.replace('_', ' ')}", _seconds(seconds), "as the vendor measured it")
        for name, seconds in (timing.server_timing or {}).items()
    ]


def timing_html(timing: Timing) -> str:
    """Return the times as a table that stands alone."""
    return parts.card(parts.facts_table("Timing", timing_rows(timing), Room(_ROOM_CHARACTERS)))


def transport_line(transport: Transport) -> str:
    """Return the verdict with its reason, and the headers that are evidence, on one line."""
    headers = "".join(f"; {name}: {shortened(visible_line(value), 80)}" for name, value in transport.headers.items())
    return f"<Transport: {transport.verdict}: {transport.reason}{headers}>"


def transport_rows(transport: Transport) -> list[Row]:
    """Return the figures behind the verdict, and the headers."""
    rows = []
    if transport.reads is not None:
        rows.append(Row("reads", f"{transport.reads:,}"))
    for label, median, most, what in (
        ("frames a read", transport.frames_per_read_median, transport.frames_per_read_max, "frame"),
        ("bytes a read", transport.bytes_per_read_median, transport.bytes_per_read_max, "byte"),
    ):
        if median is not None and most is not None:
            rows.append(Row(label, f"{median:,.10g} in the median", f"at most {count(most, what)}"))
    if transport.interval_s is not None:
        rows.append(Row("every", _seconds(transport.interval_s), "in the median"))
    if transport.batched_share is not None and transport.content_frames is not None:
        of = f"of {count(transport.content_frames, 'frame')} with content"
        rows.append(Row("8 or more at once", f"{transport.batched_share:.0%}", of))
    return rows + [Row(name, value, from_stream=True) for name, value in transport.headers.items()]


def transport_html(transport: Transport) -> str:
    """Return the verdict, its reason and the figures as a card that stands alone."""
    word = parts.mark(transport.verdict, TRANSPORT_KINDS[transport.verdict])
    return parts.card(
        f'<p class="sv-title"><strong>{word}</strong> {parts.dim(transport.reason)}</p>',
        parts.facts_table("Transport", transport_rows(transport), Room(_ROOM_CHARACTERS)),
    )


def _seconds(value: float | None) -> str:
    return UNKNOWN if value is None else f"{value:,.3f} s"
