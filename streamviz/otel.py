"""A run in the words of OpenTelemetry: the attributes of a GenAI inference span, and its events, as plain dicts.

The names are those of `CONVENTIONS`, "Semantic conventions for generative AI client inference"
(``docs/gen-ai/client-inference.md`` there). The tables below are the mapping; each row names what it is filled from.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple
from urllib.parse import urlsplit

from .assembly.payload import Block, EmbeddedRunPayload, json_safe

if TYPE_CHECKING:
    from .run import StreamRun

CONVENTIONS = "https://github.com/open-telemetry/semantic-conventions-genai/tree/v0.1.0"
"""Where the names come from: the first release after the GenAI conventions left ``semantic-conventions`` v1.41."""

Type = Literal["int", "double", "string", "string[]"]


class FromUsage(NamedTuple):
    """An attribute that holds a count of `Usage`."""

    attribute: str
    field: str
    even_zero: bool = False
    """The parts of a total are "recommended when available and non-zero"."""


USAGE = (
    # "This value SHOULD include all types of input tokens, including cached tokens": as `Usage` has it.
    FromUsage("gen_ai.usage.input_tokens", "input_tokens", even_zero=True),
    FromUsage("gen_ai.usage.output_tokens", "output_tokens", even_zero=True),
    FromUsage("gen_ai.usage.cache_read.input_tokens", "cache_read_input_tokens"),
    # Called ``cache_creation`` up to v1.41 of the conventions.
    FromUsage("gen_ai.usage.cache_write.input_tokens", "cache_creation_input_tokens"),
    FromUsage("gen_ai.usage.reasoning.output_tokens", "reasoning_output_tokens"),
    FromUsage("gen_ai.usage.audio.input_tokens", "audio_input_tokens"),
    FromUsage("gen_ai.usage.image.input_tokens", "image_input_tokens"),
    FromUsage("gen_ai.usage.audio.output_tokens", "audio_output_tokens"),
    FromUsage("gen_ai.usage.image.output_tokens", "image_output_tokens"),
)
"""Token counts. Buckets that the conventions have no name for (video input, predictions …) are left out."""


class FromRequest(NamedTuple):
    """An attribute that holds a parameter of the request."""

    attribute: str
    type: Type
    places: tuple[str, ...]
    """Dotted paths into the request's body, over all vendors; the first that is there counts."""


REQUEST = (
    FromRequest(
        "gen_ai.request.max_tokens",
        "int",
        ("max_completion_tokens", "max_output_tokens", "max_tokens", "generationConfig.maxOutputTokens",
         "inferenceConfig.maxTokens", "options.num_predict"),
    ),
    FromRequest(
        "gen_ai.request.temperature",
        "double",
        ("temperature", "generationConfig.temperature", "inferenceConfig.temperature", "options.temperature"),
    ),
    FromRequest(
        "gen_ai.request.top_p",
        "double",
        ("top_p", "p", "generationConfig.topP", "inferenceConfig.topP", "options.top_p"),
    ),
    # "a decoding/sampling parameter (e.g., Anthropic top_k, Cohere k, Google topK)"
    FromRequest("gen_ai.request.top_k", "int", ("top_k", "k", "generationConfig.topK", "options.top_k")),
    FromRequest(
        "gen_ai.request.frequency_penalty",
        "double",
        ("frequency_penalty", "generationConfig.frequencyPenalty", "options.frequency_penalty"),
    ),
    FromRequest(
        "gen_ai.request.presence_penalty",
        "double",
        ("presence_penalty", "generationConfig.presencePenalty", "options.presence_penalty"),
    ),
    FromRequest(
        "gen_ai.request.stop_sequences",
        "string[]",
        ("stop", "stop_sequences", "generationConfig.stopSequences", "inferenceConfig.stopSequences", "options.stop"),
    ),
    FromRequest("gen_ai.request.seed", "int", ("seed", "random_seed", "generationConfig.seed", "options.seed")),
    # "the exact string value sent to the provider"
    FromRequest(
        "gen_ai.request.reasoning.level",
        "string",
        ("reasoning_effort", "reasoning.effort", "output_config.effort",
         "generationConfig.thinkingConfig.thinkingLevel"),
    ),
    FromRequest(
        "gen_ai.request.previous_response.id", "string", ("previous_response_id", "previous_interaction_id")
    ),
)  # fmt: skip
"""Parameters of the request, where its body is known."""

PROVIDERS = {
    "openai": "openai",
    "azure": "azure.ai.openai",
    "anthropic": "anthropic",
    "bedrock": "aws.bedrock",
    "google": "gcp.gen_ai",  # "may be used when specific backend is unknown"
    "gemini": "gcp.gemini",
    "vertex": "gcp.vertex_ai",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "groq": "groq",
    "mistral": "mistral_ai",
    "moonshot": "moonshot_ai",
    "perplexity": "perplexity",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
"""`StreamRun.vendor` → the well-known value of ``gen_ai.provider.name``; any other vendor stands as it is."""

_HOSTS = {"generativelanguage.googleapis.com": "gcp.gemini", "aiplatform.googleapis.com": "gcp.vertex_ai"}
"""Hosts that tell which of a vendor's backends it was."""
_OPERATIONS = {"google": "generate_content", "openai-completions": "text_completion"}
"""Dialect → ``gen_ai.operation.name``; every other dialect is ``chat``."""
_API_TYPES = {"openai-chat": "chat_completions", "openai-responses": "responses"}
"""Dialect → ``openai.api.type`` (``docs/gen-ai/openai.md``)."""
_FINISHES = {
    "stop": "stop",
    "length": "length",
    "content_filter": "content_filter",
    "tool_calls": "tool_call",
    "error": "error",
}
"""`Finish.unified` → the well-known value of ``gen_ai.response.finish_reasons``."""
_PORTS = {"https": 443, "http": 80}
_MODEL_IN_PATH = ("models", "model", "deployments")
"""Parts of a URL's path that the model's name follows: Gemini, Bedrock, Azure."""
_DEBUG, _WARN = 5, 13
"""Severity numbers that the conventions give their two events."""


def to_otel(run: StreamRun, *, content: bool = False) -> dict[str, Any]:
    r"""Return the run as an OpenTelemetry GenAI inference span with its events, as plain JSON-safe dicts.

    Nothing is sent anywhere: pass the attributes to a span of your own, or write them to a log.

    Parameters
    ----------
    run : StreamRun
        The run.
    content : bool
        Include what the model answered (``gen_ai.output.messages``) and the event
        ``gen_ai.client.inference.operation.details``. Content is opt-in in the conventions, too: it is likely to hold
        personal data.

    Returns
    -------
    dict
        ``conventions``: where the names come from. ``span``: ``name``, ``kind``, ``status``, ``duration_s`` (None
        where no times were recorded) and ``attributes``: strings, booleans, integers, floats and lists of strings.
        ``events``: each with ``name``, ``severity_number`` and ``attributes``. As the conventions ask, messages are
        structured in an event, and a JSON string on the span.

        What is not known has no attribute; a count that nobody reported is not 0.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"model":"m-1","choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    >>> run.to_otel()["span"]["attributes"]
    {'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.stream': True,
     'gen_ai.response.model': 'm-1', 'gen_ai.response.finish_reasons': ['stop'], 'openai.api.type': 'chat_completions'}
    """
    attributes = _attributes(run)
    error = attributes.get("error.type")
    model = attributes.get("gen_ai.request.model")
    messages = [_message(payload) for payload in run.payloads] if content else None
    events = [] if error is None else [_exception(run, error)]
    if messages is not None:
        events.append(_event("gen_ai.client.inference.operation.details", _DEBUG,
                             attributes | {"gen_ai.output.messages": json_safe(messages)}))  # fmt: skip
        attributes |= {"gen_ai.output.messages": json.dumps(json_safe(messages), ensure_ascii=False)}
    span = {
        "name": " ".join(filter(None, (attributes["gen_ai.operation.name"], model))),
        "kind": "CLIENT",
        "status": {"code": "UNSET"} if error is None else {"code": "ERROR", "description": _description(run)},
        "duration_s": run.recording.times_s[-1] if run.timed != "none" else None,
        "attributes": attributes,
    }
    return json_safe({"conventions": CONVENTIONS, "span": span, "events": events})  # type: ignore[no-any-return]


def _attributes(run: StreamRun) -> dict[str, Any]:
    request = run.recording.request or {}
    body, url = _body(request), request.get("url")
    host, port, path = _address(url)
    payload = run.payload
    provider = _provider(run, host)
    found: dict[str, Any] = {
        "gen_ai.operation.name": _OPERATIONS.get(run.dialect, "chat"),
        "gen_ai.provider.name": provider,
        "error.type": _error_type(run),
        "gen_ai.request.model": _requested_model(body, path),
        # "If and only if the request is streaming"
        "gen_ai.request.stream": None if run.framing == "body" else True,
        "gen_ai.request.choice.count": _choice_count(body),
        **{row.attribute: _typed(_first(body, row.places), row.type) for row in REQUEST},
        "server.address": host,
        "server.port": port,
        "gen_ai.response.id": payload.response_id,
        "gen_ai.response.model": payload.model,
        "gen_ai.response.finish_reasons": [_finish(one) for one in run.payloads] if run.finished else None,
        "gen_ai.response.time_to_first_chunk": _first_chunk_s(run),
    }
    if payload.usage is not None:
        for row in USAGE:
            number = getattr(payload.usage, row.field)
            found[row.attribute] = number if number or row.even_zero else None
    if provider == "openai":
        found["openai.api.type"] = _API_TYPES.get(run.dialect)
        found["openai.response.service_tier"] = payload.usage.service_tier if payload.usage else None
    return {name: value for name, value in found.items() if value not in (None, "", [])}


# -- the request ------------------------------------------------------------------------------------------------------


def _body(request: dict[str, Any]) -> dict[str, Any]:
    """Return the request's body as an object; empty where it is none."""
    body = request.get("json", request.get("body"))
    if isinstance(body, str | bytes):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return {}
    return body if isinstance(body, dict) else {}


def _address(url: Any) -> tuple[str | None, int | None, str]:
    """Return host, port and path of a URL."""
    if not isinstance(url, str):
        return None, None, ""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None, None, ""
    return host, (port or _PORTS.get(parts.scheme)) if host else None, parts.path


def _requested_model(body: dict[str, Any], path: str) -> str | None:
    """Return the model that was asked for: as the body says, or the path of the URL."""
    model = body.get("model") or body.get("modelId")
    if isinstance(model, str):
        return model
    parts = path.split("/")
    for before, name in pairwise(parts):
        if before in _MODEL_IN_PATH and name:
            return name.partition(":")[0] if before == "models" else name.replace("%3A", ":")
    return None


def _choice_count(body: dict[str, Any]) -> int | None:
    """Return how many answers were asked for, "if available, in the request, and !=1"."""
    count = _typed(_first(body, ("n", "generationConfig.candidateCount")), "int")
    return None if count == 1 else count


def _first(body: dict[str, Any], places: tuple[str, ...]) -> Any:
    for place in places:
        value: Any = body
        for key in place.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def _typed(value: Any, kind: Type) -> Any:
    """Return a value as the type of its attribute; None where it is of another."""
    match kind, value:
        case "int" | "double", bool():
            return None
        case "int", int():
            return value
        case "double", int() | float():
            return float(value) if abs(value) < 1e300 else None
        case "string", str():
            return value
        case "string[]", str():
            return [value]
        case "string[]", list():
            return [item for item in value if isinstance(item, str)]
    return None


# -- the answer -------------------------------------------------------------------------------------------------------


def _provider(run: StreamRun, host: str | None) -> str:
    """Return who answered; where nobody knows, in whose format: it "identifies the telemetry format flavor"."""
    for suffix, name in _HOSTS.items():
        if host is not None and (host == suffix or host.endswith(("." + suffix, "-" + suffix))):
            return name
    if run.vendor:
        return PROVIDERS.get(run.vendor, run.vendor)
    return "openai" if run.dialect.startswith("openai") else run.dialect


def _error_type(run: StreamRun) -> str | None:
    """Return the class of the error that the response ended with.

    The vendor's own code or type; else an HTTP status from 400 on; else ``torn`` or ``aborted``.
    """
    error = run.payload.error
    if error is not None:
        return next((str(word) for word in (error.type, error.code) if word not in (None, "")), "_OTHER")
    if (run.recording.status or 0) >= 400:
        return str(run.recording.status)
    if not run.finished:
        return None
    return "_OTHER" if run.ended == "error" else run.ended if run.ended in ("torn", "aborted") else None


def _description(run: StreamRun) -> str:
    error = run.payload.error
    return error.message if error is not None and error.message else f"the stream ended: {run.ended}"


def _finish(payload: EmbeddedRunPayload) -> str:
    """Return why a choice ended; the vendor's word where the conventions have none.

    "If a finish reason was expected but not received … instrumentations SHOULD report ``error`` for that position".
    """
    finish = payload.finish
    if finish is None:
        return "error"
    known = _FINISHES.get(finish.unified or "")
    return known or (str(finish.raw[-1]) if finish.raw else "error")


def _first_chunk_s(run: StreamRun) -> float | None:
    """Return when the first chunk had arrived; comments and heartbeats are none."""
    if run.timed == "none":
        return None
    events = (time_s for frame, time_s in zip(run.frames, run.frame_times_s, strict=False) if frame.kind == "event")
    return next(events, None)


def _exception(run: StreamRun, error: str) -> dict[str, Any]:
    return _event(
        "gen_ai.client.inference.exception", _WARN, {"exception.type": error, "exception.message": _description(run)}
    )


def _event(name: str, severity: int, attributes: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "severity_number": severity, "attributes": attributes}


# -- its content ------------------------------------------------------------------------------------------------------


def _message(payload: EmbeddedRunPayload) -> dict[str, Any]:
    """Return a choice as an output message: ``model/gen-ai/gen-ai-output-messages.json``."""
    return {"role": payload.role or "assistant", "parts": [_part(block) for block in payload.blocks]}


def _part(block: Block) -> dict[str, Any]:
    call = block.call
    match block.kind:
        case "text":
            return {"type": "text", "content": block.text}
        case "thinking":
            return {"type": "reasoning", "content": block.text}
        case "tool_call" | "server_tool" if call is not None:
            ident = None if call.id_is_made_up else call.id
            arguments: Any = call.raw_arguments if call.arguments is None else call.arguments
            if call.server:
                details = {"type": call.name, "arguments": arguments}
                return {"type": "server_tool_call", "id": ident, "name": call.name, "server_tool_call": details}
            return {"type": "tool_call", "id": ident, "name": call.name, "arguments": arguments}
        case "tool_result":
            result = {"type": block.name or "tool_result", "value": block.value}
            return {"type": "server_tool_call_response", "id": block.id, "server_tool_call_response": result}
        case "media":
            return _blob(block)
    # A part of any other kind is generic since v0.1.0, and says what it is.
    kind = block.name if block.kind == "unknown" and block.name else block.kind
    held = {"content": block.text} if block.text or block.value is None else {"value": block.value}
    return {"type": "generic", "generic_type": kind, **held}


def _blob(block: Block) -> dict[str, Any]:
    value = block.value if isinstance(block.value, dict) else {}
    pieces: tuple[str, ...] = tuple(value.get("data") or ())
    part = {
        "type": "blob",
        "mime_type": block.name,
        "modality": (block.name or "audio").partition("/")[0],
        "content": pieces[0] if len(pieces) == 1 else _joined(pieces),
    }
    return part | ({"transcript": block.text} if block.text else {})


def _joined(pieces: tuple[str, ...]) -> str:
    """Join pieces of base64 that were encoded apart."""
    try:
        return b64encode(b"".join([b64decode(piece) for piece in pieces])).decode()
    except ValueError:
        return "".join(pieces)
