"""What every chunk did: the states a run went through, and which block took what."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, overload

from msgspec import Struct

from .assembly.checkpoints import Checkpoint
from .assembly.router import Taken, route_chunk
from .assembly.state import AssemblyState
from .assembly.text import is_pair
from .chunks import Delta, NormalizedChunk
from .limits import DEFAULT_LIMITS, Limits

SPACING = 256
"""Chunks between two checkpoints, at least: more of them cost memory, fewer cost time to go on from one."""


class Change(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """One thing that a chunk did."""

    kind: str
    """Of the block that took a delta: ``text``, ``thinking``, ``tool_call`` …; ``usage``, ``finish``, ``error``,
    ``end``; ``none`` where no block took the delta."""
    block: int | None = None
    """Number of that block, among `AssemblyState.accumulators`."""
    opened: bool = False
    """Whether the block began with it."""
    replaced: bool = False
    """Whether an authoritative text took the place of what the block held."""
    start: int = 0
    """Where in the block's text that starts which was added, in characters."""
    text: str = ""
    """What was added to the block's text, which of a call is its arguments."""
    value: Any = None
    """The delta, the usage report, the finish reason, the error or the end mark."""

    def __str__(self) -> str:
        did = " opens" if self.opened else " is replaced" if self.replaced else ""
        text = f" takes {self.text!r:.60} at {self.start}" if self.text else ""
        return f"{self.kind}{'' if self.block is None else f' (block {self.block})'}{did}{text}"


class Step(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """One chunk of a run, and what it did."""

    k: int
    """Number of the chunk, and of its frame."""
    start: int
    end: int
    """The frame's range of bytes in the recording."""
    time_s: float | None = None
    """When the read with its last byte arrived; None where no times were recorded."""
    chunk: NormalizedChunk
    changes: tuple[Change, ...] = ()

    def __repr__(self) -> str:
        return f"<Step: {self}>"

    def _repr_html_(self) -> str:
        from .display import step_html

        return step_html(self)

    def __str__(self) -> str:
        return f"chunk {self.k}, bytes {self.start}:{self.end}: {'; '.join(map(str, self.changes)) or 'nothing'}"


class History:
    """The states that a list of chunks goes through, as checkpoints and columns.

    Parameters
    ----------
    chunks : list of NormalizedChunk
        All chunks of a run.
    ends : sequence of int
        Byte offset after each frame.
    limits, reasoning_tags
        Those of the state.
    """

    def __init__(
        self,
        chunks: list[NormalizedChunk],
        ends: Sequence[int],
        limits: Limits = DEFAULT_LIMITS,
        reasoning_tags: tuple[str, ...] = (),
    ) -> None:
        self._chunks = chunks
        self._ends = ends
        self._checkpoints: list[Checkpoint] = []
        # One row a delta, in order of routing.
        self.first_rows = array("L")
        """Number of each chunk's first row, and the number of all rows."""
        self.blocks = array("l")
        """Number of the block that took the delta; -1 where none did."""
        self.starts = array("Q")
        """Where in its block's text the delta's own text starts."""
        self.flags = bytearray()
        """1: the delta opened the block. 2: it replaced the block's text."""
        self.texts: list[str] = []
        """What the delta added to its block's text."""
        self._rows: dict[int, tuple[array[int], array[int]]] | None = None
        self._answers: dict[int, list[Delta]] = {}  # of chunks that repeat the answer: what was taken of it
        state = AssemblyState(limits, reasoning_tags)
        self._route_all(state)
        self.kinds: list[str] = [block.kind for block in state.accumulators]
        """The kind of each block."""

    def _route_all(self, state: AssemblyState) -> None:
        seen: list[_Seen] = []
        numbers: dict[int, int] = {}
        taken: list[Taken] = []
        due = start = 0
        for k, chunk in enumerate(self._chunks):
            if k == due:
                self._checkpoints.append(Checkpoint(state))
                due += max(SPACING, self._checkpoints[-1].weight)
            state.offset = start
            start = self._ends[k]
            self.first_rows.append(len(self.blocks))
            route_chunk(state, chunk, taken)
            if not taken:
                continue
            for block in state.accumulators[len(seen) :]:
                numbers[id(block)] = len(seen)
                seen.append(_Seen())
            for one in taken:
                number = -1 if one.block is None else numbers[id(one.block)]
                self._add(number, one, seen[number] if number >= 0 else _Seen())
            if chunk.answer:
                self._answers[k] = [one.delta for one in taken]
            taken.clear()
        self._checkpoints.append(Checkpoint(state))
        self.first_rows.append(len(self.blocks))

    def _add(self, number: int, taken: Taken, seen: _Seen) -> None:
        """Write down one delta, given what was seen of its block before."""
        flag = 0 if seen.opened else 1
        if seen.pieces is not taken.pieces:
            flag = 2 if seen.count else flag
            seen.pieces, seen.count, seen.length, seen.last = taken.pieces, 0, 0, ""
        text = "".join(taken.pieces[seen.count : taken.kept])
        if seen.last and is_pair(seen.last, text[:1]):  # two halves are one character of the text
            seen.length -= 1
        self.blocks.append(number)
        self.starts.append(seen.length)
        self.flags.append(flag)
        self.texts.append(text)
        seen.opened, seen.count = True, taken.kept
        seen.length += len(text)
        seen.last = text[-1:] or seen.last

    def state_at(self, k: int) -> AssemblyState:
        """Return the state after the first ``k`` chunks: the checkpoint before it, and the chunks since."""
        number = bisect_right(self._checkpoints, k, key=lambda checkpoint: checkpoint.chunks) - 1
        state = self._checkpoints[number].restore()
        for position in range(state.chunks, k):
            state.offset = self._ends[position - 1] if position else 0
            route_chunk(state, self._chunks[position])
        return state

    def deltas_of(self, k: int) -> Sequence[Delta]:
        """Return the deltas of chunk ``k`` that were routed: its own, and what was taken of an answer it repeats."""
        return self._answers.get(k, self._chunks[k].deltas)

    def chunk_of(self, row: int) -> tuple[int, int]:
        """Return the chunk of a row, and the number of its delta in the chunk."""
        chunk = bisect_right(self.first_rows, row) - 1
        return chunk, row - self.first_rows[chunk]

    def row_at(self, block: int, position: int) -> int | None:
        """Return the row that brought the character at a position of a block's text as it is at the end."""
        rows, ends = self._rows_of(block)
        number = bisect_right(ends, position)
        return rows[number] if number < len(rows) else None

    def _rows_of(self, block: int) -> tuple[array[int], array[int]]:
        """Return the rows whose text is in a block at the end, and where each of their texts ends."""
        if self._rows is None:
            self._rows = {}
            for row, (number, flag) in enumerate(zip(self.blocks, self.flags, strict=True)):
                if flag == 2 or number not in self._rows:
                    self._rows[number] = array("L"), array("Q")
                rows, ends = self._rows[number]
                rows.append(row)
                ends.append(self.starts[row] + len(self.texts[row]))
        return self._rows.get(block, (array("L"), array("Q")))

    def changes_of(self, k: int) -> tuple[Change, ...]:
        """Return what chunk ``k`` did."""
        chunk = self._chunks[k]
        changes = []
        for row, delta in enumerate(self.deltas_of(k), start=self.first_rows[k]):
            number = self.blocks[row]
            if number < 0:
                changes.append(Change(kind="none", value=delta))
                continue
            changes.append(
                Change(
                    kind=self.kinds[number],
                    block=number,
                    opened=self.flags[row] == 1,
                    replaced=self.flags[row] == 2,
                    start=self.starts[row],
                    text=self.texts[row],
                    value=delta,
                )
            )
        changes += [Change(kind="finish", value=finish) for finish in chunk.finishes]
        others = (("usage", chunk.usage), ("error", chunk.error), ("end", chunk.terminal))
        changes += [Change(kind=kind, value=value) for kind, value in others if value is not None]
        return tuple(changes)


class _Seen:
    """How much of a block was written down."""

    __slots__ = ("count", "last", "length", "opened", "pieces")

    def __init__(self) -> None:
        self.opened = False
        self.pieces: list[str] | None = None
        self.count = 0
        self.length = 0
        self.last = ""


class Steps(Sequence[Step]):
    """The steps of a run, each made when it is asked for.

    Parameters
    ----------
    history : History
        What the chunks did.
    chunks : list of NormalizedChunk
        They themselves.
    ends : sequence of int
        Byte offset after each frame.
    times_s : sequence of float or None
        When each frame was complete; empty where that is not known.
    """

    def __init__(
        self, history: History, chunks: list[NormalizedChunk], ends: Sequence[int], times_s: Sequence[float | None]
    ) -> None:
        self._history = history
        self._chunks = chunks
        self._ends = ends
        self._times_s = times_s

    def __len__(self) -> int:
        return len(self._chunks)

    @overload
    def __getitem__(self, k: int) -> Step: ...
    @overload
    def __getitem__(self, k: slice) -> list[Step]: ...
    def __getitem__(self, k: int | slice) -> Step | list[Step]:
        if isinstance(k, slice):
            return [self[one] for one in range(len(self))[k]]
        k = range(len(self))[k]
        return Step(
            k=k,
            start=self._ends[k - 1] if k else 0,
            end=self._ends[k],
            time_s=self._times_s[k] if self._times_s else None,
            chunk=self._chunks[k],
            changes=self._history.changes_of(k),
        )

    def __repr__(self) -> str:
        return f"<{len(self)} steps>"

    def _repr_html_(self) -> str:
        from .display import steps_html

        return steps_html(self)
