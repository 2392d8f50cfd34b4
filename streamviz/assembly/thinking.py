"""The model's reasoning: its text, its signature, and what is encrypted of it."""

from __future__ import annotations

from ..chunks import BlockIndex
from .reasoning_tags import split_reasoning
from .text import TextBlock


class ThinkingBlock(TextBlock):
    """A run of reasoning.

    Signature pieces are joined. A signature without any text is a block too: dropping it makes the vendor refuse the
    next turn.
    """

    __slots__ = ("redacted", "summary")
    kind = "thinking"

    def __init__(self, choice: int, key: BlockIndex) -> None:
        super().__init__(choice, key)
        self.redacted: list[str] = []
        self.summary = False
        """Whether it is a summary of the reasoning."""

    @property
    def redacted_data(self) -> str | None:
        """The encrypted reasoning as sent, None where there is none."""
        return "".join(self.redacted) or None


def tagged_parts(block: TextBlock, tags: tuple[str, ...], *, final: bool, recover: bool) -> list[TextBlock]:
    """Return a block of text as what is said and what is thought between reasoning tags.

    What hangs on the block (citations, a signature) hangs on the last text in it.
    """
    segments = split_reasoning(block.pieces.text, tags, final=final, recover=recover)
    if [segment.kind for segment in segments] == ["text"] and segments[0].end == len(block.pieces.text):
        return [block]
    parts: list[TextBlock] = []
    for segment, pieces in zip(segments, block.pieces.parts((s.start, s.end) for s in segments), strict=True):
        part = (ThinkingBlock if segment.kind == "thinking" else TextBlock)(block.choice, block.key)
        part.pieces, part.closed = pieces, segment.closed
        parts.append(part)
    said = [part for part in parts if type(part) is TextBlock]
    if said:
        said[-1].citations, said[-1].signatures, said[-1].closed = block.citations, block.signatures, block.closed
    return parts
