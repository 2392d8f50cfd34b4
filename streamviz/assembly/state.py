"""`AssemblyState`: the accumulators after some number of chunks. A state is a fold of the chunks, nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..chunks import (
    FinishReason,
    ModerationDelta,
    ResponseInfo,
    StreamError,
    Usage,
)
from ..diagnostics import Diagnostic, Note, diagnose
from ..limits import DEFAULT_LIMITS, Limits
from .certainty import TOO_EARLY, CallWitness
from .other import MediaBlock, ValueBlock
from .previews import CallPreview, PreviewReader
from .text import RefusalBlock, TextBlock
from .thinking import ThinkingBlock, tagged_parts
from .tool_calls import DEFAULT_OPTIONS, CallBook, CallOptions, ToolCall, ToolCallBlock, name_calls
from .usage import UsageAccumulator

if TYPE_CHECKING:
    from .payload import Ended

BlockAccumulator = TextBlock | ToolCallBlock | MediaBlock | ValueBlock


class AssemblyState:
    """What the chunks routed so far amount to.

    `route_chunk` is the only thing that changes a state. The properties speak of all choices together unless a
    method takes ``choice``.

    Parameters
    ----------
    limits : Limits
        How much of one call's arguments is collected.
    reasoning_tags : tuple of str
        Names of the tags between which the text holds reasoning.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, reasoning_tags: tuple[str, ...] = ()) -> None:
        self.limits = limits
        self.reasoning_tags = reasoning_tags
        self.chunks = 0
        """How many chunks were routed."""
        self.pending = 0
        """Bytes taken but not yet framed."""
        self.accumulators: list[BlockAccumulator] = []
        """The blocks of the answer in the order in which they opened."""
        self.finishes: list[tuple[int, FinishReason]] = []
        """(chunk, finish reason), in wire order."""
        self.usage_reports = UsageAccumulator()
        self.errors: list[tuple[int, StreamError]] = []
        self.diagnostics: list[Diagnostic] = []
        self.response = ResponseInfo()
        """Id, model and role: the first non-empty value of each."""
        self.moderation: list[tuple[int, ModerationDelta]] = []
        """(chunk, what a content filter says); what it says again of every chunk is here once."""
        self.padding = 0
        """Characters of padding."""
        self.done = False
        """Whether ``[DONE]`` came, in the latest message."""
        self.terminal = False
        """Whether the vendor's own end mark came, in the latest message."""
        self.goes_on = False
        """Whether content came behind the end mark."""
        self.end_marks: list[int] = []
        """The chunks that hold an end mark."""
        self.message_starts: list[int] = []
        """The chunks with which a second and every further message began."""
        self.sequence: int | None = None
        """The vendor's number of the latest event, where it counts them."""
        self.offset: int | None = None
        """Where the frame of the current chunk starts in the recording."""
        # The router's memory.
        self.current: dict[int, BlockAccumulator] = {}
        self.by_key: dict[tuple[int, int | str], BlockAccumulator] = {}
        self.books: dict[int, CallBook] = {}
        self.unknown: set[str] = set()
        self.last_response: ResponseInfo | None = None
        self.said: set[str] = set()
        self.previews: dict[int, PreviewReader] = {}

    def note(self, note: Note, *, once: bool = False) -> None:
        """Record a note at the current chunk; with ``once`` only the first of its code."""
        if once:
            if note.code in self.said:
                return
            self.said.add(note.code)
        self.diagnostics.append(diagnose(note, chunk=self.chunks, offset=self.offset))

    @property
    def choices(self) -> list[int]:
        """The choices that the response has; 0 where it has none."""
        seen = {block.choice for block in self.accumulators} | {f.choice for _, f in self.finishes}
        return sorted(seen) or [0]

    def _join(self, cls: type[TextBlock], choice: int) -> str:
        blocks = self.blocks_of(choice, final=self.finish_of(choice) is not None) if self.reasoning_tags else []
        return "".join([b.pieces.text for b in blocks or self.accumulators if type(b) is cls and b.choice == choice])

    @property
    def text(self) -> str:
        """The visible text of choice 0."""
        return self._join(TextBlock, 0)

    @property
    def thinking(self) -> str:
        """The reasoning of choice 0."""
        return self._join(ThinkingBlock, 0)

    @property
    def refusal(self) -> str:
        """The refusal text of choice 0."""
        return self._join(RefusalBlock, 0)

    @property
    def calls(self) -> list[ToolCall]:
        """The client's tool calls of choice 0, their arguments read as they stand."""
        return self.tool_calls(0)

    def blocks_of(
        self, choice: int, options: CallOptions = DEFAULT_OPTIONS, *, final: bool = True, cut: bool = False
    ) -> list[BlockAccumulator]:
        """Return the blocks of one choice; calls glued into one block, and reasoning in the text, are told apart.

        Parameters
        ----------
        choice : int
            Which one.
        options : CallOptions
            How its calls are read.
        final : bool
            Whether no more is to come: what may be the beginning of a reasoning tag is none then.
        cut : bool
            Whether it ended before its time: a reasoning tag that is never closed was none otherwise.
        """
        found: list[BlockAccumulator] = []
        finish = self.finish_of(choice)
        cut = cut or (finish is not None and finish.unified in TOO_EARLY)
        for block in self.accumulators:
            if block.choice != choice:
                continue
            if isinstance(block, ToolCallBlock) and block.named_again:
                found += block.parts(self.limits, options)
            elif self.reasoning_tags and type(block) is TextBlock:
                found += tagged_parts(block, self.reasoning_tags, final=final, recover=final and not cut)
            else:
                found.append(block)
        return found

    def tool_calls(
        self,
        choice: int = 0,
        *,
        server: bool = False,
        options: CallOptions = DEFAULT_OPTIONS,
        ended: Ended | None = None,
    ) -> list[ToolCall]:
        """Return the calls of one choice in order of first appearance.

        ``ended`` says how the transport ended, so that calls which are not over can be told; without it, and where
        the vendor runs them itself, they are taken as they stand.
        """
        blocks = self.blocks_of(choice, options)
        found = [
            (position, block)
            for position, block in enumerate(blocks)
            if isinstance(block, ToolCallBlock) and block.server == server
        ]
        names = name_calls([block for _, block in found])
        last = len(blocks) - 1
        witness = CallWitness(self, choice, [block for _, block in found], ended)
        return [
            block.value(
                ident,
                self.limits,
                position,
                options,
                made_up=made_up,
                is_over=server or ended is None or witness.is_over(block, is_last=position == last),
                gap=not server and witness.has_gap(block),
            )
            for (position, block), (ident, made_up) in zip(found, names, strict=True)
        ]

    def preview(self, choice: int = 0) -> CallPreview | None:
        """Return the latest call of a choice as far as it has come, at the cost of what has come since the last look.

        Examples
        --------
        >>> import streamviz as sv
        >>> state = sv.AssemblyState()
        >>> for text in ['{"city": "Pa', 'ris"']:
        ...     sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(text, index=0, name="weather"),)))
        ...     print(state.preview().arguments, state.preview().open_path)
        {'city': 'Pa'} $.city
        {'city': 'Paris'} $
        """
        book = self.books.get(choice)
        if book is None or book.latest is None:
            return None
        call = book.latest
        reader = self.previews.get(id(call))
        if reader is None:
            reader = self.previews[id(call)] = PreviewReader(call, self.limits)
        return reader.preview()

    @property
    def usage(self) -> Usage | None:
        """Token usage as reported so far."""
        return self.usage_reports.usage()[0]

    @property
    def finish(self) -> FinishReason | None:
        """The latest finish reason of choice 0."""
        return self.finish_of(0)

    def finish_of(self, choice: int) -> FinishReason | None:
        """Return the latest finish reason of a choice; None where its latest message has none yet."""
        return next((f for f in reversed(self.latest_finishes) if f.choice == choice), None)

    @property
    def latest_finishes(self) -> list[FinishReason]:
        """The finish reasons of the latest message, of all choices."""
        start = self.message_starts[-1] if self.message_starts else 0
        return [finish for chunk, finish in self.finishes if chunk >= start]

    def to_dict(self) -> dict[str, Any]:
        """Return the state as plain values: what two equal states have in common."""
        from .payload import block_value

        return {
            "chunks": self.chunks,
            "blocks": [block_value(block, self, position) for position, block in enumerate(self.accumulators)],
            "usage": self.usage,
            "finishes": list(self.finishes),
            "errors": list(self.errors),
            "diagnostics": list(self.diagnostics),
            "response": self.response,
            "padding": self.padding,
            "done": self.done,
            "terminal": self.terminal,
        }

    def __repr__(self) -> str:
        from ..display import state_line

        return state_line(self)

    def _repr_html_(self) -> str:
        from ..display import state_html

        return state_html(self)
