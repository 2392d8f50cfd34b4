"""What a stream wrapper is: one vendor's meaning, frame by frame."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from ..chunks import DONE_CHUNK, EMPTY_CHUNK, NormalizedChunk, UnknownDelta
from ..diagnostics import Note
from ..framing.frame import Frame
from ..framing.sse import missing_data
from .decoding import NOTHING, TYPED_ERRORS, Misfit, conform, decode_plain
from .errors import error_chunk_of_text, error_of, read_error

E = TypeVar("E", bound=msgspec.Struct)


class StreamWrapper(ABC):
    """Turn each frame of one dialect into a `NormalizedChunk`.

    A wrapper should be a pure function of the frame: what needs memory (which block is open, which call a fragment
    belongs to) is the assembly's business. One that does remember something must give the same chunks whenever it is
    made anew and fed the same frames from the start.

    Subclass `JSONWrapper` for vendors whose frames are JSON objects.
    """

    dialect: ClassVar[str]
    """The name of the dialect, as in ``run.dialect``."""
    has_end_mark: ClassVar[bool] = False
    """Whether the vendor always sends an end mark, so that a missing one is worth a word."""
    tells_its_end: ClassVar[bool] = True
    """Whether the vendor says by a finish reason or an end mark that an answer is over."""
    framings: ClassVar[tuple[str, ...]] = ("sse", "json-lines", "body")
    """How the vendor frames its bodies; another framing is read too, and noted."""
    usage_option: ClassVar[str | None] = None
    """Where a request asks for token usage, as a dotted path; None where it is sent unasked."""
    repeats_usage: ClassVar[bool] = False
    """Whether the vendor reports usage in many chunks by habit, each report in place of the one before."""

    def normalize(self, frame: Frame) -> NormalizedChunk:
        """Return what the frame means. It never raises for what is in the data."""
        if frame.kind == "event" or (frame.kind == "tail" and frame.data):
            return self.normalize_event(frame)
        return normalize_bare(frame)

    @abstractmethod
    def normalize_event(self, frame: Frame) -> NormalizedChunk:
        """Return what a frame with data means."""


class JSONWrapper(StreamWrapper, Generic[E]):
    """A wrapper for frames that hold one JSON object each.

    A subclass names the event's type and gives `read`, which turns a decoded event into a chunk.
    """

    event_type: ClassVar[type[Any]]

    def __init__(self) -> None:
        self._decode = msgspec.json.Decoder(self.event_type).decode

    def normalize(self, frame: Frame) -> NormalizedChunk:
        if frame.kind != "event":
            return super().normalize(frame) if frame.fault is None else self._normalize_faulty(frame)
        data = frame.data
        try:
            if not data.isascii():
                data.decode()  # the typed decoder does not look at keys and values that no type names
            event = self._decode(data)
        except TYPED_ERRORS:
            return self.normalize_plain(frame)
        if frame.event == "error":
            return self._named_error(self.read(event, frame), frame)
        return self.read(event, frame)

    def normalize_event(self, frame: Frame) -> NormalizedChunk:
        try:
            frame.data.decode()
            event = self._decode(frame.data)
        except TYPED_ERRORS:
            return self.normalize_plain(frame)
        return self.read(event, frame)

    @staticmethod
    def _named_error(chunk: NormalizedChunk, frame: Frame) -> NormalizedChunk:
        """Take an event that is named ``error``, and that the wrapper sees nothing in, for what its name says."""
        if chunk.error is not None or chunk.deltas:
            return chunk
        value, _ = decode_plain(frame.data)
        error = read_error(value) or error_of(value if isinstance(value, dict) else {"message": frame.text})
        return NormalizedChunk(error=error)

    def _normalize_faulty(self, frame: Frame) -> NormalizedChunk:
        """Read a tail whose data is whole; say of any other faulty frame what is wrong with it."""
        if frame.kind == "tail" and frame.fault is not None and frame.fault.code == "unterminated-tail":
            return with_notes(self.normalize_event(frame), (frame.fault,))
        return normalize_bare(frame)

    @abstractmethod
    def read(self, event: E, frame: Frame) -> NormalizedChunk:
        """Return what a decoded event means."""

    def normalize_plain(self, frame: Frame) -> NormalizedChunk:
        """Read data that the typed decoder refuses."""
        data = frame.data.strip()
        if not data:
            missing = None if frame.headers else missing_data(frame.event)
            return EMPTY_CHUNK if missing is None else NormalizedChunk(notes=(missing,))
        if data == b"[DONE]":
            return DONE_CHUNK
        value, notes = decode_plain(data)
        if value is NOTHING:
            chunk = error_chunk_of_text(data) or EMPTY_CHUNK
            return with_notes(chunk, notes)
        if isinstance(value, list):
            error = read_error(value)
            if error is not None:
                return NormalizedChunk(error=error, notes=notes)
        if not isinstance(value, dict):
            note = Note("unexpected-json", f"a JSON object was due, not {data[:80]!r}")
            return NormalizedChunk(deltas=(UnknownDelta("json", value),), notes=(*notes, note))
        misfits: list[Misfit] = []
        event = conform(self.event_type, value, misfits)
        return with_misfits(with_notes(self.read(event, frame), notes), misfits)


def normalize_bare(frame: Frame) -> NormalizedChunk:
    """Return what a frame without readable data means, whoever sent it."""
    if frame.fault is None:
        return EMPTY_CHUNK
    if frame.kind in ("bad", "tail", "end") and frame.data:
        chunk = error_chunk_of_text(frame.data)
        if chunk is not None:
            return with_notes(chunk, () if frame.fault.code in ("not-a-field", "trailing-data") else (frame.fault,))
    return NormalizedChunk(notes=(frame.fault,))


def with_notes(chunk: NormalizedChunk, notes: tuple[Note, ...]) -> NormalizedChunk:
    """Return the chunk with notes added."""
    if not notes:
        return chunk
    return msgspec.structs.replace(chunk, notes=(*chunk.notes, *notes))


def with_misfits(chunk: NormalizedChunk, misfits: list[Misfit]) -> NormalizedChunk:
    """Return the chunk with what had no place in the event's type: kept as it came, and told."""
    if not misfits:
        return chunk
    unknown = [UnknownDelta(misfit.path, misfit.value) for misfit in misfits]
    notes = tuple([note for misfit in misfits if (note := misfit.note) is not None])
    return msgspec.structs.replace(chunk, deltas=(*chunk.deltas, *unknown), notes=(*chunk.notes, *notes))
