"""What the vendors' own SDKs do with the same bytes, over a transport of ours: no network.

Each peer is a function from the reads to the text it assembled, so that nobody is timed for skipping work. A peer
whose package is missing is left out, and said so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

Peer = Callable[[list[bytes]], int]
"""The reads → how many characters of text, thinking and arguments came out."""


def _client(reads: list[bytes], content_type: str) -> Any:
    import httpx2

    class Body(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            return iter(reads)

    def answer(request: Any) -> Any:
        return httpx2.Response(200, headers={"content-type": content_type}, stream=Body())

    return httpx2.Client(transport=httpx2.MockTransport(answer))


def openai_stream(reads: list[bytes]) -> int:
    """``client.chat.completions.stream()``: the SDK's own accumulation."""
    import openai

    client = openai.OpenAI(api_key="none", http_client=_client(reads, "text/event-stream"))
    with client.chat.completions.stream(model="m", messages=[{"role": "user", "content": "q"}]) as stream:
        for _ in stream:
            pass
        return len(stream.get_final_completion().choices[0].message.content or "")


def openai_create(reads: list[bytes]) -> int:
    """``create(stream=True)`` and a join by hand."""
    import openai

    client = openai.OpenAI(api_key="none", http_client=_client(reads, "text/event-stream"))
    chunks = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "q"}], stream=True)
    return len("".join([c.choices[0].delta.content for c in chunks if c.choices and c.choices[0].delta.content]))


def anthropic_stream(reads: list[bytes]) -> int:
    """``client.messages.stream()``: the SDK's own accumulation."""
    import anthropic

    client = anthropic.Anthropic(api_key="none", http_client=_client(reads, "text/event-stream"))
    with client.messages.stream(model="m", max_tokens=9, messages=[{"role": "user", "content": "q"}]) as stream:
        message = stream.get_final_message()
    total = 0
    for block in message.content:
        match block.type:
            case "text":
                total += len(block.text)
            case "thinking":
                total += len(block.thinking)
            case "tool_use":
                total += len(json.dumps(block.input, ensure_ascii=False, separators=(",", ":")))
    return total


def google_genai(reads: list[bytes]) -> int:
    """``generate_content_stream`` and a join by hand (the SDK has no accumulation)."""
    from google import genai
    from google.genai import types

    options = types.HttpOptions(httpx_client=_client(reads, "text/event-stream"))
    client = genai.Client(api_key="none", http_options=options)
    return len("".join([c.text or "" for c in client.models.generate_content_stream(model="m", contents="q")]))


def botocore_buffer(reads: list[bytes]) -> int:
    """botocore's event-stream decoder, json.loads of each payload, and a join by hand."""
    from botocore.eventstream import EventStreamBuffer

    buffer = EventStreamBuffer()
    text = []
    for data in reads:
        buffer.add_data(data)
        for event in buffer:
            delta = json.loads(event.payload).get("delta")
            if delta and "text" in delta:
                text.append(delta["text"])
    return len("".join(text))


def boto3_converse(reads: list[bytes]) -> int:
    """boto3's ``EventStream`` with its own parser, and a join by hand."""
    from botocore.eventstream import EventStream

    class Raw:
        def stream(self) -> Iterator[bytes]:
            return iter(reads)

        def close(self) -> None: ...

    text = []
    for event in EventStream(Raw(), _converse_shape(), _converse_parser(), "ConverseStream"):
        delta = event.get("contentBlockDelta")
        if delta:
            text.append(delta["delta"].get("text", ""))
    return len("".join(text))


_CACHE: dict[str, Any] = {}


def _bedrock_model() -> Any:
    if "model" not in _CACHE:
        import botocore.session

        _CACHE["model"] = botocore.session.get_session().get_service_model("bedrock-runtime")
    return _CACHE["model"]


def _converse_shape() -> Any:
    return _bedrock_model().operation_model("ConverseStream").output_shape.members["stream"]


def _converse_parser() -> Any:
    from botocore.parsers import EventStreamJSONParser

    return EventStreamJSONParser()


PEERS: dict[str, dict[str, Peer]] = {
    "openai": {"openai .stream()": openai_stream, "openai create(stream=True) + join": openai_create},
    "anthropic": {"anthropic .stream()": anthropic_stream},
    "google": {"google-genai + join": google_genai},
    "bedrock-converse": {"boto3 EventStream + join": boto3_converse, "botocore buffer + json + join": botocore_buffer},
    "bedrock-invoke": {},
}
