"""Frames of a dialect that nobody here knows: kept whole, errors found."""

from __future__ import annotations

from ..chunks import DONE_CHUNK, EMPTY_CHUNK, NormalizedChunk, UnknownDelta
from ..framing.frame import Frame
from .bedrock import error_frame
from .decoding import NOTHING, decode_plain
from .errors import read_error
from .wrapper import StreamWrapper


class UnknownWrapper(StreamWrapper):
    """Every frame's data becomes an `UnknownDelta`; nothing is lost, and nothing is guessed."""

    dialect = "unknown"
    tells_its_end = False

    def normalize_event(self, frame: Frame) -> NormalizedChunk:
        if frame.category in ("exception", "error"):
            return error_frame(frame)
        data = frame.data.strip()
        if not data:
            return EMPTY_CHUNK
        if data == b"[DONE]":
            return DONE_CHUNK
        value, notes = decode_plain(data)
        if value is NOTHING:
            value = frame.text  # text that is no JSON is how some dialects stream
            notes = tuple(note for note in notes if note.code != "bad-json")
        error = read_error(value)
        if error is not None:
            return NormalizedChunk(error=error, notes=notes)
        if frame.kind == "tail" and frame.fault is not None:
            notes = (*notes, frame.fault)
        return NormalizedChunk((UnknownDelta(frame.event or "data", value),), notes=notes)
