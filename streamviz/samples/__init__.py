"""Sample streams that ship with the package: made up, in the exact wire format of each vendor.

`python -m streamviz.samples.make` writes their files anew.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from msgspec import Struct

from ..run import StreamRun, read

DATA = Path(__file__).parent / "data"


class Sample(Struct, frozen=True):
    """One sample stream."""

    name: str
    provider: str
    """What `read` may be given as ``provider``; it finds out by itself as well."""
    file: str
    """Its file in the package's ``samples/data`` folder."""
    description: str
    """What it shows, in one line."""


SAMPLES: dict[str, Sample] = {
    sample.name: sample
    for sample in (
        Sample("openai-text", "openai", "openai-text.sse", "plain text, padded chunks, usage in a chunk of its own"),
        Sample(
            "openai-parallel-calls",
            "openai",
            "openai-parallel-calls.sse",
            "two tool calls whose fragments come interleaved",
        ),
        Sample(
            "openai-broken-arguments",
            "openai",
            "openai-broken-arguments.sse",
            "three calls: one whole, one that lost a colon, one sent twice in a row",
        ),
        Sample(
            "openai-torn", "openai", "openai-torn.sse", "the connection is lost inside a frame, and inside a letter"
        ),
        Sample(
            "openai-hostile",
            "openai",
            "openai-hostile.sse",
            "text that tries to be markup, a formula, a colour and a reversed line",
        ),
        Sample(
            "deepseek-reasoning",
            "deepseek",
            "deepseek-reasoning.sse",
            "reasoning before the text, keep-alive comments, cache counts",
        ),
        Sample("mistral-thinking", "mistral", "mistral-thinking.sse", "contents as lists of thinking and text parts"),
        Sample(
            "responses-reasoning-call",
            "openai-responses",
            "responses-reasoning-call.sse",
            "a reasoning summary, a search, a citation, a call, each repeated whole",
        ),
        Sample("anthropic-text", "anthropic", "anthropic-text.sse", "one text block, a ping, cumulative usage"),
        Sample(
            "anthropic-thinking-calls",
            "anthropic",
            "anthropic-thinking-calls.sse",
            "thinking with a signature, text, two parallel calls, cached input",
        ),
        Sample(
            "anthropic-cut-call",
            "anthropic",
            "anthropic-cut-call.sse",
            "max_tokens strikes inside a call's arguments: closed, listed, not executable",
        ),
        Sample(
            "anthropic-overloaded",
            "anthropic",
            "anthropic-overloaded.sse",
            "an error event in mid-stream; what came before it stays",
        ),
        Sample(
            "gemini-thoughts-call",
            "gemini",
            "gemini-thoughts-call.sse",
            "a thought, text, a whole function call with its signature",
        ),
        Sample("vertex-array", "vertex", "vertex-array.json", "the same protocol as one growing JSON array"),
        Sample(
            "vertex-partial-args",
            "vertex",
            "vertex-partial-args.sse",
            "arguments leaf by leaf, each under its JSON path",
        ),
        Sample(
            "interactions-thoughts-call",
            "google-interactions",
            "interactions-thoughts-call.sse",
            "steps: a thought with its signature, text, a call in pieces",
        ),
        Sample(
            "completions-text",
            "openai-completions",
            "completions-text.sse",
            "the legacy API, two continuations in turns",
        ),
        Sample(
            "cohere-plan-calls",
            "cohere",
            "cohere-plan-calls.sse",
            "a plan apart from the text, two calls, billed units",
        ),
        Sample(
            "ollama-thinking-call",
            "ollama",
            "ollama-thinking-call.jsonl",
            "JSON lines: thinking, a whole call, durations",
        ),
        Sample(
            "ai-sdk-call", "ai-sdk-ui", "ai-sdk-call.sse", "what a browser gets: reasoning, a call and its result, text"
        ),
        Sample("ag-ui-run", "ag-ui", "ag-ui-run.sse", "a run of an agent: reasoning, a call, a change of state, text"),
        Sample(
            "langgraph-messages", "langgraph", "langgraph-messages.sse", "message chunks with thinking, text and a call"
        ),
        Sample(
            "bedrock-converse",
            "bedrock",
            "bedrock-converse.bin",
            "binary frames: reasoning, text, a call, usage behind the stop",
        ),
        Sample("bedrock-throttled", "bedrock", "bedrock-throttled.bin", "an exception message ends the stream"),
        Sample(
            "bedrock-invoke-claude",
            "bedrock",
            "bedrock-invoke-claude.bin",
            "Anthropic's events as base64 inside AWS's frames",
        ),
    )
}
"""Every sample by its name."""


def sample_path(name: str) -> Path:
    """Return the path of a sample's file.

    Raises
    ------
    KeyError
        There is no such sample; the message names those that come close.

    Examples
    --------
    >>> sample_path("openai-text").name
    'openai-text.sse'
    """
    if name not in SAMPLES:
        close = difflib.get_close_matches(name, SAMPLES, n=3) or list(SAMPLES)
        raise KeyError(f"no sample is called {name!r}; there are {', '.join(close)}")
    return DATA / SAMPLES[name].file


def load_sample(name: str) -> StreamRun:
    """Read a sample.

    Raises
    ------
    KeyError
        There is no such sample; the message names those that come close.

    Examples
    --------
    >>> load_sample("openai-parallel-calls").payload.calls[0].name
    'get_forecast'
    """
    run = read(sample_path(name))
    run.recording.source = SAMPLES[name].file  # not where it happens to be installed
    return run
