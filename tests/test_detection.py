"""`detect`: who sent a body, without help, and what gave it away."""

import json

import pytest
from support.material import MATERIAL, index, need

import streamviz as sv
from streamviz.samples import SAMPLES, load_sample, sample_path

DIALECTS = {
    "chat": {"openai-chat", "mistral"},
    "cohere-v1": {"cohere"},
    "cohere-v2": {"cohere"},
    "openai-legacy-completions": {"openai-completions"},
    "bedrock-agent": {"unknown"},
    "openai-assistants": {"unknown"},
    "error-only": {"unknown"},
}
"""The index's word for a dialect → ours, where they differ."""


def test_every_recording_is_recognised_without_help():
    need(MATERIAL / "recordings" / "index.jsonl")
    wrong = {}
    for row in index():
        found = sv.detect(MATERIAL / "recordings" / row["file"])
        assert found.reason
        assert (found.confidence == 0) == (found.dialect == "unknown")
        if found.dialect not in DIALECTS.get(row["dialect"], {row["dialect"]}):
            wrong[row["file"]] = found
        if found.dialect == "mistral" and row["vendor"] != "mistral":
            wrong[row["file"]] = found
    assert not wrong


@pytest.mark.parametrize("name", SAMPLES)
def test_it_says_what_a_run_says(name):
    run = load_sample(name)
    for source in (sample_path(name), run.recording.data, [run.recording.data[:7], run.recording.data[7:]]):
        found = sv.detect(source)
        assert (found.dialect, found.framing, found.vendor) == (run.dialect, run.framing, run.vendor)
        assert found.confidence > 0.5


@pytest.mark.parametrize(
    ("data", "framing", "reason"),
    [
        (b"", "body", "no bytes"),
        (b"<html>", "body", "HTML"),
        (b"data: {}\n\n", "sse", "nothing in it"),
        (b'data: {"value": 1, "x": 2}\n\n', "sse", "'value', 'x'"),
        (b": ping\n\n", "sse", "none of 0 frames tells"),
    ],
)
def test_where_nobody_is_recognised_it_says_why(data, framing, reason):
    found = sv.detect(data)
    assert (found.framing, found.dialect, found.vendor, found.confidence) == (framing, "unknown", None, 0.0)
    assert reason in found.reason
    assert repr(found).startswith("<Detection: unknown in ")


def test_what_is_no_source_is_refused():
    with pytest.raises(TypeError):
        sv.detect(3)
    with pytest.raises(OSError, match="nowhere"):
        sv.detect("nowhere.sse")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_dialect_that_was_named_and_is_not_spoken_is_told(name):
    forced = "anthropic" if SAMPLES[name].provider != "anthropic" else "openai"
    payload = sv.read(sample_path(name), forced).payload
    inside = load_sample(name).dialect == "bedrock-invoke" and forced == "anthropic"
    (diagnostic,) = [d for d in payload.diagnostics if d.code == "unexpected-dialect"]
    assert load_sample(name).dialect in diagnostic.message or inside
    assert "unexpected-dialect" not in {
        d.code for d in sv.read(sample_path(name), SAMPLES[name].provider).payload.diagnostics
    }


def test_chat_and_mistral_read_each_other():
    chunk = {"choices": [{"delta": {"content": [{"type": "text", "text": "Hi"}]}}]}
    for provider in ("openai", "mistral"):
        payload = sv.read(b"data: " + json.dumps(chunk).encode() + b"\n\n", provider).payload
        assert payload.assistant_text == "Hi"
        assert "unexpected-dialect" not in {d.code for d in payload.diagnostics}
