"""Which chunk brought which letter of an answer."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

from ..assembly.text import TextBlock
from ..assembly.tool_calls import ToolCallBlock

if TYPE_CHECKING:
    from ..run import StreamRun


class Origins:
    """The chunks that a text came in.

    Parameters
    ----------
    pieces : list of (int, int)
        Start and chunk of each piece, in order.
    """

    def __init__(self, pieces: list[tuple[int, int]]) -> None:
        self._starts = [start for start, _ in pieces]
        self._chunks = [chunk for _, chunk in pieces]

    def chunk_at(self, position: int) -> int | None:
        """Return the chunk that brought the character at ``position``, or the last one before it."""
        number = bisect_right(self._starts, max(position, 0)) - 1
        return self._chunks[number] if number >= 0 else None


def text_origins(run: StreamRun, kind: str) -> Origins:
    """Return the origins of all text of one kind (``text``, ``thinking``, ``refusal``) of the first choice."""
    pieces: list[tuple[int, int]] = []
    base = 0
    for number, block in enumerate(run.state.accumulators):
        if isinstance(block, TextBlock) and block.kind == kind and block.choice == 0:
            pieces += [(base + start, chunk) for start, chunk in _pieces_of(run, number)]
            base += len(block.pieces.text)
    return Origins(pieces)


def argument_origins(run: StreamRun, number: int) -> Origins:
    """Return the origins of the arguments of the client's call ``number`` of the first choice.

    Without any where calls were told apart that the vendor sent as one.
    """
    blocks = [
        position
        for position, block in enumerate(run.state.accumulators)
        if isinstance(block, ToolCallBlock) and not block.server and block.choice == 0
    ]
    if len(blocks) != len(run.payload.calls):
        return Origins([])
    return Origins(_pieces_of(run, blocks[number]))


def _pieces_of(run: StreamRun, number: int) -> list[tuple[int, int]]:
    """Return start and chunk of what a block took; what was replaced is no more."""
    history = run.history
    pieces: list[tuple[int, int]] = []
    for chunk in range(len(run.chunks)):
        for row in range(history.first_rows[chunk], history.first_rows[chunk + 1]):
            if history.blocks[row] != number:
                continue
            if history.flags[row] == 2:
                pieces.clear()
            if history.texts[row]:
                pieces.append((history.starts[row], chunk))
    return pieces
