"""Runs from events that somebody else has parsed already: dicts, SDK objects, lines of a log."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from .framing.encode import bedrock_event, server_sent_event
from .providers.detect import CONVERSE_EVENTS
from .run import StreamRun

_SSE_FIELDS = {"data", "event", "id", "retry"}
_FIRST_KEY = re.compile(r'\{\s*"(\w+)"\s*:')


def from_events(
    events: Iterable[Any],
    provider: str | None = None,
    *,
    times_s: Iterable[float] | None = None,
    source: str | None = "events",
    **options: Any,
) -> StreamRun:
    """Make a run of parsed events: what an SDK's stream yields, what a log holds.

    The bytes on the wire are gone, so that framing, byte offsets and end mark of this run are made up: server-sent
    events, or AWS event-stream messages for Bedrock. The run says so in a diagnostic.

    Parameters
    ----------
    events : iterable
        One a chunk of the vendor's stream: dicts, JSON texts, pydantic models (openai, anthropic, google-genai),
        dataclasses, named tuples, msgspec structs, or dicts with the fields ``event`` and ``data`` of a server-sent
        event.
    provider : str, optional
        Who sent them; detected when not given.
    times_s : iterable of float, optional
        When each event arrived, in seconds since the request.
    source : str, optional
        Where they come from, for display.
    **options
        Those of `read`: ``strict``, ``limits``, ``repair``, ``decode_entities``, ``tools``, ``reasoning_tags``.

    Returns
    -------
    StreamRun

    Raises
    ------
    TypeError
        An event is of a type that holds no JSON.

    Examples
    --------
    >>> run = from_events([{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}])
    >>> run.payload.assistant_text, run.dialect, run.synthetic
    ('Hi', 'openai-chat', True)
    """
    if isinstance(events, str | bytes | Mapping) or not isinstance(events, Iterable):
        raise TypeError(f"events is an iterable of events, not one {type(events).__name__}")
    run = StreamRun(provider, source=source, synthetic=True, **options)
    times = iter(()) if times_s is None else iter(times_s)
    for number, event in enumerate(events):
        run.feed(_wire(_plain(event, number)), next(times, None))
    return run.finish()


def _plain(event: Any, number: int) -> Any:
    """Return an event as JSON has it."""
    match event:
        case str() | bytes():
            return event if isinstance(event, str) else event.decode("utf-8", "replace")
        case Mapping():
            return dict(event)
        case msgspec.Struct():
            return msgspec.to_builtins(event)
        case _ if hasattr(event, "model_dump"):
            return event.model_dump(mode="json", by_alias=True, exclude_unset=True)
        case _ if dataclasses.is_dataclass(event) and not isinstance(event, type):
            return {field.name: getattr(event, field.name) for field in dataclasses.fields(event)}
        case _ if hasattr(event, "_asdict"):
            return event._asdict()
        case _ if hasattr(event, "to_dict"):
            return event.to_dict()
    raise TypeError(f"event {number} is a {type(event).__name__}: no dict, no JSON text, no model that can be dumped")


def _wire(event: Any) -> bytes:
    """Return the bytes that could have carried an event."""
    if isinstance(event, str):
        text = event.strip()
        first_key = _FIRST_KEY.match(text)
        if first_key is None or not (_is_bedrock(first_key[1]) or first_key[1] in _SSE_FIELDS):
            return _text_event(text)
        try:
            event = json.loads(text)
        except ValueError:
            return _text_event(text)
        if not (_is_bedrock(first_key[1]) or ("data" in event and event.keys() <= _SSE_FIELDS)):
            return _text_event(text)  # as it was written
    if isinstance(event, dict):
        first = next(iter(event), None)
        if len(event) == 1 and isinstance(first, str) and _is_bedrock(first):
            return bedrock_event(first, _jsonable(event[first]))
        if "data" in event and event.keys() <= _SSE_FIELDS:
            data = event["data"]
            return server_sent_event(data if isinstance(data, str) else _jsonable(data), event.get("event"))
        if isinstance(event.get("type"), str):
            return server_sent_event(_jsonable(event), event["type"])
    return server_sent_event(_jsonable(event))


def _text_event(text: str) -> bytes:
    return server_sent_event(text.removeprefix("data:").lstrip().replace("\n", "\ndata: "))


def _is_bedrock(kind: str) -> bool:
    return kind in CONVERSE_EVENTS or kind == "chunk" or kind.endswith("Exception")


def _jsonable(value: Any) -> Any:
    """Return a value of dicts, lists and scalars; bytes are base64, as every vendor sends them."""
    return json.loads(json.dumps(value, default=_other))


def _other(value: Any) -> Any:
    if isinstance(value, bytes | bytearray):
        return base64.b64encode(value).decode()
    try:
        return _plain(value, -1)
    except TypeError:
        return str(value)
