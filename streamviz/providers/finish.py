"""Finish reasons: every vendor's words in one vocabulary."""

from __future__ import annotations

from typing import Any

from ..chunks import FinishReason, UnifiedFinish

_WORDS: dict[UnifiedFinish, str] = {
    "stop": "stop end_turn stop_sequence STOP COMPLETE eos end completed success pause_turn FINISH FINISHED"
    " stop_criteria_met endoftext",
    "length": "length max_tokens MAX_TOKENS max_output_tokens model_length model_context_window_exceeded"
    " incomplete:max_output_tokens LENGTH incomplete",
    "tool_calls": "tool_calls tool_use function_call TOOL_CALL tool_call TOOL_USE requires_action tool-calls interrupt",
    "content_filter": "content_filter SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY"
    " IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION guardrail_intervened content_filtered refusal sensitive"
    " CONTENT_FILTERED incomplete:content_filter content-filter",
    "error": "error failed ERROR MALFORMED_FUNCTION_CALL UNEXPECTED_TOOL_CALL ERROR_TOXIC",
}
UNIFIED: dict[str, UnifiedFinish] = {word: unified for unified, words in _WORDS.items() for word in words.split()}
"""Vendor word → unified reason; what is not here is ``other``."""


def finish_reason(raw: Any, choice: int = 0) -> FinishReason:
    """Return the finish reason for a vendor's word.

    Examples
    --------
    >>> finish_reason("MAX_TOKENS")
    FinishReason(unified='length', raw='MAX_TOKENS')
    """
    word = raw if isinstance(raw, str) else str(raw)
    return FinishReason(UNIFIED.get(word, "other"), word, choice)
