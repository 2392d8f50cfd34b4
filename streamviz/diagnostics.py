"""What can be said against a stream: codes, how grave each is, and where it was seen.

A layer that sees something odd attaches a `Note` (a code and a sentence). The assembly turns notes into
`Diagnostic` values, which also carry the place. The table `CODES` is the only list of codes.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

Severity = Literal["fault", "warning", "note"]

CODES: dict[str, tuple[Severity, str]] = {
    # the bytes
    "not-a-stream": ("fault", "the body is not what a stream looks like"),
    "empty-body": ("fault", "the body has no bytes"),
    "finish-error": ("fault", "the finish reason says that the answer failed"),
    "unexpected-dialect": ("fault", "the stream looks like another dialect than the one that was named"),
    "recording-torn": ("fault", "the recording file has no last line"),
    "recording-line": ("fault", "a line of the recording file cannot be read"),
    "recording-changed": ("fault", "the bytes in the recording file are not those that were recorded"),
    "recording-version": ("warning", "the recording file is of another version of the format"),
    "chunked-coding": ("fault", "the sizes of HTTP's chunked coding are still in the body"),
    "synthetic-framing": ("note", "the bytes were made up from parsed events"),
    "unexpected-framing": ("warning", "the body is framed in another way than its vendor announces"),
    "bad-frame": ("fault", "a transport frame is broken"),
    "prelude-crc-mismatch": ("fault", "the prelude of an event-stream message fails its checksum"),
    "message-crc-mismatch": ("fault", "an event-stream message fails its checksum"),
    "length-too-small": ("fault", "an event-stream message states a length below the smallest one"),
    "headers-length": ("fault", "the headers of an event-stream message are longer than the message"),
    "header-truncated": ("fault", "a header of an event-stream message does not end inside the headers"),
    "header-type": ("fault", "a header of an event-stream message is of a type that does not exist"),
    "header-name-empty": ("fault", "a header of an event-stream message has no name"),
    "header-utf8": ("fault", "a header of an event-stream message is not UTF-8"),
    "duplicate-header": ("fault", "a header of an event-stream message occurs twice"),
    "unread": ("warning", "bytes behind a fault that ends the stream; they were not read"),
    "not-a-field": ("warning", "a block of lines that are no fields of a server-sent event"),
    "event-without-data": ("warning", "a server-sent event that has a name and no data; the standard drops it"),
    "frame-too-large": ("fault", "a frame is larger than the limit"),
    "bad-utf8": ("warning", "bytes that are not UTF-8, shown as U+FFFD"),
    "torn-tail": ("fault", "the stream stops inside a frame"),
    "stream-cut": ("fault", "the stream stops between two frames, and nothing in it says that the answer is over"),
    "unterminated-tail": ("warning", "the last frame has no terminator but is complete, and was read"),
    "trailing-data": ("warning", "bytes after the end of the body"),
    "frames-after-end": ("note", "frames after the vendor's end mark"),
    "aborted": ("warning", "the reader stopped before the stream ended"),
    # what a frame says
    "bad-json": ("fault", "the data of a frame is not JSON"),
    "too-deep": ("fault", "JSON nested deeper than the limit"),
    "unexpected-json": ("warning", "JSON of a shape that this vendor does not send"),
    "ill-typed": ("warning", "a field of another type than this vendor sends; kept aside"),
    "unknown-dialect": ("warning", "no known vendor speaks like this"),
    "unknown-event": ("note", "an event of a kind that is not known"),
    "unknown-delta": ("note", "a piece of content of a kind that is not known"),
    "lone-surrogate": ("warning", "half of a surrogate pair, shown as U+FFFD"),
    "replacement-characters": ("note", "U+FFFD in the text: bytes were lost before or during decoding"),
    "error-in-stream": ("fault", "the vendor reports an error"),
    "not-streamed": ("note", "the server sent one whole answer instead of a stream"),
    "snapshot-differs": ("warning", "an authoritative text differs from the pieces sent before it"),
    "prompt-blocked": ("warning", "the vendor refused the prompt"),
    # finish and end
    "finish-missing": ("warning", "no finish reason was sent"),
    "finish-repeated": ("note", "a finish reason was sent more than once"),
    "finish-contradicts": ("warning", "two different finish reasons were sent"),
    "finish-unknown": ("warning", "a finish reason that is not known"),
    "finish-message": ("note", "what the vendor says of the finish"),
    "calls-missing": ("warning", "the reason says tool calls, and there is none"),
    "stop-but-calls": ("note", "the reason says stop, yet the answer is tool calls only"),
    "turn-continues": ("note", "the vendor paused the turn; it goes on in the next request"),
    "end-mark-missing": ("warning", "the vendor's end mark never came"),
    "content-after-finish": ("note", "content after the finish reason"),
    "message-restarted": ("warning", "a second message starts inside one stream"),
    "stream-aborted": ("fault", "the application says that the stream was stopped"),
    "app-data": ("note", "data of the application itself, beside the answer"),
    "sequence-gap": ("warning", "the vendor's numbers of the events have a gap"),
    "sequence-repeated": ("warning", "the vendor's numbers of the events do not go up"),
    # tool calls
    "call-id-changed": ("warning", "a tool call got another id when it was complete"),
    "item-id-missing": ("note", "an event of a call did not say which call it belongs to"),
    "call-id-missing": ("note", "a tool call without an id; one was made up from its position"),
    "call-id-reused": ("warning", "a second tool call under an id that was taken; it got one from its position"),
    "call-index-reused": ("warning", "a new tool call at an index that was taken"),
    "call-identity-ambiguous": ("warning", "it is not certain which call a fragment belongs to"),
    "call-name-missing": ("warning", "a tool call without a name"),
    "call-name-unknown": ("warning", "a tool call of a tool that is not offered"),
    "call-name-resolved": ("note", "the name of a tool call was spelled otherwise than that of the tool it means"),
    "call-name-changed": ("warning", "the name of a call changed after its arguments had begun"),
    "call-input-sent-twice": ("warning", "the arguments came whole and in fragments; the fragments count"),
    "call-gap": ("fault", "something could not be read while a tool call was open, and may have been its own"),
    "call-incomplete": ("fault", "the arguments of a tool call end inside the value"),
    "call-repaired": ("warning", "the arguments of a tool call were repaired"),
    "calls-glued": ("fault", "several different values stand in the arguments of one tool call"),
    "calls-told-apart": ("warning", "calls that came under one index and one id are two: the tool was named again"),
    "call-invalid-json": ("fault", "the arguments of a tool call cannot be read"),
    "call-schema-violation": ("warning", "the arguments of a tool call are not what its JSON Schema allows"),
    "duplicate-key": ("warning", "an object in the arguments of a tool call names a key more than once"),
    "arguments-too-large": ("fault", "the arguments of a tool call are larger than the limit"),
    # usage
    "usage-missing": ("note", "no token usage was reported"),
    "usage-malformed": ("warning", "a usage count that is no number"),
    "usage-total-mismatch": ("warning", "the reported total is not the sum of its parts"),
    "usage-zero-beside-content": ("warning", "zero tokens were reported for an answer with content"),
    "reasoning-outside-completion": ("note", "reasoning tokens are not inside the completion count; they were added"),
}
"""Every code with its severity and what it means. A ``fault`` is what ``strict=True`` raises on."""


class Note(Struct, frozen=True, gc=False):
    """Something odd that a layer saw, without its place."""

    code: str
    """One of `CODES`."""
    message: str
    """One sentence with the particulars. It may quote the stream: untrusted text."""
    position: int | None = None
    """Where inside the frame's data, in bytes, when that is known."""


class Diagnostic(Struct, frozen=True, kw_only=True, gc=False):
    r"""Something odd about a stream, with its place.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices": [\n\n', provider="openai")
    >>> print(run.payload.diagnostics[0])
    fault bad-json at byte 0 (chunk 0): Expecting value: line 1 column 14 (char 13): '{"choices": ['
    """

    code: str
    """One of `CODES`."""
    severity: Severity
    """``fault``: something is lost or wrong. ``warning``: look at it. ``note``: good to know."""
    message: str
    """One sentence with the particulars; untrusted text."""
    chunk: int | None = None
    """The chunk, which is also the frame, in which it was seen; None for the stream as a whole."""
    offset: int | None = None
    """Byte offset in the recording of that frame's start."""
    position: int | None = None
    """Place inside it: bytes in a frame's data, characters in a call's arguments."""

    @property
    def frame(self) -> int | None:
        """The frame in which it was seen: frames and chunks have one numbering."""
        return self.chunk

    def __str__(self) -> str:
        from .display.untrusted import visible_line

        place = "" if self.offset is None else f" at byte {self.offset}"
        if self.chunk is not None:
            place += f" (chunk {self.chunk})"
        return f"{self.severity} {self.code}{place}: {visible_line(self.message)}"

    def _repr_html_(self) -> str:
        from .display import diagnostic_html

        return diagnostic_html(self)


class Diagnostics(tuple[Diagnostic, ...]):
    """Diagnostics, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from .display import diagnostics_html

        return diagnostics_html(self)


def diagnose(note: Note, *, chunk: int | None = None, offset: int | None = None) -> Diagnostic:
    """Give a note its severity and its place."""
    return Diagnostic(
        code=note.code,
        severity=CODES[note.code][0],
        message=note.message,
        chunk=chunk,
        offset=offset,
        position=note.position,
    )
