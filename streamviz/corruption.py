"""What networks, gateways and models do to a stream, each kind as a function that says which bytes change."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .assembly.tool_calls import ToolCallBlock
from .chunks import ToolCallDelta
from .framing.reframe import rewritten

if TYPE_CHECKING:
    import random

    from .run import StreamRun

BOM = b"\xef\xbb\xbf"
_ERROR_PAGE = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"
_NOT_ASCII = re.compile(rb"[\x80-\xff]+")
_LINE_FEED = re.compile(rb"(?<!\r)\n")
_EVENT_LINE = re.compile(rb"(?m)^event:[^\r\n]*(?:\r\n|\n|\r)")
_BLANK_LINE = re.compile(rb"(?:(?<=\n)|(?<=\r))(?:\r\n|\n|\r(?!\n))")
_CHUNK_BYTES = 4096


class Edit(NamedTuple):
    """Bytes that take the place of others."""

    start: int
    end: int
    data: bytes = b""


class Damage(NamedTuple):
    """What happened to a stream."""

    edits: list[Edit]
    """In order, without overlap."""
    place: str = ""
    """Where, in words."""


class Kind(NamedTuple):
    """One kind of damage."""

    doc: str
    make: Callable[[StreamRun, random.Random], Damage | None]
    """None where the stream has no place for it."""


def damage(run: StreamRun, kind: str, seed: int) -> Damage | None:
    """Return what a kind of damage does to a run; None where the stream has no place for it.

    Raises
    ------
    ValueError
        There is no such kind.
    """
    import random

    found = CORRUPTIONS.get(kind)
    if found is None:
        raise ValueError(f"kind is one of {', '.join(CORRUPTIONS)}, not {kind!r}")
    return found.make(run, random.Random(seed))  # noqa: S311 - reproducible, no secret


# -- bytes and reads --------------------------------------------------------------------------------------------------


def _at_byte(change: Callable[[int, random.Random], bytes]) -> Callable[[StreamRun, random.Random], Damage | None]:
    """Return what puts other bytes into the place of one."""

    def make(run: StreamRun, chance: random.Random) -> Damage | None:
        size = run.recording.size
        if not size:
            return None
        place = chance.randrange(size)
        (byte,) = run.recording.slice(place, place + 1)
        return Damage([Edit(place, place + 1, change(byte, chance))], f"at byte {place}")

    return make


def _nothing(data: object, chance: random.Random) -> bytes:
    return b""


def _twice(data: bytes, chance: random.Random) -> bytes:
    return data * 2


def _flipped(byte: int, chance: random.Random) -> bytes:
    return bytes([byte ^ 1 << chance.randrange(8)])


def _inserted(byte: int, chance: random.Random) -> bytes:
    return bytes([chance.randrange(256), byte])


def _at_read(change: Callable[[bytes, random.Random], bytes]) -> Callable[[StreamRun, random.Random], Damage | None]:
    """Return what puts other bytes into the place of a read."""

    def make(run: StreamRun, chance: random.Random) -> Damage | None:
        reads = run.recording.reads
        numbers = [number for number, data in enumerate(reads) if data]
        if not numbers:
            return None
        number = chance.choice(numbers)
        start = sum(map(len, reads[:number]))
        data = reads[number]
        return Damage([Edit(start, start + len(data), change(data, chance))], f"read {number}")

    return make


def _truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def _each_read_decoded(run: StreamRun, chance: random.Random) -> Damage | None:
    edits, start = [], 0
    for data in run.recording.reads:
        decoded = data.decode("utf-8", "replace").encode()
        if decoded != data:
            edits.append(Edit(start, start + len(data), decoded))
        start += len(data)
    return Damage(edits) if edits else None


def _bad_utf8(run: StreamRun, chance: random.Random) -> Damage | None:
    """Lose the last byte of a character of several bytes; where there is none, put in a byte that UTF-8 never has."""
    data = run.recording.data
    characters = [found.end() for found in _NOT_ASCII.finditer(data)]
    if run.framing != "eventstream" and characters:
        end = chance.choice(characters)
        return Damage([Edit(end - 1, end)], f"at byte {end - 1}")
    if not data:
        return None
    place = chance.randrange(len(data))
    return Damage([Edit(place, place, b"\xff")], f"at byte {place}")


# -- frames -----------------------------------------------------------------------------------------------------------


def frame_ranges(run: StreamRun) -> list[tuple[int, int]]:
    """Return start and end of each frame."""
    return list(pairwise([0, *run.frame_ends]))


def _at_frames(
    count: int, change: Callable[[list[bytes]], list[bytes]]
) -> Callable[[StreamRun, random.Random], Damage | None]:
    """Return what puts other frames into the place of ``count`` neighbours."""

    def make(run: StreamRun, chance: random.Random) -> Damage | None:
        ranges = frame_ranges(run)
        first = 1 if run.framing == "json-array" else 0  # the bracket in front stays where it is
        if len(ranges) < count + first:
            return None
        k = chance.randrange(first, len(ranges) - count + 1)
        frames = [run.recording.slice(*ranges[k + n]) for n in range(count)]
        edit = Edit(ranges[k][0], ranges[k + count - 1][1], b"".join(change(frames)))
        return Damage([edit], f"frame {k}" if count == 1 else f"frames {k} and {k + 1}")

    return make


def _between(run: StreamRun, chance: random.Random) -> tuple[int, int] | None:
    """Return number and start of some frame that is not the first."""
    ends = run.frame_ends
    if len(ends) < 2:
        return None
    k = chance.randrange(1, len(ends))
    return k, ends[k - 1]


def _restarted(run: StreamRun, chance: random.Random) -> Damage | None:
    place = _between(run, chance)
    return place and Damage([Edit(place[1], run.recording.size, run.recording.data)], f"behind frame {place[0] - 1}")


def _error_page(run: StreamRun, chance: random.Random) -> Damage | None:
    place = _between(run, chance)
    return place and Damage([Edit(place[1], run.recording.size, _ERROR_PAGE)], f"behind frame {place[0] - 1}")


def _keep_alive(run: StreamRun, chance: random.Random) -> Damage | None:
    if run.framing != "sse" or not run.frame_ends:
        return None
    return Damage([Edit(start, start, b": keep-alive\n\n") for start, _ in frame_ranges(run)[1:]])


# -- lines and codings ------------------------------------------------------------------------------------------------


def _substituted(
    pattern: re.Pattern[bytes], data: bytes, *framings: str
) -> Callable[[StreamRun, random.Random], Damage | None]:
    """Return what puts ``data`` into the place of all that a pattern finds."""

    def make(run: StreamRun, chance: random.Random) -> Damage | None:
        if run.framing not in framings:
            return None
        edits = [Edit(*found.span(), data) for found in pattern.finditer(run.recording.data)]
        return Damage(edits) if edits else None

    return make


def _bom(run: StreamRun, chance: random.Random) -> Damage:
    return Damage([Edit(0, 0, BOM)])


def _mojibake(run: StreamRun, chance: random.Random) -> Damage | None:
    found = _NOT_ASCII.finditer(run.recording.data)
    edits = [Edit(*one.span(), one[0].decode("latin-1").encode()) for one in found]
    return Damage(edits) if edits else None


def _chunk_sizes(run: StreamRun, chance: random.Random) -> Damage:
    edits: list[Edit] = []
    start = 0
    for data in run.recording.reads:
        for place in range(start, start + len(data), _CHUNK_BYTES):
            size = min(_CHUNK_BYTES, start + len(data) - place)
            edits.append(Edit(place, place, (b"\r\n" if edits else b"") + b"%x\r\n" % size))
        start += len(data)
    return Damage([*edits, Edit(start, start, (b"\r\n" if edits else b"") + b"0\r\n\r\n")])


def _gzipped(run: StreamRun, chance: random.Random) -> Damage:
    import gzip

    return Damage([Edit(0, run.recording.size, gzip.compress(run.recording.data, mtime=0))])


# -- arguments --------------------------------------------------------------------------------------------------------


def _without(characters: str) -> Callable[[StreamRun, random.Random], Damage | None]:
    """Return what takes one of some characters out of the arguments of a call, wherever these are written."""

    def make(run: StreamRun, chance: random.Random) -> Damage | None:
        places = [
            (k, number, start + found.start(), found.start(), text)
            for k, number, start, text in _fragments(run)
            for found in re.finditer(rf"(?<!\\)[{re.escape(characters)}]", text)
        ]
        if not places:
            return None
        k, number, position, inside, fragment = chance.choice(places)
        block = run.state.accumulators[number]
        whole = block.raw_arguments if isinstance(block, ToolCallBlock) else fragment

        def change(frame: int, key: str | None, text: str) -> str:
            if frame == k and text == fragment:
                return text[:inside] + text[inside + 1 :]
            return text[:position] + text[position + 1 :] if text == whole else text

        edits = []
        for n, (start, end) in list(enumerate(frame_ranges(run)))[k:]:
            raw = run.recording.slice(start, end)
            new = rewritten(run.frames[n], raw, partial(change, n))
            if new != raw:
                edits.append(Edit(start, end, new))
        return Damage(edits, f"{fragment[inside]} at position {position}, frame {k}") if edits else None

    return make


def _fragments(run: StreamRun) -> Iterator[tuple[int, int, int, str]]:
    """Yield each argument fragment that is sent as text: chunk, block, position in its block, text.

    What repeats the whole is no fragment.
    """
    history = run.history
    for k in range(len(run.chunks)):
        for row, delta in enumerate(history.deltas_of(k), start=history.first_rows[k]):
            if type(delta) is not ToolCallDelta or delta.whole or delta.snapshot:
                continue
            if delta.arguments and history.blocks[row] >= 0:
                yield k, history.blocks[row], history.starts[row], delta.arguments


CORRUPTIONS: dict[str, Kind] = {
    "flip-bit": Kind("one bit is another", _at_byte(_flipped)),
    "drop-byte": Kind("one byte is missing", _at_byte(_nothing)),
    "insert-byte": Kind("one byte too many", _at_byte(_inserted)),
    "drop-read": Kind("one read never came", _at_read(_nothing)),
    "truncate-read": Kind("the end of one read is missing; the stream goes on", _at_read(_truncated)),
    "duplicate-read": Kind("one read came twice", _at_read(_twice)),
    "bad-utf8": Kind("the last byte of a character is missing, or a byte FF too many", _bad_utf8),
    "decode-reads": Kind("a proxy decoded each read by itself: cut letters are U+FFFD", _each_read_decoded),
    "mojibake": Kind("a proxy took UTF-8 for Latin-1", _mojibake),
    "drop-frame": Kind("one frame is missing", _at_frames(1, lambda frames: frames[:0])),
    "duplicate-frame": Kind("one frame came twice", _at_frames(1, lambda frames: frames * 2)),
    "swap-frames": Kind("two neighbours changed places", _at_frames(2, lambda frames: frames[::-1])),
    "restart": Kind("a gateway tried again: the stream begins anew in its midst", _restarted),
    "error-page": Kind("a proxy's HTML page takes the place of the rest", _error_page),
    "keep-alive": Kind("a comment between any two events (SSE)", _keep_alive),
    "crlf": Kind("lines end in CRLF", _substituted(_LINE_FEED, b"\r\n", "sse", "json-lines", "json-array")),
    "cr": Kind("lines end in CR (SSE)", _substituted(re.compile(rb"\r?\n"), b"\r", "sse")),
    "drop-blank-lines": Kind("the blank lines between events are gone (SSE)", _substituted(_BLANK_LINE, b"", "sse")),
    "drop-event-lines": Kind("the event lines are gone (SSE)", _substituted(_EVENT_LINE, b"", "sse")),
    "bom": Kind("a byte order mark comes first", _bom),
    "chunk-sizes": Kind("the sizes of HTTP's chunked coding are left in the body", _chunk_sizes),
    "gzip": Kind("the body is still compressed", _gzipped),
    "drop-quote": Kind("a quote is missing in a call's arguments", _without('"')),
    "drop-brace": Kind("a brace or bracket is missing in a call's arguments", _without("{}[]")),
    "drop-comma": Kind("a comma is missing in a call's arguments", _without(",")),
    "drop-colon": Kind("a colon is missing in a call's arguments", _without(":")),
}
"""Every kind of damage by its name."""
