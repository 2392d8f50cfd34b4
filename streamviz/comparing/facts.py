"""What a run amounts to, field by field, so that two can be held against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..assembly.tool_calls import ToolCall
from ..chunks import Usage

if TYPE_CHECKING:
    from ..run import StreamRun

USAGE_FIELDS = tuple(name for name in Usage.__struct_fields__ if name.endswith("_tokens"))
"""The token counts, in the order of `Usage`."""
TIMES = ("first_byte_s", "first_token_s", "first_text_s", "first_thinking_s", "first_tool_s", "last_token_s", "end_s")
"""Moments of `run.timing`."""


class Fact(Struct, frozen=True):
    """What a run says of one field."""

    shown: str | None
    """In words or digits; None where it says nothing. Untrusted text."""
    key: Any = None
    """What two facts are compared by; the text itself where there is none."""
    note: str = ""
    """Why it says nothing, where that is known."""

    def is_same(self, other: Fact) -> bool:
        """Return whether two facts say the same."""
        return bool(self._key() == other._key())

    def _key(self) -> Any:
        return self.shown if self.key is None else self.key


Facts = dict[str, Fact]
NOTHING = Fact(None)


def fact(value: Any) -> Fact:
    """Return a value as a fact."""
    match value:
        case None | "":
            return Fact(None)
        case float():
            return Fact(f"{value:.3f}")
        case bool():
            return Fact("yes" if value else "no")
        case _:
            return Fact(str(value))


def facts_of(run: StreamRun) -> Facts:
    """Return what a run amounts to: who answered, what, why it stopped, tokens, diagnostics, sizes, times."""
    payload = run.payload
    error = payload.error
    return {
        "dialect": fact(run.dialect),
        "vendor": fact(run.vendor),
        "model": fact(payload.model),
        "response id": fact(payload.response_id),
        "choices": fact(len(run.payloads)),
        "blocks": fact(", ".join(block.kind for block in payload.blocks)),
        "text": fact(payload.assistant_text),
        "thinking": fact(payload.thinking),
        "refusal": fact(payload.refusal),
        "calls": fact(len(payload.calls)),
        **call_facts(payload.calls),
        "server tools": fact(", ".join(call.name for call in payload.server_tools)),
        "finish": fact(payload.finish and payload.finish.unified),
        "finish as sent": fact(payload.finish and ", ".join(map(str, payload.finish.raw))),
        "ended": fact(payload.ended),
        "complete": fact(payload.complete),
        "error": fact(error and ": ".join(filter(None, (error.type, error.message)))),
        **usage_facts(payload.usage),
        "diagnostics": fact(_codes(run)),
        "frames": fact(len(run.frame_ends)),
        "reads": fact(len(run.recording.reads)),
        "bytes": fact(run.recording.size),
        **time_facts(run),
    }


def call_facts(calls: tuple[ToolCall, ...]) -> Facts:
    """Return what is said of each call. Arguments are the same where their values are."""
    facts: Facts = {}
    for number, call in enumerate(calls, start=1):
        facts[f"call {number} name"] = fact(call.name)
        facts[f"call {number} id"] = NOTHING if call.id_is_made_up else fact(call.id)
        facts[f"call {number} arguments"] = Fact(call.raw_arguments, call.arguments)
        facts[f"call {number} status"] = fact(call.status)
    return facts


def usage_facts(usage: Usage | None) -> Facts:
    """Return the token counts that were reported."""
    if usage is None:
        return {}
    facts = {name.replace("_", " "): fact(getattr(usage, name)) for name in USAGE_FIELDS}
    return {name: one for name, one in facts.items() if one.shown is not None} | {"usage state": fact(usage.state)}


def without_zeros(columns: Sequence[Facts]) -> list[Facts]:
    """Return the columns without the token counts of which every run says nothing, or zero."""
    names = [name.replace("_", " ") for name in USAGE_FIELDS]
    idle = {n for n in names if all(column.get(n, NOTHING).shown in (None, "0") for column in columns)}
    return [{name: one for name, one in column.items() if name not in idle} for column in columns]


def time_facts(run: StreamRun) -> Facts:
    """Return when what came, in seconds since the request, and how the transport did."""
    if run.timed == "none":
        return {}
    timing = run.timing
    facts = {f"{name.removesuffix('_s').replace('_', ' ')} (s)": fact(getattr(timing, name)) for name in TIMES}
    return {name: one for name, one in facts.items() if one.shown is not None} | {"transport": fact(timing.transport)}


def _codes(run: StreamRun) -> str:
    """Return the codes of what was worse than a note."""
    codes = Counter(d.code for payload in run.payloads for d in payload.diagnostics if d.severity != "note")
    return ", ".join(f"{code} ×{number}" if number > 1 else code for code, number in sorted(codes.items()))
