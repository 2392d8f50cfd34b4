"""The report of a run: one HTML file that stands alone, to be read, printed, attached and kept.

It is made of headings, tables and ``details``, without a script: where a viewer drops the styles it still reads from
top to bottom. The parts are those of the cards; here they may be longer.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from . import facts
from . import html_parts as parts
from . import report_sections as sections
from .charts import report_charts
from .html_parts import Room
from .palette import PALETTE
from .report_sections import Listed, Section
from .untrusted import shortened, visible_line

if TYPE_CHECKING:
    from ..run import StreamRun

ROOM_CHARACTERS = 1_500_000
"""How much escaped text of the stream a report holds, its list of chunks aside."""
TEXT_CHARACTERS = 250_000
"""How much of one text."""
ROWS = 2_000
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def report_html(run: StreamRun, *, chunks: int | None, charts: bool) -> str:
    """Return the report; ``chunks`` is how many of them it lists at most, None for all."""
    room = Room(ROOM_CHARACTERS, ROWS, text=TEXT_CHARACTERS)
    listed = Listed.of(len(run.frame_ends), chunks)
    drawn = report_charts(run) if charts else {}
    made = [
        sections.summary(run, room),
        sections.findings(run, room, listed),
        sections.answer(run, room, drawn),
        sections.calls(run, room, listed),
        sections.usage(run, room, listed, drawn),
        sections.timing(run, room, drawn),
        sections.diagnostics(run, listed),
        sections.request(run, room),
        sections.chunk_list(run, listed),
    ]
    shown = [section for section in made if section is not None]
    body = "\n".join(map(_section, shown))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>{_title(run)}</title>
<style>
{_style_sheet()}</style>
</head>
<body>
<div class="streamviz sv-report">
<header>
<h1>{escape(_name(run))}</h1>
{_lede(run, room)}
</header>
{_contents(shown)}
<main>
{body}
</main>
{_footer(run)}
</div>
</body>
</html>
"""


@cache
def _style_sheet() -> str:
    return parts.style_sheet() + files(__package__).joinpath("report.css").read_text("utf-8")


def _name(run: StreamRun) -> str:
    """Return the last part of where the bytes come from; all of it stands in the summary."""
    name = run.name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return visible_line(shortened(name or run.name, 200))


def _title(run: StreamRun) -> str:
    word = facts.verdict(run.payloads, finished=run.finished).word
    return escape(f"{_name(run)}: {word} (streamviz)")


def _lede(run: StreamRun, room: Room) -> str:
    """Return how it came out, in one line."""
    verdict, payload = facts.verdict(run.payloads, finished=run.finished), run.payload
    who = ", ".join(dict.fromkeys(filter(None, (run.vendor, run.dialect))))
    blocks = facts.count(len(payload.blocks), "block")
    calls = facts.count(sum(len(one.calls) + len(one.server_tools) for one in run.payloads), "call")
    size = f"{facts.count(len(run.frame_ends), 'frame')}, {facts.count(run.recording.size, 'byte')}"
    model = f"{parts.code(payload.model, room)} " if payload.model else ""
    mark = parts.mark(verdict.word, verdict.kind, verdict.sign)
    words = visible_line(f"{who}; {blocks}, {calls}; {size}")
    return f'<p class="sv-lede"><strong>{mark}</strong> {model}{parts.dim(words)}</p>'


def _contents(shown: list[Section]) -> str:
    items = "".join(f'<li><a href="#{section.key}">{escape(section.title)}</a></li>' for section in shown)
    return f'<nav aria-label="Contents"><h2 class="sv-quiet">Contents</h2><ol>{items}</ol></nav>'


def _section(section: Section) -> str:
    note = f" {parts.dim(section.note)}" if section.note else ""
    return f'<section id="{section.key}">\n<h2>{escape(section.title)}{note}</h2>\n{section.body}\n</section>'


def _footer(run: StreamRun) -> str:
    from .. import __version__

    digest = sha256()
    for data in run.recording.reads:
        digest.update(data)
    colours = " ".join(parts.mark(kind.replace("_", " "), kind) for kind in PALETTE)
    made = f"Made by streamviz {__version__} from {facts.count(run.recording.size, 'byte')}, SHA-256"
    return (
        f'<footer><p class="sv-legend">{parts.dim("colours")} {colours}</p>'
        f"<p>{parts.dim(made)} <code>{digest.hexdigest()}</code></p></footer>"
    )
