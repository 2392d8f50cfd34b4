"""What other libraries make of a stream, each through its own client, decoder and accumulator.

An accumulator writes what it comes to into a `Told`, as far as it gets: what it raises is a result, too.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..chunks import ToolCallDelta
from ..framing.reframe import document_of
from .transport import RawBody, http_client, http_module

if TYPE_CHECKING:
    from ..run import StreamRun

_QUESTION = [{"role": "user", "content": "q"}]
_URL = "http://stream.invalid"
_CONTENT_TYPES = {
    "sse": "text/event-stream",
    "eventstream": "application/vnd.amazon.eventstream",
    "json-lines": "application/x-ndjson",
}


class ToldCall(Struct):
    """A tool call, as another library has it."""

    name: str | None = None
    id: str | None = None
    arguments: Any = ""
    """The text, or the value where the library has no text."""


class Told(Struct):
    """What another library makes of a stream. None: it does not speak of it."""

    text: str | None = None
    thinking: str | None = None
    calls: list[ToldCall] | None = None
    finish: str | None = None
    tells_finish: bool = True
    usage: dict[str, int] | None = None
    """Counts under the vendor's own names; empty where none were reported."""
    counts: tuple[str, ...] | None = None
    """Those that it speaks of; None: all."""
    tells_errors: bool = True


Accumulate = Callable[["StreamRun", Told], None]


class Library(Struct, frozen=True):
    """A library that assembles streams."""

    package: str
    """What pip calls it."""
    module: str
    """What it is imported as."""
    dialects: tuple[str, ...]
    """What it reads."""
    accumulate: Accumulate


# -- openai -----------------------------------------------------------------------------------------------------------


@contextmanager
def _openai_client(run: StreamRun) -> Iterator[Any]:
    openai = import_module("openai")
    http = http_module(openai.DefaultHttpxClient)
    with openai.OpenAI(
        api_key="none", base_url=_URL, max_retries=0, http_client=http_client(http, *_answer(run))
    ) as client:
        yield client


def _answer(run: StreamRun) -> tuple[list[bytes], str, int]:
    """Return reads, content type and status of an answer."""
    recording = run.recording
    content_type = _CONTENT_TYPES.get(run.framing or "", "application/json")
    return recording.reads, content_type, recording.status or 200


def _openai(run: StreamRun, told: Told) -> None:
    if run.dialect == "openai-responses":
        _openai_responses(run, told)
    else:
        _openai_chat(run, told)


def _openai_chat(run: StreamRun, told: Told) -> None:
    state = import_module("openai.lib.streaming.chat").ChatCompletionStreamState()
    told.text, told.calls, told.usage = "", [], {}
    with _openai_client(run) as client:
        try:
            for chunk in client.chat.completions.create(model="m", messages=_QUESTION, stream=True):
                if chunk.object in ("", "chat.completion.chunk") or chunk.choices or chunk.usage:
                    state.handle_chunk(chunk)
        finally:
            if getattr(state, "_ChatCompletionStreamState__current_completion_snapshot", None) is not None:
                _take_completion(told, state.current_completion_snapshot)


def _take_completion(told: Told, completion: Any) -> None:
    choice = next((choice for choice in completion.choices or () if choice.index == 0), None)
    told.usage = _counts(completion.usage)
    if choice is None:
        return
    message = choice.message
    told.text = message.content or ""
    told.finish = choice.finish_reason
    reasoning = getattr(message, "reasoning_content", None)
    if reasoning:
        told.thinking = reasoning
    told.calls = [
        ToldCall(call.function and call.function.name, call.id, (call.function and call.function.arguments) or "")
        for call in message.tool_calls or ()
    ]


def _openai_responses(run: StreamRun, told: Told) -> None:
    omit = import_module("openai").omit
    responses = import_module("openai.lib.streaming.responses._responses")
    state = responses.ResponseStreamState(input_tools=omit, text_format=omit)
    told.text, told.calls, told.usage = "", [], {}
    told.tells_finish = False
    with _openai_client(run) as client:
        try:
            for event in client.responses.create(model="m", input="q", stream=True):
                state.handle_event(event)
        finally:
            done = state._completed_response  # noqa: SLF001
            _take_response(told, done or getattr(state, "_ResponseStreamState__current_snapshot", None))


def _take_response(told: Told, response: Any) -> None:
    for item in (response and response.output) or ():
        if item.type == "message":
            told.text = (told.text or "") + "".join(
                [part.text for part in item.content or () if part.type == "output_text"]
            )
        elif item.type == "function_call" and told.calls is not None:
            told.calls.append(ToldCall(item.name, item.call_id, item.arguments or ""))
    told.usage = _counts(response and response.usage)


def _counts(usage: Any, **how: Any) -> dict[str, int]:
    """Return the whole numbers at the top of a report."""
    report = {} if usage is None else usage.model_dump(exclude_none=True, **how)
    return {name: value for name, value in report.items() if type(value) is int}


# -- anthropic --------------------------------------------------------------------------------------------------------


def _anthropic(run: StreamRun, told: Told) -> None:
    anthropic = import_module("anthropic")
    http = http_client(http_module(anthropic.DefaultHttpxClient), *_answer(run))
    if run.framing == "eventstream":
        keys = {"aws_region": "eu-central-1", "aws_access_key": "none", "aws_secret_key": "none"}
        client = anthropic.AnthropicBedrock(**keys, max_retries=0, http_client=http)
    else:
        client = anthropic.Anthropic(api_key="none", base_url=_URL, max_retries=0, http_client=http)
    told.text, told.thinking, told.calls, told.usage = "", "", [], {}
    texts: dict[int, str] = {}
    with client, client.messages.stream(model="m", max_tokens=9, messages=_QUESTION) as stream:
        try:
            for event in stream:
                if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                    texts[event.index] = texts.get(event.index, "") + event.delta.partial_json
        finally:
            _take_message(told, _message_of(stream), texts)


def has_claude_inside(run: StreamRun) -> bool:
    """Return whether the events that Bedrock carries are those of the Messages API."""
    return any(b'"message_start"' in document_of(frame)[0] for frame in run.frames)


def _message_of(stream: Any) -> Any:
    """Return the message as far as it came; the SDK asserts that it began."""
    try:
        return stream.current_message_snapshot
    except AssertionError:
        return None


def _take_message(told: Told, message: Any, texts: Mapping[int, str]) -> None:
    if message is None:
        return
    told.finish = message.stop_reason
    told.usage = _counts(message.usage)
    for number, block in enumerate(message.content):
        match block.type:
            case "text":
                told.text = (told.text or "") + block.text
            case "thinking":
                told.thinking = (told.thinking or "") + block.thinking
            case "tool_use" if told.calls is not None:
                told.calls.append(ToldCall(block.name, block.id, texts.get(number, block.input or "")))


# -- google-genai, boto3 ----------------------------------------------------------------------------------------------


def _google(run: StreamRun, told: Told) -> None:
    """Join the SDK's chunks: it has no accumulator of its own."""
    genai = import_module("google.genai")
    http = http_client(import_module("google.genai._api_client").httpx, *_answer(run))
    client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(httpx_client=http))
    told.text, told.thinking, told.calls, told.usage = "", "", [], {}
    try:
        for answer in client.models.generate_content_stream(model="m", contents="q"):
            told.usage = _counts(answer.usage_metadata, by_alias=True) or told.usage
            for candidate in answer.candidates or ():
                if candidate.index in (None, 0):
                    told.finish = (candidate.finish_reason and candidate.finish_reason.value) or told.finish
                    _take_parts(told, (candidate.content and candidate.content.parts) or ())
    finally:
        client.close()


def _take_parts(told: Told, parts: Iterable[Any]) -> None:
    for part in parts:
        if part.function_call is not None and told.calls is not None:
            call = part.function_call
            told.calls.append(ToldCall(call.name, call.id, dict(call.args or {})))
        elif part.text and part.thought:
            told.thinking = (told.thinking or "") + part.text
        elif part.text:
            told.text = (told.text or "") + part.text


def _boto3(run: StreamRun, told: Told) -> None:
    """Join the events of botocore's parser: it has no accumulator of its own."""
    from botocore.eventstream import EventStream
    from botocore.parsers import EventStreamJSONParser
    from botocore.session import get_session

    operation = "ConverseStream" if run.dialect == "bedrock-converse" else "InvokeModelWithResponseStream"
    members = get_session().get_service_model("bedrock-runtime").operation_model(operation).output_shape.members
    shape = members["stream" if "stream" in members else "body"]
    told.tells_finish = run.dialect == "bedrock-converse"
    if told.tells_finish:
        told.text, told.thinking, told.calls, told.usage = "", "", [], {}
    calls: dict[int, ToldCall] = {}
    for event in EventStream(RawBody(run.recording.reads), shape, EventStreamJSONParser(), operation):
        match event:
            case {"contentBlockStart": {"contentBlockIndex": block, "start": {"toolUse": use}}}:
                calls[block] = ToldCall(use.get("name"), use.get("toolUseId"))
                told.calls = list(calls.values())
            case {"contentBlockDelta": {"delta": {"text": text}}}:
                told.text = (told.text or "") + text
            case {"contentBlockDelta": {"delta": {"reasoningContent": {"text": text}}}}:
                told.thinking = (told.thinking or "") + text
            case {"contentBlockDelta": {"contentBlockIndex": block, "delta": {"toolUse": {"input": text}}}}:
                calls[block].arguments += text
            case {"messageStop": {"stopReason": reason}}:
                told.finish = reason
            case {"metadata": {"usage": usage}}:
                told.usage = {name: value for name, value in usage.items() if type(value) is int}


# -- litellm, langchain -----------------------------------------------------------------------------------------------


def _litellm(run: StreamRun, told: Told) -> None:
    litellm = _import_litellm()
    told.text, told.calls, told.usage = "", [], {}
    chunks: list[Any] = []
    with _openai_client(run) as client:
        try:
            chunks += litellm.completion(model="openai/m", messages=_QUESTION, stream=True, client=client)
        finally:
            if chunks:
                _take_completion(told, litellm.stream_chunk_builder(chunks))


def _import_litellm() -> Any:
    """Import litellm without its table of prices, which it would fetch from the network."""
    name = "LITELLM_LOCAL_MODEL_COST_MAP"
    before = os.environ.get(name)
    os.environ[name] = "True"
    try:
        litellm: Any = import_module("litellm")
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before
    litellm.suppress_debug_info = True
    return litellm


def _langchain(run: StreamRun, told: Told) -> None:
    """Add up message chunks, made from our chunks as langchain's partner packages make them from the vendors'."""
    message_chunk = import_module("langchain_core.messages").AIMessageChunk
    told.text, told.calls, told.tells_errors = "", [], False
    if run.dialect == "openai-chat":
        told.usage, told.counts = {}, tuple(_LANGCHAIN_COUNTS)
    message: Any = None
    hidden: set[Any] = set()  # calls that the vendor runs itself are none of the message's
    try:
        for chunk in run.chunks:
            hidden.update(_place(d) for d in chunk.tool_calls if d.server)
            thinking = chunk.thinking
            finish = chunk.finish_reason
            one = message_chunk(
                content=chunk.content,
                additional_kwargs={"reasoning_content": thinking} if thinking else {},
                tool_call_chunks=[
                    _tool_call_chunk(d) for d in chunk.tool_calls if not d.server and _place(d) not in hidden
                ],
                response_metadata={} if finish is None else {"finish_reason": finish},
            )
            if chunk.usage is not None and told.usage is not None:
                one.usage_metadata = {to: chunk.usage.raw.get(name) or 0 for name, to in _LANGCHAIN_COUNTS.items()}
            message = one if message is None else message + one
    finally:
        if message is not None:
            told.text = str(message.content)
            told.thinking = message.additional_kwargs.get("reasoning_content")
            told.finish = message.response_metadata.get("finish_reason")
            told.calls = [ToldCall(c["name"], c["id"], c["args"] or "") for c in message.tool_call_chunks]
            if told.usage is not None and message.usage_metadata is not None:
                told.usage = {name: message.usage_metadata[to] for name, to in _LANGCHAIN_COUNTS.items()}


_LANGCHAIN_COUNTS = {
    "prompt_tokens": "input_tokens",
    "completion_tokens": "output_tokens",
    "total_tokens": "total_tokens",
}
"""OpenAI's counts by langchain's names."""


def _place(delta: ToolCallDelta) -> Any:
    """Return what langchain tells calls apart by."""
    return delta.index if delta.index is not None else delta.block


def _tool_call_chunk(delta: ToolCallDelta) -> Any:
    arguments = None if delta.seed and delta.arguments == "{}" else delta.arguments
    return {"name": delta.name, "args": arguments, "id": delta.id, "index": _place(delta), "type": "tool_call_chunk"}


# -- a function -------------------------------------------------------------------------------------------------------


def accumulate_by(function: Callable[[Iterator[bytes]], Mapping[str, Any]]) -> Accumulate:
    """Return what lets a caller's own function speak: from an iterator of bytes to a mapping."""

    def accumulate(run: StreamRun, told: Told) -> None:
        found = function(iter(run.recording.reads))
        if not isinstance(found, Mapping):
            raise TypeError(f"the function returns a dict, not {type(found).__name__}")
        told.text = found.get("text", found.get("assistant_text"))
        told.thinking = found.get("thinking")
        calls = found.get("calls", found.get("tool_calls"))
        if calls is not None:
            told.calls = [ToldCall(call.get("name"), call.get("id"), call.get("arguments", "")) for call in calls]
        told.finish = found.get("finish", found.get("finish_reason"))
        told.tells_finish = bool({"finish", "finish_reason"} & found.keys())
        told.usage = found.get("usage")

    return accumulate


LIBRARIES: dict[str, Library] = {
    "openai": Library("openai", "openai", ("openai-chat", "openai-responses", "mistral"), _openai),
    "anthropic": Library("anthropic", "anthropic", ("anthropic", "bedrock-invoke"), _anthropic),
    "google-genai": Library("google-genai", "google.genai", ("google",), _google),
    "boto3": Library("boto3", "botocore", ("bedrock-converse", "bedrock-invoke"), _boto3),
    "litellm": Library("litellm", "litellm", ("openai-chat",), _litellm),
    "langchain": Library(
        "langchain-core",
        "langchain_core",
        ("openai-chat", "mistral", "anthropic", "google", "bedrock-converse"),
        _langchain,
    ),
}
"""Every library that `compare_sdk` knows."""


def arguments_text(arguments: Any) -> str:
    """Return arguments as text."""
    return arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False, default=str)
