"""`StreamRun`: the one object everything hangs on. It keeps the bytes, and builds what is asked for from them."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from .assembly.payload import EmbeddedRunPayload, Ended
from .assembly.state import AssemblyState, BlockAccumulator
from .assembly.tools import Tools
from .chunks import NormalizedChunk
from .controller import Pipeline, as_bytes
from .framing import FRAMERS
from .framing.frame import Frame
from .history import History, Steps
from .limits import DEFAULT_LIMITS, Limits
from .providers import get_stream_wrapper, resolve_dialect
from .providers.vendors import guess_vendor
from .recording import Recording
from .recording.svrec import write_lines, zipped
from .repair import RepairLevel
from .sources import READ_BYTES, open_source
from .views import RunViews


class StreamRun(RunViews):
    r"""One response: its bytes, and what every layer made of them.

    A run grows with `feed` and is closed by `finish`; `read` makes a finished one.

    Parameters
    ----------
    provider : str, optional
        A dialect or alias; detected when not given.
    source : str, optional
        Where the bytes come from, for display.
    strict, limits, repair, decode_entities, tools, reasoning_tags
        See `process_stream`.
    synthetic : bool
        The bytes are made up from parsed events; see `from_events`.

    Examples
    --------
    >>> run = StreamRun("openai")
    >>> _ = run.feed(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    >>> run.finish().payload.assistant_text
    'Hi'
    """

    def __init__(
        self,
        provider: str | None = None,
        *,
        source: str | None = None,
        strict: bool = False,
        limits: Limits = DEFAULT_LIMITS,
        repair: RepairLevel = "safe",
        decode_entities: bool = False,
        tools: Tools = (),
        reasoning_tags: bool | Iterable[str] = False,
        synthetic: bool = False,
    ) -> None:
        self.recording = Recording(source=source)
        self.provider = provider
        self.limits = limits
        self.finished = False
        self._built = False  # whether something was built from the bytes, and must be dropped when more come
        self._pipeline = Pipeline(
            provider,
            strict=strict,
            limits=limits,
            repair=repair,
            decode_entities=decode_entities,
            tools=tools,
            reasoning_tags=reasoning_tags,
            synthetic=synthetic,
        )

    # -- growing ------------------------------------------------------------------------------------------------------

    def feed(self, data: bytes, time_s: float | None = None) -> list[NormalizedChunk]:
        """Take the next read and return the chunks that it completes.

        Parameters
        ----------
        data : bytes
            The read, cut anywhere.
        time_s : float, optional
            Seconds since the request was sent.
        """
        if self._built:
            self._forget()
        if type(data) is not bytes:
            data = as_bytes(data)
        self.recording.append(data, time_s)
        return self._pipeline.feed(data)

    def finish(self, *, aborted: bool = False) -> StreamRun:
        """Take the end of the stream; return the run itself."""
        if not self.finished:
            self._forget()
            self.finished = True
            self._pipeline.finish(aborted=aborted)
        return self

    def _take(self, reads: Iterable[Any]) -> None:
        """Take many reads at once; `feed` would collect the chunks, of a long file too many."""
        for data in reads:
            data = data if type(data) is bytes else as_bytes(data)
            self.recording.append(data)
            for piece in _pieces([data]):
                self._pipeline.feed(piece)

    def _again(self, reads: Iterable[bytes], times_s: Iterable[float], note: str) -> StreamRun:
        """Return a finished run over other reads: of the same dialect, with the same options, called by what was done.

        Only ``strict`` is not kept: what was damaged on purpose is to be looked at, not refused.
        """
        pipeline = self._pipeline
        options = pipeline.options
        found = pipeline.dialect if pipeline.dialect != "unknown" else None
        named = self.provider is not None and resolve_dialect(self.provider) == found
        run = StreamRun(
            self.provider if named else found,
            source=f"{self.name}, {note}",
            limits=self.limits,
            repair=options.repair,
            decode_entities=options.decode_entities,
            tools={name: options.schemas.get(name) for name in options.tools},
            reasoning_tags=pipeline.state.reasoning_tags,
            synthetic=pipeline.synthetic,
        )
        if not named:
            run._pipeline.trust()
        run.recording.know(self.recording)
        run.recording.times_s = array("d", times_s)
        run._take(reads)
        return run.finish(aborted=pipeline.aborted)

    def _forget(self) -> None:
        """Drop what was built from the bytes so far."""
        self._built = False
        for name in ("frames", "chunks", "payloads", "history", "frame_times_s", "timing"):
            self.__dict__.pop(name, None)

    def save(self, path: str | os.PathLike[str]) -> None:
        r"""Write the recording to a file that `read` opens again: the reads, their times, what is known of the request.

        The format (``.svrec``, JSON lines) is described in `streamviz.recording.svrec`. Credentials in the request are
        not written.

        Parameters
        ----------
        path : str or path
            The file; with a name that ends in ``.gz`` it is compressed.

        Raises
        ------
        OSError
            The file cannot be written.

        Examples
        --------
        >>> import tempfile, pathlib
        >>> run = StreamRun()
        >>> _ = run.feed(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', time_s=0.25)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "hi.svrec")
        >>> run.finish().save(path)
        >>> read(path).payload.assistant_text, list(read(path).recording.times_s)
        ('Hi', [0.25])
        """
        from . import __version__

        lines = write_lines(
            self.recording,
            provider=self.provider,
            dialect=self.dialect,
            synthetic=self.synthetic,
            aborted=self._pipeline.aborted,
            version=__version__,
        )
        data = b"".join(lines)
        Path(path).write_bytes(zipped(data) if str(path).endswith(".gz") else data)

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def source(self) -> str | None:
        """Where the bytes were read from."""
        return self.recording.source

    @property
    def name(self) -> str:
        """What the run is called in tables and plots: its source."""
        return self.source or "run"

    @property
    def timed(self) -> Literal["reads", "none"]:
        """Whether arrival times are known: of every read, or not at all."""
        return "reads" if self.recording.is_timed else "none"

    @property
    def dialect(self) -> str:
        """How the stream speaks: ``openai-chat``, ``anthropic``, ``google`` … or ``unknown``."""
        return self._pipeline.dialect or "unknown"

    @property
    def framing(self) -> str | None:
        """``sse``, ``eventstream``, ``json-array``, ``json-lines`` or ``body``."""
        return self._pipeline.framing

    @cached_property
    def vendor(self) -> str | None:
        """Who sent it, where the bytes or ``provider`` tell."""
        return guess_vendor(self.provider, self.dialect, self.recording.slice(0, READ_BYTES))

    @property
    def synthetic(self) -> bool:
        """Whether the bytes were made up from parsed events."""
        return self._pipeline.synthetic

    @property
    def ended(self) -> Ended:
        """How the transport ended."""
        return self._pipeline.ended

    @property
    def state(self) -> AssemblyState:
        """The accumulators after all chunks."""
        return self._pipeline.state

    @property
    def frame_ends(self) -> array[int]:
        """Byte offset after each frame; the frames tile the recording."""
        return self._pipeline.frame_ends

    @cached_property
    def payloads(self) -> list[EmbeddedRunPayload]:
        """What the response amounts to, one payload a choice."""
        self._built = True
        return self._pipeline.payloads()

    @property
    def payload(self) -> EmbeddedRunPayload:
        """What the response amounts to: the payload of choice 0."""
        return self.payloads[0]

    def accumulators(self, choice: int = 0) -> list[BlockAccumulator]:
        """Return what the blocks of a choice's payload were built from, number for number: pieces, and their chunks."""
        cut = self.ended in ("torn", "error", "aborted")
        return self.state.blocks_of(choice, self._pipeline.options, cut=cut)

    # -- every step of it ---------------------------------------------------------------------------------------------

    def _walk(self) -> Iterator[Frame]:
        """Yield the frames, built anew from the bytes: any cut of these gives the same, so none need be kept."""
        if self.framing is None:
            return
        framer = FRAMERS[self.framing](self.limits)
        for piece in _pieces(self.recording.reads):
            yield from framer.feed(piece)
        if self.finished:
            yield from framer.finish()

    @cached_property
    def frames(self) -> list[Frame]:
        """The transport units."""
        self._built = True
        return list(self._walk())

    @cached_property
    def chunks(self) -> list[NormalizedChunk]:
        """What each frame means: chunk k is frame k."""
        self._built = True
        if self._pipeline.dialect is None:
            return []
        normalize = get_stream_wrapper(self._pipeline.dialect).normalize
        return [normalize(frame) for frame in islice(self._walk(), len(self.frame_ends))]

    @cached_property
    def history(self) -> History:
        """What the chunks did, one after the other; `state_at` and `steps` are had from it."""
        self._built = True
        return History(self.chunks, self.frame_ends, self.limits, self._pipeline.state.reasoning_tags)

    @cached_property
    def frame_times_s(self) -> array[float]:
        """When each frame was complete: the time of the read with its last byte, in seconds since the request was sent.

        Empty where no times were recorded.
        """
        self._built = True
        return self.recording.times_of(self.frame_ends)

    def state_at(self, k: int) -> AssemblyState:
        r"""Return the accumulators after the first ``k`` chunks; negative counts from the end, as a slice does.

        The run goes from the nearest of the states that it kept, so that each costs about the same.

        Examples
        --------
        >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
        >>> run = read("".join(frame % text for text in ("Hel", "lo", "!")).encode())
        >>> [run.state_at(k).text for k in (0, 1, 2, -1)]
        ['', 'Hel', 'Hello', 'Hello']
        """
        return self.history.state_at(slice(k).indices(len(self.chunks))[1])

    def steps(self) -> Steps:
        r"""Return what each chunk did: a sequence of `Step`, each made when it is asked for.

        Examples
        --------
        >>> run = read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
        >>> for step in run.steps():
        ...     print(step)
        chunk 0, bytes 0:71: text (block 0) opens takes 'Hi' at 0; finish
        chunk 1, bytes 71:85: end
        """
        return Steps(self.history, self.chunks, self.frame_ends, self.frame_times_s)

    def bytes_of(self, k: int) -> bytes:
        """Return the bytes of frame (and chunk) ``k``."""
        ends = self.frame_ends
        k = range(len(ends))[k]
        return self.recording.slice(ends[k - 1] if k else 0, ends[k])

    def __repr__(self) -> str:
        from .display import run_line

        return run_line(self)

    def _repr_html_(self) -> str:
        from .display import run_card_html

        return run_card_html(self)


def _pieces(reads: Iterable[bytes]) -> Iterable[bytes]:
    """Cut long reads: a framer splits a whole piece at once, and a file is one read."""
    for data in reads:
        for start in range(0, len(data), READ_BYTES):
            yield data[start : start + READ_BYTES]


def read(
    source: Any,
    provider: str | None = None,
    *,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    repair: RepairLevel = "safe",
    decode_entities: bool = False,
    tools: Tools = (),
    reasoning_tags: bool | Iterable[str] = False,
) -> StreamRun:
    r"""Read a recorded response and say what it amounts to.

    Parameters
    ----------
    source : path, bytes, binary file or iterable of bytes
        The body as the vendor sent it, or a recording file (see `StreamRun.save`). A ``str`` is a path.
    provider : str, optional
        Who sent it (``"openai"``, ``"anthropic"``, ``"google"``, ``"bedrock"`` …); detected when not given.
    strict : bool
        Raise at the first fault in the data, with its place. By default data never raises.
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
    StreamRun

    Raises
    ------
    OSError
        The file cannot be read.
    TypeError
        ``source`` is nothing that bytes can be read from.
    UnknownProviderError
        No wrapper speaks for ``provider``.
    StreamFaultError
        Under ``strict``: a fault in the data.

    Examples
    --------
    >>> run = read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
    >>> run.dialect, run.payload.assistant_text, run.payload.ended
    ('openai-chat', 'Hi', 'done')
    """
    opened = open_source(source)
    saved = opened.saved
    run = StreamRun(
        provider or (saved.provider if saved else None),
        source=opened.name,
        synthetic=saved is not None and saved.synthetic,
        strict=strict,
        limits=limits,
        repair=repair,
        decode_entities=decode_entities,
        tools=tools,
        reasoning_tags=reasoning_tags,
    )
    if saved is not None:
        run.recording.know(saved.recording)
        run._pipeline.notes += saved.notes  # noqa: SLF001
    run._take(opened.reads)  # noqa: SLF001
    return run.finish(aborted=saved is not None and saved.aborted)
