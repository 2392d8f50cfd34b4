"""What if the bytes had come otherwise: cut, in other reads, corrupted, without some frames.

Each of these makes a new, finished run over changed bytes and leaves its own alone. Options, dialect, request, status
and headers stay; the name says what was done; a read that remains keeps its time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise, repeat
from typing import TYPE_CHECKING

from .corruption import Edit, damage, frame_ranges

if TYPE_CHECKING:
    from .run import StreamRun

Frames = int | slice | Iterable[int]
"""Numbers of frames; negative ones count from the end."""
_SEPARATORS = b" \t\r\n,["


# -- the what-ifs -----------------------------------------------------------------------------------------------------


def cut(run: StreamRun, at: int | None = None, *, chunk: int | None = None) -> StreamRun:
    r"""Return the run as it would be had the stream stopped early.

    Parameters
    ----------
    at : int
        How many bytes came; negative counts from the end, as a slice does.
    chunk : int
        Instead of ``at``: how many chunks came, whole.

    Raises
    ------
    TypeError
        Neither is given, or both.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    >>> run.cut(-5).payload.ended, run.cut(chunk=1).payload.ended
    ('torn', 'clean')
    """
    size = run.recording.size
    if (at is None) == (chunk is None):
        raise TypeError("give one of the two: at, a number of bytes, or chunk, a number of chunks")
    if at is not None:
        place = slice(at).indices(size)[1]
        return edited(run, [Edit(place, size)], f"cut at byte {place}")
    ends = run.frame_ends
    kept = slice(chunk).indices(len(ends))[1]
    return edited(run, [Edit(ends[kept - 1] if kept else 0, size)], f"cut behind {kept} of {len(ends)} chunks")


def resplit(run: StreamRun, sizes: int | Iterable[int] | None = None, *, seed: int | None = None) -> StreamRun:
    r"""Return the same bytes in other reads.

    A read arrives when its last byte does: where times are known, it has the time of the old read with that byte.

    Parameters
    ----------
    sizes : int or iterable of int
        Bytes of every read; or of each in turn, and what is left is one more (`itertools.cycle` repeats them).
    seed : int
        Instead of ``sizes``: reads of 1 to some 1,000 bytes, small ones as often as large ones, by chance. The same
        seed gives the same reads.

    Raises
    ------
    TypeError
        Neither is given, or both.
    ValueError
        A size is below 1.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    >>> [len(read) for read in run.resplit(20).recording.reads]
    [20, 20, 8]
    >>> run.resplit(1).payload == run.payload
    True
    """
    if (sizes is None) == (seed is None):
        raise TypeError("give one of the two: sizes, the bytes of the reads, or seed, to have them by chance")
    recording = run.recording
    data, size = recording.data, recording.size
    if sizes is None:
        import random

        chance = random.Random(seed)  # noqa: S311 - reproducible, no secret
        sizes, note = (int(2 ** chance.uniform(0, 10)) for _ in repeat(None)), f"in reads by seed {seed}"
    elif isinstance(sizes, int):
        sizes, note = repeat(sizes), f"in reads of {sizes} bytes"
    else:
        note = "in other reads"
    ends = list(_ends(sizes, size))
    reads = [data[start:end] for start, end in pairwise([0, *ends])]
    return run._again(reads, recording.times_of(ends), note)  # noqa: SLF001


def corrupt(run: StreamRun, kind: str, seed: int = 0) -> StreamRun:
    r"""Return the run as it would be had something on the way damaged it.

    Where the stream has no place for a kind (no arguments to lose a quote in), the bytes stay, and the name says so.

    ====================  ==============================================================
    kind                  what happened
    ====================  ==============================================================
    flip-bit              one bit is another
    drop-byte             one byte is missing
    insert-byte           one byte too many
    drop-read             one read never came
    truncate-read         the end of one read is missing; the stream goes on
    duplicate-read        one read came twice
    bad-utf8              the last byte of a character is missing, or a byte FF too many
    decode-reads          a proxy decoded each read by itself: cut letters are U+FFFD
    mojibake              a proxy took UTF-8 for Latin-1
    drop-frame            one frame is missing
    duplicate-frame       one frame came twice
    swap-frames           two neighbours changed places
    restart               a gateway tried again: the stream begins anew in its midst
    error-page            a proxy's HTML page takes the place of the rest
    keep-alive            a comment between any two events (SSE)
    crlf                  lines end in CRLF
    cr                    lines end in CR (SSE)
    drop-blank-lines      the blank lines between events are gone (SSE)
    drop-event-lines      the event lines are gone (SSE)
    bom                   a byte order mark comes first
    chunk-sizes           the sizes of HTTP's chunked coding are left in the body
    gzip                  the body is still compressed
    drop-quote            a quote is missing in a call's arguments
    drop-brace            a brace or bracket is missing in a call's arguments
    drop-comma            a comma is missing in a call's arguments
    drop-colon            a colon is missing in a call's arguments
    ====================  ==============================================================

    Parameters
    ----------
    kind : str
        One of the table.
    seed : int
        Chooses the place. The same seed gives the same bytes.

    Raises
    ------
    ValueError
        ``kind`` is none of the table.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    >>> run.corrupt("crlf").recording.data
    b'data: {"choices":[{"delta":{"content":"Hi"}}]}\r\n\r\n'
    >>> run.corrupt("duplicate-frame").payload.assistant_text
    'HiHi'
    """
    found = damage(run, kind, seed)
    if found is None:
        return edited(run, [], f"no place for {kind}")
    place = f" ({found.place})" if found.place else ""
    return edited(run, found.edits, f"{kind}{place}, seed {seed}")


def drop(run: StreamRun, frames: Frames) -> StreamRun:
    r"""Return the run without some of its frames.

    In a JSON array the opening bracket stays, whichever element goes.

    Parameters
    ----------
    frames : int, slice or iterable of int
        Their numbers; negative ones count from the end.

    Raises
    ------
    IndexError
        The run has no frame of that number.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % text for text in "abc").encode())
    >>> run.drop(1).payload.assistant_text, run.drop(slice(1, None)).payload.assistant_text
    ('ac', 'a')
    """
    ranges = frame_ranges(run)
    gone = numbers_of(frames, len(ranges))
    edits = [Edit(*ranges[k]) for k in gone]
    first = min(set(range(len(ranges))).difference(gone), default=0)
    if run.framing == "json-array" and first and run.frames[first].kind != "end":
        start, end = ranges[first]
        raw = run.recording.slice(start, end)
        edits.append(Edit(start, start + len(raw) - len(raw.lstrip(_SEPARATORS)), b"["))
    edits.sort()
    return edited(run, edits, f"without {_words(gone)}")


def without_end(run: StreamRun) -> StreamRun:
    r"""Return the run without its end mark and whatever follows that: ``[DONE]``, or the vendor's own last event.

    Where that event carries more (usage, finish reason, the whole answer again: OpenAI Responses, Cohere, Ollama), it
    is gone with it. In a JSON array the closing bracket is the mark. Gemini and Bedrock have none, so the bytes stay,
    and the name says so: there the last sign of an end is the finish reason.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    >>> run.payload.ended, run.without_end().payload.ended
    ('done', 'clean')
    """
    for k, chunk in enumerate(run.chunks):
        if chunk.terminal is not None or run.frames[k].kind == "end":
            start = run.frame_ends[k - 1] if k else 0
            return edited(run, [Edit(start, run.recording.size)], f"without its end, from frame {k} on")
    return edited(run, [], "which has no end mark")


# -- how they are made ------------------------------------------------------------------------------------------------


def edited(run: StreamRun, edits: Iterable[Edit], note: str) -> StreamRun:
    """Return a run over edited bytes.

    What is put in belongs to the read that holds the byte at its place; a read that loses all of its bytes is no more.

    Parameters
    ----------
    edits : iterable of Edit
        In order, without overlap.
    note : str
        What was done, in words.
    """
    recording = run.recording
    todo = deque(edits)
    last = max(len(recording.reads) - 1, 0)
    reads: list[bytes] = []
    numbers: list[int] = []
    start = 0
    for number, data in enumerate(recording.reads or [b""]):
        end = start + len(data)
        pieces: list[bytes] = []
        place = start
        while todo and (todo[0].start < end or number == last):
            edit = todo[0]
            if edit.start >= start:
                pieces += [data[place - start : edit.start - start], edit.data]
            place = max(place, min(edit.end, end))
            if edit.end > end:
                break
            todo.popleft()
        pieces.append(data[place - start :])
        new = b"".join(pieces)
        if new or (not data and recording.reads):
            reads.append(new)
            numbers.append(number)
        start = end
    times = [recording.times_s[number] for number in numbers] if recording.is_timed else []
    return run._again(reads, times, note)  # noqa: SLF001


def _ends(sizes: Iterable[int], size: int) -> Iterator[int]:
    """Yield where each read ends."""
    end = 0
    for each in sizes:
        if each < 1:
            raise ValueError(f"a read has at least 1 byte, not {each}")
        if end >= size:
            return
        end = min(end + each, size)
        yield end
    if end < size:
        yield size


def numbers_of(frames: Frames, count: int) -> list[int]:
    """Return the numbers that are meant, in order; raise `IndexError` for one that is not there."""
    if isinstance(frames, slice):
        return sorted(range(count)[frames])
    numbers = [frames] if isinstance(frames, int) else list(frames)
    for number in numbers:
        if not -count <= number < count:
            raise IndexError(f"there is no frame {number}: the run has {count}")
    return sorted({number % count for number in numbers})


def _words(numbers: list[int]) -> str:
    """Return numbers of frames in words."""
    if not numbers:
        return "nothing"
    first, last = numbers[0], numbers[-1]
    if len(numbers) == 1:
        return f"frame {first}"
    if last - first == len(numbers) - 1:
        return f"frames {first} to {last}"
    return f"{len(numbers)} frames ({first} to {last})"
