"""What a card says, as rows of words; the HTML card and the terminal card both say exactly this.

Values may hold text from the stream: whoever shows them makes them visible or escapes them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ..assembly.payload import Block, EmbeddedRunPayload
from ..assembly.tool_calls import ToolCall
from ..diagnostics import Diagnostic
from ..repair import RepairReport
from .json_view import digits
from .palette import Kind

if TYPE_CHECKING:
    from ..run import StreamRun

UNKNOWN = "—"
"""What stands where nobody said anything. It is never 0."""

ENDED_WORDS = {
    "done": "[DONE] came",
    "terminal": "the vendor's own end event came",
    "clean": "the bytes stop between two frames, without an end mark",
    "torn": "the bytes stop inside a frame",
    "error": "the vendor reported an error",
    "aborted": "the reader stopped before the end",
}

STATUS_WORDS = {
    "exact": "valid JSON, as sent",
    "empty": "no arguments were sent",
    "repaired": "the text was no valid JSON; it was read with the edits below",
    "incomplete": "the text ends inside the value: this is what had arrived, not to be executed",
    "text": "free text, no JSON",
    "invalid": "the text cannot be read",
}


class Row(NamedTuple):
    """One fact."""

    label: str
    value: str
    note: str = ""
    from_stream: bool = False
    """Whether the value was written by somebody else: a model's name, an id, a path."""


class Verdict(NamedTuple):
    """The outcome in a word."""

    sign: str
    word: str
    kind: Kind


class Found(NamedTuple):
    """A diagnostic as a card shows it."""

    diagnostic: Diagnostic
    choices: str
    """The choices that it speaks of, in words; empty where it is all of them."""
    times: int
    """How often the very same came."""


def count(number: int, word: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> count(1, "chunk"), count(5120, "byte")
    ('1 chunk', '5,120 bytes')
    """
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def tokens(number: int | None) -> str:
    """Return a count with thousands separators; a dash where it is not known.

    Examples
    --------
    >>> tokens(5120), tokens(0), tokens(None)
    ('5,120', '0', '—')
    """
    if number is None:
        return UNKNOWN
    return f"{number:,}" if abs(number) < 10**18 else digits(number)


# -- how it came out --------------------------------------------------------------------------------------------------


def verdict(payloads: Sequence[EmbeddedRunPayload], *, finished: bool = True) -> Verdict:
    """Say in a word how a response came out."""
    severities = {diagnostic.severity for payload in payloads for diagnostic in payload.diagnostics}
    if any(payload.error for payload in payloads):
        return Verdict("✗", "error", "error")
    if "fault" in severities:
        return Verdict("✗", "fault", "error")
    if not finished:
        return Verdict("…", "still arriving", "other")
    if not all(payload.complete for payload in payloads):
        return Verdict("!", "incomplete", "warning")
    if "warning" in severities:
        return Verdict("!", "complete, with warnings", "warning")
    return Verdict("✓", "complete", "usage")


def has_fault(payloads: Iterable[EmbeddedRunPayload]) -> bool:
    """Return whether a response has an error or a diagnostic of severity ``fault``."""
    return any(p.error is not None or any(d.severity == "fault" for d in p.diagnostics) for p in payloads)


def finish_words(payload: EmbeddedRunPayload) -> str:
    """Return the finish reason in one word."""
    return UNKNOWN if payload.finish is None else payload.finish.unified or UNKNOWN


def outcome_rows(payload: EmbeddedRunPayload, *, finished: bool = True) -> list[Row]:
    """Return how one choice ended, and what the response calls itself."""
    finish, error = payload.finish, payload.error
    rows = [Row("finish", finish_words(payload), "no finish reason was sent" if finish is None else "")]
    if finish is not None and finish.raw != (finish.unified,):
        rows.append(Row("as sent", ", ".join(map(str, finish.raw)) or UNKNOWN, from_stream=True))
    if finished:
        rows.append(Row("ended", payload.ended, ENDED_WORDS[payload.ended]))
    else:
        rows.append(Row("ended", UNKNOWN, "the stream is still arriving"))
    if error is not None:
        rows.append(Row("error", error.message or UNKNOWN, from_stream=True))
        kind = ", ".join(str(word) for word in (error.type, error.code) if word is not None)
        rows.append(Row("error type", kind or UNKNOWN, from_stream=True))
    if payload.moderation:
        words = ", ".join(dict.fromkeys(kind for kind, _ in payload.moderation))
        rows.append(Row("moderation", words, count(len(payload.moderation), "statement"), from_stream=True))
    rows.append(Row("model", payload.model or UNKNOWN, from_stream=True))
    rows.append(Row("id", payload.response_id or UNKNOWN, from_stream=True))
    return rows


def stream_rows(run: StreamRun) -> list[Row]:
    """Return what the stream is: source, dialect, vendor, framing, sizes, times."""
    recording = run.recording
    rows = [
        Row("source", run.source or UNKNOWN, from_stream=True),
        Row("dialect", run.dialect),
        Row("vendor", run.vendor or UNKNOWN, from_stream=True),
        Row("framing", run.framing or UNKNOWN),
        Row("size", f"{count(recording.size, 'byte')} in {count(len(recording.reads), 'read')}"),
        Row("frames", f"{len(run.frame_ends):,}", "one chunk a frame"),
    ]
    if pending := run.state.pending:
        rows.append(Row("pending", count(pending, "byte"), "not part of a whole frame"))
    if times := recording.times_s:
        rows.append(Row("times", f"first read after {times[0]:.3f} s, last after {times[-1]:.3f} s"))
    return rows


# -- diagnostics ------------------------------------------------------------------------------------------------------


_RANK = {"fault": 0, "warning": 1, "note": 2}


def all_diagnostics(payloads: Sequence[EmbeddedRunPayload]) -> list[Found]:
    """Return each diagnostic of a response once, whichever choices it is listed under; the gravest first."""
    choices: dict[Diagnostic, list[int]] = {}
    times: Counter[Diagnostic] = Counter()
    for payload in payloads:
        for diagnostic, number in Counter(payload.diagnostics).items():
            choices.setdefault(diagnostic, []).append(payload.choice)
            times[diagnostic] = max(times[diagnostic], number)
    found = sorted(choices, key=lambda diagnostic: _RANK[diagnostic.severity])

    def words(numbers: list[int]) -> str:
        return "" if len(numbers) == len(payloads) else f"choice {', '.join(map(str, numbers[:8]))}"

    return [Found(diagnostic, words(choices[diagnostic]), times[diagnostic]) for diagnostic in found]


def each_once(diagnostics: Iterable[Diagnostic]) -> list[Found]:
    """Return each diagnostic of a list once; the gravest first."""
    times = Counter(diagnostics)
    return [Found(one, "", times[one]) for one in sorted(times, key=lambda one: _RANK[one.severity])]


def first_of_each_code(found: Iterable[Found], most: int) -> tuple[list[Found], dict[str, int]]:
    """Return the first few diagnostics of each code, and how many more there are of which code."""
    seen: Counter[str] = Counter()
    shown = []
    for one in found:
        seen[one.diagnostic.code] += 1
        if seen[one.diagnostic.code] <= most:
            shown.append(one)
    return shown, {code: number - most for code, number in seen.items() if number > most}


def place(diagnostic: Diagnostic) -> str:
    """Return where a diagnostic was seen, in words."""
    parts = []
    if diagnostic.chunk is not None:
        parts.append(f"chunk {diagnostic.chunk}")
    if diagnostic.offset is not None:
        parts.append(f"byte {diagnostic.offset:,}")
    if diagnostic.position is not None:
        parts.append(f"position {diagnostic.position:,}")
    return ", ".join(parts) or "the whole stream"


# -- blocks and calls -------------------------------------------------------------------------------------------------


def chunk_span(first: int | None, last: int | None) -> str:
    """Return a range of chunks in words.

    Examples
    --------
    >>> chunk_span(3, 9), chunk_span(3, 3), chunk_span(None, None)
    ('chunks 3 to 9', 'chunk 3', '')
    """
    if first is None or last is None:
        return ""
    return f"chunk {first}" if first == last else f"chunks {first} to {last}"


def block_remarks(block: Block) -> list[str]:
    """Return what else there is to say of a block, beside its content; no text of the stream."""
    remarks = [chunk_span(block.first_chunk, block.last_chunk)]
    if block.call is not None:
        if block.call.fragments:
            remarks.append(count(block.call.fragments, "fragment"))
        remarks.append(count(len(block.text), "character"))
    elif block.text:
        remarks.append(count(len(block.text), "character"))
    if block.version > 1:
        remarks.append(f"version {block.version}: an authoritative text replaced a different one")
    if block.signature:
        remarks.append(f"signature of {count(len(block.signature), 'character')}")
    if block.redacted:
        remarks.append(f"encrypted reasoning of {count(len(block.redacted), 'character')}")
    if block.citations:
        remarks.append(count(len(block.citations), "citation"))
    return [remark for remark in remarks if remark]


def block_value(block: Block) -> object:
    """Return what there is to show of a block that is neither text nor a call: no base64."""
    if block.kind != "media" or not isinstance(block.value, dict):
        return block.value
    data = block.value.get("data") or ()
    size = count(sum(map(len, data)), "character")
    return block.value | {"data": f"{size} of base64 in {count(len(data), 'piece')}"}


def executable_words(call: ToolCall) -> str:
    """Say whether a call may be run as it is, and if not, why."""
    if call.server:
        return "the vendor ran it itself"
    if call.executable:
        return "executable"
    return "not executable" if call.name else "not executable: it has no name"


def argument_remarks(report: RepairReport) -> list[str]:
    """Return what is to be said of arguments that were read, beside the edits: each remark one line."""
    remarks = [
        f"{path} is named {len(values)} times; the last value counts" for path, values in report.duplicates.items()
    ]
    remarks += [f"the schema does not allow {v.path}: {v.message}" for v in report.schema_violations or ()]
    return remarks
