"""A run on one line."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from .facts import count, finish_words, tokens, verdict
from .palette import BLOCK_WORDS
from .untrusted import shortened, visible_line

if TYPE_CHECKING:
    from ..assembly.payload import EmbeddedRunPayload
    from ..run import StreamRun


def run_line(run: StreamRun) -> str:
    r"""Return what a run amounts to on one line: its text repr.

    Examples
    --------
    >>> import streamviz as sv
    >>> run_line(sv.read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'))
    '<StreamRun openai-chat: complete, 1 text, finish stop, ended done, no usage, 2 frames, 85 bytes>'
    """
    payloads = run.payloads
    payload = payloads[0]
    parts = [verdict(payloads, finished=run.finished).word]
    if len(payloads) > 1:
        parts.append(f"{len(payloads)} choices")
    parts += [block_words(payload) or "no content", f"finish {finish_words(payload)}"]
    if run.finished:
        parts.append(f"ended {payload.ended}")
    parts += [usage_words(payload), count(len(run.frame_ends), "frame"), count(run.recording.size, "byte")]
    name = run.dialect if run.source is None else f"{run.dialect} {visible_line(shortened(run.source, 200))}"
    return f"<StreamRun {name}: {', '.join(parts)}>"


def block_words(payload: EmbeddedRunPayload) -> str:
    """Return how many blocks of which kind a payload has."""
    kinds = Counter(BLOCK_WORDS.get(block.kind, BLOCK_WORDS["unknown"]).word for block in payload.blocks)
    return ", ".join(f"{number:,} {word}{'s' * (number > 1 and word in _COUNTED)}" for word, number in kinds.items())


_COUNTED = {"refusal", "tool call", "server tool call", "tool result"}
"""Words of blocks that have a plural."""


def usage_words(payload: EmbeddedRunPayload) -> str:
    """Return the token counts in short."""
    usage = payload.usage
    if usage is None:
        return "no usage"
    return f"{tokens(usage.input_tokens)} tokens in, {tokens(usage.output_tokens)} out"
