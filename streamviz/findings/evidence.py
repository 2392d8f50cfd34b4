"""What the detectors look at: a run with its places, its request, and the diagnostics that nobody has explained yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from ..assembly.payload import EmbeddedRunPayload
from ..assembly.state import BlockAccumulator
from ..assembly.text import TextBlock
from ..assembly.tool_calls import ToolCall, ToolCallBlock
from ..assembly.tool_names import resolve_tool_name
from ..diagnostics import Diagnostic, Severity
from .finding import Finding, Lost, Place
from .request import Request
from .rules import RULES, Side

if TYPE_CHECKING:
    from ..run import StreamRun

MOST_PLACES = 100
"""How many places a finding names at most."""


class Said(NamedTuple):
    """All text of one kind in one choice, joined."""

    kind: str
    choice: int
    text: str
    chunk_at: Callable[[int], int]
    """The chunk that brought the character at a position."""


class Evidence:
    """A run, as detectors look at it.

    Parameters
    ----------
    run : StreamRun
        The run.
    """

    def __init__(self, run: StreamRun) -> None:
        self.run = run
        self.payloads: list[EmbeddedRunPayload] = run.payloads
        self.state = run.state
        self.size = run.recording.size
        self.request = Request(run.recording.request)
        self.was_restarted = False
        """Whether several messages stand in the body."""
        self._left: dict[str, dict[Diagnostic, None]] = {}
        for payload in self.payloads:
            for diagnostic in payload.diagnostics:
                self._left.setdefault(diagnostic.code, {})[diagnostic] = None

    # -- diagnostics --------------------------------------------------------------------------------------------------

    def take(self, *codes: str) -> list[Diagnostic]:
        """Return the diagnostics of these codes that are left, and leave none of them."""
        return [diagnostic for code in codes for diagnostic in self._left.pop(code, ())]

    @property
    def left(self) -> list[str]:
        """The codes of the diagnostics that nobody took."""
        return list(self._left)

    # -- places -------------------------------------------------------------------------------------------------------

    @property
    def chunks(self) -> int:
        """How many chunks there are."""
        return len(self.run.frame_ends)

    def at(self, chunk: int | None, shows: str = "") -> Place:
        """Return the place of a chunk; of none, that of the whole stream."""
        ends = self.run.frame_ends
        if chunk is None or not 0 <= chunk < len(ends):
            return self.whole(shows)
        times = self.run.frame_times_s
        return Place(
            chunk=chunk,
            start=ends[chunk - 1] if chunk else 0,
            end=ends[chunk],
            time_s=times[chunk] if times else None,
            shows=shows,
        )

    def whole(self, shows: str = "") -> Place:
        """Return the place of the stream as a whole."""
        return Place(start=0, end=self.size, shows=shows)

    def last(self, shows: str = "the last frame") -> Place:
        """Return the place of the last frame."""
        return self.at(self.chunks - 1, shows)

    def places(self, diagnostics: Iterable[Diagnostic]) -> list[Place]:
        """Return where diagnostics were seen, each with its words."""
        return [self.at(one.chunk, one.message) for one in diagnostics]

    # -- content ------------------------------------------------------------------------------------------------------

    @cached_property
    def blocks(self) -> list[BlockAccumulator]:
        """The blocks of all choices."""
        return [block for choice in self.state.choices for block in self.run.accumulators(choice)]

    @cached_property
    def said(self) -> list[Said]:
        """The text of each choice, its reasoning and its refusal, each joined."""
        blocks: dict[tuple[str, int], list[TextBlock]] = {}
        for block in self.blocks:
            if isinstance(block, TextBlock) and block.kind in ("text", "thinking", "refusal"):
                blocks.setdefault((block.kind, block.choice), []).append(block)
        return [_said(kind, choice, found) for (kind, choice), found in blocks.items()]

    def characters(self, payload: EmbeddedRunPayload) -> int:
        """Return how long the text of an answer is."""
        return len(payload.assistant_text)

    @cached_property
    def calls(self) -> list[tuple[str, EmbeddedRunPayload, ToolCall]]:
        """Every call of the client's tools: what it is called in a sentence, its payload, and the call."""
        return [
            (self.of_choice(payload, f"call {number} ({quoted(call.name)})"), payload, call)
            for payload in self.payloads
            for number, call in enumerate(payload.calls, start=1)
        ]

    def offered_name(self, call: ToolCall) -> str:
        """Return the tool of the request that a call means; the name as it was sent where it means none."""
        return resolve_tool_name(call.name_as_sent, None if call.id_is_made_up else call.id, self.request.tools)

    def of_choice(self, payload: EmbeddedRunPayload, words: str) -> str:
        """Say of which choice something is, where there are several."""
        return f"{words} of choice {payload.choice}" if len(self.payloads) > 1 else words

    def chunk_of(self, call: ToolCall, position: int | None) -> int:
        """Return the chunk that brought a character of a call's arguments; the last one where that is not known."""
        if position is None:
            return call.last_chunk
        block = self.run.accumulators(call.choice)[call.block]
        if isinstance(block, ToolCallBlock) and block.pieces.fragments:
            return block.pieces.locate(position)[1]
        return call.last_chunk

    # -- findings -----------------------------------------------------------------------------------------------------

    def finding(
        self,
        code: str,
        *evidence: Place,
        severity: Severity | None = None,
        side: Side | None = None,
        lost: Lost = Lost(),  # noqa: B008 - a value that never changes
        **values: Any,
    ) -> Finding:
        """Return a finding: its sentences are those of the code's rule, with the values filled in."""
        rule = RULES[code]
        return Finding(
            code=code,
            severity=severity or rule.severity,
            title=_sentence(rule.title.format(**values)),
            evidence=evidence[:MOST_PLACES],
            side=side or rule.side,
            remedy=rule.remedy.format(**values) if "{" in rule.remedy else rule.remedy,
            lost=lost,
        )


def quoted(text: object, most: int = 80) -> str:
    """Return a text of the stream for a sentence, in quotes, shortened.

    Examples
    --------
    >>> quoted("get_weather"), quoted("x" * 9, 4)
    ("'get_weather'", "'xxxx…'")
    """
    text = str(text)
    return repr(text if len(text) <= most else f"{text[:most]}…")


def shortened(text: object, most: int = 300) -> str:
    """Return the beginning of a text of the stream, without the stop at its end."""
    text = str(text).strip()
    return (text if len(text) <= most else f"{text[:most]}…").rstrip(".")


def counted(number: int | None, word: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "call"), counted(1200, "character"), counted(None, "token")
    ('1 call', '1,200 characters', 'an unknown number of tokens')
    """
    if number is None:
        return f"an unknown number of {word}s"
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _said(kind: str, choice: int, blocks: list[TextBlock]) -> Said:
    texts = [block.pieces.text for block in blocks]

    def chunk_at(position: int) -> int:
        for text, block in zip(texts, blocks, strict=True):
            if position < len(text):
                return block.pieces.locate(position)[1]
            position -= len(text)
        return blocks[-1].pieces.chunks[-1]

    return Said(kind, choice, "".join(texts), chunk_at)
