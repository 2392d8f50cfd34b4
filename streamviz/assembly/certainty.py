"""Whether what came of a call is certainly all of it.

Two things speak against a call: something could not be read while it was open, and may have been its own; and it has no
arguments, or leaves that were to go on, and nobody said that it is over.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..chunks import FinishReason
from .tool_calls import ToolCallBlock

if TYPE_CHECKING:
    from .payload import Ended
    from .state import AssemblyState

CUT = ("torn", "error", "aborted")
"""How a transport ends that did not come to its end."""
TOO_EARLY = ("length", "content_filter", "error")
"""Finish reasons of an answer that was broken off."""
LOST = {
    *("bad-frame", "frame-too-large", "not-a-field", "event-without-data", "unread"),
    *("prelude-crc-mismatch", "message-crc-mismatch", "length-too-small", "headers-length", "header-truncated"),
    *("header-type", "header-name-empty", "header-utf8", "duplicate-header"),
    *("bad-utf8", "bad-json", "too-deep", "unexpected-json", "ill-typed"),
}
"""Codes that say of a frame that its content, or some of it, could not be read."""
_NEVER = float("inf")


class CallWitness:
    """What the stream says of the calls of one choice, beside their fragments.

    A call is open from its first fragment (from its whole text, where the vendor told that) to its stop; without a
    stop, to the finish reason of its choice or to the end mark; without these, to the end of its message.

    Parameters
    ----------
    state : AssemblyState
        What came so far.
    choice : int
        Which choice.
    calls : iterable of ToolCallBlock
        The calls of the choice. One that nobody named or numbered holds what is another one's.
    ended : str or None
        How the transport ended; None where that is open.
    """

    def __init__(self, state: AssemblyState, choice: int, calls: Iterable[ToolCallBlock], ended: Ended | None) -> None:
        lost = [float(d.chunk) for d in state.diagnostics if d.code in LOST and d.chunk is not None]
        # Numbers that leave one out say that a frame before this one is missing.
        lost += [d.chunk - 0.5 for d in state.diagnostics if d.code == "sequence-gap" and d.chunk is not None]
        lost += [float(call.first_chunk) for call in calls if not (call.name or call.id)]
        self._lost = sorted(lost)
        self._finishes = [(chunk, finish) for chunk, finish in state.finishes if finish.choice == choice]
        self._finish_chunks = [chunk for chunk, _ in self._finishes]
        self._end_marks = state.end_marks
        self._message_starts = state.message_starts
        self._ended = ended

    def has_gap(self, call: ToolCallBlock) -> bool:
        """Whether something that may have been the call's could not be read."""
        since = call.first_chunk if call.told is None else call.told
        if call.unread is not None and call.unread >= since:
            return True
        position = bisect_left(self._lost, since)
        return position < len(self._lost) and self._lost[position] <= self._until(call)

    def is_over(self, call: ToolCallBlock, *, is_last: bool) -> bool:
        """Whether the vendor said that no more of the call was to come.

        A block that is stopped may have been stopped for want of room: where the answer was broken off, the last block
        (``is_last``) was. Of a message before the latest one, any block may have been its last.
        """
        if call.told is not None:
            return True
        reasons = {finish.unified for finish in self._reasons(call)}
        if not reasons.isdisjoint(TOO_EARLY):
            return call.closed and not is_last and self._message_end(call) == _NEVER
        if self._ended == "error" and is_last:
            return False
        if reasons or self._mark_after(call) < self._message_end(call):
            return True
        return call.closed and not (is_last and self._ended in CUT)

    def _until(self, call: ToolCallBlock) -> float:
        """Return the chunk with which the call was over."""
        if call.told is not None and call.told == call.last_chunk:
            return call.told
        if call.stopped is not None:
            return max(call.stopped, call.last_chunk)
        position = bisect_left(self._finish_chunks, call.last_chunk)
        finish = self._finish_chunks[position] if position < len(self._finish_chunks) else _NEVER
        return min(finish, self._mark_after(call), self._message_end(call))

    def _reasons(self, call: ToolCallBlock) -> list[FinishReason]:
        """Return the reasons that were given behind the call, in its own message."""
        start = bisect_left(self._finish_chunks, call.last_chunk)
        stop = bisect_left(self._finish_chunks, self._message_end(call))
        return [finish for _, finish in self._finishes[start:stop]]

    def _mark_after(self, call: ToolCallBlock) -> float:
        return _following(self._end_marks, call.last_chunk)

    def _message_end(self, call: ToolCallBlock) -> float:
        return _following(self._message_starts, call.last_chunk + 1)


def _following(chunks: list[int], chunk: int) -> float:
    """Return the first of ``chunks`` that is not before ``chunk``."""
    position = bisect_left(chunks, chunk)
    return chunks[position] if position < len(chunks) else _NEVER
