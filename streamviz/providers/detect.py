"""Which dialect a stream speaks, from its first frames with data."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

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
_LETTERED_LINE = re.compile(rb'(?:[02389]|[a-k]):["{\[]')
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


class Guess(Struct, frozen=True):
    """Who seems to speak, how sure that is, and what gave it away."""

    dialect: str
    confidence: float
    """From 0 to 1: 1 where only this dialect has the sign, 0 where nothing was recognised."""
    reason: str


def detect_dialect(frame: Frame) -> str | None:
    """Return the dialect that a frame gives away, None where it could be anybody's (comments, pings, errors).

    Examples
    --------
    >>> detect_dialect(Frame("event", 0, 0, b'{"choices": [{"delta": {"content": "Hi"}}]}'))
    'openai-chat'
    """
    guess = guess_dialect(frame)
    return guess.dialect if guess else None


def guess_dialect(frame: Frame) -> Guess | None:
    """Return what a frame gives away, None where it could be anybody's (comments, pings, errors).

    Examples
    --------
    >>> guess_dialect(Frame("event", 0, 0, b'{"type": "message_start"}'))
    Guess(dialect='anthropic', confidence=1.0, reason='an event of type message_start')
    """
    if frame.headers:
        return _of_headers(frame)
    if not frame.data or frame.kind not in ("event", "tail"):
        return None
    if _LETTERED_LINE.match(frame.data):
        return Guess("ai-sdk-ui", 0.8, "lines of a digit or letter, a colon, and JSON: the AI SDK's older protocol")
    value, _ = decode_plain(frame.data)
    name = (frame.event or "").partition("|")[0]
    if name in _LANGGRAPH_EVENTS or (name == "metadata" and isinstance(value, dict) and "run_id" in value):
        return Guess("langgraph", 0.9, f"an event named {name}")
    if isinstance(value, list) and value:
        value = value[0]
    return _of_json(value, frame) if isinstance(value, dict) else None


def _of_headers(frame: Frame) -> Guess | None:
    if frame.category != "event":
        return None
    what = f"an AWS event-stream message of type {frame.event}"
    if frame.event in CONVERSE_EVENTS:
        return Guess("bedrock-converse", 1.0, what)
    if frame.event == "chunk" and b'"bytes"' in frame.data and not _is_agent(frame):
        return Guess("bedrock-invoke", 1.0, f"{what} with base64 JSON in it")
    return Guess("unknown", 0.0, f"{what}, which no known vendor sends")


def _is_agent(frame: Frame) -> bool:
    """Bedrock Agents send ``chunk`` events too: their bytes are text, not an inner vendor's JSON."""
    from binascii import a2b_base64

    value, _ = decode_plain(frame.data)
    try:
        return not a2b_base64(value["bytes"]).lstrip().startswith(b"{")
    except (ValueError, TypeError, KeyError):
        return False


def _of_json(value: dict[str, Any], frame: Frame) -> Guess | None:
    kind = value.get("type")
    typed = f"an event of type {kind!s:.60}"
    match value:
        case {"choices": list(choices)}:
            return _of_choices(value, choices)
        case {"object": "chat.completion.chunk" | "chat.completion"}:
            return _of_choices(value, [])
        case {"candidates": _} | {"usageMetadata": _} | {"promptFeedback": _} | {"response": {"candidates": _}}:
            return Guess("google", 1.0, "candidates, usageMetadata or promptFeedback")
        case {"type": str()} if kind in _ANTHROPIC_TYPES:
            return Guess("anthropic", 1.0, typed)
        case {"type": "message", "content": list(), "role": _}:
            return Guess("anthropic", 0.9, "a whole message with a list of contents")
        case {"type": str(name)} if name.startswith(_AG_UI_TYPES):
            return Guess("ag-ui", 1.0, typed)
        case {"type": str()} if kind in _AI_SDK_TYPES or (kind == "error" and "errorText" in value):
            return Guess("ai-sdk-ui", 0.9, typed)
        case {"type": "ping"} | {"type": "error", "error": dict()}:
            return None
        case {"type": str(name)} if name.startswith("response."):
            return Guess("openai-responses", 1.0, typed)
        case {"type": str(), "sequence_number": _}:
            return Guess("openai-responses", 0.8, f"{typed} with a sequence_number")
        case {"event_type": str(name)} if name.startswith(("interaction.", "step.", "content.")):
            return Guess("google-interactions", 1.0, f"event_type {name:.60}")
        case {"object": "interaction"}:
            return Guess("google-interactions", 1.0, "a whole interaction")
        case {"type": str()} if kind in _COHERE_TYPES:
            return Guess("cohere", 1.0, typed)
        case {"event_type": str(), "is_finished": _} | {"generation_id": _, "text": str()}:
            return Guess("cohere", 0.9, "event_type and is_finished, or generation_id, as Cohere's first version has")
        case {"message": {"content": list(), "role": _}, "finish_reason": _, "usage": {"billed_units": _}}:
            return Guess("cohere", 1.0, "a whole message with billed_units")
        case {"model": _, "done": bool(), "message": dict()} | {"model": _, "done": bool(), "response": str()}:
            return Guess("ollama", 1.0, "model and done beside message or response")
        case {"object": "response", "output": list()}:
            return Guess("openai-responses", 1.0, "a whole response with a list of output items")
    if read_error(value) is not None:
        return None
    if frame.event in _ANTHROPIC_TYPES:
        return Guess("anthropic", 0.8, f"an event named {frame.event}")
    return Guess("unknown", 0.0, f"JSON with {', '.join(map(repr, list(value)[:5])) or 'nothing in it'}: nobody known")


def _of_choices(value: dict[str, Any], choices: list[Any]) -> Guess:
    """Tell Chat chunks from those of the legacy completions API, which hold ``text``."""
    first = choices[0] if choices and isinstance(choices[0], dict) else {}
    name = str(value.get("object") or "")
    if name.startswith("chat.completion") or "delta" in first or "message" in first:
        if isinstance(_content(first), list):
            return Guess("mistral", 0.9, "choices whose content is a list of parts")
        if _MISTRALS_OWN.match(str(value.get("model"))):
            return Guess("mistral", 0.9, f"choices, and a model named as Mistral's service does: {value['model']}")
        return Guess("openai-chat", 1.0, "choices with a delta or a message")
    if "text" in first or name == "text_completion":
        return Guess("openai-completions", 1.0, "choices with text")
    return Guess("openai-chat", 0.6, "choices, nothing in them")


def _content(choice: dict[str, Any]) -> Any:
    delta = choice.get("delta")
    return delta.get("content") if isinstance(delta, dict) else None
