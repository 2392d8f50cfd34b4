"""The HTML card of a run, and of its parts: what a notebook shows.

A card stands alone: no script, nothing from the network, no random ids. It is made of headings, tables and ``details``
with words beside every colour, so that it can still be read where a viewer strips the styles. The same values give the
same card, byte for byte, and its size is bounded whatever the stream holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..assembly.payload import Block, EmbeddedRunPayload
from ..assembly.tool_calls import ToolCall
from ..chunks import Usage
from ..diagnostics import Diagnostic
from ..repair import RepairReport
from . import facts
from . import html_parts as parts
from .html_parts import Room
from .palette import BLOCK_WORDS, PALETTE, SEVERITY_KINDS, STATUS_KINDS
from .usage_rows import usage_rows, usage_state

if TYPE_CHECKING:
    from ..run import StreamRun

BLOCKS = 60
"""How many blocks of a choice a card shows."""
CHOICES = 16
EDITS = 60
"""How many edits of a call."""
DIAGNOSTICS = 5
"""How many diagnostics of one code."""
ROOM_CHARACTERS = 250_000
"""How much escaped text of the stream a card holds."""
_DIAGNOSTICS_CHARACTERS = 100_000
_FACTS_CHARACTERS = 20_000


def run_card_html(run: StreamRun) -> str:
    """Return a run as a card: outcome, blocks in order, calls with their edits, usage, diagnostics."""
    payloads = run.payloads
    room, small = Room(ROOM_CHARACTERS), Room(_FACTS_CHARACTERS)
    verdict = facts.verdict(payloads, finished=run.finished)
    return parts.card(
        title_part(verdict, payloads[0], f"{run.dialect}, {facts.count(len(run.frame_ends), 'frame')}", small),
        strip_part(payloads[0].blocks),
        parts.columns(
            parts.facts_table("Outcome", facts.outcome_rows(payloads[0], finished=run.finished), small),
            usage_part(payloads[0].usage, small),
            parts.facts_table("Stream", facts.stream_rows(run), small),
        ),
        *_contents(payloads, room),
        diagnostics_part(facts.all_diagnostics(payloads)),
    )


def payload_html(payload: EmbeddedRunPayload) -> str:
    """Return one payload as a card."""
    room, small = Room(ROOM_CHARACTERS), Room(_FACTS_CHARACTERS)
    return parts.card(
        title_part(facts.verdict([payload]), payload, f"choice {payload.choice}", small),
        strip_part(payload.blocks),
        parts.columns(
            parts.facts_table("Outcome", facts.outcome_rows(payload), small), usage_part(payload.usage, small)
        ),
        *_contents([payload], room),
        diagnostics_part(facts.all_diagnostics([payload])),
    )


def usage_html(usage: Usage) -> str:
    """Return a usage as a table that stands alone."""
    return parts.card(usage_part(usage, Room(_FACTS_CHARACTERS)))


def tool_call_html(call: ToolCall) -> str:
    """Return a tool call as a card: its name, its status, its arguments, every edit."""
    return parts.card(call_part(call, Room(ROOM_CHARACTERS), ""))


def repair_html(report: RepairReport) -> str:
    """Return how an argument text was read, as a card."""
    room = Room(ROOM_CHARACTERS)
    return parts.card(
        f"<p><strong>{status_mark(report.status)}</strong></p>", *arguments_part(report.raw, report.value, report, room)
    )


# -- the parts --------------------------------------------------------------------------------------------------------


def title_part(verdict: facts.Verdict, payload: EmbeddedRunPayload, what: str, room: Room) -> str:
    """Return the line on top: how it came out, the model, what it is."""
    model = f" {parts.code(payload.model, room)}" if payload.model else ""
    word = parts.mark(verdict.word, verdict.kind, verdict.sign)
    return f'<p class="sv-title"><strong>{word}</strong>{model} {parts.dim(what)}</p>'


def strip_part(blocks: Sequence[Block]) -> str:
    """Return the blocks as a strip of colours, each as wide as it is long; the list below says it in words."""
    if len(blocks) < 2:
        return ""
    pieces = []
    for block in blocks[:BLOCKS]:
        kind = BLOCK_WORDS.get(block.kind, BLOCK_WORDS["unknown"]).kind
        style = f"flex:{max(len(block.text), 1)} 1 0;background:{PALETTE[kind].light}"
        pieces.append(f'<span class="sv-fill-{kind}" style="{style}"></span>')
    return f'<div class="sv-strip" aria-hidden="true">{"".join(pieces)}</div>'


def usage_part(usage: Usage | None, room: Room) -> str:
    """Return a usage as a table of facts."""
    if usage is None:
        return parts.facts_table("Tokens", [facts.Row("usage", facts.UNKNOWN, "none was reported")], room)
    state = usage_state(usage)
    table = parts.facts_table("Tokens", usage_rows(usage), room)
    return f"{table}<p>{parts.dim(state)}</p>" if state else table


def _contents(payloads: Sequence[EmbeddedRunPayload], room: Room) -> list[str]:
    """Return the blocks of every choice."""
    if len(payloads) == 1:
        return [blocks_part(payloads[0], room, "Blocks")]
    sections = []
    for payload in payloads[:CHOICES]:
        title = f"Choice {payload.choice}: finish {facts.finish_words(payload)}"
        sections.append(blocks_part(payload, room, title))
    return [*sections, parts.more_rows(len(payloads) - CHOICES, "choices")]


def blocks_part(payload: EmbeddedRunPayload, room: Room, title: str) -> str:
    """Return the blocks of a choice, one below the other."""
    blocks = payload.blocks
    shown = room.admit(len(blocks), BLOCKS)
    body = [block_part(number, block, room) for number, block in enumerate(blocks[:shown], start=1)]
    note = f"{facts.count(len(blocks), 'block')}, in the order in which they were sent" if blocks else "none was sent"
    return parts.section(title, note, *body, parts.more_rows(len(blocks) - shown, "blocks"))


def block_part(number: int, block: Block, room: Room) -> str:
    """Return a block: what it is, and all of it that there is room for."""
    if block.call is not None:
        return call_part(block.call, room, f"{number} ", ", ".join(facts.block_remarks(block)))
    word = BLOCK_WORDS.get(block.kind, BLOCK_WORDS["unknown"])
    names = "".join(f" {parts.code(name, room)}" for name in (block.name, block.id) if name)
    head = f"<p><strong>{number} {word.word}</strong>{names} {parts.dim(', '.join(facts.block_remarks(block)))}</p>"
    body = []
    if block.text or block.kind in ("text", "thinking", "refusal", "plan"):
        body.append(parts.long_text(block.text, room))
    if block.value is not None:
        body.append(parts.json_text(facts.block_value(block), room))
    if block.citations:
        body.append(parts.folded(facts.count(len(block.citations), "citation"), parts.json_text(block.citations, room)))
    return parts.barred(word.kind, head, *body)


def call_part(call: ToolCall, room: Room, number: str, remarks: str = "", *more: str) -> str:
    """Return a call: its name, its status, its arguments, every edit."""
    word = "server tool call" if call.server else "tool call"
    name = parts.code(call.name, room) if call.name else "without a name"
    made_up = " (made up: none was sent)" if call.id_is_made_up else ""
    executable = facts.executable_words(call)
    ident = f"{parts.dim('id')} {parts.code(call.id, room)}{parts.dim(made_up)}" if call.id else ""
    return parts.barred(
        "tool_call",
        f"<p><strong>{number}{word}</strong> {name} {parts.dim(remarks)}</p>",
        f"<p>{status_mark(call.status)}, {escape(executable)} {parts.dim(facts.STATUS_WORDS[call.status])}</p>",
        f"<p>{ident}</p>",
        *arguments_part(call.raw_arguments, call.arguments, call.repair, room),
        *more,
    )


def status_mark(status: str) -> str:
    """Return a call's status with its colour."""
    return parts.mark(status, STATUS_KINDS[status])


def arguments_part(raw: str, value: object, report: RepairReport | None, room: Room) -> list[str]:
    """Return the arguments, and where they are not what was sent, the text as sent and every edit."""
    body = [] if value is None else [parts.json_text(value, room)]
    if report is None or report.status == "text":
        return [parts.long_text(raw, room)]
    if report.message or report.open_path:
        where = f"the text ends inside {report.open_path}" if report.open_path else report.message
        position = "" if report.position is None else parts.dim(f"at position {report.position:,}")
        body.append(f"<p>{parts.prose(where, room)} {position}</p>")
    body += [f"<p>{parts.prose(remark, room)}</p>" for remark in facts.argument_remarks(report)[:EDITS]]
    if report.edits:
        body += [f"<p>{parts.dim('the edits in the text')}</p>", diff_part(report, room), edits_part(report, room)]
    if report.status in ("repaired", "incomplete", "invalid"):
        sent = parts.long_text(raw, room)
        body.append(sent if value is None else parts.folded("as sent", sent))
    return body


def diff_part(report: RepairReport, room: Room, context: int = 60) -> str:
    """Return the text as sent with the edits in it: what was removed is struck out, what was inserted underlined.

    Of what stayed, ``context`` characters are shown on each side of an edit.
    """
    pieces: list[str] = []
    done = 0
    for edit in report.edits[:EDITS]:
        kept = report.raw[done : edit.position]
        if len(kept) > 2 * context:
            kept = f"{kept[: context if done else 0]} … {kept[-context:]}"
        pieces.append(room.take(kept)[0])
        pieces += [f"<del>{room.line(edit.removed)}</del>"] if edit.removed else []
        pieces += [f"<ins>{room.line(edit.inserted)}</ins>"] if edit.inserted else []
        done = edit.position + len(edit.removed)
    rest = report.raw[done:]
    pieces.append(room.take(rest if len(rest) <= context else f"{rest[:context]} …")[0])
    return parts.pre("".join(pieces))


def edits_part(report: RepairReport, room: Room) -> str:
    """Return the edits as a table."""
    columns = ("edit", "level", "position", "fragment", "chunk", "removed", "inserted")
    shown = room.admit(len(report.edits), EDITS)
    rows = [
        (
            escape(edit.rule),
            escape(edit.level),
            f"{edit.position:,}",
            facts.UNKNOWN if edit.fragment is None else str(edit.fragment),
            facts.UNKNOWN if edit.chunk is None else str(edit.chunk),
            parts.code(edit.removed, room, 80) if edit.removed else "",
            parts.code(edit.inserted, room, 80) if edit.inserted else "",
        )
        for edit in report.edits[:shown]
    ]
    table = parts.table(columns, rows, facts.count(len(report.edits), "edit"))
    return table + parts.more_rows(len(report.edits) - shown, "edits")


def diagnostics_part(found: Sequence[facts.Found]) -> str:
    """Return diagnostics as a part of a card that folds away."""
    if not found:
        return f'<p class="sv-section"><strong>Diagnostics</strong> {parts.dim("nothing is odd")}</p>'
    return parts.section("Diagnostics", facts.count(len(found), "finding"), diagnostics_table(found))


def diagnostics_table(
    found: Sequence[facts.Found],
    *,
    most: int = DIAGNOSTICS,
    place: Callable[[Diagnostic], str] = lambda diagnostic: escape(facts.place(diagnostic)),
) -> str:
    """Return diagnostics as a table, the first few of each code; ``place`` gives the markup of where it was seen."""
    shown, left = facts.first_of_each_code(found, most)
    room = Room(_DIAGNOSTICS_CHARACTERS)
    rows = []
    for diagnostic, choices, times in shown:
        others = (escape(choices), f"{times:,} times" if times > 1 else "")
        where = ", ".join(filter(None, (place(diagnostic), *others)))
        severity = parts.mark(diagnostic.severity, SEVERITY_KINDS[diagnostic.severity])
        rows.append((severity, escape(diagnostic.code), where, parts.prose(diagnostic.message, room)))
    more = "".join(parts.more_rows(number, code) for code, number in left.items())
    return parts.table(("severity", "code", "where", "what"), rows) + more
