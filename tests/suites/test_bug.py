"""Inputs rebuilt from public bug reports: what each of them must come to."""

import base64
import json

import pytest
from support.cuts import assert_tiled, everything, pieces
from support.material import MATERIAL, cases, need

import streamviz as sv

CASES = cases("bug")

PROVIDERS = {"gemini": "google", "openai-chat": "openai", "json": "openai"}
STATUS = {"exact": "ok"}
DIAGNOSTICS = {
    "tool-index-reused": "call-index-reused",
    "tool-id-missing": "call-id-missing",
    "input-sent-twice": "call-input-sent-twice",
}
"""The suite's word → ours."""

REPAIRS = {
    "quote-value": "quote-bare-value",
    "escape-control": "escape-control-char",
    "fix-escape": "escape-backslash",
}
"""Our rule → the suite's word."""


def body(case):
    data = case["input"]
    return base64.b64decode(data) if case["encoding"] == "base64" else data.encode("utf-8", "surrogatepass")


def test_every_case_is_run():
    path = need(MATERIAL / "suites" / "bug-cases.jsonl")
    assert len(CASES) == len(path.read_text(encoding="utf-8").splitlines())
    assert len({case["id"] for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", [pytest.param(c, id=c["id"]) for c in CASES])
def test_bug_case(case):
    if case["provider"] == "json":
        check_arguments(case)
        return
    data = body(case)
    provider = PROVIDERS.get(case["provider"], case["provider"])
    options = {"provider": provider, "repair": "guess"}
    if case["kind"].startswith("think-tag"):
        options["reasoning_tags"] = True
    run = sv.read(data, **options)
    cut = sv.read(pieces(data, case.get("cuts") or range(1, len(data), 7)), **options)
    assert everything(run) == everything(cut)
    detected = sv.read(
        data, reasoning_tags=options.get("reasoning_tags", False)
    ).payload  # an error alone does not tell who speaks, but it is read all the same
    assert (detected.assistant_text, detected.error, detected.usage) == (
        run.payload.assistant_text,
        run.payload.error,
        run.payload.usage,
    )
    assert_tiled(run, data)
    check_payload(run, case["expected"])


def check_payload(run, expected):
    payload, wrong = run.payload, {}
    for key, want in expected.items():
        got = READ[key](run, payload, want)
        if got != want:
            wrong[key] = (want, got)
    assert not wrong


def finish_sent(run, payload, want):
    """The reason as it was sent, in the unified words; what we make of calls under ``stop`` is ``finish_effective``."""
    if payload.finish is None:
        return None
    stop_but_calls = any(d.code == "stop-but-calls" for d in payload.diagnostics)
    return "stop" if stop_but_calls else payload.finish.unified


def calls_of(run, payload, want):
    return [{key: CALL[key](call) for key in wanted} for call, wanted in zip(payload.calls, want, strict=False)] + [
        "more calls"
    ] * (len(payload.calls) - len(want))


def usage_of(run, payload, want):
    own = {"web_search_requests": (payload.usage.server_tools or {}).get("web_search_requests")}
    return {key: own.get(key, getattr(payload.usage, USAGE.get(key, key), None)) for key in want}


def server_timing_ms(run, payload, want):
    return {key: round(payload.usage.server_timing[key] * 1000) for key in want}


def audio_of(run, payload, want):
    (block,) = [b for b in payload.blocks if b.kind == "media"]
    pieces = map(base64.b64decode, block.value["data"])
    found = {"transcript": block.text, "bytes_len": len(b"".join(pieces))}
    return {key: found.get(key, block.value.get(key)) for key in want}


def diagnostics_of(run, payload, want):
    codes = {d.code for d in payload.diagnostics}
    return [word for word in want if DIAGNOSTICS.get(word, word) in codes]


def error_of(run, payload, want):
    if payload.error is None:
        return None
    return {key: getattr(payload.error, key) for key in want}


def thinking_blocks(run, payload, want):
    names = {"text": "text", "signature": "signature", "redacted_b64": "redacted"}
    blocks = [b for b in payload.blocks if b.kind == "thinking"]
    return [{key: getattr(b, names[key]) for key in w} for b, w in zip(blocks, want, strict=True)]


def unknown(run, payload, want):
    return sum(d.code in ("unknown-event", "unknown-delta") for d in payload.diagnostics)


def usage_series(run, payload, want):
    return [chunk.usage.raw["completion_tokens"] for chunk in run.chunks if chunk.usage is not None]


def bad_frame_offset(run, payload, want):
    return next(frame.start for frame in run.frames if frame.kind == "bad")


USAGE = {
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_creation_input_tokens",
    "reasoning_tokens": "reasoning_output_tokens",
    "output_audio_tokens": "audio_output_tokens",
}
CALL = {
    "id": lambda c: None if c.id_is_made_up else c.id,
    "name": lambda c: c.name,
    "arguments": lambda c: c.arguments,
    "status": lambda c: STATUS.get(c.status, c.status),
    "raw": lambda c: c.raw_arguments,
    "preview": lambda c: c.preview,
    "open_path": lambda c: c.repair.open_path,
    "whole": lambda c: c.whole,
    "repairs": lambda c: [REPAIRS.get(edit.rule, edit.rule) for edit in c.repair.edits],
    "signature": lambda c: c.signature,
    "item_id": lambda c: c.item_id,
}
READ = {
    "text": lambda r, p, w: p.assistant_text,
    "thinking": lambda r, p, w: p.thinking,
    "refusal": lambda r, p, w: p.refusal,
    "tool_calls": calls_of,
    "usage": usage_of,
    "finish": finish_sent,
    "finish_effective": lambda r, p, w: p.finish.unified,
    "finish_raw": lambda r, p, w: list(p.finish.raw),
    "complete": lambda r, p, w: p.complete,
    "events": lambda r, p, w: sum(f.kind == "event" for f in r.frames),
    "chunks": lambda r, p, w: sum(f.kind == "event" for f in r.frames),
    "errors": lambda r, p, w: sum(d.severity == "fault" for d in p.diagnostics),
    "error": error_of,
    "diagnostics": diagnostics_of,
    "last_event_id": lambda r, p, w: r.frames[-1].id,
    "pending_bytes": lambda r, p, w: r.state.pending,
    "role": lambda r, p, w: p.role,
    "response_id": lambda r, p, w: p.response_id,
    "model": lambda r, p, w: p.model,
    "usage_series_output": usage_series,
    "padding_bytes": lambda r, p, w: r.state.padding,
    "thinking_blocks": thinking_blocks,
    "annotations": lambda r, p, w: len(p.moderation),
    "audio": audio_of,
    "server_timing_ms": server_timing_ms,
    "thinking_kind": lambda r, p, w: next(b.name for b in p.blocks if b.kind == "thinking"),
    "encrypted": lambda r, p, w: next(b.redacted for b in p.blocks if b.kind == "thinking"),
    "unknown": unknown,
    "citations": lambda r, p, w: len(p.citations),
    "part_order": lambda r, p, w: [b.kind for b in p.blocks],
    "server_tool_calls": lambda r, p, w: len(p.server_tools),
    "server_tool_results": lambda r, p, w: sum(b.kind == "tool_result" for b in p.blocks),
    "bad_frame_offset": bad_frame_offset,
}


def fragments_of(case):
    match case["form"]:
        case "args":
            return [body(case).decode("utf-8", "surrogatepass")]
        case "args-deltas":
            return json.loads(case["input"])
        case "generated":
            spec = json.loads(case["input"])
            return [spec["prefix"] + spec["repeat"] * spec["count"] + spec["suffix"]]
    spec = json.loads(case["input"])
    return [spec["prefix"], *[spec["repeat"]] * spec["count"], spec["suffix"]]


def check_arguments(case):
    """Argument texts: what is valid is untouched, what is cut is closed, what is broken is mended or refused."""
    fragments, expected = fragments_of(case), case["expected"]
    raw = "".join(fragments)
    safe = sv.repair_tool_call_arguments(raw)
    state = sv.AssemblyState()
    for fragment in fragments:
        sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(fragment, index=0),)))
    (call,) = state.calls
    assert (call.status, call.arguments, call.raw_arguments) == (safe.status, safe.value, raw)
    report = sv.repair_tool_call_arguments(raw, repair="guess")
    if expected.get("depth", 0) > sv.Limits().depth:
        assert report.status == "invalid"
        assert "deep" in report.message
        return
    assert STATUS.get(report.status, report.status) == expected["status"]
    if safe.value is not None:
        assert safe.value == report.value
    if "arguments" in expected:
        assert report.value == json.loads(json.dumps(expected["arguments"]))
    if "arguments_json" in expected:
        assert json.dumps(report.value, separators=(",", ":")) == expected["arguments_json"]
    if "lexemes" in expected:
        assert report.lexemes == expected["lexemes"]
    if "duplicates" in expected:
        assert report.duplicates == expected["duplicates"]
        assert "duplicate-key" in {d.code for d in sv.build_embedded_run_payloads(state)[0].diagnostics}
    if "preview" in expected:
        assert report.value == expected["preview"]
    if "open_path" in expected:
        assert report.open_path == expected["open_path"]
    for count, preview in enumerate(expected.get("previews", []), start=1):
        assert sv.repair_tool_call_arguments("".join(fragments[:count])).value == preview
