"""The sections of a report, each a function from a run to what stands under one heading."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from ..assembly.payload import Block, EmbeddedRunPayload
from ..assembly.tool_calls import ToolCall
from ..chunks import ResponseInfo
from ..diagnostics import Diagnostic
from ..recording.svrec import without_secrets
from ..tables.answer import usage_reports
from ..tables.calls import calls_of, fragments_of
from . import facts
from . import html_parts as parts
from .chunk_words import chunk_words
from .findings_text import FINDINGS, PLACES
from .findings_text import summary as findings_summary
from .html_card import block_part, call_part, diagnostics_table, status_mark, strip_part, usage_part
from .html_parts import Room
from .html_values import calls_table
from .json_view import one_line_json
from .palette import SEVERITY_KINDS
from .timing_card import TRANSPORT_KINDS, timing_rows, transport_rows

if TYPE_CHECKING:
    from ..findings import Finding, Place
    from ..run import StreamRun

BLOCKS = 500
CALLS = 200
FRAGMENTS = 200
"""How many of each a report shows."""
USAGE_REPORTS = 60
DIAGNOSTICS = 50
"""How many diagnostics of one code."""
_CHUNK_WORDS = 160
_CHUNK_THINGS = 12
"""How much of a value a chunk's row shows, and how many values."""


_HOW_TO_SEE = "run.to_html(chunks=None) lists them all; so do run.chunks_table(), run.steps() and run.chunks."


class Section(NamedTuple):
    """What stands under one heading."""

    key: str
    """Its id in the page."""
    title: str
    note: str
    body: str


class Listed(NamedTuple):
    """Which chunks a report lists: so many from the beginning, and so many at the end."""

    first: int
    last: int
    total: int
    """How many there are."""

    @classmethod
    def of(cls, total: int, most: int | None) -> Listed:
        """Return which of ``total`` chunks are listed, at most ``most``: three quarters of them from the beginning.

        Examples
        --------
        >>> Listed.of(10, None), Listed.of(10, 4)
        (Listed(first=10, last=0, total=10), Listed(first=3, last=1, total=10))
        """
        if most is None or total <= most:
            return cls(total, 0, total)
        last = max(most, 0) // 4
        return cls(max(most, 0) - last, last, total)

    @property
    def hidden(self) -> int:
        """How many are not listed."""
        return self.total - self.first - self.last

    def link(self, k: int, text: str) -> str:
        """Return words that lead to a chunk's row, where it has one."""
        shown = 0 <= k < self.first or self.total - self.last <= k < self.total
        return f'<a href="#chunk-{k}">{escape(text)}</a>' if shown else escape(text)

    def span(self, first: int | None, last: int | None) -> str:
        """Return a range of chunks in words that lead there."""
        words = facts.chunk_span(first, last)
        return self.link(first, words) if first is not None else words


# -- the answer -------------------------------------------------------------------------------------------------------


def summary(run: StreamRun, room: Room) -> Section:
    """Return how it ended, what it cost, what the stream is."""
    payload = run.payload
    body = strip_part(payload.blocks) + parts.columns(
        parts.facts_table("Outcome", facts.outcome_rows(payload, finished=run.finished), room),
        usage_part(payload.usage, room),
        parts.facts_table("Stream", facts.stream_rows(run), room),
    )
    return Section("summary", "Summary", "", body)


def answer(run: StreamRun, room: Room, drawn: Mapping[str, str]) -> Section:
    """Return the blocks of every choice, each call on a line."""
    numbers = {(key[0], call.block): n for n, (key, call) in enumerate(calls_of(run), start=1)}
    choices = [_choice(payload, room, numbers, alone=len(run.payloads) == 1) for payload in run.payloads]
    count = sum(len(payload.blocks) for payload in run.payloads)
    note = f"{facts.count(count, 'block')}, in the order in which they were sent" if count else ""
    return Section("answer", "Answer", note, "".join(choices) + drawn.get("answer", ""))


def _choice(payload: EmbeddedRunPayload, room: Room, numbers: Mapping[tuple[int, int], int], *, alone: bool) -> str:
    title = "" if alone else f"<h3>Choice {payload.choice} {parts.dim(f'finish {facts.finish_words(payload)}')}</h3>"
    if not payload.blocks:
        return f"{title}<p>{parts.dim('no content came')}</p>"
    shown = room.admit(len(payload.blocks), BLOCKS)
    body = [
        block_part(n, block, room)
        if block.call is None
        else _call_line(n, block, block.call, room, numbers.get((payload.choice, n - 1)))
        for n, block in enumerate(payload.blocks[:shown], start=1)
    ]
    return title + "".join(body) + parts.more_rows(len(payload.blocks) - shown, "blocks")


def _call_line(number: int, block: Block, call: ToolCall, room: Room, which: int | None) -> str:
    word = "server tool call" if call.server else "tool call"
    link = f'<a href="#call-{which}">call {which}</a>' if which is not None and which <= CALLS else ""
    name = parts.code(call.name, room) if call.name else "without a name"
    value = call.raw_arguments if call.arguments is None else one_line_json(call.arguments, 300)
    return parts.barred(
        "tool_call",
        f"<p><strong>{number} {word}</strong> {name} {status_mark(call.status)} {link}"
        f" {parts.dim(', '.join(facts.block_remarks(block)))}</p><p>{parts.code(value, room, 240)}</p>",
    )


def calls(run: StreamRun, room: Room, listed: Listed) -> Section | None:
    """Return every call: arguments, edits, fragments."""
    found = [call for _, call in calls_of(run)]
    if not found:
        return None
    shown = found[:CALLS]
    body = [calls_table(shown, room, "call-")]
    body += [_call(run, number, call, room, listed) for number, call in enumerate(shown, start=1)]
    body.append(parts.more_rows(len(found) - len(shown), "calls"))
    return Section("calls", "Tool calls", facts.count(len(found), "call"), "".join(body))


def _call(run: StreamRun, number: int, call: ToolCall, room: Room, listed: Listed) -> str:
    block = run.accumulators(call.choice)[call.block]
    times = run.frame_times_s
    rows = [
        (
            str(n),
            listed.link(chunk, f"chunk {chunk}"),
            *([f"{times[chunk]:.3f} s"] if times else []),
            f"{offset:,}",
            parts.code(text, room, 120),
            escape(progress or facts.UNKNOWN),
            parts.code(path or open_path, room, 80) if path or open_path else "",
        )
        for n, (text, offset, path, chunk, progress, open_path) in enumerate(
            islice(fragments_of(run, call, block), FRAGMENTS)
        )
    ]
    columns = ("fragment", "chunk", *(["time"] if times else []), "offset", "text", "read as", "inside")
    fragments = facts.count(call.fragments, "fragment")
    fold = parts.folded(
        fragments, parts.table(columns, rows) + parts.more_rows(call.fragments - len(rows), "fragments")
    )
    remarks = f"{fragments}, {facts.count(len(call.raw_arguments), 'character')}"
    where = f"<p>{parts.dim('from')} {listed.span(call.first_chunk, call.last_chunk)}</p>"
    body = call_part(call, room, f"{number} ", remarks, where, fold if rows else "")
    return f'<article id="call-{number}">{body}</article>'


# -- usage, timing, diagnostics ---------------------------------------------------------------------------------------

_BUCKETS = {
    "input_tokens": "input",
    "cache_read_input_tokens": "from cache",
    "cache_creation_input_tokens": "to cache",
    "output_tokens": "output",
    "reasoning_output_tokens": "reasoning",
    "total_tokens": "total",
}


def usage(run: StreamRun, room: Room, listed: Listed, drawn: Mapping[str, str]) -> Section:
    """Return usage over time: what all reports up to each amount to."""
    reports = list(usage_reports(run))
    if not reports:
        return Section("usage", "Usage", "", f"<p>{parts.dim('no token usage was reported')}</p>")
    times = run.frame_times_s
    first, last = (reports, []) if len(reports) <= USAGE_REPORTS else (reports[: USAGE_REPORTS - 20], reports[-20:])
    columns = ("report", "chunk", *(["time"] if times else []), "state", *_BUCKETS.values(), "as sent")

    def row(number: int, k: int, state: str, counts: Any, raw: Any) -> tuple[str, ...]:
        return (
            str(number),
            listed.link(k, f"chunk {k}"),
            *([f"{times[k]:.3f} s"] if times else []),
            escape(state),
            *(facts.tokens(getattr(counts, field, None)) for field in _BUCKETS),
            parts.code(one_line_json(raw, 300), room, 160),
        )

    rows = [row(number, *report) for number, report in enumerate(first)]
    if last:
        left = parts.dim(f"{len(reports) - len(first) - len(last):,} reports between are not shown")
        rows.append(("…", *[""] * (len(columns) - 2), left))
        rows += [row(number, *report) for number, report in enumerate(last, start=len(reports) - len(last))]
    why = "Each row is what the reports up to it amount to: a later one replaces the counts it names."
    body = f"{drawn.get('usage', '')}{parts.table(columns, rows)}<p>{parts.dim(why)}</p>"
    return Section("usage", "Usage", facts.count(len(reports), "report"), body)


def timing(run: StreamRun, room: Room, drawn: Mapping[str, str]) -> Section:
    """Return when what came, and whether it was held back on its way."""
    marks = run.timing
    if marks.timed == "none":
        words = "No arrival times were recorded: the order of the chunks is known, not their moments."
        table = parts.facts_table("Vendor", timing_rows(marks)[1:], room) if marks.server_timing else ""
        return Section("timing", "Timing", "", f"<p>{parts.dim(words)}</p>{table}{drawn.get('timing', '')}")
    transport = run.transport()
    kind = TRANSPORT_KINDS[transport.verdict]
    verdict = f"<p>{parts.mark(transport.verdict, kind)} {parts.dim(transport.reason)}</p>"
    body = parts.columns(
        parts.facts_table("Marks, in seconds since the request was sent", timing_rows(marks), room),
        parts.facts_table("Transport", transport_rows(transport), room) + verdict,
    )
    return Section("timing", "Timing", "", body + drawn.get("timing", ""))


def findings(run: StreamRun, room: Room, listed: Listed) -> Section | None:
    """Return what is wrong in words, with the evidence and what to do."""
    found = run.explain()
    if not found and not found.unseen:
        return None
    body = [_finding(finding, room, listed) for finding in found[:FINDINGS]]
    body.append(parts.more_rows(len(found) - FINDINGS, "findings"))
    body += [f"<p>{parts.dim(sentence)}</p>" for sentence in found.unseen]
    return Section("findings", "Findings", findings_summary(found), "".join(body))


def _finding(finding: Finding, room: Room, listed: Listed) -> str:
    kind = SEVERITY_KINDS[finding.severity]
    side = "" if finding.side == "unknown" else f"on the side of the {finding.side}"
    places = "".join(f"<li>{_place(place, room, listed)}</li>" for place in finding.evidence[:PLACES])
    left = len(finding.evidence) - PLACES
    more = f"<li>{parts.dim(facts.count(left, 'more place'))}</li>" if left > 0 else ""
    return parts.barred(
        kind,
        f"<p>{parts.mark(finding.severity, kind)} <strong>{escape(finding.code)}</strong> {parts.dim(side)}</p>",
        f"<p>{parts.prose(finding.title, room)}</p>",
        f"<ul>{places}{more}</ul>",
        f"<p>{parts.dim('to do')} {parts.prose(finding.remedy, room)}</p>",
    )


def _place(place: Place, room: Room, listed: Listed) -> str:
    chunk = "" if place.chunk is None else listed.link(place.chunk, f"chunk {place.chunk}")
    at = f"bytes {place.start}:{place.end}" + ("" if place.time_s is None else f", {place.time_s:.3f} s")
    shows = parts.prose(place.shows, room, 300) if place.shows else ""
    return " ".join(filter(None, (chunk, parts.dim(at), shows)))


def diagnostics(run: StreamRun, listed: Listed) -> Section:
    """Return what is odd, with the places."""
    found = facts.all_diagnostics(run.payloads)
    if not found:
        return Section("diagnostics", "Diagnostics", "", f"<p>{parts.dim('nothing is odd')}</p>")

    def place(diagnostic: Diagnostic) -> str:
        words = facts.place(diagnostic)
        return escape(words) if diagnostic.chunk is None else listed.link(diagnostic.chunk, words)

    table = diagnostics_table(found, most=DIAGNOSTICS, place=place)
    return Section("diagnostics", "Diagnostics", facts.count(len(found), "diagnostic"), table)


def request(run: StreamRun, room: Room) -> Section | None:
    """Return what is known of the exchange; nothing that could be a credential."""
    recording = run.recording
    if not (recording.request or recording.headers or recording.status is not None):
        return None
    known = without_secrets(dict(recording.request or {}))
    url = known.pop("url", None)
    rows = [facts.Row("method", str(known.pop("method")), from_stream=True)] if "method" in known else []
    if url is not None:
        rows.append(facts.Row("address", *_address(str(url)), from_stream=True))
    if recording.status is not None:
        rows.append(facts.Row("status", str(recording.status)))
    body = parts.facts_table("Exchange", rows, room) if rows else ""
    headers = known.pop("headers", None)
    for title, mapping in (("Headers of the request", headers), ("Headers of the response", recording.headers)):
        if isinstance(mapping, dict) and mapping:
            pairs = islice(without_secrets(mapping).items(), 100)
            cells = [(parts.code(name, room), parts.code(value, room)) for name, value in pairs]
            body += parts.table(("header", "value"), cells, title)
    if known:
        body += parts.folded("the rest of the request", parts.json_text(known, room))
    return Section("request", "Request", "", body)


def _address(url: str) -> tuple[str, str]:
    """Return a URL without its query, which may hold a key, and whether there was one."""
    try:
        address = urlsplit(url)
        host = address.hostname or ""
        port = f":{address.port}" if address.port else ""
    except ValueError:
        return url.partition("?")[0], ""
    return f"{address.scheme}://{host}{port}{address.path}", "its query is not shown" if address.query else ""


# -- the chunks -------------------------------------------------------------------------------------------------------


def chunk_list(run: StreamRun, listed: Listed) -> Section:
    """Return the table of chunks, each with its range of bytes."""
    timed = bool(run.frame_times_s)
    columns = ("chunk", "bytes", *(["time"] if timed else []), "frame", "what is in it")
    rows = [*_chunk_rows(run, range(listed.first), timed=timed)]
    note = facts.count(listed.total, "chunk")
    words = ""
    if listed.hidden:
        left = f"{listed.hidden:,} of {listed.total:,} chunks are not listed"
        rows.append(f"<tr><td>…</td><td></td>{'<td></td>' * timed}<td></td><td>{parts.dim(left)}</td></tr>")
        note = f"{listed.first + listed.last:,} of {listed.total:,} chunks"
        words = f"<p>{left}. {parts.dim(_HOW_TO_SEE)}</p>"
    rows += _chunk_rows(run, range(listed.total - listed.last, listed.total), timed=timed)
    head = "".join(f'<th scope="col">{column}</th>' for column in columns)
    body = "\n".join(rows)
    table = f'<table class="sv-rows sv-chunks"><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>'
    return Section("chunks", "Chunks", note, words + table if listed.total else f"<p>{parts.dim('there is none')}</p>")


def _chunk_rows(run: StreamRun, numbers: Sequence[int], *, timed: bool) -> Iterator[str]:
    """Yield the rows of some chunks; what an earlier chunk said of the response is not said again."""
    frames, chunks, times = run.frames, run.chunks, run.frame_times_s
    room = Room(1 << 60)  # each row is short
    known: ResponseInfo | None = chunks[numbers[0] - 1].response if numbers and numbers[0] else None
    for k in numbers:
        frame, chunk = frames[k], chunks[k]
        words = list(islice(chunk_words(chunk, known), _CHUNK_THINGS + 1))
        more = f", {parts.dim('…')}" if len(words) > _CHUNK_THINGS else ""
        named = frame.event is not None and frame.kind == "event"
        what_frame = parts.code(frame.event, room, 60) if named else escape(frame.kind)
        time = f"<td>{times[k]:.3f} s</td>" if timed else ""
        what = ", ".join(
            f'<span class="sv-{kind}">{escape(word)}</span>'
            + (f" {parts.code(value, room, _CHUNK_WORDS)}" if value else "")
            for kind, word, value in words[:_CHUNK_THINGS]
        )
        yield (
            f'<tr id="chunk-{k}"><td>{k}</td><td>{frame.start}:{frame.end}</td>{time}'
            f"<td>{what_frame}</td><td>{what or parts.dim('nothing')}{more}</td></tr>"
        )
        known = chunk.response or known
