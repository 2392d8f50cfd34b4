"""The legacy Completions API of OpenAI, and of the servers that still offer it (vLLM, llama.cpp, llamafile, Together).

Source: https://platform.openai.com/docs/api-reference/completions. A chunk has text where a Chat chunk has a delta.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ..chunks import Delta, FinishReason, NormalizedChunk, ResponseInfo, TextDelta, ThinkingDelta, UsageReport
from ..diagnostics import Note
from ..framing.frame import Frame
from .decoding import decode_plain
from .errors import read_error
from .finish import finish_reason
from .usage_tables import OPENAI_CHAT
from .wrapper import JSONWrapper


class _Choice(Struct, gc=False):
    text: Any = None
    index: Any = 0
    finish_reason: Any = None
    reasoning: Any = None
    reasoning_content: Any = None


class _Chunk(Struct, gc=False):
    id: Any = None
    model: Any = None
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None


class OpenAICompletionsWrapper(JSONWrapper[_Chunk]):
    """Chunks of the legacy Completions API."""

    dialect = "openai-completions"
    has_end_mark = True
    usage_option = "stream_options.include_usage"
    event_type = _Chunk

    def read(self, event: _Chunk, frame: Frame) -> NormalizedChunk:
        deltas: list[Delta] = []
        finishes: list[FinishReason] = []
        for choice in event.choices or ():
            number = choice.index if type(choice.index) is int else 0
            for reasoning in (choice.reasoning_content, choice.reasoning):
                if isinstance(reasoning, str) and reasoning:
                    deltas.append(ThinkingDelta(reasoning, number))
                    break
            if isinstance(choice.text, str) and choice.text:
                deltas.append(TextDelta(choice.text, number))
            if choice.finish_reason is not None and choice.finish_reason != "":
                finishes.append(finish_reason(choice.finish_reason, number))
        error = None
        notes: tuple[Note, ...] = ()
        if event.error is not None or event.choices is None:
            error = read_error(decode_plain(frame.data)[0])
            if error is None and event.usage is None:
                notes = (Note("unknown-event", f"neither choices nor error: {frame.text[:80]!r}"),)
        ident, model = (value if isinstance(value, str) and value else None for value in (event.id, event.model))
        return NormalizedChunk(
            tuple(deltas),
            tuple(finishes),
            UsageReport(event.usage, OPENAI_CHAT) if isinstance(event.usage, dict) else None,
            error,
            ResponseInfo(ident, model) if ident or model else None,
            notes=notes,
        )
