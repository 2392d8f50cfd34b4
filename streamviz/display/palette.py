"""One colour for each kind of thing, in cards and in the terminal. A colour never stands without its word.

The colours are Okabe and Ito's, which people with any common colour vision can tell apart.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["text", "thinking", "tool_call", "usage", "error", "warning", "other"]


class Colour(NamedTuple):
    """The colour of a kind on light ground and on dark ground."""

    light: str
    dark: str


PALETTE: dict[Kind, Colour] = {
    "text": Colour("#0072B2", "#56B4E9"),
    "thinking": Colour("#CC79A7", "#CC79A7"),
    "tool_call": Colour("#E69F00", "#E69F00"),
    "usage": Colour("#009E73", "#009E73"),
    "error": Colour("#D55E00", "#D55E00"),
    "warning": Colour("#C7B800", "#F0E442"),  # the plain yellow is invisible on white
    "other": Colour("#808080", "#A0A0A0"),
}
"""Every kind with its colour."""


class Word(NamedTuple):
    """What the kind of a block is called, and whose colour it has."""

    word: str
    kind: Kind


BLOCK_WORDS: dict[str, Word] = {
    "text": Word("text", "text"),
    "thinking": Word("thinking", "thinking"),
    "refusal": Word("refusal", "error"),
    "plan": Word("plan", "thinking"),
    "tool_call": Word("tool call", "tool_call"),
    "server_tool": Word("server tool call", "tool_call"),
    "tool_result": Word("tool result", "tool_call"),
    "media": Word("media", "other"),
    "unknown": Word("unknown", "other"),
}
"""The kinds of blocks in words."""

SEVERITY_KINDS: dict[str, Kind] = {"fault": "error", "warning": "warning", "note": "other"}
"""The colour of a diagnostic."""

STATUS_KINDS: dict[str, Kind] = {
    "exact": "usage",
    "empty": "usage",
    "text": "usage",
    "repaired": "warning",
    "incomplete": "error",
    "invalid": "error",
}
"""The colour of a tool call's status: green where nothing had to be done to it."""
