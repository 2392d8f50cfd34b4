"""Which framing a body has, told from its first bytes."""

from __future__ import annotations

import re

from .body import has_control_characters
from .eventstream import PRELUDE_BYTES, has_right_checksum
from .json_text import is_json

BOM = b"\xef\xbb\xbf"

DECISION_BYTES = 65536
"""No more than this is ever looked at."""
_TEXT_LINES = 20
"""How many lines of something else may stand before the first field of a server-sent event."""

_BLANKS = b" \t\r\n"
# A field that the standard does not know is a field too (`error: {…}` of llama.cpp); the scheme of a URL is not.
_SSE_LINE = re.compile(
    rb"(?:data|event|id|retry)?:|[a-z][a-z0-9_-]*:(?!//)..|(?:data|event|id|retry)[\r\n]", re.DOTALL
).match
# `0:"text"` and `f:{…}`: the AI SDK's lines before it used server-sent events.
_LETTERED_LINE = re.compile(rb"[0-9a-k]:[\"{\[]").match
_line_end = re.compile(rb"\r\n|[\r\n]").search


def detect_framing(head: bytes, *, final: bool = False) -> str | None:
    r"""Tell the framing of a body from its beginning.

    The answer depends on the bytes alone: once there is one for a beginning, every longer beginning has the same. So
    it does not matter in which pieces a body arrives.

    =====================================================  ===============
    The body begins with                                   framing
    =====================================================  ===============
    a zero byte, or 12 bytes that are a message's prelude  ``eventstream``
    ``[`` and then an object, array, string, or ``]``      ``json-array``
    ``{``, the first line being complete JSON              ``json-lines``
    ``{`` otherwise: a document over several lines         ``body``
    a digit or letter, a colon, and then JSON              ``json-lines``
    a field or comment of a server-sent event              ``sse``
    other text, with such a field in the next lines        ``sse``
    ``<``, binary or compressed data, other text           ``body``
    =====================================================  ===============

    A byte order mark and blanks before it do not count. A zero byte is the high byte of every sane message length, so
    it means an event stream even where the checksum is wrong: that framer names the fault. Not every ``[`` is an
    array: ``[DONE]`` and the ``[12:30:01]`` of a log are text, and an array of numbers is a document.

    Parameters
    ----------
    head : bytes
        The bytes so far. Those behind the first 64 KiB are not looked at.
    final : bool
        Whether the body is over. Then there is always an answer.

    Returns
    -------
    str or None
        A key of `FRAMERS`; None where more bytes are needed.

    Notes
    -----
    A single line of JSON without a line end could be either JSON framing. Where the body is over it is ``body``: one
    document, to which nothing is missing. Where 64 KiB did not see the line's end it is ``json-lines``, which reads a
    document of one line just as well.

    Examples
    --------
    >>> detect_framing(b"dat")
    >>> detect_framing(b"data: {")
    'sse'
    >>> detect_framing(b'{"model": "llama3"}\n')
    'json-lines'
    """
    if head[:1] == b"\0":
        return "eventstream"
    if head[:1] and head[0] < 4:  # a length below 2 ** 26
        if len(head) < PRELUDE_BYTES and not final:
            return None
        return "eventstream" if has_right_checksum(head) else "body"
    full = len(head) >= DECISION_BYTES
    head = head[:DECISION_BYTES]
    if len(head) < len(BOM) and BOM.startswith(head) and not final:
        return None
    head = head.removeprefix(BOM)
    text = head.lstrip(_BLANKS)
    if not text:
        return _of_blanks(head) if final or full else None
    match text[:1]:
        case b"<":
            return "body"
        case b"{":
            return _of_object(text, final=final, full=full)
        case b"[":
            first = text[1:].lstrip(_BLANKS)[:1]
            if not first and not final and not full:
                return None
            if first in (b"{", b"[", b'"', b"]", b""):
                return "json-array"
    if _LETTERED_LINE(text):
        return "json-lines"
    return _of_text(text) or ("body" if final or full else None)


def _of_blanks(head: bytes) -> str:
    """Blank lines are what an event stream sends to stay alive; an empty body is a body."""
    return "sse" if b"\n" in head or b"\r" in head else "body"


def _of_object(text: bytes, *, final: bool, full: bool) -> str | None:
    line, end, _ = text.partition(b"\n")
    if end:
        return "json-lines" if is_json(line) else "body"
    if final:
        return "body"
    return "json-lines" if full else None


def _of_text(text: bytes) -> str | None:
    """Look through the first lines; the earliest one that tells something decides."""
    position = 0
    for _ in range(_TEXT_LINES):
        if _SSE_LINE(text, position):
            return "sse"
        end = _line_end(text, position)
        line = text[position : end.start() if end else len(text)]
        if has_control_characters(line):
            return "body"
        if end is None:
            return None
        position = end.end()
    return "body"
