"""Write the sample streams: ``python -m streamviz.samples.make``.

Everything here is made up; what is exact is the form. Each function tells one story in the events of one vendor, in
the vendor's order and with its odd habits, and nothing in it depends on the clock or on chance.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from . import DATA
from .encoders import bedrock_event, compact, cut, event_stream_message, server_sent_event

CREATED = 1_780_000_000
DONE = server_sent_event("[DONE]")


def words(text: str) -> list[str]:
    """Cut a text as a tokenizer would, blanks before their word."""
    return re.findall(r"\s*\S{1,7}", text)


def phrases(text: str) -> list[str]:
    """Cut a text into groups of four words, as a vendor does that sends larger steps."""
    return re.findall(r"(?:\s*\S+){1,4}", text)


def token(seed: str, length: int) -> str:
    """Return letters and digits that look random and never change."""
    digest = b"".join(hashlib.sha256(f"{seed}/{part}".encode()).digest() for part in range(length // 40 + 1))
    return base64.b64encode(digest).decode().replace("+", "a").replace("/", "b")[:length]


def padding(number: int) -> str:
    """Return padding as Mistral and AWS write it, of a length that wanders."""
    return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"[: 3 + number * 17 % 50]


# -- OpenAI Chat Completions, and who speaks like it ------------------------------------------------------------------


class Chat:
    """Chunks of one Chat Completions stream."""

    def __init__(self, name: str, model: str, *, obfuscated: bool = True, **extra: Any) -> None:
        self.name = name
        self.model = model
        self.obfuscated = obfuscated
        self.extra = extra
        self.count = 0

    def event(self, choices: list[dict[str, Any]], usage: dict[str, Any] | None = None) -> bytes:
        """Return one chunk; all but the last say that there is no usage yet."""
        chunk: dict[str, Any] = {
            "id": f"chatcmpl-{token(self.name, 29)}",
            "object": "chat.completion.chunk",
            "created": CREATED,
            "model": self.model,
            **self.extra,
            "choices": choices,
            "usage": usage,
        }
        if self.obfuscated:
            self.count += 1
            chunk["obfuscation"] = token(f"{self.name}{self.count}", 1 + self.count * 5 % 13)
        return server_sent_event(chunk)

    def delta(self, finish: str | None = None, **delta: Any) -> bytes:
        """Return one chunk with one delta."""
        return self.event([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])


def openai_usage(prompt: int, completion: int, cached: int = 0, reasoning: int = 0) -> dict[str, Any]:
    """Return a usage report with all the members OpenAI sends."""
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
        "prompt_tokens_details": {"cached_tokens": cached, "audio_tokens": 0},
        "completion_tokens_details": {
            "reasoning_tokens": reasoning,
            "audio_tokens": 0,
            "accepted_prediction_tokens": 0,
            "rejected_prediction_tokens": 0,
        },
    }


def openai_chat(name: str) -> Chat:
    """Return a stream of OpenAI's own."""
    return Chat(name, "gpt-4.1-mini-2025-04-14", service_tier="default", system_fingerprint=f"fp_{token(name, 10)}")


def openai_text() -> Iterator[bytes]:
    """Plain text; the usage comes last, in a chunk without choices."""
    chat = openai_chat("openai-text")
    yield chat.delta(role="assistant", content="", refusal=None)
    for piece in words(
        "The night train leaves Vienna at 19:42 and reaches Venice at 8:34. Take the upper berth: it is quieter, and "
        "the window is yours when the lagoon appears. ☕ Breakfast comes at seven."
    ):
        yield chat.delta(content=piece)
    yield chat.delta("stop")
    yield chat.event([], openai_usage(31, 44))
    yield DONE


def call(index: int, arguments: str, ident: str | None = None, name: str | None = None) -> dict[str, Any]:
    """Return one fragment of a call: the first one has id, type and name, the others have the arguments only."""
    if ident is None:
        return {"index": index, "function": {"arguments": arguments}}
    return {"index": index, "id": ident, "type": "function", "function": {"name": name, "arguments": arguments}}


def openai_parallel_calls() -> Iterator[bytes]:
    """Two calls; fragments of the first still come when the second has begun."""
    chat = openai_chat("openai-parallel-calls")
    first = cut('{"city":"Reykjavík","days":3,"units":"metric"}', [2, 4, 3, 5])
    second = cut('{"from":"KEF","to":"OSL","date":"2026-07-14"}', [2, 5, 3])
    opening = call(0, "", f"call_{token('a', 24)}", "get_forecast")
    yield chat.delta(role="assistant", content=None, tool_calls=[opening], refusal=None)
    yield from (chat.delta(tool_calls=[call(0, piece)]) for piece in first[:5])
    yield chat.delta(tool_calls=[call(1, "", f"call_{token('b', 24)}", "find_flights")])
    for one, other in zip(first[5:], second, strict=False):
        yield chat.delta(tool_calls=[call(0, one)])
        yield chat.delta(tool_calls=[call(1, other)])
    for piece in second[len(first) - 5 :]:
        yield chat.delta(tool_calls=[call(1, piece)])
    yield chat.delta("tool_calls")
    yield chat.event([], openai_usage(126, 57, cached=64))
    yield DONE


def openai_broken_arguments() -> Iterator[bytes]:
    """Three calls of a server with a home-made tool parser: it loses a colon, and sends one call twice."""
    chat = Chat("openai-broken-arguments", "qwen3-32b", obfuscated=False)
    texts = (
        ("list_files", '{"folder": "notes"}'),
        ("read_file", '{"path" "notes/todo.md", "lines": [1, 40]}'),
        ("delete_file", '{"path": "a.tmp"}{"path": "a.tmp"}'),
    )
    yield chat.delta(role="assistant", content="I will look at your notes first.")
    for index, (name, text) in enumerate(texts):
        yield chat.delta(tool_calls=[call(index, "", f"call-{index}", name)])
        yield from (chat.delta(tool_calls=[call(index, piece)]) for piece in cut(text, [1, 6, 4]))
    yield chat.delta("tool_calls")
    yield chat.event([], {"prompt_tokens": 212, "completion_tokens": 71, "total_tokens": 283})
    yield DONE


def openai_torn() -> Iterator[bytes]:
    """Lose the connection in mid-frame, between two bytes of one letter."""
    chat = openai_chat("openai-torn")
    yield chat.delta(role="assistant", content="", refusal=None)
    for piece in words(
        "Four names for the boat, each easy to call across a harbour: Petrel, for a bird that walks on water; "
        "Morgenröte, for the hour you like to sail; and"
    ):
        yield chat.delta(content=piece)
    last = chat.delta(content=" Île")
    yield last[: last.index("Î".encode()) + 1]


def openai_hostile() -> Iterator[bytes]:
    """Text as an attacker would write it, and a model repeat it."""
    chat = openai_chat("openai-hostile")
    text = (
        "<script>alert(1)</script><img src=x onerror=alert(2)> costs $5 or $x^2$, "
        "\x1b[31mred\x1b[0m, [bold]marked[/bold], \u202edesrever\u202c, invisible:\u200b\U000e0041, end."
    )
    yield chat.delta(role="assistant", content="")
    yield from (chat.delta(content=piece) for piece in cut(text, [3, 5, 8]))
    arguments = json.dumps({"</pre><script>alert(3)</script>": "`rm -rf ~`"})
    yield chat.delta(tool_calls=[call(0, arguments, 'call_"><b>', "<b>shell</b>")])
    yield chat.delta("tool_calls")
    yield chat.event([], openai_usage(18, 66))
    yield DONE


def deepseek_reasoning() -> Iterator[bytes]:
    """Reasoning in a field of its own; comments keep the connection alive while the model is queued."""
    chat = Chat("deepseek-reasoning", "deepseek-reasoner", obfuscated=False, system_fingerprint="fp_a1b2c3d4e5")
    yield b": keep-alive\n\n"
    yield b": keep-alive\n\n"
    yield chat.delta(role="assistant", content=None, reasoning_content="")
    for piece in words("A leap year has 366 days. 366 divided by 7 leaves 2. So the weekday moves on by two."):
        yield chat.delta(content=None, reasoning_content=piece)
    yield b": keep-alive\n\n"
    for piece in words("It falls two weekdays later: after a Monday comes a Wednesday."):
        yield chat.delta(content=piece, reasoning_content=None)
    usage = {
        "prompt_tokens": 22,
        "completion_tokens": 47,
        "total_tokens": 69,
        "prompt_tokens_details": {"cached_tokens": 16},
        "completion_tokens_details": {"reasoning_tokens": 29},
        "prompt_cache_hit_tokens": 16,
        "prompt_cache_miss_tokens": 6,
    }
    last = {"index": 0, "delta": {"content": "", "reasoning_content": None}, "logprobs": None, "finish_reason": "stop"}
    yield chat.event([last], usage)
    yield DONE


def mistral_thinking() -> Iterator[bytes]:
    """While the model thinks, ``content`` is a list of parts; afterwards it is text. ``p`` pads all but the first."""
    chunk = {
        "id": token("mistral", 32).lower(),
        "object": "chat.completion.chunk",
        "created": CREATED,
        "model": "magistral-medium-latest",
    }
    contents: list[Any] = [""]
    contents += [
        [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]}]
        for piece in words("The user asks for a rhyme on 'month'. There is no perfect one. Say so, and offer 'once'.")
    ]
    contents += words("Nothing in English rhymes with month; 'once' comes near, if said with a smile.")
    for number, content in enumerate(contents):
        delta = {"content": content} if number else {"role": "assistant", "content": content}
        choices = [{"index": 0, "delta": delta, "finish_reason": None}]
        yield server_sent_event({**chunk, "choices": choices} | ({"p": padding(number)} if number else {}))
    usage = {
        "prompt_tokens": 14,
        "total_tokens": 69,
        "completion_tokens": 55,
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    choices = [{"index": 0, "delta": {"content": ""}, "finish_reason": "stop"}]
    yield server_sent_event({**chunk, "choices": choices, "usage": usage, "p": padding(7)})
    yield DONE


# -- OpenAI Responses -------------------------------------------------------------------------------------------------


class Responses:
    """Events of one Responses stream, numbered, with padding on the deltas."""

    def __init__(self, name: str, model: str) -> None:
        self.name = name
        self.model = model
        self.count = 0
        self.output: list[dict[str, Any]] = []

    def event(self, kind: str, **members: Any) -> bytes:
        """Return one event; the name is in its field and in its data."""
        event = {"type": kind, "sequence_number": self.count, **members}
        if kind.endswith(".delta"):
            event["obfuscation"] = token(f"{self.name}{self.count}", 3 + self.count * 7 % 13)
        self.count += 1
        return server_sent_event(event, kind)

    def whole(self, kind: str, status: str, usage: dict[str, Any] | None = None) -> bytes:
        """Return an event that carries the whole response."""
        response = {
            "id": f"resp_{token(self.name, 48)}",
            "object": "response",
            "created_at": CREATED,
            "status": status,
            "error": None,
            "incomplete_details": None,
            "model": self.model,
            "output": self.output,
            "parallel_tool_calls": True,
            "service_tier": "default" if usage else "auto",
            "store": False,
            "usage": usage,
        }
        return self.event(kind, response=response)

    def item(
        self, opened: dict[str, Any], complete: dict[str, Any], middle: Iterable[tuple[str, dict[str, Any]]]
    ) -> Iterator[bytes]:
        """Return an item: as it opens, the events inside it, and as it is when it is complete."""
        index = len(self.output)
        yield self.event("response.output_item.added", output_index=index, item=opened)
        for kind, members in middle:
            yield self.event(f"response.{kind}", item_id=opened["id"], output_index=index, **members)
        self.output.append(complete)
        yield self.event("response.output_item.done", output_index=index, item=complete)


def growing(
    kind: str, field: str, text: str, pieces: Iterable[str], **members: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Return the deltas of a text and the event that repeats it whole."""
    deltas = [(f"{kind}.delta", {**members, "delta": piece}) for piece in pieces]
    return [*deltas, (f"{kind}.done", {**members, field: text})]


def responses_reasoning_call() -> Iterator[bytes]:
    """Reasoning in summary, a search by the vendor, text with a citation, and a call; each is repeated whole."""
    stream = Responses("responses-reasoning-call", "gpt-5-mini-2025-08-07")
    yield stream.whole("response.created", "in_progress")
    yield stream.whole("response.in_progress", "in_progress")
    summary = "**Checking the tide** The harbour bar needs two metres; I look up today's table first."
    reasoning = {"id": f"rs_{token('rs', 48)}", "type": "reasoning", "summary": []}
    part = {"type": "summary_text", "text": summary}
    yield from stream.item(
        reasoning,
        {**reasoning, "summary": [part], "encrypted_content": f"gAAAAA{token('enc', 90)}"},
        [
            ("reasoning_summary_part.added", {"summary_index": 0, "part": {**part, "text": ""}}),
            *growing("reasoning_summary_text", "text", summary, words(summary), summary_index=0),
            ("reasoning_summary_part.done", {"summary_index": 0, "part": part}),
        ],
    )
    search = {"id": f"ws_{token('ws', 48)}", "type": "web_search_call", "status": "in_progress"}
    action = {"type": "search", "query": "tide table Aveiro 2026-07-14"}
    yield from stream.item(
        search,
        {**search, "status": "completed", "action": action},
        [(f"web_search_call.{step}", {}) for step in ("in_progress", "searching", "completed")],
    )
    text = "High water at Aveiro is at 15:20, 3.1 m. I ask the harbour for a berth."
    message = {
        "id": f"msg_{token('msg', 48)}",
        "type": "message",
        "status": "in_progress",
        "content": [],
        "role": "assistant",
    }
    note = {
        "type": "url_citation",
        "start_index": 0,
        "end_index": 40,
        "url": "https://tides.example/aveiro",
        "title": "Tides",
    }
    opening: dict[str, Any] = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
    whole = {**opening, "annotations": [note], "text": text}
    yield from stream.item(
        message,
        {**message, "status": "completed", "content": [whole]},
        [
            ("content_part.added", {"content_index": 0, "part": opening}),
            *growing("output_text", "text", text, words(text), content_index=0, logprobs=[])[:-1],
            ("output_text.annotation.added", {"content_index": 0, "annotation_index": 0, "annotation": note}),
            ("output_text.done", {"content_index": 0, "logprobs": [], "text": text}),
            ("content_part.done", {"content_index": 0, "part": whole}),
        ],
    )
    arguments = '{"harbour":"Aveiro","arrival":"2026-07-14T15:00","length_m":9.5}'
    opened = {
        "id": f"fc_{token('fc', 48)}",
        "type": "function_call",
        "status": "in_progress",
        "arguments": "",
        "call_id": f"call_{token('fc-call', 24)}",
        "name": "reserve_berth",
    }
    yield from stream.item(
        opened,
        {**opened, "status": "completed", "arguments": arguments},
        growing("function_call_arguments", "arguments", arguments, cut(arguments, [2, 7, 3, 5])),
    )
    usage = {
        "input_tokens": 318,
        "input_tokens_details": {"cached_tokens": 128},
        "output_tokens": 139,
        "output_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": 457,
    }
    yield stream.whole("response.completed", "completed", usage)


# -- Anthropic Messages -----------------------------------------------------------------------------------------------


PING = server_sent_event('{"type": "ping"}', "ping")


def anthropic_event(event: dict[str, Any]) -> bytes:
    """Return an event under its own name."""
    return server_sent_event(event, event["type"])


def padded(events: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """Encode events with blanks before the last brace, which hide from a listener how long each piece is."""
    for number, event in enumerate(events):
        blanks = " " * (number * 7 % 16)
        yield server_sent_event(f"{compact(event)[:-1]}{blanks}}}", event["type"])


def message_start(name: str, usage: dict[str, Any]) -> dict[str, Any]:
    """Return the first event, with the usage known so far."""
    return {
        "type": "message_start",
        "message": {
            "model": "claude-sonnet-4-5-20250929",
            "id": f"msg_01{token(name, 22)}",
            "type": "message",
            "role": "assistant",
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        },
    }


def anthropic_usage(fresh: int, written: int = 0, read: int = 0, output: int = 1) -> dict[str, Any]:
    """Return a usage report: the three kinds of input stand side by side."""
    return {
        "input_tokens": fresh,
        "cache_creation_input_tokens": written,
        "cache_read_input_tokens": read,
        "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
        "output_tokens": output,
        "service_tier": "standard",
    }


def block(index: int, start: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the events of one content block."""
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}


def text_block(index: int, text: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a text block."""
    return block(index, {"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in words(text)])


def thinking_block(index: int, text: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a thinking block; its signature comes last."""
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in words(text)]
    deltas.append({"type": "signature_delta", "signature": token(text, 88)})
    return block(index, {"type": "thinking", "thinking": "", "signature": ""}, deltas)


def tool_block(index: int, name: str, arguments: str) -> Iterator[dict[str, Any]]:
    """Yield the events of a call; its first fragment is always empty."""
    start = {"type": "tool_use", "id": f"toolu_01{token(name + arguments, 22)}", "name": name, "input": {}}
    fragments = ["", *cut(arguments, [9, 6, 12])]
    return block(index, start, [{"type": "input_json_delta", "partial_json": fragment} for fragment in fragments])


def message_end(reason: str, usage: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the last two events; the usage is cumulative."""
    yield {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def anthropic_text() -> Iterator[bytes]:
    """One text block."""
    start = message_start("anthropic-text", anthropic_usage(24))
    events = list(
        text_block(
            0,
            "Bread needs four things: flour, water, salt and time. Time is the one that people leave out, and the one "
            "that you can taste.",
        )
    )
    yield from padded([start, events[0]])
    yield PING
    yield from padded([*events[1:], *message_end("end_turn", {"output_tokens": 33})])


def anthropic_thinking_calls() -> Iterator[bytes]:
    """Thinking, then text, then two calls, each a block of its own."""
    start = message_start("anthropic-thinking-calls", anthropic_usage(71, written=0, read=1024, output=8))
    thought = "They want to compare two cities. I can ask for both forecasts at once instead of one after the other."
    events = list(thinking_block(0, thought))
    events += text_block(1, "I will look up both forecasts.")
    events += tool_block(2, "get_forecast", '{"city": "Paris", "days": 3}')
    events += tool_block(3, "get_forecast", '{"city": "Reykjavík", "days": 3}')
    usage = {
        "input_tokens": 71,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 1024,
        "output_tokens": 143,
    }
    yield from padded([start, events[0]])
    yield PING
    yield from padded([*events[1:], *message_end("tool_use", usage)])


def anthropic_cut_call() -> Iterator[bytes]:
    """Hit the token limit inside a string, in half an escape; the block is closed as if all were well.

    Some answers come without padding and pings, as this one does.
    """
    yield anthropic_event(message_start("anthropic-cut-call", anthropic_usage(388)))
    arguments = '{"path": "garden/plan.md", "mode": "create", "content": "# Beds\\n\\n1. beans\\n2. caf\\u00'
    events = [*text_block(0, "Here is the plan."), *tool_block(1, "write_file", arguments)]
    yield from map(anthropic_event, events)
    yield from map(anthropic_event, message_end("max_tokens", {"output_tokens": 64}))


def anthropic_overloaded() -> Iterator[bytes]:
    """Break off with an error event."""
    start = message_start("anthropic-overloaded", anthropic_usage(45))
    events = list(
        text_block(
            0,
            "Saturn has more moons than any other planet. The three largest are Titan, which has rain and rivers of "
            "methane, Rhea and",
        )
    )
    yield from padded([start, events[0]])
    yield PING
    yield from padded(events[1:-1])
    error = {"type": "overloaded_error", "message": "Overloaded"}
    yield anthropic_event({"type": "error", "error": error, "request_id": f"req_{token('overloaded', 24)}"})


# -- Google Gemini and Vertex AI --------------------------------------------------------------------------------------


def google_event(response: dict[str, Any]) -> bytes:
    """Return an event with Google's line ends."""
    return server_sent_event(response).replace(b"\n", b"\r\n")


def gemini_usage(prompt: int, candidates: int, thoughts: int) -> dict[str, Any]:
    """Return a usage report; counts that are zero are left out."""
    counts = {"promptTokenCount": prompt, "candidatesTokenCount": candidates}
    total = {"totalTokenCount": prompt + candidates + thoughts}
    details = {"promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}]}
    reported = {**counts, **total, **details, "thoughtsTokenCount": thoughts}
    return {name: count for name, count in reported.items() if count}


def gemini(name: str, parts: list[dict[str, Any]], usage: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    """Return one response of the Gemini API; every one repeats the usage so far."""
    candidate: dict[str, Any] = {"content": {"parts": parts, "role": "model"}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {
        "candidates": [{**candidate, "index": 0}],
        "usageMetadata": usage,
        "modelVersion": "gemini-2.5-flash",
        "responseId": token(name, 23),
    }


def vertex(name: str, parts: list[dict[str, Any]], counts: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return one response of Vertex AI; the counts come with the last one, and with it the finish reason."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}}
    usage: dict[str, Any] = {"trafficType": "ON_DEMAND"}
    if counts is not None:
        candidate["finishReason"] = "STOP"
        prompt, answer = counts
        usage = {
            "promptTokenCount": prompt,
            "candidatesTokenCount": answer,
            "totalTokenCount": prompt + answer,
            "trafficType": "ON_DEMAND",
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": prompt}],
            "candidatesTokensDetails": [{"modality": "TEXT", "tokenCount": answer}],
        }
    return {
        "candidates": [candidate],
        "usageMetadata": usage,
        "modelVersion": "gemini-2.5-flash",
        "createTime": "2026-05-28T20:26:40.123456Z",
        "responseId": token(name, 23),
    }


def gemini_thoughts_call() -> Iterator[bytes]:
    """Large steps, as Gemini sends them: thought summaries, text a few words at a time, a call in one piece."""
    name = "gemini-thoughts-call"
    thoughts = (
        "**Finding a table**\n\nThe user wants dinner for four near the harbour, at eight.\n\n\n",
        "**Weighing the terrace**\n\nIt may rain, but they asked to sit outside.\n\n\n",
        "**Searching first**\n\nI should not promise a table before I have searched.\n\n\n",
    )
    text = (
        "A table for four by the harbour, outside, at eight: that is the hour when everybody wants one. I will ask the "
        "places whose terrace has a roof, in case the rain comes early, and leave out the one that is closed on "
        "Tuesdays. If they are full, a quarter past nine is usually easy, and the light is better. Let me look now."
    )
    for number, thought in enumerate(thoughts, 1):
        yield google_event(gemini(name, [{"text": thought, "thought": True}], gemini_usage(58, 0, 14 * number)))
    for number, piece in enumerate(phrases(text), 1):
        yield google_event(gemini(name, [{"text": piece}], gemini_usage(58, 5 * number, 42)))
    args = {"near": "harbour", "guests": 4, "time": "20:00", "terrace": True}
    part = {"functionCall": {"name": "find_tables", "args": args}, "thoughtSignature": token(name, 120)}
    yield google_event(gemini(name, [part], gemini_usage(58, 107, 42)))
    yield google_event(gemini(name, [{"text": ""}], gemini_usage(58, 107, 42), "STOP"))


def vertex_array() -> Iterator[bytes]:
    """Without ``alt=sse`` the responses are the elements of one array, indented, each comma on a line of its own."""
    name = "vertex-array"
    pieces = phrases(
        "Slate roofs last a hundred years if the nails do; copper nails do. Start at the eaves and work up, so that "
        "every course covers the holes of the one below it. A slate that rings when you knock on it is sound; one that "
        "sounds dull has a crack that you cannot see yet. Keep a dozen spare ones from the same quarry in the cellar, "
        "because in fifty years nobody will know where it was."
    )
    responses = [vertex(name, [{"text": piece}]) for piece in pieces[:-1]]
    responses.append(vertex(name, [{"text": pieces[-1]}], (19, 93)))
    for number, response in enumerate(responses):
        yield b",\r\n" if number else b"["
        yield f"{json.dumps(response, indent=2, ensure_ascii=False)}\n".encode()
    yield b"]"


def vertex_partial_args() -> Iterator[bytes]:
    """With ``streamFunctionCallArguments`` a call opens by name, and its leaves follow, strings in pieces."""
    name = "vertex-partial-args"

    def leaf(path: str, kind: str, value: Any, *, more: bool = False) -> dict[str, Any]:
        partial = {"jsonPath": path, kind: value} | ({"willContinue": True} if more else {})
        return {"functionCall": {"partialArgs": [partial], "willContinue": True}}

    def string(path: str, *pieces: str) -> Iterator[dict[str, Any]]:
        """Yield the pieces of a string; an empty one closes it."""
        yield from (leaf(path, "stringValue", piece, more=True) for piece in pieces)
        yield leaf(path, "stringValue", "")

    parts: list[dict[str, Any]] = [
        {"text": "I'll draft the invitation"},
        {"text": " for your three neighbours."},
        {"functionCall": {"name": "send_invitation", "willContinue": True}, "thoughtSignature": token(name, 96)},
        *string("$.subject", "Garden", " party", " on Saturday"),
    ]
    for number, (guest, adults) in enumerate([("Ada", 2), ("Blaise", 1), ("Émilie", 2)]):
        parts += string(f"$.guests[{number}].name", guest)
        parts.append(leaf(f"$.guests[{number}].adults", "numberValue", adults))
        parts.append({"functionCall": {"willContinue": True}})  # comes between the elements, and says nothing
    parts += [
        leaf("$.outdoors", "boolValue", True),
        leaf("$.note", "nullValue", "NULL_VALUE"),
        {"functionCall": {}},
    ]
    for part in parts:
        yield google_event(vertex(name, [part]))
    yield google_event(vertex(name, [{"text": ""}], (64, 52)))


def interactions_thoughts_call() -> Iterator[bytes]:
    """Three steps: a thought with its signature, text, and a call whose arguments come in pieces."""
    ident = f"v1_{token('interactions', 40)}"

    def event(kind: str, **members: Any) -> bytes:
        return server_sent_event({"event_type": kind, **members}, kind)

    def step(index: int, opened: dict[str, Any], deltas: Iterable[dict[str, Any]]) -> Iterator[bytes]:
        yield event("step.start", index=index, step=opened)
        yield from (event("step.delta", index=index, delta=delta) for delta in deltas)
        yield event("step.stop", index=index)

    interaction = {"id": ident, "model": "gemini-3-flash-preview", "object": "interaction", "status": "in_progress"}
    yield event("interaction.created", interaction=interaction)
    yield event("interaction.status_update", interaction_id=ident, status="in_progress")
    summary = [
        {"type": "thought_summary", "content": {"type": "text", "text": text}}
        for text in phrases(
            "**Reading the sky** Clouds from the west by noon; the observatory needs to know before it opens the dome."
        )
    ]
    yield from step(
        0, {"type": "thought"}, [*summary, {"type": "thought_signature", "signature": token("thought", 88)}]
    )
    text = "The west is clouding over. I tell the dome to stay shut until four."
    yield from step(1, {"type": "model_output"}, [{"type": "text", "text": piece} for piece in phrases(text)])
    call = {"type": "function_call", "id": token("interactions-call", 8), "name": "set_dome", "arguments": {}}
    pieces = cut('{"state":"shut","until":"16:00"}', [7, 12])
    yield from step(2, call, [{"type": "arguments_delta", "arguments": piece} for piece in pieces])
    usage = {
        "total_input_tokens": 41,
        "total_output_tokens": 33,
        "total_thought_tokens": 58,
        "total_cached_tokens": 0,
        "total_tool_use_tokens": 0,
        "total_tokens": 132,
        "input_tokens_by_modality": [{"modality": "text", "tokens": 41}],
    }
    yield event("interaction.completed", interaction={**interaction, "status": "requires_action", "usage": usage})
    yield DONE


# -- legacy completions, Cohere, Ollama -------------------------------------------------------------------------------


def completions_text() -> Iterator[bytes]:
    """Two continuations of one prompt, in turns; the legacy API has text where Chat has a delta."""
    chunk = {
        "id": f"cmpl-{token('completions', 29)}",
        "object": "text_completion",
        "created": CREATED,
        "model": "gpt-3.5-turbo-instruct:20230824-v2",
    }
    tales = [
        words(" a lighthouse keeper who collected the names of ships, and one night a ship answered."),
        words(" two brothers and a bell; whoever rang it first had to leave the village."),
    ]

    def choice(index: int, text: str, finish: str | None = None) -> bytes:
        choices = [{"text": text, "index": index, "logprobs": None, "finish_reason": finish}]
        return server_sent_event({**chunk, "choices": choices})

    for one, other in zip(*tales, strict=False):
        yield choice(0, one)
        yield choice(1, other)
    for piece in tales[0][len(tales[1]) :]:
        yield choice(0, piece)
    yield choice(1, "", "stop")
    yield choice(0, "", "length")
    usage = {"prompt_tokens": 6, "completion_tokens": 38, "total_tokens": 44}
    yield server_sent_event({**chunk, "choices": [], "usage": usage})
    yield DONE


def cohere_plan_calls() -> Iterator[bytes]:
    """Plan first, which is neither text nor reasoning, then two calls; contents and calls are numbered apart."""

    def event(kind: str, index: int | None = None, message: dict[str, Any] | None = None, **delta: Any) -> bytes:
        data: dict[str, Any] = {"type": kind}
        if index is not None:
            data["index"] = index
        if message is not None:
            delta["message"] = message
        return server_sent_event(data | ({"delta": delta} if delta else {}), kind)

    opening = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    start = {"id": "5f3a1c9e-7b1d-4b0e-9a57-0c2f6d1e8b44", "type": "message-start", "delta": {"message": opening}}
    yield server_sent_event(start, "message-start")
    for piece in words("I will look up the ferry times and the weather on the crossing."):
        yield event("tool-plan-delta", message={"tool_plan": piece})
    calls = [
        ("find_ferries", '{"from": "Kirkwall", "to": "Stromness", "day": "2026-07-14"}'),
        ("sea_weather", '{"area": "Fair Isle"}'),
    ]
    for index, (name, arguments) in enumerate(calls):
        call = {
            "id": f"{name}_{token(name, 12).lower()}",
            "type": "function",
            "function": {"name": name, "arguments": ""},
        }
        yield event("tool-call-start", index, {"tool_calls": call})
        for piece in cut(arguments, [2, 9, 4, 6]):
            yield event("tool-call-delta", index, {"tool_calls": {"function": {"arguments": piece}}})
        yield event("tool-call-end", index)
    usage = {
        "billed_units": {"input_tokens": 61, "output_tokens": 47},
        "tokens": {"input_tokens": 1549, "output_tokens": 95},
        "cached_tokens": 1504,
    }
    yield event("message-end", finish_reason="TOOL_CALL", usage=usage)
    yield DONE


def ollama_thinking_call() -> Iterator[bytes]:
    """Thinking, then a call that comes whole; one JSON object a line, durations in nanoseconds on the last."""

    def line(message: dict[str, Any], *, done: bool = False, **members: Any) -> bytes:
        value = {
            "model": "qwen3:4b",
            "created_at": "2026-05-28T20:26:40.114855Z",
            "message": {"role": "assistant", "content": "", **message},
            "done": done,
            **members,
        }
        return f"{compact(value)}\n".encode()

    for piece in words("The user wants to know whether the kettle is on. I have a tool for that: read_sensor."):
        yield line({"thinking": piece})
    call = {
        "id": f"call_{token('ollama', 8)}",
        "function": {"index": 0, "name": "read_sensor", "arguments": {"place": "kitchen", "kind": "kettle"}},
    }
    yield line({"tool_calls": [call]})
    yield line(
        {},
        done=True,
        done_reason="stop",
        total_duration=1_845_304_708,
        load_duration=55_095_250,
        prompt_eval_count=187,
        prompt_eval_duration=210_671_250,
        eval_count=52,
        eval_duration=1_466_025_455,
    )


# -- applications -----------------------------------------------------------------------------------------------------


def ai_sdk_call() -> Iterator[bytes]:
    """Two steps as a browser gets them: reasoning, a call with its result, text; the application's data beside them."""

    def part(kind: str, **members: Any) -> bytes:
        return server_sent_event({"type": kind, **members})

    def text(kind: str, ident: str, pieces: list[str]) -> Iterator[bytes]:
        yield part(f"{kind}-start", id=ident)
        yield from (part(f"{kind}-delta", id=ident, delta=piece) for piece in pieces)
        yield part(f"{kind}-end", id=ident)

    call = f"call_{token('ai-sdk', 24)}"
    yield part("start", messageId=f"msg-{token('ai-sdk', 16)}")
    yield part("start-step")
    yield from text("reasoning", "0", words("A recipe for twelve: scale the one for four."))
    yield part("tool-input-start", toolCallId=call, toolName="scale_recipe")
    for piece in cut('{"recipe":"caldo verde","servings":12}', [3, 8, 5]):
        yield part("tool-input-delta", toolCallId=call, inputTextDelta=piece)
    given = {"recipe": "caldo verde", "servings": 12}
    yield part("tool-input-available", toolCallId=call, toolName="scale_recipe", input=given)
    yield part("tool-output-available", toolCallId=call, output={"potatoes_g": 1800, "kale_g": 750})
    yield part("finish-step")
    yield part("start-step")
    yield part("data-progress", id="p", data={"done": 0.8})
    yield from text("text", "1", words("For twelve you need 1.8 kg of potatoes and 750 g of kale."))
    yield part("finish-step")
    yield part("finish", finishReason="stop")
    yield DONE


def ag_ui_run() -> Iterator[bytes]:
    """One run of an agent: reasoning, a call, its result, text, and a change of the page's state."""

    def event(kind: str, **members: Any) -> bytes:
        return server_sent_event({"type": kind, **members})

    run = {"threadId": "thread-7", "runId": f"run-{token('ag-ui', 12)}"}
    call = f"call_{token('ag-ui-call', 24)}"
    yield event("RUN_STARTED", **run)
    yield event("REASONING_MESSAGE_START", messageId="r1", role="reasoning")
    for piece in words("The board is full of old cards. I archive those that are done."):
        yield event("REASONING_MESSAGE_CONTENT", messageId="r1", delta=piece)
    yield event("REASONING_MESSAGE_END", messageId="r1")
    yield event("TOOL_CALL_START", toolCallId=call, toolCallName="archive_cards", parentMessageId="m1")
    for piece in cut('{"column":"done","before":"2026-06-01"}', [4, 7, 3]):
        yield event("TOOL_CALL_ARGS", toolCallId=call, delta=piece)
    yield event("TOOL_CALL_END", toolCallId=call)
    yield event("TOOL_CALL_RESULT", messageId="t1", toolCallId=call, content="17 archived", role="tool")
    yield event("STATE_DELTA", delta=[{"op": "replace", "path": "/columns/done/count", "value": 3}])
    yield event("TEXT_MESSAGE_START", messageId="m1", role="assistant")
    for piece in words("I archived 17 cards; three that were closed this week are still there."):
        yield event("TEXT_MESSAGE_CONTENT", messageId="m1", delta=piece)
    yield event("TEXT_MESSAGE_END", messageId="m1")
    yield event("RUN_FINISHED", **run, outcome={"type": "success"})


def langgraph_messages() -> Iterator[bytes]:
    """Message chunks in the mode ``messages``, each with its metadata: thinking, text and a call by its index."""

    def piece(content: Any, **members: Any) -> bytes:
        message = {
            "content": content,
            "additional_kwargs": {},
            "response_metadata": {},
            "type": "AIMessageChunk",
            "name": None,
            "id": f"lc_run--{token('langgraph', 36)}",
            "tool_calls": [],
            "invalid_tool_calls": [],
            "usage_metadata": None,
            "tool_call_chunks": [],
            **members,
        }
        return server_sent_event([message, {"langgraph_node": "agent", "langgraph_step": 1}], "messages")

    def fragment(args: str, ident: str | None = None, name: str | None = None) -> bytes:
        chunk = {"name": name, "args": args, "id": ident, "index": 2, "type": "tool_call_chunk"}
        return piece([{"type": "input_json_delta", "partial_json": args, "index": 2}], tool_call_chunks=[chunk])

    yield server_sent_event({"run_id": "1f0c2d9e-5a14-6f3b-8a51-0e6d3b7c9a21", "attempt": 1}, "metadata")
    yield piece([], usage_metadata={"input_tokens": 412, "output_tokens": 0, "total_tokens": 412})
    for thought in words("Three rows do not add up; ask the ledger for the entries of March."):
        yield piece([{"type": "thinking", "thinking": thought, "index": 0}])
    for text in words("I check the entries of March."):
        yield piece([{"type": "text", "text": text, "index": 1}])
    yield fragment("", f"toolu_{token('langgraph-call', 24)}", "read_ledger")
    for args in cut('{"month": "2026-03", "columns": ["date", "amount"]}', [2, 10, 6]):
        yield fragment(args)
    usage = {"input_tokens": 0, "output_tokens": 71, "total_tokens": 71}
    yield piece(
        [], usage_metadata=usage, response_metadata={"stop_reason": "tool_use", "model_name": "claude-sonnet-4-5"}
    )
    yield server_sent_event({"agent": {"messages": 1}}, "updates")


# -- AWS Bedrock ------------------------------------------------------------------------------------------------------


def converse(events: list[tuple[str, dict[str, Any]]]) -> Iterator[bytes]:
    """Encode ConverseStream events, each padded; AWS sorts the members by name."""
    for number, (kind, payload) in enumerate(events):
        yield bedrock_event(kind, dict(sorted({**payload, "p": padding(number)}.items())))


def bedrock_block(index: int, deltas: list[dict[str, Any]]) -> list[tuple[str, dict[str, Any]]]:
    """Return the events of a block that needs no announcement."""
    events = [("contentBlockDelta", {"contentBlockIndex": index, "delta": delta}) for delta in deltas]
    return [*events, ("contentBlockStop", {"contentBlockIndex": index})]


def bedrock_converse() -> Iterator[bytes]:
    """Reasoning, text, a call; the usage comes behind ``messageStop``."""
    thought = "A museum on a Monday: many are closed. Check the hours first."
    arguments = cut('{"museum": "Mauritshuis", "date": "2026-05-04"}', [4, 11, 7])
    use = {"toolUse": {"name": "opening_hours", "toolUseId": f"tooluse_{token('converse', 22)}"}}
    reasoning: list[dict[str, Any]] = [{"reasoningContent": {"text": piece}} for piece in words(thought)]
    events: list[tuple[str, dict[str, Any]]] = [
        ("messageStart", {"role": "assistant"}),
        *bedrock_block(0, [*reasoning, {"reasoningContent": {"signature": token(thought, 64)}}]),
        *bedrock_block(1, [{"text": piece} for piece in words("Let me check whether it is open on Monday.")]),
        ("contentBlockStart", {"contentBlockIndex": 2, "start": use}),
        *bedrock_block(2, [{"toolUse": {"input": piece}} for piece in arguments]),
        ("messageStop", {"stopReason": "tool_use"}),
        (
            "metadata",
            {
                "metrics": {"latencyMs": 1874},
                "usage": {
                    "cacheReadInputTokens": 256,
                    "cacheWriteInputTokens": 0,
                    "inputTokens": 112,
                    "outputTokens": 61,
                    "serverToolUsage": {},
                    "totalTokens": 429,
                },
            },
        ),
    ]
    return converse(events)


def bedrock_throttled() -> Iterator[bytes]:
    """AWS ends the stream with an exception message, which is no event."""
    story = (
        "Ten kilometres east of the pass, the road forks at a chapel. Keep left, even though the sign points right: it"
    )
    text = [{"text": piece} for piece in words(story)]
    yield from converse([("messageStart", {"role": "assistant"}), *bedrock_block(0, text)[:-1]])
    headers = {
        ":exception-type": "throttlingException",
        ":content-type": "application/json",
        ":message-type": "exception",
    }
    body = {"message": "Too many tokens, please wait before trying again."}
    yield event_stream_message(headers, compact(body).encode())


def bedrock_invoke_claude() -> Iterator[bytes]:
    """Anthropic's events as base64 in AWS's frames; ids say so, and AWS adds its own counts to the last event."""
    usage = anthropic_usage(40)
    del usage["service_tier"]
    opening = message_start("bedrock-invoke-claude", usage)
    opening["message"]["id"] = f"msg_bdrk_01{token('bedrock-invoke-claude', 22)}"
    use = list(tool_block(1, "add_expense", '{"amount": 41.50, "currency": "CHF", "tags": ["lunch", "client"]}'))
    use[0]["content_block"]["id"] = f"toolu_bdrk_01{token('add_expense', 22)}"
    events = [
        opening,
        *text_block(0, "Adding the receipt to your expenses."),
        *use,
        *message_end("tool_use", {"output_tokens": 58}),
    ]
    events[-1] |= {
        "amazon-bedrock-invocationMetrics": {
            "inputTokenCount": 40,
            "outputTokenCount": 58,
            "invocationLatency": 1320,
            "firstByteLatency": 410,
        }
    }
    for number, event in enumerate(events):
        body = base64.b64encode(compact(event).encode()).decode()
        yield bedrock_event("chunk", {"bytes": body, "p": padding(number)})


STREAMS: dict[str, Callable[[], Iterator[bytes]]] = {
    "openai-text.sse": openai_text,
    "openai-parallel-calls.sse": openai_parallel_calls,
    "openai-broken-arguments.sse": openai_broken_arguments,
    "openai-torn.sse": openai_torn,
    "openai-hostile.sse": openai_hostile,
    "deepseek-reasoning.sse": deepseek_reasoning,
    "mistral-thinking.sse": mistral_thinking,
    "responses-reasoning-call.sse": responses_reasoning_call,
    "anthropic-text.sse": anthropic_text,
    "anthropic-thinking-calls.sse": anthropic_thinking_calls,
    "anthropic-cut-call.sse": anthropic_cut_call,
    "anthropic-overloaded.sse": anthropic_overloaded,
    "gemini-thoughts-call.sse": gemini_thoughts_call,
    "vertex-array.json": vertex_array,
    "vertex-partial-args.sse": vertex_partial_args,
    "interactions-thoughts-call.sse": interactions_thoughts_call,
    "completions-text.sse": completions_text,
    "cohere-plan-calls.sse": cohere_plan_calls,
    "ollama-thinking-call.jsonl": ollama_thinking_call,
    "ai-sdk-call.sse": ai_sdk_call,
    "ag-ui-run.sse": ag_ui_run,
    "langgraph-messages.sse": langgraph_messages,
    "bedrock-converse.bin": bedrock_converse,
    "bedrock-throttled.bin": bedrock_throttled,
    "bedrock-invoke-claude.bin": bedrock_invoke_claude,
}
"""The file of each sample → what writes it."""


if __name__ == "__main__":
    DATA.mkdir(exist_ok=True)
    for file, stream in STREAMS.items():
        (DATA / file).write_bytes(b"".join(stream()))
