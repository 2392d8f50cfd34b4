"""The recording file: the reads of one response with their times, as JSON lines.

========  =====================================================================================================
line      members
========  =====================================================================================================
first     ``svrec`` (the version of the format, 1), ``streamviz`` (that of the library), ``source``, ``provider``,
          ``dialect``, ``synthetic``, ``request``, ``status``, ``headers``
a read    ``t`` (seconds since the request, where it is known), and its bytes as ``text``, or as ``base64`` where they
          are no UTF-8 by themselves
last      ``end``: ``reads``, ``bytes``, ``sha256`` of all bytes, ``aborted``
========  =====================================================================================================

A file without its last line was torn; what is in it is read all the same.
"""

from __future__ import annotations

import json
import re
from binascii import Error as Base64Error
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from ..diagnostics import Note
from .recording import Recording

VERSION = 1
MARK = b'{"svrec":'
"""How such a file begins."""
GZIP_MARK = b"\x1f\x8b"
_SECRET = re.compile(
    r"authorization\Z|cookie|api[-_]?key|secret|password|signature|(?:access|refresh|session|security|id|auth)[-_]?token",
    re.IGNORECASE,
)
_REMOVED = "…"


class SavedRecording(Struct):
    """What a recording file holds."""

    recording: Recording
    provider: str | None = None
    synthetic: bool = False
    aborted: bool = False
    notes: list[Note] = []
    """What is wrong with the file."""


def write_lines(
    recording: Recording, *, provider: str | None, dialect: str, synthetic: bool, aborted: bool, version: str
) -> Iterator[bytes]:
    """Yield the lines of a recording file.

    Values under names that speak of secrets (``authorization``, ``cookie``, ``x-api-key`` …) are never written.
    """
    from hashlib import sha256

    yield _line(
        {
            "svrec": VERSION,
            "streamviz": version,
            "source": recording.source,
            "provider": provider,
            "dialect": dialect,
            "synthetic": synthetic,
            "request": without_secrets(recording.request),
            "status": recording.status,
            "headers": without_secrets(recording.headers),
        }
    )
    timed = len(recording.times_s) == len(recording.reads)
    digest = sha256()
    for number, data in enumerate(recording.reads):
        digest.update(data)
        read: dict[str, Any] = {"t": recording.times_s[number]} if timed else {}
        try:
            read["text"] = data.decode()
        except UnicodeDecodeError:
            read["base64"] = b2a_base64(data, newline=False).decode()
        yield _line(read)
    end = {"reads": len(recording.reads), "bytes": recording.size, "sha256": digest.hexdigest(), "aborted": aborted}
    yield _line({"end": end})


def read_lines(data: bytes) -> SavedRecording:
    """Read a recording file, whole or torn; what is wrong with it is in the notes."""
    from hashlib import sha256

    if data.startswith(GZIP_MARK):
        data = _unzipped(data)
    saved = SavedRecording(Recording())
    recording = saved.recording
    end: dict[str, Any] | None = None
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
            match value:
                case {"svrec": version, **header}:
                    _take_header(saved, header)
                    if version != VERSION:
                        saved.notes.append(Note("recording-version", f"the file's format is {version!r:.20}, not 1"))
                case {"end": dict(end)}:
                    pass
                case {"text": str(text)}:
                    recording.append(text.encode(), _time(value))
                case {"base64": str(text)}:
                    recording.append(a2b_base64(text, strict_mode=True), _time(value))
                case _:
                    saved.notes.append(Note("recording-line", f"line {number} is no read: {line[:80]!r}"))
        except (ValueError, Base64Error) as error:
            saved.notes.append(Note("recording-line", f"line {number} cannot be read: {error!s:.120}"))
    if end is None:
        torn = f"the file ends behind read {len(recording.reads)}, without its last line"
        saved.notes.append(Note("recording-torn", torn))
    else:
        saved.aborted = end.get("aborted") is True
        if end.get("sha256") != sha256(recording.data).hexdigest():
            saved.notes.append(Note("recording-changed", "the bytes are not those recorded: their hash differs"))
    return saved


def _take_header(saved: SavedRecording, header: dict[Any, Any]) -> None:
    recording = saved.recording
    provider, source = header.get("provider"), header.get("source")
    saved.provider = provider if isinstance(provider, str) else None
    saved.synthetic = header.get("synthetic") is True
    recording.source = source if isinstance(source, str) else None
    for name, kind in (("request", dict), ("headers", dict), ("status", int)):
        value = header.get(name)
        setattr(recording, name, value if isinstance(value, kind) else None)


def _unzipped(data: bytes) -> bytes:
    """Unzip as much as there is."""
    import zlib

    try:
        return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data)
    except zlib.error:
        return b""


def _time(value: dict[str, Any]) -> float | None:
    time = value.get("t")
    return float(time) if isinstance(time, int | float) and not isinstance(time, bool) else None


def without_secrets(value: Any) -> Any:
    """Return a request or headers without the values under names that speak of secrets."""
    match value:
        case dict():
            return {
                name: _REMOVED if _SECRET.search(str(name)) and item else without_secrets(item)
                for name, item in value.items()
            }
        case list():
            return [without_secrets(item) for item in value]
        case _:
            return value


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace") + b"\n"


def zipped(data: bytes) -> bytes:
    """Return the lines as ``.svrec.gz`` holds them; the same lines give the same bytes."""
    import gzip

    return gzip.compress(data, mtime=0)
