"""Whatever bytes can be read from: a path, bytes, a file, an HTTP response, a recording file."""

from __future__ import annotations

import os
from collections.abc import Iterable
from errno import ENOENT
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from .recording.svrec import GZIP_MARK, MARK, SavedRecording, read_lines

READ_BYTES = 64 * 1024


class Opened(NamedTuple):
    """What bytes can be read from."""

    name: str | None
    """For display."""
    reads: Iterable[bytes]
    saved: SavedRecording | None = None
    """Where it is a recording file: what that holds beside the reads."""


def open_source(source: Any) -> Opened:
    """Open whatever can be read.

    Raises
    ------
    OSError
        The file cannot be read.
    TypeError
        It is nothing that bytes can be read from.
    """
    match source:
        case bytes() | bytearray() | memoryview():
            return _opened(None, [bytes(source)] if source else [])
        case str() | os.PathLike():
            path = Path(source)
            return _opened(str(path), [data] if (data := _file_bytes(path)) else [])
    for name in ("iter_bytes", "iter_content"):  # the responses of httpx and requests
        if hasattr(source, name):
            return _opened(str(getattr(source, "url", "")) or None, getattr(source, name)())
    if hasattr(source, "read"):
        return _opened(getattr(source, "name", None), _file_reads(source))
    if isinstance(source, Iterable):
        return Opened(None, source)
    kind = type(source).__name__
    raise TypeError(f"cannot read a {kind}: give a path, bytes, a file opened in binary mode, or an iterable of bytes")


def _opened(name: str | None, reads: Iterable[bytes]) -> Opened:
    """Look whether it is a recording file."""
    rest = iter(reads)
    first = next(rest, b"")
    if first.startswith(MARK) or (first.startswith(GZIP_MARK) and str(name).endswith(".svrec.gz")):
        saved = read_lines(b"".join([first, *rest]))
        return Opened(name or saved.recording.source, saved.recording.reads, saved)
    return Opened(name, chain([first] if first else [], rest))


def _file_bytes(path: Path) -> bytes:
    """Return what is in a file; what is the stream itself, and not its path, is told apart."""
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:
        if not set("\n{:") & set(str(path)) or isinstance(error, PermissionError | IsADirectoryError):
            raise
        message = "no such file; a str is a path, so give the stream itself as bytes"
        raise FileNotFoundError(ENOENT, message, f"{str(path)[:60]}…") from error


def _file_reads(file: Any) -> Iterable[bytes]:
    while data := file.read(READ_BYTES):
        if isinstance(data, str):
            raise TypeError("the file is opened in text mode: open it with mode 'rb'")
        yield data
