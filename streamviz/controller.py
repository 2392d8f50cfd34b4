"""The stream controller: bytes in, chunks out, a state on the way. It knows no vendor.

`Pipeline` is the pure core; `ChunkStream` and `AsyncChunkStream` are thin drivers around it.
"""

from __future__ import annotations

import re
from array import array
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any, Self

from .assembly.payload import EmbeddedRunPayload, Ended, build_embedded_run_payloads
from .assembly.reasoning_tags import read_tags
from .assembly.router import route_chunk
from .assembly.state import AssemblyState
from .assembly.tool_calls import CallOptions
from .assembly.tools import Tools, read_tools
from .chunks import NormalizedChunk
from .diagnostics import Note
from .errors import fault_error
from .framing import FRAMERS, detect_framing
from .framing.frame import Frame, Framer
from .limits import DEFAULT_LIMITS, Limits
from .providers import StreamWrapper, detect_dialect, get_stream_wrapper, resolve_dialect
from .providers.detect import UNDECIDED_FRAMES, guess_dialect
from .repair import RepairLevel

_UNKNOWN = Note("unknown-dialect", "no known vendor speaks like this; the frames are kept as they are")
_ONE_SHAPE = {"openai-chat", "mistral"}
"""Dialects of which each reads the other."""
_SYNTHETIC = Note("synthetic-framing", "made from parsed events: framing, offsets and end mark are not the vendor's")


_OVER: Any = object()
"""What a source that is over gives: None would be a fault of the source."""
_CHUNK_SIZE = re.compile(rb"[0-9a-fA-F]{1,8}(?:[ \t]*;[^\r\n]*)?\r\n(?:(?:data|event|id|retry)?:|[{\[<])")
"""The size line of HTTP's chunked coding, and what a body begins with. https://www.rfc-editor.org/rfc/rfc9112#section-7.1"""
_CHUNKED = Note(
    "chunked-coding",
    "the sizes of HTTP's chunked coding are still in the body: it was captured before they were taken out (curl --raw)",
)


def as_bytes(data: Any) -> bytes:
    """Return a read as bytes of its own: a buffer may be used again by its owner.

    Raises
    ------
    TypeError
        It is no bytes.
    """
    if isinstance(data, bytes | bytearray | memoryview):
        return bytes(data)
    raise TypeError(f"a read is bytes, not {type(data).__name__}")


class Pipeline:
    """Bytes → frames → chunks → state, incrementally, the same for any cut of the bytes.

    Framing is always found from the bytes; the dialect is found from the first frame that gives it away, unless
    ``provider`` names it. Frames that come before are held until then.

    Parameters
    ----------
    provider : str, optional
        A dialect or alias; detected when not given.
    strict, limits, repair, decode_entities, tools, reasoning_tags
        See `process_stream`.
    synthetic : bool
        The bytes were made up from parsed events.

    Raises
    ------
    UnknownProviderError
        No wrapper speaks for ``provider``.
    """

    def __init__(
        self,
        provider: str | None = None,
        *,
        strict: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        repair: RepairLevel = "safe",
        decode_entities: bool = False,
        tools: Tools = (),
        reasoning_tags: bool | Iterable[str] = False,
        synthetic: bool = False,
    ) -> None:
        if provider is not None and not isinstance(provider, str):
            what = "the provider is a name, and stands before the source"  # type: ignore[unreachable]
            raise TypeError(f"{what}; this is a {type(provider).__name__}")
        names, schemas = read_tools(tools)
        if repair not in ("off", "safe", "guess"):
            raise ValueError(f"repair is one of 'off', 'safe', 'guess', not {repair!r}")
        self._state = AssemblyState(limits, read_tags(reasoning_tags))
        self.framing: str | None = None
        """``sse``, ``eventstream``, ``json-array``, ``json-lines`` or ``body``; None before the first bytes tell."""
        self.frame_ends = array("Q")
        """Byte offset after each frame: frame k is ``frame_ends[k - 1]:frame_ends[k]``."""
        self.finished = False
        self.aborted = False
        self.synthetic = synthetic
        """Whether the bytes were made up from parsed events."""
        self.notes: list[Note] = [_SYNTHETIC] if synthetic else []
        """What is odd about the stream as a whole."""
        self._strict = strict
        self._limits = limits
        self.options = CallOptions(repair=repair, decode_entities=decode_entities, tools=names, schemas=schemas)
        """How tool calls are read."""
        self._framer: Framer | None = None
        self._head = b""
        self._wrapper: StreamWrapper | None = None
        if provider is not None and resolve_dialect(provider) != "bedrock":
            self._wrapper = get_stream_wrapper(provider)
        self._unchecked = self._wrapper is not None  # whether the dialect that was named may be the wrong one
        self._held: list[Frame] = []
        self._held_events = 0
        self._torn = False

    @property
    def state(self) -> AssemblyState:
        """The accumulators after the chunks so far."""
        if not self.finished:
            held = sum([frame.end - frame.start for frame in self._held])
            self._state.pending = len(self._head) + held + (self._framer.pending_bytes if self._framer else 0)
        return self._state

    @property
    def dialect(self) -> str | None:
        """How the stream speaks; None as long as that is open."""
        return None if self._wrapper is None else self._wrapper.dialect

    @property
    def ended(self) -> Ended:
        """How the transport ended, or how it stands now."""
        state = self._state
        if state.errors:
            return "error"
        if not (self._torn and state.goes_on):  # what went on behind the end mark, and was torn, had none
            if state.done:
                return "done"
            if state.terminal:
                return "terminal"
        if self.aborted:
            return "aborted"
        return "torn" if self._torn else "clean"

    def feed(self, data: bytes) -> list[NormalizedChunk]:
        """Take the next bytes and return the chunks that they complete."""
        if type(data) is not bytes:
            data = as_bytes(data)
        framer = self._framer
        if framer is None:
            self._head = data = self._head + data
            framing = detect_framing(data, final=False)
            if framing is None:
                return []
            framer = self._begin(framing)
            self._head = b""
        return self._take(framer.feed(data))

    def finish(self, *, aborted: bool = False) -> list[NormalizedChunk]:
        """Take the end of the stream and return the chunks of what was left."""
        self.finished = True
        self.aborted = aborted
        chunks: list[NormalizedChunk] = []
        framer = self._framer
        if framer is None:
            framer = self._begin(detect_framing(self._head, final=True) or "body")
            chunks = self._take(framer.feed(data)) if (data := self._head) else []
            self._head = b""
        last = framer.finish()
        chunks += self._take(last)
        if self._held:
            chunks += self._decide("unknown")
        if last:
            fault = last[-1].fault
            self._torn = last[-1].kind in ("tail", "bad") and fault is not None and fault.code != "unterminated-tail"
        self._state.pending = last[-1].end - last[-1].start if self._torn else 0
        if not self._state.chunks:
            self.notes.append(Note("empty-body", "the body has no bytes"))
        if self._strict and not aborted:
            for payload in self.payloads():
                self._raise_faults(payload)
        return chunks

    def payloads(self) -> list[EmbeddedRunPayload]:
        """Build the payloads of what came so far, one a choice."""
        wrapper = self._wrapper
        has_mark = wrapper is not None and wrapper.has_end_mark and self._state.chunks > 0
        has_mark = has_mark and not self.synthetic  # whoever parsed the events kept the mark to himself
        return build_embedded_run_payloads(
            self._state,
            self.ended,
            options=self.options,
            has_end_mark=has_mark,
            is_over=self.finished and wrapper is not None and wrapper.tells_its_end,
            notes=self.notes,
        )

    def trust(self) -> None:
        """Take the dialect that was named as the right one, without a look at the bytes."""
        self._unchecked = False

    def _begin(self, framing: str) -> Framer:
        self.framing = framing
        if _CHUNK_SIZE.match(self._head):
            self.notes.append(_CHUNKED)
        self._framer = FRAMERS[framing](self._limits)
        if self._unchecked and self._wrapper and self._head and framing not in self._wrapper.framings:
            expected = " or ".join(self._wrapper.framings)
            self.notes.append(
                Note("unexpected-framing", f"{self._wrapper.dialect} comes as {expected}; this body is {framing}")
            )
        return self._framer

    def _take(self, frames: list[Frame]) -> list[NormalizedChunk]:
        """Normalise and route frames, or hold them until the dialect is known."""
        if self._wrapper is not None:
            if self._unchecked:
                self._check(self._wrapper, frames)
            return self._route(self._wrapper, frames)
        for position, frame in enumerate(frames):
            self._held.append(frame)
            dialect = detect_dialect(frame)
            self._held_events += bool(frame.data)
            if dialect is not None or self._held_events >= UNDECIDED_FRAMES:
                chunks = self._decide(dialect or "unknown")
                return chunks + self._take(frames[position + 1 :])
        return []

    def _check(self, wrapper: StreamWrapper, frames: list[Frame]) -> None:
        """Hold the dialect that the caller named against what the first frame that tells gives away."""
        guess = next((guess for frame in frames if (guess := guess_dialect(frame)) is not None), None)
        if guess is None:
            return
        self._unchecked = False
        if guess.dialect not in ("unknown", wrapper.dialect) and {guess.dialect, wrapper.dialect} != _ONE_SHAPE:
            message = f"read as {wrapper.dialect}, but it looks like {guess.dialect}: {guess.reason}"
            self.notes.append(Note("unexpected-dialect", message))

    def _decide(self, dialect: str) -> list[NormalizedChunk]:
        """Settle the dialect and route the frames that were held."""
        self._wrapper = get_stream_wrapper(dialect)
        held, self._held = self._held, []
        chunks = self._route(self._wrapper, held)
        if dialect == "unknown" and any(c.deltas for c in chunks):
            self.notes.append(_UNKNOWN)
        return chunks

    def _route(self, wrapper: StreamWrapper, frames: list[Frame]) -> list[NormalizedChunk]:
        state = self._state
        normalize = wrapper.normalize
        ends = self.frame_ends
        chunks: list[NormalizedChunk] = []
        strict = self._strict
        for frame in frames:
            chunk = normalize(frame)
            state.offset = frame.start
            seen = len(state.diagnostics) if strict else 0
            route_chunk(state, chunk)
            ends.append(frame.end)
            chunks.append(chunk)
            if strict and len(state.diagnostics) > seen:
                self._raise_faults(state, seen)
        return chunks

    @staticmethod
    def _raise_faults(holder: AssemblyState | EmbeddedRunPayload, start: int = 0) -> None:
        for diagnostic in holder.diagnostics[start:]:
            if diagnostic.severity == "fault":
                raise fault_error(diagnostic)


class _Stream:
    """What the two streams share: the pipeline, the chunks that are ready, and what it all has come to."""

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._ready: deque[NormalizedChunk] = deque()
        self._over = False

    @property
    def state(self) -> AssemblyState:
        """The accumulators after the chunks so far."""
        return self._pipeline.state

    @property
    def dialect(self) -> str | None:
        """How the stream speaks; None as long as that is open."""
        return self._pipeline.dialect

    @property
    def payloads(self) -> list[EmbeddedRunPayload]:
        """What the chunks so far amount to, one payload a choice."""
        return self._pipeline.payloads()

    @property
    def payload(self) -> EmbeddedRunPayload:
        """What the chunks so far amount to."""
        return self.payloads[0]

    def _end(self, *, aborted: bool = False) -> None:
        """Take the end of the stream, once."""
        if not self._over:
            self._over = True
            self._ready.extend(self._pipeline.finish(aborted=aborted))


class ChunkStream(_Stream):
    """An iterator of chunks over a source of bytes; its state and payload are there at any time.

    Closing it or leaving its ``with`` block releases the source.
    """

    def __init__(self, pipeline: Pipeline, source: Iterable[bytes]) -> None:
        super().__init__(pipeline)
        self._source = source
        self._reads = iter(source)

    def __iter__(self) -> Iterator[NormalizedChunk]:
        return self

    def __next__(self) -> NormalizedChunk:
        try:
            while not self._ready and not self._over:
                data = next(self._reads, _OVER)
                if data is _OVER:
                    self._end()
                    _release(self._source)
                else:
                    self._ready.extend(self._pipeline.feed(data))
        except BaseException:
            self.close()
            raise
        if self._ready:
            return self._ready.popleft()
        raise StopIteration

    def close(self) -> None:
        """Stop reading and release the source. What came is kept; the run counts as aborted."""
        self._end(aborted=True)
        for held in (self._reads, self._source):
            _release(held)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class AsyncChunkStream(_Stream):
    """The same over an asynchronous source."""

    def __init__(self, pipeline: Pipeline, source: AsyncIterable[bytes]) -> None:
        super().__init__(pipeline)
        self._source = source
        self._reads = aiter(source)

    def __aiter__(self) -> AsyncIterator[NormalizedChunk]:
        return self

    async def __anext__(self) -> NormalizedChunk:
        try:
            while not self._ready and not self._over:
                data = await anext(self._reads, _OVER)
                if data is _OVER:
                    self._end()
                    await _arelease(self._source)
                else:
                    self._ready.extend(self._pipeline.feed(data))
        except BaseException:
            await self.aclose()
            raise
        if self._ready:
            return self._ready.popleft()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Stop reading and release the source. What came is kept; the run counts as aborted."""
        self._end(aborted=True)
        for held in (self._reads, self._source):
            await _arelease(held)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exception: object) -> None:
        await self.aclose()


def _release(source: Any) -> None:
    close = getattr(source, "close", None)
    if close is not None:
        close()


async def _arelease(source: Any) -> None:
    close = getattr(source, "aclose", None)
    if close is not None:
        await close()


def process_stream(
    provider: str | None,
    source: Iterable[bytes],
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    repair: RepairLevel = "safe",
    decode_entities: bool = False,
    tools: Tools = (),
    reasoning_tags: bool | Iterable[str] = False,
) -> ChunkStream:
    r"""Assemble a stream while it arrives.

    Parameters
    ----------
    provider : str or None
        Who sends it; None to find out from the bytes.
    source : iterable of bytes
        The reads, cut anywhere. If it has a ``close`` method, that is called at the end, however it comes.
    strict : bool
        Raise at the first fault in the data, with its place.
    limits : Limits
        Bounds on memory.
    repair : {"safe", "guess", "off"}
        What may be done to tool-call arguments that are no valid JSON; see `repair_json`.
    decode_entities : bool
        Decode HTML entities in tool-call arguments, once.
    tools : iterable of str or mapping, or mapping
        The tools that the request offered: names, or the definitions as they stand in the request, or the JSON Schema
        of the arguments by name. Calls are then resolved to one of them where there is no doubt (``functions.read:0``
        is ``read``), and a call of any other tool is not executable. Where the schema is known, each call is validated,
        too, and what is of the wrong type by its spelling is mended.
    reasoning_tags : bool or iterable of str
        Take what the text holds between tags as reasoning: True for ``<think>``, ``<thinking>``, ``<thought>`` and
        ``<reasoning>``, or the names. Tags in code are text, and so is a tag that is never closed, unless the answer
        was cut off.

    Returns
    -------
    ChunkStream
        An iterator of `NormalizedChunk`; ``.state`` and ``.payload`` at any time.

    Raises
    ------
    UnknownProviderError
        No wrapper speaks for ``provider``.
    StreamFaultError
        Under ``strict``, while iterating: a fault in the data.

    Examples
    --------
    >>> reads = [b'data: {"choices":[{"delta":{"content":"Hel', b'lo"},"finish_reason":"stop"}]}\n\n']
    >>> stream = process_stream("openai", reads)
    >>> [chunk.content for chunk in stream]
    ['Hello']
    >>> stream.payload.finish.unified
    'stop'
    """
    return ChunkStream(
        Pipeline(
            provider,
            strict=strict,
            limits=limits,
            repair=repair,
            decode_entities=decode_entities,
            tools=tools,
            reasoning_tags=reasoning_tags,
        ),
        source,
    )


def aprocess_stream(
    provider: str | None,
    source: AsyncIterable[bytes],
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    repair: RepairLevel = "safe",
    decode_entities: bool = False,
    tools: Tools = (),
    reasoning_tags: bool | Iterable[str] = False,
) -> AsyncChunkStream:
    r"""Assemble a stream while it arrives from an asynchronous source; see `process_stream`.

    Returns
    -------
    AsyncChunkStream
        An asynchronous iterator of `NormalizedChunk`.

    Examples
    --------
    >>> import asyncio
    >>> async def reads():
    ...     yield b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n'
    >>> async def main():
    ...     return [chunk.content async for chunk in aprocess_stream("openai", reads())]
    >>> asyncio.run(main())
    ['Hi']
    """
    return AsyncChunkStream(
        Pipeline(
            provider,
            strict=strict,
            limits=limits,
            repair=repair,
            decode_entities=decode_entities,
            tools=tools,
            reasoning_tags=reasoning_tags,
        ),
        source,
    )
