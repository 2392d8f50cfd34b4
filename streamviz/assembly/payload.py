"""The payload: what a response amounts to, built from a state and from how the transport ended."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Literal

import msgspec
from msgspec import Struct

from ..chunks import StreamError, UnifiedFinish, Usage
from ..diagnostics import Diagnostic, Diagnostics, Note, diagnose
from ..repair.numbers import exact_digits
from .certainty import CUT
from .other import MediaBlock, ValueBlock
from .state import AssemblyState, BlockAccumulator
from .text import TextBlock, join_surrogates
from .thinking import ThinkingBlock
from .tool_calls import DEFAULT_OPTIONS, CallOptions, ToolCall, ToolCallBlock, ToolCalls
from .usage import sum_usage

Ended = Literal["done", "terminal", "clean", "torn", "error", "aborted"]
BlockKind = Literal[
    "text", "thinking", "refusal", "plan", "tool_call", "server_tool", "tool_result", "media", "unknown"
]
_MAX_SAFE_INTEGER = 2**53 - 1


class Block(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """One run of content of one kind, in the order in which the vendor sent it."""

    kind: BlockKind
    choice: int = 0
    index: int | str | None = None
    """The vendor's own number or name of the block."""
    text: str = ""
    """Text, reasoning, refusal or plan; the raw arguments of a call; the transcript of audio."""
    version: int = 1
    """How often an authoritative text replaced a different one, plus one."""
    signature: str | None = None
    redacted: str | None = None
    """Encrypted reasoning, as sent."""
    call: ToolCall | None = None
    name: str | None = None
    """The vendor's word for a result or for content that is not known; a medium's MIME type."""
    id: str | None = None
    value: Any = None
    """Server-tool results, media data (base64 pieces) and unknown content, as sent."""
    citations: tuple[Any, ...] = ()
    first_chunk: int | None = None
    last_chunk: int | None = None
    """The chunks that its first and last piece came in."""


class Finish(Struct, frozen=True, repr_omit_defaults=True):
    """Why the model stopped."""

    unified: UnifiedFinish | None
    """The reason in one vocabulary; None where none was sent."""
    raw: tuple[str | int, ...] = ()
    """The vendor's own words, in order: some repeat them, some contradict them."""


class EmbeddedRunPayload(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """What one choice of a response amounts to.

    ``tool_calls`` and ``malformed_tool_calls`` divide ``calls`` by whether the arguments could be read.
    """

    assistant_text: str = ""
    """All visible text, joined without separators; the blocks keep its runs apart."""
    thinking: str = ""
    """All reasoning, joined without separators."""
    refusal: str | None = None
    calls: tuple[ToolCall, ...] = ()
    """The client's tool calls in order of first appearance."""
    server_tools: tuple[ToolCall, ...] = ()
    """Calls that the vendor ran itself."""
    usage: Usage | None = None
    """Of several messages in one stream, that of the latest one that reported any."""
    usage_by_message: tuple[Usage, ...] = ()
    """Where several messages came in one stream, the usage of each that reported one, in order."""
    finish: Finish | None = None
    """None where no finish reason was sent."""
    ended: Ended = "clean"
    """How the transport ended: ``done`` ([DONE]), ``terminal`` (the vendor's own event), ``clean`` (at a frame's end,
    without a mark), ``torn`` (inside a frame), ``error``, ``aborted``."""
    error: StreamError | None = None
    model: str | None = None
    response_id: str | None = None
    role: str | None = None
    blocks: tuple[Block, ...] = ()
    citations: tuple[Any, ...] = ()
    moderation: tuple[Any, ...] = ()
    """What content filters and guardrails said of the prompt and of this answer, as sent: (word, value)."""
    diagnostics: tuple[Diagnostic, ...] = ()
    choice: int = 0

    @property
    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls whose arguments could be read (``arguments`` is a dict), or are free text."""
        return ToolCalls(c for c in self.calls if c.arguments is not None or c.status == "text")

    @property
    def malformed_tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls whose arguments could not be read; their raw text is kept."""
        return ToolCalls(c for c in self.calls if c.arguments is None and c.status != "text")

    @property
    def complete(self) -> bool:
        """Whether the response came to its end: a finish reason or an end mark, no error, nothing torn."""
        if self.ended in CUT:
            return False
        return self.ended in ("done", "terminal") or self.finish is not None

    @property
    def total_usage(self) -> Usage | None:
        """The usage of all messages of the stream together."""
        return sum_usage(self.usage_by_message) if self.usage_by_message else self.usage

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-safe values: no NaN, no lone surrogates; integers beyond 2**53 - 1 become strings."""
        plain = msgspec.to_builtins(
            {field: getattr(self, field) for field in self.__struct_fields__}
            | {"complete": self.complete, "calls": [_call_dict(c) for c in self.calls]},
            enc_hook=repr,
        )
        return json_safe(plain)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        finish = "no finish reason" if self.finish is None else f"finish {self.finish.unified}"
        parts = [f"{len(self.assistant_text)} characters", finish, f"ended {self.ended}"]
        if self.calls:
            parts.insert(1, f"{len(self.calls)} tool call{'s' * (len(self.calls) > 1)}")
        return f"<EmbeddedRunPayload: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from ..display import payload_html

        return payload_html(self)


def build_embedded_run_payloads(
    state: AssemblyState,
    ended: Ended = "clean",
    *,
    options: CallOptions = DEFAULT_OPTIONS,
    has_end_mark: bool = False,
    is_over: bool = False,
    notes: Iterable[Note] = (),
) -> list[EmbeddedRunPayload]:
    """Build one payload for each choice of a response.

    Parameters
    ----------
    state : AssemblyState
        The accumulators after the last chunk.
    ended : str
        How the transport ended.
    options : CallOptions
        How tool calls are read: which tools there are, whether HTML entities are decoded.
    has_end_mark : bool
        Whether the dialect has an end mark, so that its absence is worth a diagnostic.
    is_over : bool
        Whether no more is to come, though a finish reason or an end mark was due.
    notes : iterable of Note
        What is odd about the stream as a whole.

    Returns
    -------
    list of EmbeddedRunPayload
        By choice; at least one.
    """
    usage, usage_notes = _usage(state, ended)
    shared = [*(diagnose(n) for n in notes), *state.diagnostics, *(diagnose(n) for n in usage_notes)]
    if usage is None and ended not in CUT:
        shared.append(diagnose(Note("usage-missing", "no token usage was reported")))
    if has_end_mark and ended == "clean":
        shared.append(diagnose(Note("end-mark-missing", "the vendor's end mark never came")))
    if is_over and ended == "clean" and state.chunks and not state.latest_finishes:
        shared.append(diagnose(Note("stream-cut", "neither a finish reason nor an end mark came")))
    return [_payload(state, choice, ended, usage, shared, options=options) for choice in state.choices]


def _payload(
    state: AssemblyState,
    choice: int,
    ended: Ended,
    usage: Usage | None,
    shared: list[Diagnostic],
    *,
    options: CallOptions,
) -> EmbeddedRunPayload:
    accumulators = state.blocks_of(choice, options, cut=ended in CUT)
    calls = state.tool_calls(choice, options=options, ended=ended)
    server = state.tool_calls(choice, server=True, options=options, ended=ended)
    by_block = {call.block: call for call in (*calls, *server)}
    blocks = tuple(_block(block, by_block.get(position)) for position, block in enumerate(accumulators))
    text = "".join([b.text for b in blocks if b.kind == "text"])
    finish, finish_notes = _finish(state, choice, calls, text, ended)
    refusals = [b.text for b in blocks if b.kind == "refusal"]
    glued = _glued(state, choice, sum(isinstance(block, ToolCallBlock) for block in accumulators))
    diagnostics = [
        *shared,
        *glued,
        *_call_diagnostics(calls),
        *(diagnose(n) for n in finish_notes),
        *_surrogates(blocks),
    ]
    response = state.response
    return EmbeddedRunPayload(
        assistant_text=text,
        thinking="".join([b.text for b in blocks if b.kind == "thinking"]),
        refusal="".join(refusals) if refusals else None,
        calls=ToolCalls(calls),
        server_tools=ToolCalls(server),
        usage=usage,
        usage_by_message=tuple(state.usage_reports.by_message()) if state.message_starts else (),
        finish=finish,
        ended=ended,
        error=state.errors[-1][1] if state.errors else None,
        model=response.model,
        response_id=response.id,
        role=response.role,
        blocks=blocks,
        citations=tuple(c for b in blocks for c in b.citations),
        moderation=tuple((d.kind, d.value) for _, d in state.moderation if d.choice == choice),
        diagnostics=Diagnostics(diagnostics),
        choice=choice,
    )


def block_value(block: BlockAccumulator, state: AssemblyState, position: int) -> Block:
    """Return a block of a state as a value, its call read as it stands."""
    call = None
    if isinstance(block, ToolCallBlock):
        call = block.value(block.id or "", state.limits, position, DEFAULT_OPTIONS, made_up=block.id is None)
    return _block(block, call)


def _block(block: BlockAccumulator, call: ToolCall | None) -> Block:
    match block:
        case TextBlock():
            thinking = block if isinstance(block, ThinkingBlock) else None
            return Block(
                kind=block.kind,  # type: ignore[arg-type]
                choice=block.choice,
                index=block.key,
                text=block.pieces.text,
                version=block.pieces.version,
                signature=block.signature,
                redacted=thinking.redacted_data if thinking else None,
                name="summary" if thinking and thinking.summary else None,
                citations=tuple(block.citations),
                **_span(block.pieces.chunks),
            )
        case ToolCallBlock():
            return Block(
                kind=block.kind,
                choice=block.choice,
                index=block.key,
                text=call.raw_arguments if call else block.raw_arguments,
                signature=block.signature,
                call=call,
                name=block.name,
                id=call.id if call else block.id,
                first_chunk=block.first_chunk,
                last_chunk=block.last_chunk,
            )
        case MediaBlock():
            return Block(
                kind="media",
                choice=block.choice,
                index=block.key,
                text="".join(block.transcripts),
                name=block.mime_type,
                value={"data": tuple(block.pieces), **block.meta},
                **_span(block.chunks),
            )
        case ValueBlock():
            return Block(
                kind=block.kind,  # type: ignore[arg-type]
                choice=block.choice,
                index=block.key,
                name=block.name,
                id=block.id,
                value=block.values[0] if len(block.values) == 1 else tuple(block.values),
                **_span(block.chunks),
            )


def _span(chunks: Any) -> dict[str, Any]:
    return {"first_chunk": chunks[0], "last_chunk": chunks[-1]} if chunks else {}


def _finish(
    state: AssemblyState, choice: int, calls: list[ToolCall], text: str, ended: Ended
) -> tuple[Finish | None, list[Note]]:
    """Settle the finish reason of a choice. A missing one stays missing: it is never invented."""
    found = [f for f in state.latest_finishes if f.choice == choice]
    if not found:
        silent = ended in CUT
        return None, [] if silent else [Note("finish-missing", "no finish reason was sent")]
    notes: list[Note] = []
    raw = tuple(f.raw for f in found if f.raw is not None)
    unified = found[-1].unified
    if len(set(raw)) > 1:
        notes.append(Note("finish-contradicts", f"the reasons sent are {', '.join(map(str, raw)):.200}"))
    elif len(raw) > 1:
        notes.append(Note("finish-repeated", f"{raw[0]!r:.80} was sent {len(raw)} times"))
    if unified == "error":
        notes.append(Note("finish-error", f"the reason sent is {raw[-1] if raw else None!r:.80}"))
    if unified == "other":
        notes.append(Note("finish-unknown", f"{raw[-1]!r:.80} is no known reason" if raw else "no word was given"))
    if unified == "tool_calls" and not any(
        isinstance(b, ToolCallBlock) and b.choice == choice for b in state.accumulators
    ):
        notes.append(Note("calls-missing", f"the reason sent is {raw[-1] if raw else None!r:.80}, and no call came"))
    if unified == "stop" and calls and not text.strip() and all(c.status in ("exact", "empty", "text") for c in calls):
        unified = "tool_calls"
        notes.append(Note("stop-but-calls", f"the reason sent is {raw[-1] if raw else None!r:.80}"))
    return Finish(unified, raw), notes


def _usage(state: AssemblyState, ended: Ended) -> tuple[Usage | None, list[Note]]:
    usage, notes = state.usage_reports.usage()
    if usage is None:
        return None, notes
    content = any(not isinstance(b, TextBlock) or b.pieces.text for b in state.accumulators)
    if content and usage.output_tokens == 0:
        notes.append(Note("usage-zero-beside-content", "zero output tokens were reported for an answer with content"))
        return msgspec.structs.replace(usage, state="suspect"), notes
    if ended in CUT:
        return msgspec.structs.replace(usage, state="preliminary"), notes
    return usage, notes


def _glued(state: AssemblyState, choice: int, calls: int) -> Iterable[Diagnostic]:
    """Say that there are more calls than the vendor told apart."""
    more = calls - sum(isinstance(block, ToolCallBlock) and block.choice == choice for block in state.accumulators)
    if more:
        what = "a call was" if more == 1 else f"{more} calls were"
        yield diagnose(Note("calls-told-apart", f"{what} sent under the index of another one, named again"))


def _call_diagnostics(calls: Iterable[ToolCall]) -> Iterable[Diagnostic]:
    for number, call in enumerate(calls, start=1):
        which = f"call {number} ({call.name!r:.80})"
        if call.id_is_made_up:
            yield diagnose(Note("call-id-missing", f"{which} has no id of its own"), chunk=call.first_chunk)
        if call.gap:
            yield diagnose(Note("call-gap", f"something that may be part of {which} was lost"), chunk=call.last_chunk)
        if not call.name:
            yield diagnose(Note("call-name-missing", f"{which} has no name"), chunk=call.first_chunk)
        elif call.is_offered is False:
            yield diagnose(
                Note("call-name-unknown", f"{which} calls a tool that is not offered"), chunk=call.first_chunk
            )
        elif call.is_offered and call.name != call.name_as_sent:
            note = Note("call-name-resolved", f"{call.name_as_sent!r:.80} is taken as {call.name!r:.80}")
            yield diagnose(note, chunk=call.first_chunk)
        report = call.repair
        if report is None:
            continue
        if report.duplicates:
            paths = ", ".join(report.duplicates)
            yield diagnose(Note("duplicate-key", f"{which}: {paths:.200} more than once"), chunk=call.last_chunk)
        for violation in report.schema_violations or ():
            message = f"{which}: {violation.path}: {violation.message:.200}"
            yield diagnose(Note("call-schema-violation", message), chunk=call.last_chunk)
        code = {"incomplete": "call-incomplete", "repaired": "call-repaired", "invalid": "call-invalid-json"}
        if call.status in code:
            if call.status == "incomplete":
                message = f"the arguments of {which} end inside {report.open_path or 'the value'}"
            elif call.status == "repaired":
                message = (
                    f"{which}: {len(report.edits)} edits ({', '.join(sorted({e.rule for e in report.edits})):.120})"
                )
            else:
                message = f"{which}: {report.message}"
            found = "calls-glued" if report.roots else code[call.status]
            yield diagnose(Note(found, message, report.position), chunk=call.last_chunk)


def _surrogates(blocks: Iterable[Block]) -> Iterable[Diagnostic]:
    for block in blocks:
        if block.text and not block.text.isascii() and "\ufffd" in block.text:
            yield diagnose(
                Note("replacement-characters", f"U+FFFD in a {block.kind} block", block.text.index("\ufffd")),
                chunk=block.first_chunk,
            )


def _call_dict(call: ToolCall) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(call, enc_hook=repr)
    return plain | {"executable": call.executable}


def json_safe(value: Any) -> Any:
    """Return ``value`` with whatever JSON or JavaScript cannot hold turned into text.

    Examples
    --------
    >>> json_safe({"id": 12345678901234567890, "x": float("inf"), "n": 3})
    {'id': '12345678901234567890', 'x': 'inf', 'n': 3}
    """
    # An explicit stack: a value may be nested as deep as the limits allow, which is deeper than frames are cheap.
    root: list[Any] = [value]
    stack: list[tuple[Any, Any]] = [(root, 0)]
    while stack:
        parent, key = stack.pop()
        item = parent[key]
        match item:
            case bool() | None:
                continue
            case str():
                parent[key] = join_surrogates(item)
            case int():
                if abs(item) > _MAX_SAFE_INTEGER:
                    parent[key] = exact_digits(item)
            case float():
                if not math.isfinite(item):
                    parent[key] = str(item)
            case dict():
                parent[key] = copy = {join_surrogates(str(k)): v for k, v in item.items()}
                stack += [(copy, k) for k in copy]
            case list() | tuple():
                parent[key] = items = list(item)
                stack += [(items, i) for i in range(len(items))]
            case _:
                parent[key] = repr(item)
    return root[0]
