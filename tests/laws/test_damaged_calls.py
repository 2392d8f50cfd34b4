"""The law of calls: one is executable only if its name and arguments are certainly all that the model sent."""

import json
import random
from collections import Counter

import pytest
from support.material import MATERIAL, index, need

import streamviz as sv

APIS = (
    *("openai-chat", "openai-compatible", "openai-responses", "mistral", "anthropic", "google"),
    *("bedrock-converse", "bedrock-invoke", "cohere", "ollama", "other"),
)
PLACES = 5
"""How many frames of a recording are damaged, each in every way."""


def calls(payloads, *, executable=False):
    return Counter(
        (call.name, json.dumps(call.arguments, sort_keys=True))
        for payload in payloads
        for call in payload.calls
        if call.executable or not executable
    )


def damaged(frame, framing, draw):
    """Yield what may become of the bytes of a frame."""
    spoilt = draw.randrange(len(frame.rstrip(b"\r\n")) or 1)
    yield frame[:spoilt] + b"\xff" + frame[spoilt + 1 :]
    body = frame.rstrip(b"\r\n")
    begin = body.find(b"data: ") + 7 if framing == "sse" else 1
    if begin < len(body) and b"[DONE]" not in body:
        yield body[: draw.randrange(begin, len(body))] + frame[len(body) :]


def variants(run, draw):
    """Yield what may arrive of a stream: cut behind a frame, or with one that is damaged, while calls are open."""
    data, ends = run.recording.data, [0, *run.frame_ends]
    spans = [range(call.first_chunk, call.last_chunk + 3) for payload in run.payloads for call in payload.calls]
    numbers = sorted({chunk for span in spans for chunk in span if chunk < len(ends) - 1})
    for number in draw.sample(numbers, min(PLACES, len(numbers))):
        start, end = ends[number : number + 2]
        yield f"cut behind frame {number}", data[:end]
        for piece in damaged(data[start:end], run.framing, draw):
            yield f"frame {number} is {piece!r}", data[:start] + piece + data[end:]
        if b'"sequence_number"' in data[start:end]:
            yield f"frame {number} is missing", data[:start] + data[end:]


@pytest.mark.parametrize("api", APIS)
def test_no_call_of_a_damaged_recording_is_executable_that_was_not_sent(api):
    need(MATERIAL / "recordings" / "index.jsonl")
    draw = random.Random(api)
    for row in index():
        if row["api"] != api or not row.get("has_tool_calls") or row["bytes"] > 40_000:
            continue
        run = sv.read(MATERIAL / "recordings" / row["file"])
        sent = calls(run.payloads)
        for what, data in variants(run, draw):
            got = calls(sv.read(data, provider=run.dialect).payloads, executable=True)
            assert got <= sent, (row["file"], what, got - sent)
