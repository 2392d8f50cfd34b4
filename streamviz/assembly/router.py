"""The content router: each delta of a chunk to the accumulator it belongs to.

Everything in a chunk is routed, in the order in which it stands: a chunk with thinking may hold text, calls and usage
as well.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from msgspec import structs

from ..chunks import (
    BlockStop,
    CitationDelta,
    Delta,
    MediaDelta,
    ModerationDelta,
    NormalizedChunk,
    PlanDelta,
    RefusalDelta,
    ResponseInfo,
    SignatureDelta,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
)
from ..diagnostics import Note
from .other import MediaBlock, ValueBlock
from .state import AssemblyState, BlockAccumulator
from .text import PlanBlock, RefusalBlock, TextBlock
from .thinking import ThinkingBlock
from .tool_calls import CallBook, ToolCallBlock

B = TypeVar("B", bound=BlockAccumulator)


class Taken(NamedTuple):
    """What became of a delta."""

    delta: Delta
    block: BlockAccumulator | None
    """The block that took it; None where no block did."""
    pieces: list[str]
    """The pieces of text that the block has then: the first `kept` of this list, which may go on growing."""
    kept: int


def route_chunk(state: AssemblyState, chunk: NormalizedChunk, taken: list[Taken] | None = None) -> None:
    """Route one chunk: the only thing that changes a state.

    Parameters
    ----------
    state : AssemblyState
        The state after the chunks before this one; it is changed in place.
    chunk : NormalizedChunk
        What the next frame means.
    taken : list of Taken, optional
        What became of each delta is added to it.

    Examples
    --------
    >>> from streamviz import AssemblyState, NormalizedChunk, TextDelta
    >>> state = AssemblyState()
    >>> route_chunk(state, NormalizedChunk((TextDelta("Hel"),)))
    >>> route_chunk(state, NormalizedChunk((TextDelta("lo"),)))
    >>> state.text
    'Hello'
    """
    number = state.chunks
    if chunk.sequence is not None:
        _count(state, chunk)
    response = chunk.response
    if response is not None and response is not state.last_response:
        _respond(state, response, number)
    if (state.done or state.terminal) and chunk.deltas:
        state.goes_on = True
        state.note(Note("frames-after-end", "content after the vendor's end mark"), once=True)
    if taken is None:
        for delta in chunk.deltas:
            ROUTES[type(delta)](state, delta, number)
    else:
        for delta in chunk.deltas:
            _take(state, delta, number, taken)
    if chunk.answer:
        _reconcile(state, chunk.answer, number, [] if taken is None else taken)
    if chunk.finishes:
        state.finishes += [(number, finish) for finish in chunk.finishes]
    if chunk.usage is not None:
        state.usage_reports.add(chunk.usage, number)
    if chunk.terminal is not None:
        state.end_marks.append(number)
        state.goes_on = False
        if chunk.terminal == "done":
            state.done = True
        else:
            state.terminal = True
    if chunk.error is not None:
        state.errors.append((number, chunk.error))
        state.note(Note("error-in-stream", f"{chunk.error.type or chunk.error.code or 'error'}: {chunk.error.message}"))
    for note in chunk.notes:
        state.note(note)
    if chunk.padding:
        state.padding += chunk.padding
    state.chunks = number + 1


def _take(state: AssemblyState, delta: Delta, number: int, taken: list[Taken]) -> None:
    """Route a delta, and write down what became of it."""
    block = ROUTES[type(delta)](state, delta, number)
    pieces: list[str] = []
    match block:
        case TextBlock() | ToolCallBlock():
            pieces = block.pieces.fragments
        case MediaBlock():
            pieces = block.transcripts
    taken.append(Taken(delta, block, pieces, len(pieces)))


def _count(state: AssemblyState, chunk: NormalizedChunk) -> None:
    """Hold the vendor's number of an event against the one before."""
    before, state.sequence = state.sequence, chunk.sequence
    if before is None or chunk.sequence is None or (chunk.response is not None and chunk.response.starts):
        return
    if chunk.sequence > before + 1:
        state.note(Note("sequence-gap", f"event {chunk.sequence} follows event {before}"))
    elif chunk.sequence <= before:
        state.note(Note("sequence-repeated", f"event {chunk.sequence} follows event {before}"), once=True)


_TEXTS: dict[type, type[TextBlock]] = {TextDelta: TextBlock, ThinkingDelta: ThinkingBlock, RefusalDelta: RefusalBlock}


def _reconcile(state: AssemblyState, answer: tuple[Delta, ...], chunk: int, taken: list[Taken]) -> None:
    """Hold the whole answer, as the last event repeats it, against what came: what is missing is taken from it."""
    for cls, block_type in _TEXTS.items():
        deltas: list[Any] = [delta for delta in answer if type(delta) is cls]
        kind = block_type.kind
        came = "".join([block.pieces.text for block in state.accumulators if type(block) is block_type])
        whole = "".join([delta.text for delta in deltas])
        if not came:
            for delta in deltas:
                _take(state, delta, chunk, taken)
        elif whole and whole != came:
            state.note(Note("snapshot-differs", f"the {kind} of the last event differs from what was sent before it"))
    for delta in answer:
        if type(delta) is ToolCallDelta:
            book = state.books.get(delta.choice)
            call = book.by_id.get(delta.id) if book is not None and delta.id else None
            if call is None or (delta.arguments and delta.arguments != call.raw_arguments):
                _take(state, structs.replace(delta, index=None, block=None), chunk, taken)
        elif type(delta) not in _TEXTS and not _came(state, delta):
            _take(state, delta, chunk, taken)


def _came(state: AssemblyState, delta: Any) -> bool:
    """Whether a result, a picture or a citation was sent before."""
    match delta:
        case ToolResultDelta():
            return any(isinstance(b, ValueBlock) and b.id == delta.id for b in state.accumulators)
        case MediaDelta():
            return any(isinstance(b, MediaBlock) and delta.data in b.pieces for b in state.accumulators)
        case CitationDelta():
            return any(isinstance(b, TextBlock) and delta.value in b.citations for b in state.accumulators)
    return False


def _respond(state: AssemblyState, response: ResponseInfo, chunk: int) -> None:
    """Take what a chunk says of the response: later empty values do not overwrite, later others do not either."""
    old, before = state.response, state.last_response
    state.last_response = response
    # Not every vendor says that a message starts: behind an end mark, another id says it.
    is_other = (state.done or state.terminal) and before is not None and response.id not in (None, before.id)
    if (response.starts or is_other) and (state.accumulators or state.finishes or state.end_marks):
        # A second message in one stream numbers its blocks from the start again, and comes to an end of its own.
        state.message_starts.append(chunk)
        state.done = state.terminal = state.goes_on = False
        state.usage_reports.restart()
        state.note(Note("message-restarted", f"message {response.id!r:.80} starts in the same stream"))
        state.by_key.clear()
        state.current.clear()
        for book in state.books.values():
            book.restart()
    state.response = ResponseInfo(old.id or response.id, old.model or response.model, old.role or response.role)


def _block(state: AssemblyState, cls: type[B], choice: int, key: int | str | None) -> B:
    """Return the open block of this kind at this place; a switch of kind opens a new one."""
    current: Any = state.current.get(choice)
    if type(current) is cls and (current.key == key or key is None) and not current.closed:
        return current
    if key is not None:
        known: Any = state.by_key.get((choice, key))
        if type(known) is cls:
            state.current[choice] = known
            return known
    block = cls(choice, key)  # type: ignore[call-arg, arg-type]
    _open(state, block)
    return block


def _open(state: AssemblyState, block: BlockAccumulator) -> None:
    state.accumulators.append(block)
    state.current[block.choice] = block
    if block.key is not None:
        state.by_key[block.choice, block.key] = block


def _text(state: AssemblyState, delta: TextDelta, chunk: int) -> TextBlock:
    block = state.current.get(delta.choice)
    if type(block) is TextBlock and block.key == delta.block and not block.closed and not delta.snapshot:
        pieces = block.pieces  # nearly every delta of nearly every stream goes on where the last one stopped
        pieces.fragments.append(delta.text)
        pieces.chunks.append(chunk)
        return block
    return _add_text(state, _block(state, TextBlock, delta.choice, delta.block), delta, chunk)


def _refusal(state: AssemblyState, delta: RefusalDelta, chunk: int) -> TextBlock:
    return _add_text(state, _block(state, RefusalBlock, delta.choice, delta.block), delta, chunk)


def _plan(state: AssemblyState, delta: PlanDelta, chunk: int) -> TextBlock:
    return _add_text(state, _block(state, PlanBlock, delta.choice, delta.block), delta, chunk)


def _thinking(state: AssemblyState, delta: ThinkingDelta, chunk: int) -> TextBlock:
    open_block = state.current.get(delta.choice)
    if (
        type(open_block) is ThinkingBlock
        and open_block.key == delta.block
        and not (open_block.closed or delta.snapshot or delta.signature or delta.redacted)
    ):
        open_block.pieces.append(delta.text, chunk)
        return open_block
    block = _block(state, ThinkingBlock, delta.choice, delta.block)
    if delta.signature:
        block.signatures.append(delta.signature)
    if delta.redacted:
        block.redacted.append(delta.redacted)
    block.summary = block.summary or delta.summary
    return _add_text(state, block, delta, chunk)


def _add_text(
    state: AssemblyState, block: TextBlock, delta: TextDelta | ThinkingDelta | RefusalDelta | PlanDelta, chunk: int
) -> TextBlock:
    if not delta.snapshot:
        pieces = block.pieces
        pieces.fragments.append(delta.text)
        pieces.chunks.append(chunk)
    elif block.pieces.replace(delta.text, chunk):
        state.note(Note("snapshot-differs", f"the whole {block.kind} differs from the pieces sent before it"))
    return block


def _tool_call(state: AssemblyState, delta: ToolCallDelta, chunk: int) -> ToolCallBlock | None:
    book = state.books.get(delta.choice)
    if book is None:
        book = state.books[delta.choice] = CallBook()
    elif delta.index is not None and delta.id is None and delta.name is None:
        call = book.by_index.get(delta.index)  # nearly every fragment goes on where the last one stopped
        if call is not None and call is book.latest and call.go_on(delta, chunk, state.limits):
            return call
    call, note = book.find(delta)
    if note is not None:
        state.note(note)
    if call is None:
        if not (delta.id or delta.name or delta.arguments or delta.paths or delta.whole):
            return None  # an end mark, or a fragment without anything in it, and no call that it could belong to
        call = ToolCallBlock(delta, chunk)
        _open(state, call)
        book.add(call, delta)
    elif delta.id or call is not book.latest:
        book.add(call, delta)
    note = call.add(delta, chunk, state.limits)
    if note is not None:
        state.note(note)
    return call


def _tool_result(state: AssemblyState, delta: ToolResultDelta, chunk: int) -> BlockAccumulator:
    block: BlockAccumulator | None = None
    if delta.block is not None:
        block = state.by_key.get((delta.choice, delta.block))
    if not isinstance(block, ValueBlock):
        block = ValueBlock("tool_result", delta.choice, delta.block, delta.kind, delta.id)
        _open(state, block)
    if delta.snapshot:
        block.values = []  # a list that was put aside keeps what it held
    block.append(delta.value, chunk)
    return block


def _citation(state: AssemblyState, delta: CitationDelta, chunk: int) -> BlockAccumulator:
    """Hang a citation on the text it came in, or on the latest text of its choice."""
    block: BlockAccumulator | None = None
    if delta.block is not None:
        block = state.by_key.get((delta.choice, delta.block))
    if not isinstance(block, TextBlock):
        texts = (b for b in reversed(state.accumulators) if type(b) is TextBlock and b.choice == delta.choice)
        block = next(texts, None)
    if block is None:
        block = _block(state, TextBlock, delta.choice, delta.block)
    if not delta.snapshot or delta.value not in block.citations:
        block.citations.append(delta.value)
    return block


def _media(state: AssemblyState, delta: MediaDelta, chunk: int) -> BlockAccumulator:
    block = _block(state, MediaBlock, delta.choice, delta.block)
    block.add(delta, chunk)
    return block


def _moderation(state: AssemblyState, delta: ModerationDelta, chunk: int) -> None:
    """Note what a content filter says, if it has not just said the same."""
    key = delta.kind, delta.choice
    before = next((said for _, said in reversed(state.moderation) if (said.kind, said.choice) == key), None)
    if before != delta:
        state.moderation.append((chunk, delta))


def _signature(state: AssemblyState, delta: SignatureDelta, chunk: int) -> BlockAccumulator:
    """Hang a signature on the latest block; the last one stays, and it is never moved to another block."""
    block = state.current.get(delta.choice)
    if isinstance(block, ToolCallBlock):
        block.signature = delta.signature
        return block
    if not isinstance(block, TextBlock):
        block = _block(state, TextBlock, delta.choice, delta.block)
    block.signatures.append(delta.signature)
    return block


def _stop(state: AssemblyState, delta: BlockStop, chunk: int) -> BlockAccumulator | None:
    block = state.current.get(delta.choice) if delta.block is None else state.by_key.get((delta.choice, delta.block))
    if isinstance(block, ToolCallBlock):
        block.stop(chunk)
    elif block is not None:
        block.closed = True
    return block


def _unknown(state: AssemblyState, delta: UnknownDelta, chunk: int) -> BlockAccumulator:
    """Keep what is not known; of each kind it is told once."""
    block = ValueBlock("unknown", delta.choice, delta.block, delta.kind)
    state.accumulators.append(block)
    block.append(delta.value, chunk)
    call = None if delta.block is None else state.by_key.get((delta.choice, delta.block))
    if isinstance(call, ToolCallBlock):
        call.unread = chunk
    if delta.kind not in state.unknown:
        state.unknown.add(delta.kind)
        state.note(Note("unknown-delta", f"{delta.kind!r:.80} is not known"))
    return block


ROUTES: dict[type, Callable[[AssemblyState, Any, int], BlockAccumulator | None]] = {
    TextDelta: _text,
    ThinkingDelta: _thinking,
    RefusalDelta: _refusal,
    PlanDelta: _plan,
    ToolCallDelta: _tool_call,
    ToolResultDelta: _tool_result,
    CitationDelta: _citation,
    MediaDelta: _media,
    ModerationDelta: _moderation,
    SignatureDelta: _signature,
    BlockStop: _stop,
    UnknownDelta: _unknown,
}
