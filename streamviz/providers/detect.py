"""Which dialect a stream speaks, from its first frames with data."""

from __future__ import annotations

import re
from typing import Any

from ..framing.frame import Frame
from .decoding import decode_plain
from .errors import read_error

_ANTHROPIC_TYPES = {
    "message_start",
    "message_delta",
    "message_stop",
    "content_block_start",
    "content_block_delta",
    "content_block_stop",
}
_AG_UI_TYPES = (
    "RUN_",
    "TEXT_MESSAGE_",
    "TOOL_CALL_",
    "REASONING_",
    "THINKING_",
    "STATE_",
    "MESSAGES_SNAPSHOT",
    "STEP_",
)
_AI_SDK_TYPES = {
    *("start", "start-step", "finish-step", "finish", "message-metadata", "tool-input-available"),
    *(f"{what}-{step}" for what in ("text", "reasoning", "tool-input") for step in ("start", "delta", "end")),
}
_LANGGRAPH_EVENTS = {"messages", "messages/partial", "messages/complete", "messages/metadata", "values", "updates"}
_COHERE_TYPES = {
    f"{what}-{step}" for what in ("message", "content", "tool-call", "citation") for step in ("start", "delta", "end")
} | {"tool-plan-delta"}
CONVERSE_EVENTS = {
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
}
_MISTRALS_OWN = re.compile(
    r"(?:open-)?(?:mistral|mixtral|magistral|ministral|codestral|devstral|pixtral|voxtral)-.*(?:latest|[0-9]{4})\Z"
)
"""Model names as Mistral's own service writes them; who else serves the models names them otherwise."""
UNDECIDED_FRAMES = 32
"""Frames with data after which a stream that nobody recognises is given up as ``unknown``."""


def detect_dialect(frame: Frame) -> str | None:
    """Return the dialect that a frame gives away, None where it could be anybody's (comments, pings, errors).

    Examples
    --------
    >>> detect_dialect(Frame("event", 0, 0, b'{"choices": [{"delta": {"content": "Hi"}}]}'))
    'openai-chat'
    """
    if frame.headers:
        return _of_headers(frame)
    if not frame.data or frame.kind not in ("event", "tail"):
        return None
    value, _ = decode_plain(frame.data)
    name = (frame.event or "").partition("|")[0]
    if name in _LANGGRAPH_EVENTS or (name == "metadata" and isinstance(value, dict) and "run_id" in value):
        return "langgraph"
    if isinstance(value, list) and value:
        value = value[0]
    return _of_json(value, frame) if isinstance(value, dict) else None


def _of_headers(frame: Frame) -> str | None:
    if frame.category != "event":
        return None
    if frame.event in CONVERSE_EVENTS:
        return "bedrock-converse"
    return (
        "bedrock-invoke" if frame.event == "chunk" and b'"bytes"' in frame.data and not _is_agent(frame) else "unknown"
    )


def _is_agent(frame: Frame) -> bool:
    """Bedrock Agents send ``chunk`` events too: their bytes are text, not an inner vendor's JSON."""
    from binascii import a2b_base64

    value, _ = decode_plain(frame.data)
    try:
        return not a2b_base64(value["bytes"]).lstrip().startswith(b"{")
    except (ValueError, TypeError, KeyError):
        return False


def _of_json(value: dict[str, Any], frame: Frame) -> str | None:
    kind = value.get("type")
    match value:
        case {"choices": list(choices)}:
            return _of_choices(value, choices)
        case {"candidates": _} | {"usageMetadata": _} | {"promptFeedback": _} | {"response": {"candidates": _}}:
            return "google"
        case {"type": str()} if kind in _ANTHROPIC_TYPES:
            return "anthropic"
        case {"type": "message", "content": list(), "role": _}:
            return "anthropic"
        case {"type": str(name)} if name.startswith(_AG_UI_TYPES):
            return "ag-ui"
        case {"type": str()} if kind in _AI_SDK_TYPES or (kind == "error" and "errorText" in value):
            return "ai-sdk-ui"
        case {"type": "error", "error": dict()}:
            return None
        case {"type": "ping"}:
            return None
        case {"type": str(name)} if name.startswith("response.") or "sequence_number" in value:
            return "openai-responses"
        case {"event_type": str(name)} if name.startswith(("interaction.", "step.", "content.")):
            return "google-interactions"
        case {"object": "interaction"}:
            return "google-interactions"
        case {"type": str()} if kind in _COHERE_TYPES:
            return "cohere"
        case {"event_type": str(), "is_finished": _} | {"generation_id": _, "text": str()}:
            return "cohere"
        case {"message": {"content": list(), "role": _}, "finish_reason": _, "usage": {"billed_units": _}}:
            return "cohere"
        case {"model": _, "done": bool(), "message": dict()} | {"model": _, "done": bool(), "response": str()}:
            return "ollama"
        case {"object": "response", "output": list()}:
            return "openai-responses"
    if read_error(value) is not None:
        return None
    if frame.event in _ANTHROPIC_TYPES:
        return "anthropic"
    return "unknown"


def _of_choices(value: dict[str, Any], choices: list[Any]) -> str | None:
    """Tell Chat chunks from those of the legacy completions API, which hold ``text``."""
    first = choices[0] if choices and isinstance(choices[0], dict) else {}
    name = str(value.get("object") or "")
    if name.startswith("chat.completion") or "delta" in first or "message" in first:
        by_mistral = isinstance(_content(first), list) or _MISTRALS_OWN.match(str(value.get("model")))
        return "mistral" if by_mistral else "openai-chat"
    if "text" in first or name == "text_completion":
        return "openai-completions"
    return "openai-chat"


def _content(choice: dict[str, Any]) -> Any:
    delta = choice.get("delta")
    return delta.get("content") if isinstance(delta, dict) else None
