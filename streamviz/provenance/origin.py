"""`Origin`: where a letter, a number or an edit comes from: chunk, frame, bytes, read, time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from msgspec import Struct

from ..assembly.json_path import parse_path
from ..assembly.text import Excerpt, Pieces, TextBlock
from ..assembly.tool_calls import ToolCall, ToolCallBlock
from ..assembly.usage import COUNTS, counted_at, derive_usage, value_at
from ..chunks import NormalizedChunk, UsageFields
from ..providers import get_stream_wrapper
from ..repair import Edit
from .leaves import leaves, letter_starts, text_starts
from .places import Places, strings_of

if TYPE_CHECKING:
    from ..run import StreamRun

What = Literal["text", "thinking", "refusal", "plan", "arguments", "usage"]
TEXTS: tuple[What, ...] = ("text", "thinking", "refusal", "plan")


class Origin(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """Where something in the answer comes from."""

    what: What
    position: int | None = None
    """Which character, of the text that ``what`` names; None for a number."""
    chunk: int
    """Number of the chunk, and of its frame."""
    start: int
    end: int
    """The range of bytes in the recording: of the very letter or number where `exact` is True, else of the frame."""
    exact: bool = True
    """Whether the bytes of the letter itself are known. They are not where the stream wrapper made it (the brackets of
    arguments that came leaf by leaf); where a text came as base64, the range is the characters that hold its bytes."""
    frame_start: int
    frame_end: int
    """The frame's range of bytes."""
    read: int
    """Number of the read that held the last of these bytes."""
    time_s: float | None = None
    """When that read arrived, in seconds since the request was sent."""
    choice: int = 0
    block: int | None = None
    """Number of the block, among the payload's blocks of its choice."""
    fragment: int | None = None
    """Number of the piece, in its block's text."""

    def __str__(self) -> str:
        where = "bytes" if self.exact else "somewhere in bytes"
        time = "" if self.time_s is None else f", {self.time_s:.3f} s"
        return f"chunk {self.chunk}, {where} {self.start}:{self.end}, read {self.read}{time}"


class Spot(NamedTuple):
    """A position in one of the answer's texts, as a position in a block's pieces."""

    what: What
    position: int
    choice: int
    block: int
    pieces: Pieces
    at: int
    """The position in the pieces' joined text."""


def origin(
    run: StreamRun, what: What | Edit, at: int | str = 0, *, call: int | str | ToolCall | None = None, choice: int = 0
) -> Origin:
    r"""Return where a letter of the answer, a token count or an edit comes from.

    Parameters
    ----------
    what : {"text", "thinking", "refusal", "plan", "arguments", "usage"} or Edit
        The payload's ``assistant_text``, ``thinking`` or ``refusal``, its plans joined, the raw arguments of a call,
        a count of its usage; or an edit of a call's repair.
    at : int or str
        Which character, from 0; negative counts from the end. For ``"usage"`` the name of the count:
        ``"input_tokens"`` …
    call : int, str or ToolCall, optional
        Which call: its number in the payload's calls, its id, or itself; the first when not given.
    choice : int
        Which choice of the response.

    Returns
    -------
    Origin

    Raises
    ------
    IndexError
        There is no such position.
    LookupError
        There is no such call, edit or count.
    ValueError
        ``what`` or the name of the count is not known.

    Examples
    --------
    >>> import streamviz as sv
    >>> data = b'data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n'
    >>> found = sv.read(data).origin("text", 4)
    >>> found.chunk, data[found.start : found.end]
    (0, b'o')
    """
    if isinstance(what, Edit):
        return _edit(run, what)
    if what == "usage":
        return origins(run, at)[0]
    if what not in (*TEXTS, "arguments"):
        raise ValueError(f"what is one of {', '.join((*TEXTS, 'arguments', 'usage'))}, or an edit, not {what!r}")
    if isinstance(at, str):
        raise TypeError(f"the position in {what} is a number, not {at!r:.80}")
    if what == "arguments":
        return _argument(run, _call(run, call, choice), at)
    spots = [(number, block.pieces) for number, block in _texts(run, what, choice)]
    ends = list(accumulate(len(pieces.text) for _, pieces in spots))
    at = _position(at, ends[-1] if ends else 0, what)
    part = bisect_right(ends, at)
    number, pieces = spots[part]
    return _letter(run, Spot(what, at, choice, number, pieces, at - (ends[part - 1] if part else 0)))


def origins(run: StreamRun, count: int | str) -> tuple[Origin, ...]:
    r"""Return where a token count comes from: every number that it is made of, the main one first.

    Vendors count in buckets of their own. Anthropic's input stands beside what was read from the cache, so that
    ``input_tokens`` is a sum of two or three numbers; a total that no vendor sent is the sum of input and output.

    Parameters
    ----------
    count : str
        The name of the count, as in `Usage`.

    Examples
    --------
    >>> import streamviz as sv
    >>> data = b'data: {"choices":[],"usage":{"prompt_tokens":19,"completion_tokens":2,"total_tokens":21}}\n\n'
    >>> [data[o.start : o.end] for o in sv.read(data).origins("input_tokens")]
    [b'19']
    """
    if count not in COUNTS:
        raise ValueError(f"the counts are {', '.join(COUNTS)}; {count!r:.80} is none of them")
    reports = run.state.usage_reports
    found = [_number(run, place) for place in _places(reports.merged, reports.fields, str(count))]
    if not found:
        raise LookupError(f"no report of this run says anything of {count}")
    return tuple(found)


def chunk_at(run: StreamRun, offset: int) -> int:
    r"""Return the number of the chunk whose frame holds the byte at ``offset``.

    Raises
    ------
    IndexError
        The recording has no such byte, or it belongs to no frame yet.

    Examples
    --------
    >>> import streamviz as sv
    >>> sv.read(b': hi\n\ndata: {"choices":[{"delta":{"content":"Hi"}}]}\n\n').chunk_at(20)
    1
    """
    ends = run.frame_ends
    if not 0 <= offset < (ends[-1] if ends else 0):
        raise IndexError(f"byte {offset} is in no frame; these have {ends[-1] if ends else 0} bytes")
    return bisect_right(ends, offset)


# -- letters ----------------------------------------------------------------------------------------------------------


def _texts(run: StreamRun, what: str, choice: int) -> list[tuple[int, TextBlock]]:
    blocks = enumerate(run.accumulators(choice))
    return [(number, block) for number, block in blocks if isinstance(block, TextBlock) and block.kind == what]


def _position(at: int, length: int, what: str) -> int:
    if not -length <= at < length:
        raise IndexError(f"{what} has {length} characters; there is no character {at}")
    return at % length


def _letter(run: StreamRun, spot: Spot) -> Origin:
    """Return the origin of a character of pieces."""
    fragment, chunk = spot.pieces.locate(spot.at)
    return _made(run, spot, chunk, fragment, _own_range(run, spot.pieces, spot.at))


def _made(run: StreamRun, spot: Spot, chunk: int, fragment: int, own: tuple[int, int] | None) -> Origin:
    what, position, choice, block, *_ = spot
    return _origin(run, chunk, own, what=what, position=position, choice=choice, block=block, fragment=fragment)


def _origin(run: StreamRun, chunk: int, own: tuple[int, int] | None, **fields: Any) -> Origin:
    ends = run.frame_ends
    frame_start, frame_end = (ends[chunk - 1] if chunk else 0), ends[chunk]
    start, end = (frame_start, frame_end) if own is None else (frame_start + own[0], frame_start + own[1])
    read = run.recording.read_at(max(end - 1, 0))
    return Origin(
        chunk=chunk,
        start=start,
        end=end,
        exact=own is not None,
        frame_start=frame_start,
        frame_end=frame_end,
        read=read,
        time_s=run.recording.times_s[read] if run.recording.is_timed else None,
        **fields,
    )


def _own_range(run: StreamRun, pieces: Pieces, at: int) -> tuple[int, int] | None:
    """Return the range, in its frame, of the character at a position of a block's text; None where it is not known."""
    if isinstance(pieces, Excerpt):
        piece, _ = pieces.locate(at)
        at += pieces.starts[piece] - (pieces.ends()[piece - 1] if piece else 0)
        pieces = pieces.whole
    accumulators = run.state.accumulators
    number = next(n for n, block in enumerate(accumulators) if getattr(block, "pieces", None) is pieces)
    history = run.history
    row = history.row_at(number, at)
    if row is None:
        return None
    chunk, delta_number = history.chunk_of(row)
    delta: Any = history.deltas_of(chunk)[delta_number]
    text = getattr(delta, "text", None) or getattr(delta, "arguments", None) or ""
    letter = len(text) - len(history.texts[row]) + at - history.starts[row]  # a whole text may repeat what came before
    texts = list(strings_of(run.chunks[chunk]))
    own = delta_number < len(run.chunks[chunk].deltas) and texts[delta_number] == text
    nth = delta_number if own else texts.index(text) if text in texts else None
    if nth is None:
        return None
    return places(run, chunk).string(text, partial(_text_of, nth=nth), letter, letter + 1)


def _text_of(chunk: NormalizedChunk, nth: int) -> str | None:
    return next((text for number, text in enumerate(strings_of(chunk)) if number == nth), None)


def places(run: StreamRun, chunk: int) -> Places:
    """Return the data of a chunk's frame, to be searched."""
    wrapper = get_stream_wrapper(run.dialect)
    return Places(run.bytes_of(chunk), run.frames[chunk], run.framing, wrapper.normalize)


# -- arguments --------------------------------------------------------------------------------------------------------


def _call(run: StreamRun, call: int | str | ToolCall | None, choice: int) -> ToolCall:
    payload = next((payload for payload in run.payloads if payload.choice == choice), None)
    calls = (*payload.calls, *payload.server_tools) if payload else ()
    match call:
        case ToolCall():
            return call
        case str():
            found = next((one for one in calls if one.id == call), None)
        case _:
            found = calls[call or 0] if -len(calls) <= (call or 0) < len(calls) else None
    if found is None:
        known = ", ".join(one.id for one in calls) or "none at all"
        raise LookupError(f"choice {choice} has no call {call!r:.80}; its calls are {known:.200}")
    return found


def _argument(run: StreamRun, call: ToolCall, at: int) -> Origin:
    """Return the origin of a character of a call's raw arguments."""
    at = _position(at, len(call.raw_arguments), f"the arguments of {call.id!r:.80}")
    block = run.accumulators(call.choice)[call.block]
    if not isinstance(block, ToolCallBlock) or block.raw_arguments != call.raw_arguments:
        raise LookupError(f"{call!r:.80} is no call of this run")
    spot = Spot("arguments", at, call.choice, call.block, block.pieces, at)
    if block.paths is not None:
        return _leaf_letter(run, block, spot, call.raw_arguments)
    if block.pieces.fragments:
        return _letter(run, spot)
    chunk = call.first_chunk  # what came with the call's start alone
    texts = list(strings_of(run.chunks[chunk]))
    nth = texts.index(call.raw_arguments) if call.raw_arguments in texts else None
    own = None
    if nth is not None:
        own = places(run, chunk).string(call.raw_arguments, partial(_text_of, nth=nth), at, at + 1)
    return _made(run, spot, chunk, 0, own)


def _leaf_letter(run: StreamRun, block: ToolCallBlock, spot: Spot, text: str) -> Origin:
    """Return the origin of a character of arguments that came leaf by leaf: that of the leaf it stands in or before."""
    data = text.encode("utf-8", "surrogatepass")
    offset = [*text_starts(text), len(data)][spot.at]
    leaf = next((leaf for leaf in leaves(data) if leaf.end > offset), None)
    came = list(_leaves_of(run, block))
    pieces = [(n, chunk, value) for n, (path, chunk, value) in enumerate(came) if leaf and path == leaf.path]
    if leaf is None or not pieces:
        fragment, chunk, _ = (len(came) - 1, came[-1][1], "") if came else (0, block.first_chunk, "")
        return _made(run, spot, chunk, fragment, None)
    if not leaf.is_string or offset <= leaf.start:
        fragment, chunk, _ = pieces[-1] if offset > leaf.start else pieces[0]
        return _made(run, spot, chunk, fragment, None)
    letter = bisect_right([leaf.start + start for start in letter_starts(leaf.literal)], offset) - 1
    ends = list(accumulate(len(value) for *_, value in pieces))
    part = min(bisect_right(ends, letter), len(pieces) - 1)
    fragment, chunk, value = pieces[part]
    letter -= ends[part - 1] if part else 0
    own = None
    if letter < len(value):
        own = places(run, chunk).string(value, partial(_leaf_of, nth=_nth_leaf(run, chunk, value)), letter, letter + 1)
    return _made(run, spot, chunk, fragment, own)


def _leaves_of(run: StreamRun, block: ToolCallBlock) -> Iterator[tuple[tuple[str | int, ...], int, str]]:
    """Yield (path, chunk, text) of each leaf of a call."""
    number = next(n for n, other in enumerate(run.state.accumulators) if other is block)
    for chunk in dict.fromkeys(block.pieces.chunks):
        for row, delta in enumerate(run.history.deltas_of(chunk), start=run.history.first_rows[chunk]):
            for leaf in getattr(delta, "paths", ()) if run.history.blocks[row] == number else ():
                yield tuple(parse_path(leaf.path) or ()), chunk, leaf.value if isinstance(leaf.value, str) else ""


def _leaf_values(chunk: NormalizedChunk) -> list[Any]:
    return [leaf.value for delta in chunk.deltas for leaf in getattr(delta, "paths", ())]


def _nth_leaf(run: StreamRun, chunk: int, value: str) -> int:
    return _leaf_values(run.chunks[chunk]).index(value)


def _leaf_of(chunk: NormalizedChunk, nth: int) -> Any:
    return next((value for number, value in enumerate(_leaf_values(chunk)) if number == nth), None)


def _edit(run: StreamRun, edit: Edit) -> Origin:
    """Return the origin of the character that an edit stands before; of one at the end, that of the last one."""
    for payload in run.payloads:
        for call in (*payload.calls, *payload.server_tools):
            if call.repair is None or not any(one is edit or one == edit for one in call.repair.edits):
                continue
            if not call.raw_arguments:
                break
            return _argument(run, call, min(edit.position, len(call.raw_arguments) - 1))
    raise LookupError(f"{edit!r:.120} is no edit of this run")


# -- counts -----------------------------------------------------------------------------------------------------------


_PARTS = {
    "input_tokens": ("cache_read_input_tokens", "cache_creation_input_tokens", "tool_input_tokens"),
    "output_tokens": ("reasoning_output_tokens",),
    "total_tokens": ("input_tokens", "output_tokens"),
}
"""What a count may be the sum of, beside the number that the vendor gives that name."""


def _places(raw: dict[str, Any], fields: UsageFields | None, count: str) -> list[str]:
    """Return the places in the vendor's report that a count is made of."""
    usage = None if fields is None else derive_usage(raw, fields)[0]
    if fields is None or usage is None:
        return []
    main = counted_at(raw, getattr(fields, count))
    if main is not None and value_at(raw, main) == getattr(usage, count):
        return [main]
    parts = [place for part in _PARTS.get(count, ()) for place in _places(raw, fields, part)]
    return ([] if main is None else [main]) + [place for place in parts if value_at(raw, place)]


def _number(run: StreamRun, place: str) -> Origin:
    """Return the origin of a number in the usage reports: the last report that named it."""
    chunks = run.chunks
    named = [k for k in run.state.usage_reports.chunks if _named(chunks[k], place) is not None]
    chunk = named[-1]
    number = _named(chunks[chunk], place)
    usage = chunks[chunk].usage
    path = (place,) if usage is not None and place in usage.raw else tuple(place.split("."))
    own = places(run, chunk).number(number, path, partial(_named, place=place))
    return _origin(run, chunk, own, what="usage")


def _named(chunk: NormalizedChunk, place: str) -> Any:
    return None if chunk.usage is None else value_at(chunk.usage.raw, place)
