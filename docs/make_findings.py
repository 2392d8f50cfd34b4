"""Write ``docs/findings/``: a page for each thing that `explain` finds, with a stream that shows it, and an index.

Run ``python docs/make_findings.py``.
"""

from __future__ import annotations

import json
from pathlib import Path

import streamviz as sv
from streamviz.diagnostics import CODES
from streamviz.display.findings_text import findings_text
from streamviz.display.untrusted import shortened, visible
from streamviz.findings import OWN_PAGES, RULES, Rule
from streamviz.samples.findings import FINDING_SAMPLES

FOLDER = Path(__file__).parent / "findings"
_LINE = 150
_LINES = 24
_ABOUT = (
    "`run.explain()` and `streamviz explain FILE…` say what is wrong with a stream, where it shows, on whose side "
    "the cause lies, and what to do. Nothing is found without a place that shows it, and the side stays `unknown` "
    "unless the evidence decides it. `fault`: something is lost or wrong, and the command's exit status is 1. "
    "`warning`: look at it. `note`: good to know.\n"
)
_NOTE = "<!-- Written by docs/make_findings.py. -->\n"


def pages() -> dict[str, str]:
    """Return the text of each page by its name."""
    runs = {code: FINDING_SAMPLES[code]() for code in OWN_PAGES}
    return {"index.md": _index(runs), **{f"{code}.md": _page(code, run) for code, run in runs.items()}}


def _page(code: str, run: sv.StreamRun) -> str:
    rule = RULES[code]
    found = run.explain()
    finding = found.of(code)[0]
    return "\n".join(
        [
            f"# {code}\n",
            _NOTE,
            f"{rule.severity.capitalize()}. {rule.means}\n",
            "## Whose side it is\n",
            f"{_side(rule)}\n",
            "## What to do\n",
            f"{finding.remedy}\n",
            "## A stream that shows it\n",
            *_known(run),
            _fenced("text", _reads(run)),
            "## What `explain` says of it\n",
            _fenced("text", findings_text(found, short=True)),
        ]
    )


def _side(rule: Rule) -> str:
    always = "unknown: the stream does not tell" if rule.side == "unknown" else f"the {rule.side}"
    if not rule.decides:
        return f"{always[0].upper()}{always[1:]}."
    return f"{rule.decides} Otherwise it is {always}."


def _known(run: sv.StreamRun) -> list[str]:
    """Return what is known beside the bytes: the request, the head of the response."""
    recording = run.recording
    parts = []
    if recording.request is not None:
        parts.append("The request:\n\n" + _fenced("json", json.dumps(recording.request["body"], indent=2)))
    if recording.status is not None or recording.headers:
        head = [f"HTTP/1.1 {recording.status}"] if recording.status is not None else []
        head += [f"{name}: {value}" for name, value in (recording.headers or {}).items()]
        parts.append("The head of the response:\n\n" + _fenced("text", "\n".join(head)))
    return [*parts, f"The body, {recording.size:,} bytes, long lines shortened:\n"]


def _reads(run: sv.StreamRun) -> str:
    """Return the body, line by line; where times were recorded, each read under its time."""
    recording = run.recording
    lines: list[str] = []
    for number, data in enumerate(recording.reads):
        if recording.is_timed:
            lines.append(f"[read at {recording.times_s[number]:.2f} s]")
        lines += [shortened(line, _LINE) for line in visible(data.decode("utf-8", "replace")).split("\n") if line]
    if len(lines) <= _LINES:
        return "\n".join(lines)
    half = _LINES // 2
    return "\n".join([*lines[:half], f"[{len(lines) - 2 * half} more lines]", *lines[-half:]])


def _fenced(language: str, text: str) -> str:
    return f"````{language}\n{text}\n````\n"


def _index(runs: dict[str, sv.StreamRun]) -> str:
    rows = [
        f"| [{code}]({code}.md) | {RULES[code].severity} | {_cell(run.explain().of(code)[0].title)} |"
        for code, run in runs.items()
    ]
    lines = [
        "# Findings\n",
        _NOTE,
        _ABOUT,
        "| code | severity | for example |",
        "| --- | --- | --- |",
        *rows,
        "\n## Diagnostics\n",
        "Diagnostics that are more than a note, and that no finding above explains, are findings too.\n",
    ]
    for code, rule in RULES.items():
        if code not in OWN_PAGES:
            what = CODES[code][1]
            lines.append(f"### {code}\n\nA {rule.severity}: {what}. {rule.remedy}\n")
    return "\n".join(lines).rstrip("\n") + "\n"


def _cell(text: str) -> str:
    return visible(text).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
