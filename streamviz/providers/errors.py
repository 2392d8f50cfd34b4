"""Errors that vendors report inside a stream, or instead of one."""

from __future__ import annotations

import json
from typing import Any

from ..chunks import NormalizedChunk, StreamError


def read_error(value: Any) -> StreamError | None:
    """Read an error object in any of the shapes vendors use; None where it is none.

    Known shapes: ``{"error": {"message", "type", "code", "status"}}`` (OpenAI-like, Google), the same in a list
    (Google), ``{"type": "error", "error": {…}}`` (Anthropic), ``{"error": "text"}``, ``{"errors": [{…}]}``
    (Cloudflare), ``{"code", "message"}``, ``{"message", "type": "…error"}``, ``{"detail": …}`` (FastAPI), and those of
    AWS: ``{"message"}`` alone, ``{"__type"}``, and that again in ``Output``.

    Examples
    --------
    >>> read_error({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "quota"}}).type
    'RESOURCE_EXHAUSTED'
    """
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    inner = value.get("error")
    match inner:
        case dict():
            return error_of(inner)
        case str() if inner:
            detail = value.get("message")
            return StreamError(
                detail if isinstance(detail, str) and detail else inner, _word(value.get("type")), raw=value
            )
        case list() | int() | float() if inner:
            return StreamError(json.dumps(inner), raw=value)
    match value:
        case {"errors": [dict() as first, *_]}:
            return error_of(first)
        case {"Output": {"__type": str()} as output}:
            return error_of(output)
        case {"__type": str()}:
            return error_of(value)
    message = value.get("message") or value.get("Message")
    if isinstance(message, str):
        if len(value) == 1:
            return error_of(value)
        kind = value.get("type") or value.get("object")
        if "code" in value or "status" in value or (isinstance(kind, str) and "error" in kind.lower()):
            return error_of(value)
    if "detail" in value and set(value) <= {"detail", "status", "title", "type"}:
        detail = value["detail"]
        return StreamError(
            detail if isinstance(detail, str) else json.dumps(detail), _word(value.get("type")), raw=value
        )
    return None


def error_of(error: dict[str, Any]) -> StreamError:
    """Read the error object itself."""
    message = error.get("message") or error.get("Message") or error.get("detail") or ""
    code = error.get("code")
    kind = _word(error.get("status")) or _word(error.get("type")) or _word(error.get("__type"))
    if not isinstance(code, str | int) or isinstance(code, bool):
        code = None
    text = message if isinstance(message, str) else json.dumps(message)
    return StreamError(text, kind or (code if isinstance(code, str) else None), code, error)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def error_chunk_of_text(data: bytes) -> NormalizedChunk | None:
    """Find an error object in lines that are no fields of an event stream.

    llama.cpp and GPUStack send ``error: {...}`` as if ``error`` were a field; Vertex breaks off with a bare JSON
    object over several lines.
    """
    text = data.decode("utf-8", "replace").strip()
    for start in (0, text.find("{"), text.find("[")):
        if start < 0:
            continue
        try:
            value = json.loads(text[start:])
        except (ValueError, RecursionError):
            continue
        if text.lower().startswith("error") and isinstance(value, dict) and "error" not in value:
            value = {"error": value}
        error = read_error(value)
        if error is not None:
            return NormalizedChunk(error=error)
    return None
