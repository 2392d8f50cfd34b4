"""Runs, states and usages on one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .facts import UNKNOWN, count, finish_words, tokens, verdict
from .palette import BLOCK_WORDS
from .untrusted import shortened, visible_line
from .usage_rows import usage_rows, usage_state

if TYPE_CHECKING:
    from ..assembly.payload import EmbeddedRunPayload
    from ..assembly.state import AssemblyState
    from ..chunks import Usage
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
    return kind_words(block.kind for block in payload.blocks)


def kind_words(kinds_of_blocks: Iterable[str]) -> str:
    """Return how many blocks of which kind there are."""
    kinds = Counter(BLOCK_WORDS.get(kind, BLOCK_WORDS["unknown"]).word for kind in kinds_of_blocks)
    return ", ".join(f"{number:,} {word}{'s' * (number > 1 and word in _COUNTED)}" for word, number in kinds.items())


_COUNTED = {"refusal", "tool call", "server tool call", "tool result"}
"""Words of blocks that have a plural."""


def usage_words(payload: EmbeddedRunPayload) -> str:
    """Return the token counts in short."""
    usage = payload.usage
    if usage is None:
        return "no usage"
    return f"{tokens(usage.input_tokens)} tokens in, {tokens(usage.output_tokens)} out"


def usage_line(usage: Usage) -> str:
    """Return a usage on one line: what was reported of it, with the parts of a count behind it.

    Examples
    --------
    >>> from streamviz import Usage
    >>> usage_line(Usage(input_tokens=1200, cache_read_input_tokens=1024, output_tokens=7, state="preliminary"))
    '<Usage: input 1,200 (read from cache 1,024), output 7, preliminary>'
    >>> usage_line(Usage())
    '<Usage: nothing reported>'
    """
    parts: list[str] = []
    for row in usage_rows(usage):
        if row.value == UNKNOWN or (row.value == "0" and row.label.startswith(" ")):
            continue
        words = f"{row.label.strip()} {visible_line(shortened(row.value, 80))}"
        if not row.label.startswith(" ") or not parts:
            parts.append(words)
        elif parts[-1].endswith(")"):
            parts[-1] = f"{parts[-1][:-1]}, {words})"
        else:
            parts[-1] += f" ({words})"
    if usage_state(usage) and parts:
        parts.append(usage.state)
    return f"<Usage: {', '.join(parts) or 'nothing reported'}>"


def state_line(state: AssemblyState) -> str:
    """Return a state on one line.

    Examples
    --------
    >>> from streamviz import AssemblyState, NormalizedChunk, TextDelta, route_chunk
    >>> state = AssemblyState()
    >>> route_chunk(state, NormalizedChunk((TextDelta("Hi"),)))
    >>> state_line(state)
    '<AssemblyState after 1 chunk: 1 text, no finish reason>'
    """
    words = kind_words(block.kind for block in state.accumulators) or "no content"
    finish = "no finish reason" if state.finish is None else f"finish {state.finish.unified}"
    parts = [words, finish]
    if state.errors:
        parts.append(count(len(state.errors), "error"))
    if state.diagnostics:
        parts.append(count(len(state.diagnostics), "diagnostic"))
    return f"<AssemblyState after {count(state.chunks, 'chunk')}: {', '.join(parts)}>"
