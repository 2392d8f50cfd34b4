"""What of a run came when, as columns of numbers: all that timing needs, and the only place that reads a run for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..assembly.text import TextBlock
from ..chunks import MediaDelta, ToolCallDelta, ToolResultDelta, UnknownDelta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..run import StreamRun

    Numbers = NDArray[np.int64]
    Seconds = NDArray[np.float64]
    Mask = NDArray[np.bool_]

_TOOLS = ("tool_call", "server_tool")
_TOKENS = ("text", "thinking", "refusal", "plan", *_TOOLS)
_VALUES = ("media", "tool_result", "unknown")
"""Blocks that are content, but none that is made of tokens of text."""


class Arrivals(NamedTuple):
    """The reads of a run that hold bytes, its frames, and which of these hold content; times never go back."""

    read_times_s: Seconds
    read_sizes: Numbers
    frame_times_s: Seconds
    """When each frame was complete."""
    frame_reads: Numbers
    """The read that completed it."""
    end_s: float
    """When the last read came, which may be an empty one."""
    is_over: bool
    """Whether no more is to come."""
    content: Numbers
    """The chunks with content: a token, a piece of media, the result of a server's tool, or what is not known."""
    tokens: Numbers
    """The chunks with a token: text, reasoning, refusal, plan or arguments that are not empty."""
    text: Numbers
    thinking: Numbers
    answer: Numbers
    """The chunks with a token that is not reasoning."""
    tools: Numbers
    """The chunks that opened a tool call."""


def arrivals_of(run: StreamRun) -> Arrivals | None:
    """Return what of a run came when; None where no times were recorded, or some that are no times."""
    import numpy as np

    recorded = np.array(run.recording.times_s)
    if not run.recording.is_timed or not np.isfinite(recorded).all():
        return None
    times = np.maximum.accumulate(recorded)  # a clock that is set back does not undo what came
    sizes = np.fromiter(map(len, run.recording.reads), np.int64, len(run.recording.reads))
    full = sizes > 0
    read_times, read_sizes = times[full], sizes[full]
    frame_reads = np.searchsorted(read_sizes.cumsum(), np.array(run.frame_ends, np.int64))
    frame_times = read_times[frame_reads]
    return Arrivals(read_times, read_sizes, frame_times, frame_reads, float(times[-1]), run.finished, *_content(run))


def _content(run: StreamRun) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers, Numbers]:
    """Return the numbers of the chunks with content, by what it is; each of them once, in order."""
    import numpy as np

    history = run.history
    firsts = np.array(history.first_rows, np.int64)
    chunks = np.repeat(np.arange(len(firsts) - 1), np.diff(firsts))  # of each row
    blocks = np.array(history.blocks, np.int64)  # -1 where no block took the delta: the kind at the end of the list
    kinds = [*history.kinds, "none"]

    def rows_of(*wanted: str) -> Mask:
        return np.array([kind in wanted for kind in kinds])[blocks]

    calls, thinking, values = rows_of(*_TOOLS), rows_of("thinking"), rows_of(*_VALUES)
    filled = np.fromiter(map(len, history.texts), np.int64, len(history.texts)) > 0
    for row in np.flatnonzero((calls | values) & ~filled):
        chunk = chunks[row]
        filled[row] = _is_filled(history.deltas_of(chunk)[row - firsts[chunk]])
    tokens = rows_of(*_TOKENS) & filled

    def chunks_of(rows: Mask) -> Numbers:
        return _distinct(chunks[rows], len(firsts) - 1)

    said, thought = chunks_of(tokens & rows_of("text")), chunks_of(tokens & thinking)
    answer = chunks_of(tokens & ~thinking)
    if run.state.reasoning_tags:
        said, thought = (_distinct(numbers, len(firsts) - 1) for numbers in _tagged(run))
        answer = np.union1d(said, chunks_of(tokens & ~thinking & ~rows_of("text")))
    opened = chunks_of(calls & (np.array(history.flags, np.uint8) == 1))
    return chunks_of((tokens | values) & filled), chunks_of(tokens), said, thought, answer, opened


def _is_filled(delta: object) -> bool:
    """Whether a delta that added no text to its block brought content all the same."""
    match delta:
        case ToolCallDelta(paths=paths) if paths:
            return any(path.value not in ("", None) for path in paths)
        case ToolCallDelta(arguments=str(arguments), seed=True):
            return arguments.strip() not in ("", "{}")
        case ToolCallDelta(arguments=arguments, whole=False, snapshot=False):
            return bool(arguments)  # what goes beyond the limit is not kept
        case MediaDelta(data=data):
            return bool(data)
        case ToolResultDelta() | UnknownDelta():
            return True
    return False


def _distinct(numbers: Any, count: int) -> Numbers:
    """Return which of the first ``count`` numbers there are."""
    import numpy as np

    seen = np.zeros(count, np.bool_)
    seen[numbers] = True
    return np.flatnonzero(seen)


def _tagged(run: StreamRun) -> tuple[list[int], list[int]]:
    """Return the chunks with text and with reasoning, where reasoning stands between tags in the text."""
    said: list[int] = []
    thought: list[int] = []
    for choice in run.state.choices:
        for block in run.accumulators(choice):
            if isinstance(block, TextBlock) and block.kind in ("text", "thinking"):
                pieces = zip(block.pieces.chunks, block.pieces.fragments, strict=True)
                (thought if block.kind == "thinking" else said).extend(chunk for chunk, text in pieces if text)
    return said, thought
