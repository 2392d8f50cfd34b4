"""A body that is one whole: a JSON document, or no stream at all."""

from __future__ import annotations

import zlib

from ..diagnostics import Note
from ..limits import DEFAULT_LIMITS, Limits
from .frame import Frame
from .json_scan import ends_inside
from .json_text import is_json

BOM = b"\xef\xbb\xbf"

_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x1f\x8b", "gzip-compressed data (the first bytes are 1f 8b): decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd-compressed data (the first bytes are 28 b5 2f fd): decompress it first"),
    (b"BZh", "bzip2-compressed data: decompress it first"),
    (b"\xfd7zXZ\x00", "xz-compressed data: decompress it first"),
    (b"PK\x03\x04", "a ZIP archive"),
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF-", "a PDF document"),
    (b"RIFF", "a RIFF file (WAV audio or a WebP image)"),
    (b"OggS", "Ogg audio"),
    (b"ID3", "MP3 audio"),
    (b"\xff\xfe", "UTF-16 text: it must be UTF-8"),
    (b"\xfe\xff", "UTF-16 text: it must be UTF-8"),
)

_TEXT_BYTES = bytes(byte for byte in range(256) if (byte >= 0x20 and byte != 0x7F) or byte in b"\t\n\f\r\x1b")


class BodyFramer:
    """Take the whole body as one frame, when it is over.

    This is the framing of an answer that was not streamed (a JSON document: an error, or the whole response), and the
    refuge for what is no stream at all. The one frame covers every byte; an empty body has none.

    - Valid JSON is an ``event``.
    - What begins like a JSON object or array, but ends inside it, is a ``tail`` with a ``torn-tail`` note. If its
      brackets are closed and yet it is no JSON, it is an ``event``, and its reader's to judge.
    - Blanks alone are a ``heartbeat``.
    - Anything else is ``bad``, and its ``not-a-stream`` note says what it seems to be and quotes its first bytes. The
      data is the body as it came.

    Parameters
    ----------
    limits : Limits
        A body longer than ``frame_bytes`` is not held; it is a ``bad`` frame without data.

    Examples
    --------
    >>> framer = BodyFramer()
    >>> framer.feed(b"<html><h1>502 Bad Gateway</h1>")
    []
    >>> print(framer.finish()[0].fault.message)
    an HTML page; it begins with b'<html><h1>502 Bad Gateway</h1>'
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS) -> None:
        self._limit = limits.frame_bytes
        self._held = bytearray()
        self._start = 0
        self._size = 0

    @property
    def pending_bytes(self) -> int:
        """Bytes taken but not yet part of a returned frame."""
        return self._size

    def feed(self, data: bytes) -> list[Frame]:
        """Take the next bytes; the frame comes at the end."""
        self._size += len(data)
        if self._size <= self._limit:
            self._held += data
        else:
            self._held.clear()
        return []

    def finish(self) -> list[Frame]:
        """Return the body as one frame."""
        size = self._size
        if not size:
            return []
        start = self._start
        end = self._start = start + size
        data = bytes(self._held)
        self._held.clear()
        self._size = 0
        if size > self._limit:
            fault = Note("frame-too-large", f"a body of {size} bytes; the limit is {self._limit}")
            return [Frame("bad", start, end, fault=fault)]
        return [_whole(start, end, data)]


def _whole(start: int, end: int, data: bytes) -> Frame:
    """Make a frame of a body by what it is."""
    text = data.removeprefix(BOM)
    bare = text.strip()
    if not bare:
        return Frame("heartbeat", start, end)
    if is_json(text):
        return Frame("event", start, end, text)
    if bare[:1] in (b"{", b"["):
        if not ends_inside(bare):
            return Frame("event", start, end, text)
        fault = Note("torn-tail", f"a JSON document that stops after {len(data)} bytes, before it is closed")
        return Frame("tail", start, end, text, fault=fault)
    fault = Note("not-a-stream", f"{describe(data)}; it begins with {data[:80]!r}")
    return Frame("bad", start, end, data, fault=fault)


def describe(data: bytes) -> str:
    r"""Say in a few words what a body that is no stream seems to be.

    Examples
    --------
    >>> describe(b"\x89PNG\r\n\x1a\n")
    'a PNG image'
    >>> describe(b"upstream connect error")
    'plain text'
    """
    for signature, name in _SIGNATURES:
        if data.startswith(signature):
            return name
    if _is_zlib(data):
        return "zlib-compressed data (HTTP calls it deflate): decompress it first"
    opening = data.removeprefix(BOM).lstrip()[:512].lower()
    if opening.startswith((b"<!doctype html", b"<html", b"<head", b"<body")):
        return "an HTML page"
    if opening.startswith(b"<?xml"):
        return "an XML document"
    if opening.startswith(b"<"):
        return "markup (HTML or XML)"
    try:
        data.decode()
    except UnicodeDecodeError:
        return "binary data"
    return "binary data" if has_control_characters(data) else "plain text"


def has_control_characters(data: bytes) -> bool:
    """Return True where there are bytes that no text has: NUL and its like. Blanks and ESC (colours) are text."""
    return bool(data.translate(None, _TEXT_BYTES))


def _is_zlib(data: bytes) -> bool:
    """Return True for a zlib header (RFC 1950) with deflated data behind it."""
    if data[:1] != b"\x78" or len(data) < 3 or int.from_bytes(data[:2], "big") % 31:
        return False
    try:
        return bool(zlib.decompressobj().decompress(data[:1024], 64))
    except zlib.error:
        return False
