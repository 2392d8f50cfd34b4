"""A small stream for each thing that `StreamRun.explain` finds: made up, in the exact wire format of its vendor.

Each shows its code and nothing else; `clean` shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..run import StreamRun, read
from . import make
from .encoders import cut, server_sent_event
from .make import DONE, Chat, anthropic_event, call, message_end, message_start, openai_usage, token, words

MODEL = "gpt-4.1-mini-2025-04-14"
HEADERS = {"content-type": "text/event-stream; charset=utf-8"}
QUESTION = {"model": "gpt-4.1-mini", "stream": True, "messages": [{"role": "user", "content": "…"}]}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
ANSWER = "Bread needs flour, water, salt and time."

FINDING_SAMPLES: dict[str, Callable[[], StreamRun]] = {}
"""The code of a finding → what makes a run that shows it."""


def _shows(code: str) -> Callable[[Callable[[], StreamRun]], Callable[[], StreamRun]]:
    def enter(make_run: Callable[[], StreamRun]) -> Callable[[], StreamRun]:
        FINDING_SAMPLES[code] = make_run
        return make_run

    return enter


# -- what they are made of --------------------------------------------------------------------------------------------


def recorded(
    frames: Iterable[bytes],
    *,
    request: dict[str, Any] | None = None,
    status: int | None = None,
    headers: dict[str, str] | None = None,
    times_s: Iterable[float] = (),
) -> StreamRun:
    """Return a run of these frames; with times, each frame is a read of its own."""
    run = StreamRun(source="sample")
    run.recording.request, run.recording.status, run.recording.headers = request, status, headers
    times = list(times_s)
    if times:
        for frame, time_s in zip(frames, times, strict=True):
            run.feed(frame, time_s)
    else:
        run.feed(b"".join(frames))
    return run.finish()


def openai() -> Chat:
    """Return a stream of OpenAI's, its padding switched off in the request."""
    fingerprint = f"fp_{token('findings', 10)}"
    return Chat("findings", MODEL, obfuscated=False, service_tier="default", system_fingerprint=fingerprint)


def text(chat: Chat, *pieces: str) -> Iterator[bytes]:
    """Yield the role and pieces of text."""
    yield chat.delta(role="assistant", content="", refusal=None)
    yield from (chat.delta(content=piece) for piece in pieces)


def weather(chat: Chat, arguments: str, name: str = "get_weather", sizes: Iterable[int] = (7, 5)) -> Iterator[bytes]:
    """Yield the fragments of one call."""
    opening = call(0, "", f"call_{token('weather', 24)}", name)
    yield chat.delta(role="assistant", content=None, tool_calls=[opening], refusal=None)
    yield from (chat.delta(tool_calls=[call(0, piece)]) for piece in cut(arguments, sizes))


def end(chat: Chat, reason: str = "stop", usage: dict[str, Any] | None = None) -> Iterator[bytes]:
    """Yield the last three frames: the finish reason, the usage, the end mark."""
    yield chat.delta(reason)
    yield chat.event([], usage or openai_usage(19, 11))
    yield DONE


def clean() -> StreamRun:
    """Return a run in which nothing is to be found, with all that could be known of it."""
    chat = openai()
    frames = [*text(chat, *words(ANSWER)), *end(chat)]
    asked = {**QUESTION, "stream_options": {"include_usage": True}, "max_tokens": 100}
    times = [0.42 + 0.03 * k for k in range(len(frames))]
    return recorded(frames, request={"body": asked}, status=200, headers=HEADERS, times_s=times)


# -- the answer never began, or broke off -----------------------------------------------------------------------------


@_shows("http-error")
def _http_error() -> StreamRun:
    body = '{"error":{"message":"Rate limit reached for gpt-4.1-mini","type":"tokens","code":"rate_limit_exceeded"}}'
    return recorded([body.encode()], status=429, headers={"content-type": "application/json"})


@_shows("empty-body")
def _empty_body() -> StreamRun:
    return recorded([], headers=HEADERS)


@_shows("not-a-stream")
def _not_a_stream() -> StreamRun:
    body = b"<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n<body>nginx</body>\r\n</html>\r\n"
    return recorded([body], headers={"content-type": "text/html", "server": "nginx/1.25"})


@_shows("unknown-dialect")
def _unknown_dialect() -> StreamRun:
    return recorded(server_sent_event({"seq": seq, "say": piece}) for seq, piece in enumerate(words(ANSWER)))


@_shows("error-in-stream")
def _error_in_stream() -> StreamRun:
    chat = openai()
    error = {"message": "The server had an error while processing your request", "type": "server_error", "code": None}
    return recorded([*text(chat, "Bread ", "needs "), server_sent_event({"error": error})])


@_shows("stream-cut")
def _stream_cut() -> StreamRun:
    return recorded(text(openai(), "Bread ", "needs "))


@_shows("torn-tail")
def _torn_tail() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, "Bread ", "needs "), chat.delta(content="flour")[:60]])


@_shows("message-restarted")
def _message_restarted() -> StreamRun:
    frames: list[bytes] = []
    for name, piece in (("first", "Let me look."), ("second", "It is open.")):
        events = [message_start(name, make.anthropic_usage(12)), *make.text_block(0, piece)]
        frames += map(anthropic_event, [*events, *message_end("end_turn", {"output_tokens": 5})])
    return recorded(frames)


@_shows("finish-missing")
def _finish_missing() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, *words(ANSWER)), chat.event([], openai_usage(19, 11)), DONE])


@_shows("finish-contradicts")
def _finish_contradicts() -> StreamRun:
    chat = openai()
    return recorded([*weather(chat, '{"city": "Oslo"}'), chat.delta("tool_calls"), *end(chat, "length")])


@_shows("stop-but-calls")
def _stop_but_calls() -> StreamRun:
    chat = openai()
    return recorded([*weather(chat, '{"city": "Oslo"}'), *end(chat, "stop")])


@_shows("end-mark-missing")
def _end_mark_missing() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, *words(ANSWER)), *list(end(chat))[:-1]])


@_shows("frames-after-end")
def _frames_after_end() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, "Bread ", "needs "), *end(chat), chat.delta(content="flour and water.")])


@_shows("refused")
def _refused() -> StreamRun:
    chat = openai()
    opening = chat.delta(role="assistant", content=None, refusal="")
    pieces = [chat.delta(refusal=piece) for piece in words("I'm sorry, I can't help with that.")]
    return recorded([opening, *pieces, *end(chat)])


@_shows("filtered")
def _filtered() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, "First ", "you "), *end(chat, "content_filter")])


# -- tool calls -------------------------------------------------------------------------------------------------------


@_shows("call-truncated-by-limit")
def _call_truncated_by_limit() -> StreamRun:
    asked = {"model": "claude-sonnet-4-5", "max_tokens": 16, "stream": True, "tools": [{"name": "write_file"}]}
    events = [message_start("limit", make.anthropic_usage(388))]
    events += make.tool_block(0, "write_file", '{"path": "plan.md", "content": "# Be')
    frames = map(anthropic_event, [*events, *message_end("max_tokens", {"output_tokens": 16})])
    return recorded(frames, request={"body": asked})


@_shows("call-truncated-by-cut")
def _call_truncated_by_cut() -> StreamRun:
    chat = openai()
    run = StreamRun(source="sample")
    run.feed(b"".join(weather(chat, '{"city": "Oslo", "da')))
    return run.finish(aborted=True)  # the reader went away


@_shows("call-incomplete")
def _call_incomplete() -> StreamRun:
    chat = openai()
    return recorded([*weather(chat, '{"city": "Os'), *end(chat, "tool_calls")])


@_shows("call-invalid-json")
def _call_invalid_json() -> StreamRun:
    chat = openai()
    return recorded([*weather(chat, '{"city": Oslo or Bergen}'), *end(chat, "tool_calls")])


@_shows("call-repaired")
def _call_repaired() -> StreamRun:
    chat = openai()
    return recorded([*weather(chat, '{"city" "Oslo"}'), *end(chat, "tool_calls")])


@_shows("call-empty-arguments")
def _call_empty_arguments() -> StreamRun:
    chat = openai()
    asked = {**QUESTION, "tools": [WEATHER]}
    return recorded([*weather(chat, ""), *end(chat, "tool_calls")], request={"body": asked})


@_shows("call-identity-ambiguous")
def _call_identity_ambiguous() -> StreamRun:
    chat = openai()

    def fragment(name: str, arguments: str) -> bytes:
        return chat.delta(tool_calls=[{"function": {"name": name, "arguments": arguments}}])

    opening = chat.delta(role="assistant", content=None)
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": "{}"}}
    calls = [chat.delta(tool_calls=[first]), fragment("get_time", "{}")]
    return recorded([opening, *calls, *end(chat, "tool_calls")])


@_shows("call-name-not-in-request")
def _call_name_not_in_request() -> StreamRun:
    chat = openai()
    frames = [*weather(chat, '{"city": "Oslo"}', "weather_lookup"), *end(chat, "tool_calls")]
    return recorded(frames, request={"body": {**QUESTION, "tools": [WEATHER]}})


@_shows("call-breaks-schema")
def _call_breaks_schema() -> StreamRun:
    chat = openai()
    frames = [*weather(chat, '{"city": "Oslo", "days": "a few"}'), *end(chat, "tool_calls")]
    return recorded(frames, request={"body": {**QUESTION, "tools": [WEATHER]}})


# -- usage ------------------------------------------------------------------------------------------------------------


@_shows("usage-not-requested")
def _usage_not_requested() -> StreamRun:
    chat = openai()
    frames = [*text(chat, *words(ANSWER)), chat.delta("stop"), DONE]
    return recorded(frames, request={"body": QUESTION})


@_shows("usage-missing")
def _usage_missing() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, *words(ANSWER)), chat.delta("stop"), DONE])


@_shows("usage-zero-beside-content")
def _usage_zero_beside_content() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, *words(ANSWER)), *end(chat, usage=openai_usage(19, 0))])


@_shows("usage-preliminary-only")
def _usage_preliminary_only() -> StreamRun:
    events = [message_start("preliminary", make.anthropic_usage(24)), *make.text_block(0, ANSWER)]
    last = [{"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}}]
    return recorded(map(anthropic_event, [*events, *last, {"type": "message_stop"}]))


@_shows("usage-reported-twice")
def _usage_reported_twice() -> StreamRun:
    chat = openai()
    frames = list(text(chat, *words(ANSWER)))
    finish = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
    return recorded([*frames, chat.event([finish], openai_usage(19, 11)), chat.event([], openai_usage(19, 11)), DONE])


@_shows("usage-total-mismatch")
def _usage_total_mismatch() -> StreamRun:
    chat = openai()
    usage = {"prompt_tokens": 19, "completion_tokens": 11, "total_tokens": 41}
    return recorded([*text(chat, *words(ANSWER)), *end(chat, usage=usage)])


# -- what the text says -----------------------------------------------------------------------------------------------


@_shows("text-doubled")
def _text_doubled() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, *words(ANSWER)), chat.delta(content=ANSWER), *end(chat)])


@_shows("replacement-characters")
def _replacement_characters() -> StreamRun:
    chat = openai()
    return recorded([*text(chat, "Caf\ufffd\ufffd ", "is ", "open."), *end(chat)])


@_shows("wrong-charset")
def _wrong_charset() -> StreamRun:
    chat = openai()
    pieces = [piece.encode().decode("latin-1") for piece in ("Café ", "Müller ", "is open.")]
    return recorded([*text(chat, *pieces), *end(chat)])


@_shows("reasoning-tags-in-text")
def _reasoning_tags_in_text() -> StreamRun:
    chat = Chat("tags", "qwen3-32b", obfuscated=False)
    pieces = ["<think>", "They want ", "a recipe.", "</think>", "\n\nBread needs ", "flour."]
    return recorded([*text(chat, *pieces), *end(chat)])


# -- the recording ----------------------------------------------------------------------------------------------------


@_shows("capture-lossy")
def _capture_lossy() -> StreamRun:
    from ..recording.svrec import write_lines

    chat = openai()
    whole = recorded([*text(chat, *words(ANSWER)), *end(chat)])
    lines = list(
        write_lines(
            whole.recording, provider=None, dialect=whole.dialect, synthetic=False, aborted=False, version="0.1.0"
        )
    )
    run = read(b"".join(lines[:-1]))  # the file's last line, which says how much there was, is gone
    run.recording.source = "sample"
    return run


# -- time -------------------------------------------------------------------------------------------------------------


@_shows("stalled")
def _stalled() -> StreamRun:
    chat = openai()
    frames = [*text(chat, *words(ANSWER)), *end(chat)]
    return recorded(frames, times_s=[0.4 + 0.05 * k + 45 * (k >= 4) for k in range(len(frames))])


@_shows("alive-without-content")
def _alive_without_content() -> StreamRun:
    start = [message_start("alive", make.anthropic_usage(24)), *make.text_block(0, ANSWER)]
    frames = [anthropic_event(event) for event in start]
    last = [anthropic_event(event) for event in message_end("end_turn", {"output_tokens": 11})]
    times = [*(0.5 + 0.05 * k for k in range(5)), 10.0, 20.0, 30.0]
    times += [40 + 0.05 * k for k in range(len(frames) - 5 + len(last))]
    return recorded([*frames[:5], *[make.PING] * 3, *frames[5:], *last], times_s=times)


@_shows("buffered")
def _buffered() -> StreamRun:
    chat = openai()
    frames = [*text(chat, *words(ANSWER * 3)), *end(chat)]
    reads = [b"".join(frames[start : start + 9]) for start in range(0, len(frames), 9)]
    headers = {**HEADERS, "server": "nginx/1.25"}
    return recorded(reads, headers=headers, times_s=[0.9 + 1.6 * number for number in range(len(reads))])


@_shows("slow-first-token")
def _slow_first_token() -> StreamRun:
    chat = Chat("slow", "deepseek-chat", obfuscated=False)
    frames = [b": keep-alive\n\n", b": keep-alive\n\n", *text(chat, *words(ANSWER)), *end(chat)]
    return recorded(frames, times_s=[1.1, 9.1, *(16.4 + 0.04 * k for k in range(len(frames) - 2))])
