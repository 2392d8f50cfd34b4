"""A token usage as rows of words."""

from __future__ import annotations

from typing import Any

from ..chunks import Usage
from .facts import Row, tokens

_MAIN = (
    "input_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "output_tokens",
    "reasoning_output_tokens",
    "total_tokens",
)
"""The counts that are always shown, known or not."""

_LABELS = {
    "input_tokens": "input",
    "cache_read_input_tokens": "  read from cache",
    "cache_creation_input_tokens": "  written to cache",
    "cache_creation_5m_input_tokens": "  written for 5 minutes",
    "cache_creation_1h_input_tokens": "  written for 1 hour",
    "audio_input_tokens": "  audio in",
    "image_input_tokens": "  images in",
    "video_input_tokens": "  video in",
    "tool_input_tokens": "  prompts of server tools",
    "output_tokens": "output",
    "reasoning_output_tokens": "  reasoning",
    "audio_output_tokens": "  audio out",
    "image_output_tokens": "  images out",
    "accepted_prediction_tokens": "  predicted, accepted",
    "rejected_prediction_tokens": "  predicted, rejected",
    "total_tokens": "total",
}
"""Every count with its label, in reading order. An indent means "of it"."""

_STATE_WORDS = {
    "reported": "",
    "preliminary": "preliminary: the stream broke off before the last report",
    "estimated": "estimated, not reported",
    "missing": "not reported",
    "suspect": "suspect: zero output beside content",
}


def usage_rows(usage: Usage) -> list[Row]:
    """Return the token counts: the main ones always, the finer ones where there are any."""
    rows = []
    for field, label in _LABELS.items():
        number: int | None = getattr(usage, field)
        if not number and field not in _MAIN:
            continue
        note = ""
        if field == "total_tokens" and number is not None:
            note = "as reported" if usage.total_is_reported else "input + output"
        rows.append(Row(label, tokens(number), note))
    return rows + _details(usage)


def usage_state(usage: Usage) -> str:
    """Return how far the counts can be trusted; nothing where they were simply reported."""
    return _STATE_WORDS[usage.state]


def _details(usage: Usage) -> list[Row]:
    """Return what a vendor reported besides token counts."""
    rows = [
        Row("server tool", f"{name}: {tokens(number)}", from_stream=True) for name, number in _items(usage.server_tools)
    ]
    for label, word in (("tier", usage.service_tier), ("speed", usage.speed), ("place", usage.inference_geo)):
        if word is not None:
            rows.append(Row(label, str(word), from_stream=True))
    if usage.billed is not None:
        rows.append(Row("billed", f"{usage.billed.amount!r} {usage.billed.currency}", from_stream=True))
    rows += [
        Row(f"server time, {name.replace('_', ' ')}", f"{seconds:.3f} s")
        for name, seconds in _items(usage.server_timing)
    ]
    return rows


def _items(mapping: dict[str, Any] | None) -> list[tuple[str, Any]]:
    return list((mapping or {}).items())
