"""Tool calls that were cut off, cannot be read, or are not what the request offered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...assembly.payload import EmbeddedRunPayload
from ...assembly.tool_calls import ToolCall
from ...repair import repair_tool_call_arguments
from ...repair.report import SchemaViolation
from ..evidence import Evidence, counted, quoted, shortened
from ..finding import Finding, Lost
from ..registry import detector
from ..rules import Side

_NEARLY = 0.9
"""Vendors count a limit and the tokens made a little differently."""
_HOW: dict[str, tuple[str, Side]] = {
    "torn": ("the stream stops inside a frame", "transport"),
    "error": ("the stream reports an error", "unknown"),
    "aborted": ("the reader stopped before the end", "unknown"),
    "clean": ("the stream stops without a finish reason", "unknown"),
    "done": ("the end mark came without a finish reason", "unknown"),
    "terminal": ("the end mark came without a finish reason", "unknown"),
}
"""How a stream ended that cut a call off, by how its transport ended, and whose side that puts it on."""


@detector
def truncated(evidence: Evidence) -> Iterable[Finding]:
    """Find arguments that end inside their value, and why."""
    evidence.take("call-incomplete")
    for words, payload, call in evidence.calls:
        if call.status != "incomplete":
            continue
        about: dict[str, Any] = {"call": words, "where": _where(call)}
        last = evidence.at(call.last_chunk, "the last fragment of the arguments")
        lost = Lost(calls=1, characters=len(call.raw_arguments))
        finish = evidence.state.finish_of(payload.choice)
        reason = [k for k, f in evidence.state.finishes if f.choice == payload.choice][-1:]
        places = [last, *(evidence.at(k, f"the finish reason {quoted(finish and finish.raw, 40)}") for k in reason)]
        if finish is not None and finish.unified == "length":
            yield evidence.finding(
                "call-truncated-by-limit",
                *places,
                side="request" if (limit := _limit(evidence, payload)) else None,
                lost=lost,
                limit=limit,
                **about,
            )
        elif finish is None or payload.ended in ("torn", "error", "aborted"):
            how, side = _HOW[payload.ended]
            yield evidence.finding("call-truncated-by-cut", last, side=side, lost=lost, how=how, **about)
        else:
            reason_words = quoted(finish.raw, 40)
            yield evidence.finding("call-incomplete", *places, lost=lost, reason=reason_words, **about)


def _where(call: ToolCall) -> str:
    """Say where the arguments end."""
    if not call.raw_arguments:
        return "before they begin"
    path = call.repair.open_path if call.repair and call.repair.open_path else "the value"
    return f"inside {shortened(path, 120)} after {counted(len(call.raw_arguments), 'character')}"


def _limit(evidence: Evidence, payload: EmbeddedRunPayload) -> str:
    """Return the limit that the request set, in words, unless far fewer tokens were made: then another one struck."""
    limit, usage = evidence.request.limit, payload.usage
    if limit is None:
        return ""
    made = usage.output_tokens if usage is not None and usage.state == "reported" else None
    if made is not None and made < _NEARLY * limit[1]:
        return ""
    return f" of {counted(limit[1], 'token')} ({limit[0]})"


@detector
def invalid(evidence: Evidence) -> Iterable[Finding]:
    """Find arguments that cannot be read."""
    if not evidence.take("call-invalid-json"):
        return
    for words, _, call in evidence.calls:
        report = call.repair
        if call.status != "invalid" or report is None or report.roots:
            continue
        chunk = evidence.chunk_of(call, report.position)
        yield evidence.finding(
            "call-invalid-json",
            evidence.at(chunk, f"character {report.position} of the arguments"),
            lost=Lost(calls=1, characters=len(call.raw_arguments)),
            call=words,
            position="?" if report.position is None else f"{report.position:,}",
            characters=len(call.raw_arguments),
            message=shortened(report.message or "they cannot be read"),
        )


@detector
def repaired(evidence: Evidence) -> Iterable[Finding]:
    """Find arguments that were mended."""
    evidence.take("call-repaired")
    for words, _, call in evidence.calls:
        if call.status != "repaired" or call.repair is None:
            continue
        edits = call.repair.edits
        places = [
            evidence.at(call.last_chunk if edit.chunk is None else edit.chunk, f"{edit.rule} at {edit.position:,}")
            for edit in edits
        ]
        yield evidence.finding(
            "call-repaired",
            *(places or [evidence.at(call.last_chunk)]),
            lost=Lost(calls=1),
            call=words,
            edits=counted(len(edits), "edit"),
            rules=", ".join(sorted({edit.rule for edit in edits})),
        )


@detector
def empty(evidence: Evidence) -> Iterable[Finding]:
    """Find calls without arguments, unless the tool is known to take none."""
    for words, _, call in evidence.calls:
        if call.status != "empty":
            continue
        schema = evidence.request.schemas.get(evidence.offered_name(call))
        required = _required(call, schema)
        if schema is not None and not required:
            continue
        yield evidence.finding(
            "call-empty-arguments",
            evidence.at(call.last_chunk, f"{counted(call.fragments, 'fragment')} of arguments, {call.raw_arguments!r}"),
            severity="warning" if required else None,
            lost=Lost(calls=1) if required else Lost(),
            call=words,
            why=f", although the tool requires {', '.join(map(quoted, required[:5]))}" if required else "",
        )


def _required(call: ToolCall, schema: Mapping[str, Any] | None) -> list[str]:
    """Return the arguments that a tool cannot do without, where that is known."""
    if call.repair is not None and call.repair.schema_violations:
        return [violation.message for violation in call.repair.schema_violations if violation.keyword == "required"]
    required = schema.get("required") if schema else None
    return [str(name) for name in required] if isinstance(required, list) else []


@detector
def identity(evidence: Evidence) -> Iterable[Finding]:
    """Find fragments that could belong to several calls."""
    for found in evidence.take("call-identity-ambiguous"):
        yield evidence.finding(
            "call-identity-ambiguous",
            *evidence.places([found]),
            lost=Lost(calls=2),
            chunk=found.chunk,
            message=shortened(found.message),
        )


@detector
def not_offered(evidence: Evidence) -> Iterable[Finding]:
    """Find calls of tools that the request does not offer."""
    evidence.take("call-name-unknown")
    offered = evidence.request.tools
    for words, _, call in evidence.calls:
        strange = bool(offered) and evidence.offered_name(call) not in offered
        if not call.name or call.is_offered or (call.is_offered is None and not strange):
            continue
        shown = ", ".join(quoted(name, 60) for name in offered[:8])
        yield evidence.finding(
            "call-name-not-in-request",
            evidence.at(call.first_chunk, f"the name {quoted(call.name_as_sent)}"),
            lost=Lost(calls=1),
            call=words,
            offered=f"{shown} and {len(offered) - 8} more"
            if len(offered) > 8
            else shown or "the tools that were given",
        )


@detector
def breaks_schema(evidence: Evidence) -> Iterable[Finding]:
    """Find arguments that the tool's schema does not allow."""
    evidence.take("call-schema-violation")
    for words, payload, call in evidence.calls:
        if call.status not in ("exact", "repaired"):
            continue
        violations = _violations(evidence, payload, call)
        if not violations:
            continue
        first = violations[0]
        yield evidence.finding(
            "call-breaks-schema",
            evidence.at(call.last_chunk, f"{first.path}: {shortened(first.message, 120)}"),
            lost=Lost(calls=1),
            call=words,
            places=counted(len(violations), "place"),
            message=f"{first.path}: {shortened(first.message, 200)}",
        )


def _violations(evidence: Evidence, payload: EmbeddedRunPayload, call: ToolCall) -> tuple[SchemaViolation, ...]:
    """Return what the schema does not allow: the caller's, or that of the request."""
    if call.repair is not None and call.repair.schema_violations is not None:
        return call.repair.schema_violations
    schema = evidence.request.schemas.get(evidence.offered_name(call))
    if schema is None:
        return ()
    report = repair_tool_call_arguments(call.raw_arguments, schema=schema, limits=evidence.state.limits)
    return report.schema_violations or ()
