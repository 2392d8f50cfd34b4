"""The exceptions. Data never raises unless ``strict=True`` asks for it: then the first fault does, with its place."""

from __future__ import annotations

from .diagnostics import Diagnostic


class StreamvizError(Exception):
    """Base of all exceptions of this package."""


class UnknownProviderError(StreamvizError, ValueError):
    """``provider=`` names a vendor that no registered wrapper speaks for."""


class MissingLibraryError(StreamvizError, ImportError):
    """A library that was asked for is not installed; the message says what pip calls it."""


class StreamFaultError(StreamvizError):
    """A fault in the data, under ``strict=True``.

    Attributes
    ----------
    diagnostic : Diagnostic
        The fault, with its code and place.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(str(diagnostic))
        self.diagnostic = diagnostic

    @property
    def chunk(self) -> int | None:
        """Number of the chunk (and frame) at fault."""
        return self.diagnostic.chunk

    frame = chunk

    @property
    def offset(self) -> int | None:
        """Byte offset of that frame in the recording."""
        return self.diagnostic.offset


class FramingError(StreamFaultError):
    """The bytes cannot be cut into frames: a wrong checksum, a torn end, a body that is no stream."""


class ChunkError(StreamFaultError):
    """A frame whose data cannot be read: bad JSON, nested too deep."""


class ProviderError(StreamFaultError):
    """The vendor reported an error inside the stream."""


class ToolCallError(StreamFaultError):
    """The arguments of a tool call are cut off or cannot be read."""


_CLASS_OF_CODE: dict[str, type[StreamFaultError]] = {
    "bad-json": ChunkError,
    "too-deep": ChunkError,
    "error-in-stream": ProviderError,
    "call-incomplete": ToolCallError,
    "call-invalid-json": ToolCallError,
    "arguments-too-large": ToolCallError,
}


def fault_error(diagnostic: Diagnostic) -> StreamFaultError:
    """Return the exception for a fault, by its code; what is not listed is a fault of the transport."""
    return _CLASS_OF_CODE.get(diagnostic.code, FramingError)(diagnostic)
