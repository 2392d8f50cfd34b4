"""The card of a run for the terminal, as `rich` renderables.

Every text is made visible first and put into a `rich.text.Text`, which never reads markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.table import Table
from rich.text import Text

from ..assembly.payload import Block, EmbeddedRunPayload
from ..assembly.tool_calls import ToolCall
from ..chunks import Usage
from ..repair import RepairReport
from . import facts
from .json_view import one_line_json, pretty_json
from .palette import BLOCK_WORDS, PALETTE, SEVERITY_KINDS, STATUS_KINDS, Kind
from .untrusted import shortened, visible, visible_line
from .usage_rows import usage_rows, usage_state

if TYPE_CHECKING:
    from ..run import StreamRun

STYLES: dict[Kind, Style] = {
    kind: Style(color=colour.light if kind == "warning" else colour.dark) for kind, colour in PALETTE.items()
}
"""The palette's colours, those that can be read on dark ground and on light: a terminal does not tell which it has."""
_BOLD, _DIM = Style(bold=True), Style(dim=True)


class Size(NamedTuple):
    """How much of a run a card shows."""

    choices: int
    blocks: int
    lines: int
    characters: int
    edits: int
    diagnostics: int
    of_one_code: int


FULL = Size(choices=16, blocks=200, lines=60, characters=6_000, edits=30, diagnostics=100, of_one_code=5)
SHORT = Size(choices=3, blocks=8, lines=2, characters=240, edits=4, diagnostics=3, of_one_code=1)


class Barred:
    """Something behind a bar of a kind's colour."""

    def __init__(self, content: RenderableType, kind: Kind) -> None:
        self.content = content
        self.kind = kind

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        inner = options.update(width=max(options.max_width - 2, 1))
        for line in console.render_lines(self.content, inner, pad=False):
            yield Segment("▎ ", STYLES[self.kind])
            yield from line
            yield Segment.line()


def run_card(run: StreamRun, *, short: bool = False) -> RenderableType:
    """Return a run as a card: outcome, blocks in order, calls with their edits, usage, diagnostics."""
    size = SHORT if short else FULL
    payloads = run.payloads
    body: list[RenderableType] = [verdict_line(run)]
    if not short:
        body.append(_grid([*facts.outcome_rows(payloads[0], finished=run.finished), *facts.stream_rows(run)]))
    for payload in payloads[: size.choices]:
        body += _choice(payload, size, title=len(payloads) > 1)
    body += _more(len(payloads) - size.choices, "choices")
    body += [_usage(payloads[0].usage, short=short)] if short else [Text(), _usage(payloads[0].usage, short=short)]
    body += _diagnostics(payloads, size)
    return Group(*body)


def verdict_line(run: StreamRun) -> Text:
    """Return how a run came out, who sent it, why it stopped."""
    payload = run.payload
    verdict = facts.verdict(run.payloads, finished=run.finished)
    line = styled(f"{verdict.sign} {verdict.word}", verdict.kind, bold=True)
    words = [run.dialect, payload.model or "", f"finish {facts.finish_words(payload)}"]
    if run.finished:
        words.append(f"ended {payload.ended}")
    line.append("  " + " · ".join(line_of(word, 100) for word in words if word))
    return line


def styled(text: str, kind: Kind, *, bold: bool = False) -> Text:
    """Return our own words in the colour of a kind."""
    return Text().append(text, STYLES[kind] + _BOLD if bold else STYLES[kind])


def line_of(text: object, most: int = 200) -> str:
    """Return a text of the stream for one line."""
    return visible_line(shortened(str(text), most))


# -- the parts --------------------------------------------------------------------------------------------------------


def _grid(rows: Iterable[facts.Row]) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    table.add_column(style=_DIM, no_wrap=True)
    table.add_column(overflow="fold")
    for row in rows:
        value = Text(line_of(row.value, 400))
        if row.note:
            value.append(f"  {row.note}", _DIM)
        table.add_row(Text(line_of(row.label, 40)), value)
    return table


def _choice(payload: EmbeddedRunPayload, size: Size, *, title: bool) -> list[RenderableType]:
    body: list[RenderableType] = []
    if title:
        words = f"choice {payload.choice}: finish {facts.finish_words(payload)}"
        body += [Text(), Text(words, _BOLD)]
    for number, block in enumerate(payload.blocks[: size.blocks], start=1):
        if size is FULL:
            body.append(Text())
        body.append(_block(number, block, size))
    body += _more(len(payload.blocks) - size.blocks, "blocks")
    return body


def _block(number: int, block: Block, size: Size) -> RenderableType:
    word = BLOCK_WORDS.get(block.kind, BLOCK_WORDS["unknown"])
    call = block.call
    head = styled(f"{number} {word.word}", word.kind, bold=True)
    names = (call.name or "without a name", None) if call is not None else (block.name, block.id)
    for name in filter(None, names):
        head.append(f" {line_of(name, 100)}")
    if call is not None:
        head.append("  ").append_text(styled(call.status, STATUS_KINDS[call.status]))
        head.append(f", {facts.executable_words(call)}")
    body: list[RenderableType] = [head]
    if size is FULL:
        head.append(f"  {', '.join(facts.block_remarks(block))}", _DIM)
    if call is not None:
        body += _call(call, size)
        return Barred(Group(*body), word.kind)
    if block.text or word.word in ("text", "thinking", "refusal", "plan"):
        body.append(_long_text(block.text, size))
    if block.value is not None:
        body.append(_json(facts.block_value(block), size))
    if block.citations and size is FULL:
        body.append(_json(block.citations, size))
    return Barred(Group(*body), word.kind)


def _call(call: ToolCall, size: Size) -> list[RenderableType]:
    body: list[RenderableType] = []
    if size is FULL and call.id:
        made_up = " (made up: none was sent)" if call.id_is_made_up else ""
        body.append(Text(f"id {line_of(call.id)}{made_up}, {facts.STATUS_WORDS[call.status]}", _DIM))
    if call.arguments is not None:
        body.append(_json(call.arguments, size))
    elif call.raw_arguments:
        body.append(_long_text(call.raw_arguments, size))
    if call.repair is None:
        return body
    if size is FULL and call.status == "repaired":
        body += [Text("as sent", _DIM), _long_text(call.raw_arguments, size)]
    return body + _report(call.repair, size)


def repair_card(report: RepairReport) -> RenderableType:
    """Return how a text that should be JSON was read: the status, the value, every edit, the edits in the text."""
    body: list[RenderableType] = [
        Text.assemble(
            styled(report.status, STATUS_KINDS[report.status]), (f"  {facts.STATUS_WORDS[report.status]}", _DIM)
        )
    ]
    if report.value is not None or report.status == "exact":
        body.append(_json(report.value, FULL))
    body += _report(report, FULL)
    for root in report.roots[: FULL.edits]:
        body.append(Text(f"from {root.start:,} to {root.end:,}: {line_of(one_line_json(root.value, 200))}"))
    if report.edits:
        body += [Text("edits", _DIM), _long_text(report.diff(), FULL)]
    return Group(*body)


def _report(report: RepairReport, size: Size) -> list[RenderableType]:
    """Return what is wrong with an argument text, and what was done to it."""
    body: list[RenderableType] = []
    if report.open_path or report.message:
        words = f"the text ends inside {report.open_path}" if report.open_path else str(report.message)
        where = "" if report.position is None else f" at position {report.position:,}"
        body.append(Text(line_of(words, 400) + where))
    body += [Text(line_of(remark, 400)) for remark in facts.argument_remarks(report)[: size.edits]]
    for edit in report.edits[: size.edits]:
        change = " → ".join(line_of(repr(text), 80) for text in (edit.removed, edit.inserted) if text)
        chunk = "" if edit.chunk is None else f", chunk {edit.chunk}"
        where = f"position {edit.position:,}{chunk}"
        body.append(Text.assemble("edit ", f"{edit.rule} ", change, (f"  {edit.level}, {where}", _DIM)))
    return body + _more(len(report.edits) - size.edits, "edits")


def _json(value: object, size: Size) -> Text:
    if size is SHORT:
        return Text(visible_line(one_line_json(value, size.characters)))
    text, whole = pretty_json(value, size.characters)
    return _long_text(text, size, left_out=not whole)


def _long_text(text: str, size: Size, *, left_out: bool = False) -> Text:
    """Return the beginning of a text, and how much more there is."""
    if not text:
        return Text("empty", _DIM)
    head = text[: size.characters]
    lines = head.split("\n")
    if len(lines) > size.lines:
        head = "\n".join(lines[: size.lines])
    shown = Text(visible(head).expandtabs(4), overflow="fold")
    if len(head) < len(text):
        shown.append(f"… {len(text) - len(head):,} more characters", _DIM)
    elif left_out:
        shown.append("… more", _DIM)
    return shown


def _usage(usage: Usage | None, *, short: bool) -> RenderableType:
    if usage is None:
        return Text.assemble(("tokens  ", _DIM), "none reported")
    rows = usage_rows(usage)
    if short:
        known = [f"{row.label.strip()} {row.value}" for row in rows if _says_something(row)]
        return Text.assemble(("tokens  ", _DIM), line_of(" · ".join(known), 400))
    state = usage_state(usage)
    return Group(Text("Tokens", _BOLD), _grid([*rows, *([facts.Row("state", state)] if state else [])]))


def _says_something(row: facts.Row) -> bool:
    """Return whether a count is worth its place on one line: a part that is zero is not."""
    return row.value != facts.UNKNOWN and not (row.value == "0" and row.label.startswith(" "))


def _diagnostics(payloads: Sequence[EmbeddedRunPayload], size: Size) -> list[RenderableType]:
    found = facts.all_diagnostics(payloads)
    shown, left = facts.first_of_each_code(found, size.of_one_code)
    body: list[RenderableType] = [Text(), Text("Diagnostics", _BOLD)] if found and size is FULL else []
    for one in shown[: size.diagnostics]:
        diagnostic = one.diagnostic
        where = ", ".join(filter(None, (facts.place(diagnostic), one.choices)))
        line = styled(diagnostic.severity, SEVERITY_KINDS[diagnostic.severity])
        line.append(f" {diagnostic.code}: {line_of(diagnostic.message, 300)}").append(f"  {where}", _DIM)
        body.append(line)
    more = [f"{number:,} more {code}" for code, number in left.items()]
    if len(shown) > size.diagnostics:
        more.append(f"{len(shown) - size.diagnostics:,} of other kinds")
    if more:
        body.append(Text(f"  … {', '.join(more)}", _DIM))
    return body


def _more(left: int, what: str) -> list[RenderableType]:
    return [Padding(Text(f"… {left:,} more {what}", _DIM), (0, 0, 0, 2))] if left > 0 else []
