"""Write ``docs/dialects.md``: what was really seen of each dialect in recorded streams, and where it is shown.

Run ``python docs/make_dialects.py`` with ``STREAMVIZ_MATERIAL`` naming the folder of recordings.
"""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import streamviz as sv

NEWLINE = b"\n"
HERE = Path(__file__).parent
MATERIAL = Path(os.environ.get("STREAMVIZ_MATERIAL", HERE.parents[1] / "shared"))


def _usage(name: str) -> Callable[[sv.StreamRun], bool]:
    return lambda run: getattr(run.payload.usage, name, None) is not None


def _kind(kind: str) -> Callable[[sv.StreamRun], bool]:
    return lambda run: any(block.kind == kind for payload in run.payloads for block in payload.blocks)


FEATURES: dict[str, tuple[str, Callable[[sv.StreamRun], bool]]] = {
    "text": ("`assistant_text`", lambda run: bool(run.payload.assistant_text)),
    "reasoning": ("`thinking`", lambda run: bool(run.payload.thinking)),
    "signatures": ("`Block.signature`", lambda run: any(b.signature for p in run.payloads for b in p.blocks)),
    "encrypted reasoning": ("`Block.redacted`", lambda run: any(b.redacted for p in run.payloads for b in p.blocks)),
    "plan": ("`Block` of kind `plan`", _kind("plan")),
    "tool calls": ("`calls`", lambda run: bool(run.payload.calls)),
    "several calls": ("`calls`, in order", lambda run: len(run.payload.calls) > 1),
    "free-text calls": ("`ToolCall.status` `text`", lambda run: any(c.status == "text" for c in run.payload.calls)),
    "broken or cut calls": (
        "`ToolCall.repair`",
        lambda run: any(c.status in ("repaired", "incomplete", "invalid") for c in run.payload.calls),
    ),
    "server tools": ("`server_tools`", lambda run: bool(run.payload.server_tools)),
    "tool results": ("`Block` of kind `tool_result`", _kind("tool_result")),
    "citations": ("`citations`", lambda run: bool(run.payload.citations)),
    "media": ("`Block` of kind `media`", _kind("media")),
    "refusal": ("`refusal`", lambda run: run.payload.refusal is not None),
    "moderation": ("`moderation`", lambda run: bool(run.payload.moderation)),
    "several choices": ("`payloads`", lambda run: len(run.payloads) > 1),
    "usage": ("`usage`", lambda run: run.payload.usage is not None),
    "cached input": ("`usage.cache_read_input_tokens`", _usage("cache_read_input_tokens")),
    "reasoning tokens": ("`usage.reasoning_output_tokens`", _usage("reasoning_output_tokens")),
    "cost": ("`usage.billed`", _usage("billed")),
    "server timing": ("`usage.server_timing`", _usage("server_timing")),
    "finish reason": ("`finish`", lambda run: run.payload.finish is not None),
    "an error inside": ("`error`", lambda run: run.payload.error is not None),
    "an end mark": ("`ended` `done`, `terminal`", lambda run: run.payload.ended in ("done", "terminal")),
    "torn": ("`ended` `torn`", lambda run: run.payload.ended == "torn"),
}
"""What may be seen → where the payload shows it, and whether a run has it."""


def table(head: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def mark(material: Path) -> str:
    """Return a comment that tells which recordings a page was made of."""
    index = (material / "recordings" / "index.jsonl").read_bytes()
    return f"<!-- made of {index.count(NEWLINE)} recordings, index {sha256(index).hexdigest()[:16]} -->"


def page(material: Path) -> str:
    """Read every recording and return the page."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    vendors: dict[str, set[str]] = defaultdict(set)
    unknown: Counter[str] = Counter()
    index = material / "recordings" / "index.jsonl"
    for line in index.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        run = sv.read(material / "recordings" / row["file"])
        seen[run.dialect]["recordings"] += 1
        vendors[run.dialect].add(row["vendor"])
        seen[run.dialect].update(name for name, (_, has) in FEATURES.items() if has(run))
        if run.dialect == "unknown":
            unknown[row["dialect"]] += 1
    known = sorted(set(seen) - {"unknown"}, key=lambda dialect: (-seen[dialect]["recordings"], dialect))
    rows = [
        [name, shown, *(str(seen[dialect][name] or "") for dialect in known)] for name, (shown, _) in FEATURES.items()
    ]
    counts = ["recordings", "", *(f"**{seen[dialect]['recordings']}**" for dialect in known)]
    return "\n".join(
        [
            "# Dialects",
            "",
            mark(material),
            "",
            "What recorded streams of each dialect really held: in how many of them a feature was seen, and where the",
            "payload shows it. The page is made by `docs/make_dialects.py`; an empty cell means never seen, not that",
            "it would not be read.",
            "",
            table(["feature", "shown in", *known], [counts, *rows]),
            "## Who sent them",
            "",
            table(["dialect", "vendors"], [[dialect, ", ".join(sorted(vendors[dialect]))] for dialect in known]),
            "## Read as `unknown`",
            "",
            "Frames, bytes and JSON values are there; nothing is taken for an answer.",
            "",
            table(["what it is", "recordings"], [[name, str(count)] for name, count in sorted(unknown.items())]),
        ]
    )


if __name__ == "__main__":
    (HERE / "dialects.md").write_text(page(MATERIAL), encoding="utf-8")
