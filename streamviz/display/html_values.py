"""The smaller values as cards: frames, chunks, steps, states, calls, diagnostics. Each stands alone, like a run's."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ..assembly.payload import block_value
from ..assembly.state import AssemblyState
from ..assembly.tool_calls import ToolCall
from ..chunks import NormalizedChunk
from ..diagnostics import Diagnostic
from ..framing.frame import Frame
from . import facts
from . import html_parts as parts
from .chunk_words import chunk_words
from .html_card import (
    BLOCKS,
    ROOM_CHARACTERS,
    block_part,
    call_part,
    diagnostics_part,
    status_mark,
    strip_part,
    usage_part,
)
from .html_parts import Room
from .json_view import one_line_json
from .palette import BLOCK_WORDS, SEVERITY_KINDS, Kind

if TYPE_CHECKING:
    from ..history import Change, Step, Steps

FIRST_STEPS, LAST_STEPS = 30, 10
"""How many steps a table of them shows at its beginning and at its end."""
CALLS = 100
_SMALL = 20_000


def frame_html(frame: Frame) -> str:
    """Return a frame as a card: its fields, its headers, its data."""
    room = Room(ROOM_CHARACTERS)
    rows = [
        facts.Row("kind", frame.kind),
        facts.Row("bytes", f"{frame.start:,} to {frame.end:,}", facts.count(frame.end - frame.start, "byte")),
        *(
            facts.Row(label, str(value), from_stream=True)
            for label, value in (("event", frame.event), ("id", frame.id), ("retry", frame.retry))
            if value is not None
        ),
    ]
    if frame.category != "event":
        rows.append(facts.Row("category", frame.category))
    if frame.fault is not None:
        rows.append(facts.Row(frame.fault.code, frame.fault.message, from_stream=True))
    headers = [(parts.code(h.name, room), escape(h.type), parts.code(h.value, room)) for h in frame.headers]
    return parts.card(
        parts.facts_table("Frame", rows, room),
        parts.table(("header", "type", "value"), headers, "Headers") if headers else "",
        f"<p>{parts.dim('data')}</p>{parts.long_text(frame.text, room)}" if frame.data else "",
    )


def chunk_html(chunk: NormalizedChunk) -> str:
    """Return what is in a chunk, a row a thing."""
    room = Room(ROOM_CHARACTERS)
    rows = [(parts.mark(word, kind), parts.code(value, room, 400)) for kind, word, value in chunk_words(chunk)]
    return parts.card(parts.table(("what", "value"), rows, "Chunk") if rows else "<p>a chunk without content</p>")


def step_html(step: Step) -> str:
    """Return what one chunk did."""
    room = Room(ROOM_CHARACTERS)
    time = [] if step.time_s is None else [facts.Row("time", f"{step.time_s:.3f} s", "since the request was sent")]
    place = facts.Row("bytes", f"{step.start:,} to {step.end:,}", facts.count(step.end - step.start, "byte"))
    rows = [_change_cells(change, room) for change in step.changes]
    return parts.card(
        parts.facts_table(f"Chunk {step.k}", [place, *time], room),
        parts.table(("what", "block", "how", "takes", "from"), rows, "What it did")
        if rows
        else f"<p>{parts.dim('nothing changed')}</p>",
    )


def _change_cells(change: Change, room: Room) -> tuple[str, ...]:
    kind = BLOCK_WORDS[change.kind].kind if change.kind in BLOCK_WORDS else _CHANGE_KINDS.get(change.kind, "other")
    word = BLOCK_WORDS[change.kind].word if change.kind in BLOCK_WORDS else change.kind
    block = "" if change.block is None else str(change.block)
    did = "opens" if change.opened else "is replaced" if change.replaced else ""
    taken = parts.code(change.text, room) if change.text else ""
    return parts.mark(word, kind), block, did, taken, f"{change.start:,}" if change.text else ""


_CHANGE_KINDS: dict[str, Kind] = {"usage": "usage", "error": "error"}


def steps_html(steps: Steps) -> str:
    """Return the steps of a run as a table: the first, the last, and how many lie between."""
    room = Room(ROOM_CHARACTERS)
    count = len(steps)
    first = steps[:FIRST_STEPS] if count > FIRST_STEPS + LAST_STEPS else steps[:]
    last = steps[count - LAST_STEPS :] if len(first) < count else []
    timed = bool(first) and first[0].time_s is not None
    columns = ("chunk", "bytes", *(["time"] if timed else []), "what it did")
    rows = [_step_cells(step, room, timed=timed) for step in first]
    if last:
        blank = ("…", "", *([""] if timed else []))
        rows.append((*blank, parts.dim(f"{count - len(first) - len(last):,} steps between are not shown here")))
        rows += [_step_cells(step, room, timed=timed) for step in last]
    return parts.card(parts.table(columns, rows, facts.count(count, "step")))


def _step_cells(step: Step, room: Room, *, timed: bool) -> tuple[str, ...]:
    did = []
    for change in step.changes[:8]:
        kind, block, what, taken, _ = _change_cells(change, room)
        did.append(" ".join(filter(None, (kind, block and f"block {block}", what, taken))))
    did += [parts.dim(f"{len(step.changes) - 8:,} more")] if len(step.changes) > 8 else []
    time = [f"{step.time_s:.3f} s" if step.time_s is not None else facts.UNKNOWN] if timed else []
    return str(step.k), f"{step.start}:{step.end}", *time, ", ".join(did) or parts.dim("nothing")


def state_html(state: AssemblyState) -> str:
    """Return a state as a card: the blocks as far as they have come, usage, finish, diagnostics."""
    room, small = Room(ROOM_CHARACTERS), Room(_SMALL)
    finish, response = state.finish, state.response
    rows = [
        facts.Row("chunks", f"{state.chunks:,}", "routed so far"),
        facts.Row("finish", (finish and finish.unified) or facts.UNKNOWN, "" if finish else "none so far"),
        facts.Row("end mark", "came" if state.done or state.terminal else "did not come yet"),
        facts.Row("model", response.model or facts.UNKNOWN, from_stream=True),
        facts.Row("id", response.id or facts.UNKNOWN, from_stream=True),
    ]
    if state.pending:
        rows.append(facts.Row("pending", facts.count(state.pending, "byte"), "not part of a whole frame"))
    rows += [facts.Row("error", error.message, from_stream=True) for _, error in state.errors[:4]]
    accumulators = state.accumulators
    shown = room.admit(len(accumulators), BLOCKS)
    blocks = [block_value(block, state, position) for position, block in enumerate(accumulators[:shown])]
    note = f"{facts.count(len(accumulators), 'block')} so far, in the order in which they opened"
    body = [block_part(number, block, room) for number, block in enumerate(blocks, start=1)]
    return parts.card(
        strip_part(blocks),
        parts.columns(parts.facts_table("State", rows, small), usage_part(state.usage, small)),
        parts.section("Blocks", note, *body, parts.more_rows(len(accumulators) - shown, "blocks")),
        diagnostics_part(facts.each_once(state.diagnostics)),
    )


def calls_html(calls: Sequence[ToolCall]) -> str:
    """Return tool calls as a table, each with its card behind a fold."""
    if not calls:
        return parts.card("<p>no tool calls</p>")
    room = Room(ROOM_CHARACTERS)
    shown = calls[:CALLS]
    folds = [parts.folded(f"call {n}: everything", call_part(call, room, f"{n} ")) for n, call in enumerate(shown, 1)]
    return parts.card(calls_table(shown, room), *folds, parts.more_rows(len(calls) - len(shown), "calls"))


def calls_table(calls: Sequence[ToolCall], room: Room, link: str = "") -> str:
    """Return a table with one row a call; with ``link``, its number leads to the place ``#<link><number>``."""
    rows = [
        (
            f'<a href="#{link}{number}">{number}</a>' if link else str(number),
            parts.code(call.name, room) if call.name else facts.UNKNOWN,
            status_mark(call.status),
            escape(facts.executable_words(call)),
            str(call.fragments),
            escape(facts.chunk_span(call.first_chunk, call.last_chunk)),
            parts.code(
                call.raw_arguments[:400] if call.arguments is None else one_line_json(call.arguments, 400),
                room,
                120,
            ),
        )
        for number, call in enumerate(calls, start=1)
    ]
    columns = ("call", "tool", "status", "may it run", "fragments", "where", "arguments")
    return parts.table(columns, rows, facts.count(len(calls), "tool call"))


def diagnostic_html(diagnostic: Diagnostic) -> str:
    """Return one diagnostic as a card."""
    room = Room(ROOM_CHARACTERS)
    severity = parts.mark(diagnostic.severity, SEVERITY_KINDS[diagnostic.severity])
    where = parts.dim(facts.place(diagnostic))
    return parts.card(
        f"<p><strong>{severity} {escape(diagnostic.code)}</strong> {where}</p>"
        f"<p>{parts.prose(diagnostic.message, room, 4_000)}</p>"
    )


def diagnostics_html(diagnostics: Iterable[Diagnostic]) -> str:
    """Return diagnostics as a table, the gravest first."""
    return parts.card(diagnostics_part(facts.each_once(diagnostics)))
