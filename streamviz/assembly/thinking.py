"""The model's reasoning: its text, its signature, and what is encrypted of it."""

from __future__ import annotations

from ..chunks import BlockIndex
from .text import TextBlock


class ThinkingBlock(TextBlock):
    """A run of reasoning.

    Signature pieces are joined. A signature without any text is a block too: dropping it makes the vendor refuse the
    next turn.
    """

    __slots__ = ("redacted",)
    kind = "thinking"

    def __init__(self, choice: int, key: BlockIndex) -> None:
        super().__init__(choice, key)
        self.redacted: list[str] = []

    @property
    def redacted_data(self) -> str | None:
        """The encrypted reasoning as sent, None where there is none."""
        return "".join(self.redacted) or None
