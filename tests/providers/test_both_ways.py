"""The typed decode and the plain one give every event the same meaning, on every recording."""

import json

import msgspec
import pytest
from support.material import MATERIAL, index, need

import streamviz as sv
from streamviz.providers.wrapper import JSONWrapper

SYSTEMS = {"openai-chat", "openai-compatible", "mistral", "anthropic", "google", "bedrock-converse", "bedrock-invoke"}
FILES = [row["file"] for row in index() if row["api"] in SYSTEMS]


def test_the_recordings_are_there():
    need(MATERIAL / "recordings" / "index.jsonl")
    assert FILES


def without_spelling(chunk):
    """The chunk with argument objects as values: the plain way cannot give back how an object was spelled."""
    plain = msgspec.to_builtins(chunk, enc_hook=repr)
    for delta, seen in zip(chunk.deltas, plain["deltas"], strict=True):
        if isinstance(delta, sv.ToolCallDelta) and (delta.whole or delta.seed) and delta.arguments:
            seen["arguments"] = json.loads(delta.arguments)
    return plain


@pytest.mark.parametrize("start", range(0, len(FILES), 150))
def test_every_recording_reads_the_same_both_ways(start):
    compared = 0
    for file in FILES[start : start + 150]:
        run = sv.read(MATERIAL / "recordings" / file)
        wrapper = sv.get_stream_wrapper(run.dialect)
        if not isinstance(wrapper, JSONWrapper):
            continue
        for frame, chunk in zip(run.frames, run.chunks, strict=True):
            if frame.kind == "event" and frame.data.strip() not in (b"", b"[DONE]"):
                assert without_spelling(wrapper.normalize_plain(frame)) == without_spelling(chunk), file
                compared += 1
    assert compared


def refuse(data):
    raise msgspec.ValidationError("refused, to see the other way")


def test_a_payload_is_the_same_when_the_typed_decoder_refuses_everything(monkeypatch):
    data = b'data: {"choices":[{"delta":{"content":"a","tool_calls":[{"index":0,"id":"x","function":{"name":"f",'
    data += b'"arguments":"{}"}}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}\n\n'
    typed = sv.read(data, provider="openai").payload
    init = JSONWrapper.__init__

    def without_decoder(self):
        init(self)
        self._decode = refuse

    monkeypatch.setattr(JSONWrapper, "__init__", without_decoder)
    assert sv.read(data, provider="openai").payload == typed
