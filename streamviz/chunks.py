"""What one frame means, free of its vendor: `NormalizedChunk`, the deltas in it, usage, finish and error.

These types are pure values. A stream wrapper makes them from a frame, the router reads them; neither they nor the
wrappers remember anything from chunk to chunk.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from .diagnostics import Note

UnifiedFinish = Literal["stop", "length", "tool_calls", "content_filter", "error", "other"]
BlockIndex = int | str | None
"""The vendor's own number or name of a content block; None where it has none."""


# -- deltas -----------------------------------------------------------------------------------------------------------


class TextDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A piece of the visible answer."""

    text: str
    choice: int = 0
    """Which of several answers it belongs to (OpenAI ``n > 1``, Gemini candidates)."""
    block: BlockIndex = None
    snapshot: bool = False
    """True: the whole text of its block so far, which replaces the pieces joined before."""


class ThinkingDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A piece of the model's reasoning, or of what proves it."""

    text: str = ""
    choice: int = 0
    block: BlockIndex = None
    snapshot: bool = False
    signature: str | None = None
    """An opaque proof to be sent back with the block; several in one block are joined."""
    redacted: str | None = None
    """Encrypted reasoning, as sent; it has no text."""
    summary: bool = False
    """True: a summary of the reasoning, not the reasoning itself."""


class RefusalDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A piece of a refusal, which vendors keep apart from the answer's text."""

    text: str
    choice: int = 0
    block: BlockIndex = None
    snapshot: bool = False


class PlanDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A piece of a plan of the calls to come, which vendors keep apart from text and reasoning (Cohere)."""

    text: str
    choice: int = 0
    block: BlockIndex = None
    snapshot: bool = False


class PathArgument(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """One leaf of streamed arguments addressed by a JSON path (Vertex ``partialArgs``)."""

    path: str
    """Such as ``$.items[0].name``."""
    value: Any
    """A scalar; of a string that goes on, the next piece."""
    more: bool = False
    """True where the next piece of this string follows (``willContinue``)."""


class ToolCallDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A fragment of a tool call. Which call it belongs to is for the assembly to find out."""

    arguments: str | None = None
    """The next characters of the argument text; None where the fragment has none."""
    index: int | str | None = None
    """The vendor's number of the call in its answer."""
    id: str | None = None
    name: str | None = None
    choice: int = 0
    block: BlockIndex = None
    whole: bool = False
    """True: ``arguments`` is the whole value (vendors that send an object), not the next piece."""
    seed: bool = False
    """True: ``arguments`` stand only when no fragment follows (Anthropic's ``content_block_start``)."""
    paths: tuple[PathArgument, ...] = ()
    """Leaves of an argument object that is sent path by path."""
    last: bool = False
    """True: the vendor says that the call is complete."""
    server: bool = False
    """True: the vendor runs this call itself."""
    custom: bool = False
    """True: the arguments are free text, not JSON."""
    signature: str | None = None
    snapshot: bool = False
    """True: ``arguments`` is the whole text of a call that is open, which replaces the pieces joined before."""
    item_id: str | None = None
    """A second name of the call, beside the id that its result goes to (OpenAI Responses)."""
    position: int | None = None
    """Its place in a list of several fragments, where these have neither index nor id."""


class ToolResultDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """The result of a call that the vendor ran itself."""

    value: Any
    """As sent."""
    id: str | None = None
    """The call it answers."""
    kind: str = "tool_result"
    """The vendor's word for it."""
    choice: int = 0
    block: BlockIndex = None
    snapshot: bool = False
    """True: it replaces what came of it before."""


class CitationDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A citation, annotation or grounding note on the text."""

    value: Any
    """As sent."""
    choice: int = 0
    block: BlockIndex = None
    snapshot: bool = False
    """True: it may be one that came before; then it is not added again."""


class ModerationDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """What a content filter or guardrail says of the prompt or of the answer."""

    value: Any
    """As sent."""
    kind: str
    """The vendor's word for it."""
    choice: int = 0


class MediaDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """A piece of an image, of audio, or of a file."""

    data: str = ""
    """Base64, as sent; pieces of one block are encoded apart."""
    mime_type: str | None = None
    transcript: str = ""
    """What is said in the audio."""
    meta: Any = None
    """Ids, expiry and whatever else came with it."""
    choice: int = 0
    block: BlockIndex = None


class SignatureDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """An opaque proof on text, or on a part of its own (Gemini): it belongs to the latest block."""

    signature: str
    choice: int = 0
    block: BlockIndex = None


class BlockStop(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """The vendor says that a block is complete."""

    choice: int = 0
    block: BlockIndex = None


class UnknownDelta(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """Content of a kind that is not known: kept as it came."""

    kind: str
    value: Any
    choice: int = 0
    block: BlockIndex = None


Delta = (
    TextDelta
    | ThinkingDelta
    | RefusalDelta
    | PlanDelta
    | ToolCallDelta
    | ToolResultDelta
    | CitationDelta
    | ModerationDelta
    | MediaDelta
    | SignatureDelta
    | BlockStop
    | UnknownDelta
)


# -- usage ------------------------------------------------------------------------------------------------------------


class Billed(Struct, frozen=True, repr_omit_defaults=True):
    """What the vendor says the response cost."""

    amount: float
    currency: str
    field: str
    """The field of the report it was read from."""


class Usage(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """Token counts of one response. ``None`` means the vendor did not say; it is never 0.

    The buckets are inclusive: input counts cached input, output counts reasoning, whatever the vendor's own habit.
    Names follow the OpenTelemetry GenAI conventions.
    """

    input_tokens: int | None = None
    """All input: cached input, and prompts of server-side tools, included."""
    output_tokens: int | None = None
    """All output, reasoning included."""
    total_tokens: int | None = None
    """The vendor's total, else input + output."""
    total_is_reported: bool = False
    """Whether the vendor sent a total."""
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_creation_5m_input_tokens: int | None = None
    """Of the cache writes, those that live five minutes."""
    cache_creation_1h_input_tokens: int | None = None
    """Of the cache writes, those that live one hour."""
    reasoning_output_tokens: int | None = None
    audio_input_tokens: int | None = None
    image_input_tokens: int | None = None
    video_input_tokens: int | None = None
    audio_output_tokens: int | None = None
    image_output_tokens: int | None = None
    tool_input_tokens: int | None = None
    """Of the input, prompts that server-side tools added (Gemini)."""
    accepted_prediction_tokens: int | None = None
    rejected_prediction_tokens: int | None = None
    server_tools: dict[str, int] | None = None
    """Requests by server-side tool."""
    service_tier: str | None = None
    speed: str | None = None
    inference_geo: str | None = None
    iterations: Any = None
    """Per-iteration counts of a server-side loop, as sent; the top-level counts already hold them or not (raw)."""
    billed: Billed | None = None
    server_timing: dict[str, float] | None = None
    """Durations that the vendor measured itself, in seconds."""
    state: Literal["reported", "preliminary", "estimated", "missing", "suspect"] = "missing"
    """``preliminary``: the start report only, or the stream was cut. ``suspect``: zeros beside content."""
    raw: dict[str, Any] | None = None
    """The vendor's report, all reports of the response merged."""

    @property
    def uncached_input_tokens(self) -> int | None:
        """Input that was neither read from a cache nor written to one."""
        if self.input_tokens is None:
            return None
        return self.input_tokens - (self.cache_read_input_tokens or 0) - (self.cache_creation_input_tokens or 0)

    def __repr__(self) -> str:
        from .display import usage_line

        return usage_line(self)

    def _repr_html_(self) -> str:
        from .display import usage_html

        return usage_html(self)


class UsageFields(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """Where a vendor's usage report keeps what: a table that the usage accumulator reads.

    A place is a dotted path into the report. Of several, the first that holds a positive number counts; a zero counts
    only at the first, the documented one.
    """

    name: str
    input_tokens: tuple[str, ...] = ()
    output_tokens: tuple[str, ...] = ()
    total_tokens: tuple[str, ...] = ()
    cache_read_input_tokens: tuple[str, ...] = ()
    cache_creation_input_tokens: tuple[str, ...] = ()
    cache_creation_5m_input_tokens: tuple[str, ...] = ()
    cache_creation_1h_input_tokens: tuple[str, ...] = ()
    reasoning_output_tokens: tuple[str, ...] = ()
    audio_input_tokens: tuple[str, ...] = ()
    image_input_tokens: tuple[str, ...] = ()
    video_input_tokens: tuple[str, ...] = ()
    audio_output_tokens: tuple[str, ...] = ()
    image_output_tokens: tuple[str, ...] = ()
    tool_input_tokens: tuple[str, ...] = ()
    accepted_prediction_tokens: tuple[str, ...] = ()
    rejected_prediction_tokens: tuple[str, ...] = ()
    server_tools: tuple[str, ...] = ()
    """Objects of name → requests, or single counts (the last word of the path is the name)."""
    service_tier: tuple[str, ...] = ()
    speed: tuple[str, ...] = ()
    inference_geo: tuple[str, ...] = ()
    iterations: tuple[str, ...] = ()
    billed: tuple[tuple[str, str, float], ...] = ()
    """(place, currency, factor to whole currency units)."""
    server_timing: tuple[tuple[str, str, float], ...] = ()
    """(place, name, factor to seconds)."""
    modalities: tuple[tuple[str, str], ...] = ()
    """(place of a list of ``{modality, tokenCount}``, ``input`` or ``output``)."""
    input_excludes_cache: bool = False
    """The input count stands beside the cache counts (Anthropic, Bedrock)."""
    output_excludes_reasoning: bool = False
    """The output count stands beside the reasoning count (Gemini)."""
    adds_tool_input: bool = False
    """Tool prompts stand beside the input count (Gemini)."""
    decide_by_total: bool = False
    """Whether reasoning is inside the output is read from the total (vendors of the Chat shape differ)."""
    raw_keys: tuple[str, ...] = ()
    """Keys that are deliberately left in ``raw`` only."""


class UsageReport(Struct, frozen=True, repr_omit_defaults=True):
    """One usage report as it came, and how to read it. Inside a response a later one replaces the fields it names."""

    raw: dict[str, Any]
    fields: UsageFields
    preliminary: bool = False
    """True: counts known at the start of the response only."""


# -- finish, error, response ------------------------------------------------------------------------------------------


class FinishReason(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """Why the model stopped, in one chunk."""

    unified: UnifiedFinish | None
    raw: str | int | None
    """The vendor's own word (older Gemini SDKs write its enum number); None where it is told without one (a blocked
    prompt)."""
    choice: int = 0


class StreamError(Struct, frozen=True, repr_omit_defaults=True):
    """An error that the vendor reported inside the stream."""

    message: str
    type: str | None = None
    code: str | int | None = None
    raw: Any = None
    """The error object as sent."""


class ResponseInfo(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """What a chunk says of the response as a whole."""

    id: str | None = None
    model: str | None = None
    role: str | None = None
    starts: bool = False
    """True: this chunk opens a message (Anthropic ``message_start``, Bedrock ``messageStart``)."""


class NormalizedChunk(Struct, frozen=True, repr_omit_defaults=True, gc=False):
    """What one frame means. Chunk ``k`` is what frame ``k`` means; a comment is a chunk without deltas.

    One frame may hold thinking and text and calls and usage at once: all of it is here, in the order in which it
    stands. The properties are the flat view; where several choices are in one chunk they speak of choice 0.
    """

    deltas: tuple[Delta, ...] = ()
    finishes: tuple[FinishReason, ...] = ()
    """Finish reasons in this chunk; several only where it holds several choices."""
    usage: UsageReport | None = None
    error: StreamError | None = None
    response: ResponseInfo | None = None
    terminal: Literal["done", "terminal"] | None = None
    """The end mark: ``done`` is ``[DONE]``, ``terminal`` the vendor's own event."""
    notes: tuple[Note, ...] = ()
    padding: int = 0
    """Characters of random padding against traffic analysis (``obfuscation``, ``p``): no content."""
    sequence: int | None = None
    """The vendor's number of the event, where it counts them."""
    answer: tuple[Delta, ...] = ()
    """The whole answer again, as a last event repeats it: taken where nothing came before, else compared."""

    @property
    def content(self) -> str:
        """Visible text of choice 0 in this chunk."""
        return "".join([d.text for d in self.deltas if type(d) is TextDelta and d.choice == 0])

    @property
    def thinking(self) -> str:
        """Reasoning text of choice 0 in this chunk."""
        return "".join([d.text for d in self.deltas if type(d) is ThinkingDelta and d.choice == 0])

    @property
    def tool_calls(self) -> tuple[ToolCallDelta, ...]:
        """Tool-call fragments of choice 0 in this chunk."""
        return tuple(d for d in self.deltas if type(d) is ToolCallDelta and d.choice == 0)

    @property
    def finish(self) -> FinishReason | None:
        """The finish reason of choice 0, if this chunk has one."""
        return next((f for f in self.finishes if f.choice == 0), None)

    @property
    def finish_reason(self) -> str | int | None:
        """The vendor's own word for it."""
        finish = self.finish
        return None if finish is None else finish.raw

    def _repr_html_(self) -> str:
        from .display import chunk_html

        return chunk_html(self)


EMPTY_CHUNK = NormalizedChunk()
DONE_CHUNK = NormalizedChunk(terminal="done")
