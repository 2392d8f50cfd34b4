"""The smallest stream that still shows what is wrong, to attach to a bug report."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from .diagnostics import CODES
from .framing.encode import compact
from .framing.reframe import document_of, with_data
from .neutral import neutral_frames
from .whatifs import Frames, numbers_of

if TYPE_CHECKING:
    from .run import StreamRun

Predicate = Callable[["StreamRun"], bool]
_ROUNDS = 4
"""How often frames and bytes are looked at in turn."""


def fixture(
    run: StreamRun,
    shows: str | Predicate | None = None,
    *,
    chunks: Frames | None = None,
    neutral: bool = False,
    trials: int = 2000,
) -> StreamRun:
    r"""Return the smallest stream that still shows a diagnostic: what a bug report needs, and no more.

    Frames are left out as long as it shows, then members and characters of the JSON in those that remain; lengths and
    checksums are made anew. The result is a local minimum: without any further frame it shows no more (unless the
    trials ran out). The same run gives the same fixture. Its bytes are ``.recording.data``; too little may be
    left in them to tell the dialect by, so that they are read with ``provider=``. `StreamRun.save` writes that, too.

    Parameters
    ----------
    run : StreamRun
        The run that shows it.
    shows : str or callable, optional
        A code (``"call-incomplete"``), or a function from a run to whether it shows; on a smaller run it may raise,
        which means no. When not given: the gravest
        diagnostic of the run; with ``chunks``, all faults and warnings that were seen in these.
    chunks : int, slice or iterable of int, optional
        Numbers of chunks that stay whole.
    neutral : bool
        Put neutral letters of the same length into the place of text, reasoning and the strings of arguments; ids,
        names, types and numbers stay. The request and the file's name are left out. Look at the result before you
        send it: what a vendor writes in a place of its own may be missed.
    trials : int
        How many smaller streams are tried at most.

    Returns
    -------
    StreamRun

    Raises
    ------
    ValueError
        There is no such code, or the run does not show it.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % text for text in "abc").encode() + b'data: {"choices": [\n\n' * 2)
    >>> sv.fixture(run, "bad-json").recording.data
    b'data: {\n\n'
    """
    kept = set() if chunks is None else set(numbers_of(chunks, len(run.chunks)))
    name, predicate = _aim(run, shows, kept if chunks is not None else None)
    if not predicate(run):
        found = ", ".join(sorted(_codes(run))) or "nothing"
        raise ValueError(f"the run does not show {name}; it shows {found}")
    search = _Search(run, predicate, trials)
    search.shrink(kept)
    if neutral:
        search.neutralize()
    result = search.made(f"fixture that shows {name}")
    if neutral:
        result.recording.request = None
        result.recording.source = f"fixture that shows {name}"
    return result


def _aim(run: StreamRun, shows: str | Predicate | None, chunks: set[int] | None) -> tuple[str, Predicate]:
    """Return what is to be shown, in words, and what says whether a run does."""
    if callable(shows):
        return getattr(shows, "__name__", "what was asked for"), shows
    if shows is not None:
        if shows not in CODES:
            raise ValueError(f"there is no diagnostic {shows!r}; the run shows {', '.join(sorted(_codes(run)))}")
        return shows, lambda other: shows in _codes(other)
    found = [d for payload in run.payloads for d in payload.diagnostics]
    if chunks is not None:
        codes = {d.code for d in found if d.chunk in chunks and d.severity != "note"}
        return ", ".join(sorted(codes)) or "these chunks", lambda other: codes <= _codes(other)
    if not found:
        raise ValueError("nothing is odd about the run: say what the fixture is to show")
    gravest = min(found, key=lambda d: ("fault", "warning", "note").index(d.severity)).code
    return gravest, lambda other: gravest in _codes(other)


def _codes(run: StreamRun) -> set[str]:
    return {d.code for payload in run.payloads for d in payload.diagnostics}


class _Search:
    """The frames that are left, and how they get fewer and smaller."""

    def __init__(self, run: StreamRun, predicate: Predicate, trials: int) -> None:
        self._run = run
        self._predicate = predicate
        self._trials = trials
        self._numbers = list(range(len(run.frame_ends)))  # of the frames that are left, in the run
        self._frames = [run.bytes_of(k) for k in self._numbers]

    def made(self, note: str) -> StreamRun:
        """Return the run as it is now: a frame a read."""
        return self._with(self._frames, note, self._numbers)

    def _with(self, frames: Sequence[bytes], note: str = "", numbers: Sequence[int] = ()) -> StreamRun:
        times = self._run.frame_times_s
        return self._run._again(frames, [times[k] for k in numbers] if times else [], note)  # noqa: SLF001

    def _is_shown(self, frames: Sequence[bytes]) -> bool:
        """Return whether these frames show it; False where the trials ran out."""
        self._trials -= 1
        return self._trials >= 0 and self._shows(frames)

    def _shows(self, frames: Sequence[bytes]) -> bool:
        try:
            return bool(self._predicate(self._with(frames)))
        except Exception:  # noqa: BLE001 - a caller's function may look for what is no more there
            return False

    def shrink(self, kept: set[int]) -> None:
        """Leave out frames, then make those smaller that remain, until nothing more can go."""
        for _ in range(_ROUNDS):
            size = sum(map(len, self._frames))
            self._drop_frames(kept)
            for position in range(len(self._frames)):
                if self._numbers[position] not in kept:
                    self._shrink_frame(position)
            if sum(map(len, self._frames)) == size or self._trials < 0:
                return
        self._drop_frames(kept)

    # -- frames -------------------------------------------------------------------------------------------------------

    def _drop_frames(self, kept: set[int]) -> None:
        loose = [position for position, number in enumerate(self._numbers) if number not in kept]

        def is_shown(rest: Sequence[int]) -> bool:
            return self._is_shown(self._chosen(set(range(len(self._numbers))).difference(loose).union(rest)))

        left = _fewest(loose, is_shown)
        chosen = set(range(len(self._numbers))).difference(loose).union(left)
        self._frames = self._chosen(chosen)
        self._numbers = [number for position, number in enumerate(self._numbers) if position in chosen]

    def _chosen(self, positions: set[int]) -> list[bytes]:
        """Return some of the frames; of a JSON array the bracket comes first whichever these are."""
        frames = [self._frames[position] for position in sorted(positions)]
        if frames and self._run.framing == "json-array" and 0 not in positions:
            element = frames[0].lstrip(b" \t\r\n,[")
            if not element.startswith(b"]"):
                frames[0] = b"[" + element
        return frames

    # -- inside a frame -----------------------------------------------------------------------------------------------

    def _shrink_frame(self, position: int) -> None:
        """Make the frame at a position smaller."""

        def is_shown(raw: bytes) -> bool:
            if len(raw) >= len(self._frames[position]):
                return False
            frames = [*self._frames]
            frames[position] = raw
            if self._is_shown(frames):
                self._frames[position] = raw
                return True
            return False

        frame = self._frame_at(position)
        if frame is None or not frame.data:
            return
        raw = self._frames[position]
        if self._run.framing == "sse" and b"\n" not in frame.data and is_shown(b"data: " + frame.data + b"\n\n"):
            raw = self._frames[position]
        document, wrap = document_of(frame)
        try:
            value = json.loads(document)
        except (ValueError, RecursionError):
            _fewest(list(frame.data), lambda rest: is_shown(with_data(frame, raw, bytes(rest))))
            return
        _smaller(value, lambda other: is_shown(with_data(frame, raw, wrap(compact(other).encode("utf-8", "replace")))))

    def _frame_at(self, position: int) -> Any:
        """Return the frame at a position; None where a frame is not read as one any more."""
        run = self._with(self._frames)
        if len(run.frames) != len(self._frames) or run.bytes_of(position) != self._frames[position]:
            return None
        return run.frames[position]

    # -- letters ------------------------------------------------------------------------------------------------------

    def neutralize(self) -> None:
        """Put neutral letters in, in all frames or, where it does not show then, in as many as can be."""
        run = self._with(self._frames)
        neutral = neutral_frames(run)
        if len(neutral) != len(self._frames):
            return
        if self._shows(neutral):
            self._frames = neutral
            return
        for position, raw in enumerate(neutral):
            frames = [*self._frames]
            frames[position] = raw
            if self._shows(frames):
                self._frames = frames


# -- the shrinkers ----------------------------------------------------------------------------------------------------


def _fewest(items: list[Any], is_shown: Callable[[list[Any]], bool]) -> list[Any]:
    """Return items of which none can be left out: large pieces go first, then smaller ones, from the end.

    Delta debugging, after Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input" (2002).

    Examples
    --------
    >>> _fewest(list(range(20)), lambda rest: {3, 11} <= set(rest))
    [3, 11]
    """
    if items and is_shown([]):
        return []
    size = max(len(items) // 2, 1)
    while items:
        gone = False
        end = len(items)
        while end > 0:
            start = max(end - size, 0)
            rest = items[:start] + items[end:]
            if rest and is_shown(rest):
                items, gone = rest, True
            end = start
        if size == 1 and not gone:
            break
        size = size if gone and size == 1 else max(size // 2, 1)
    return items


def _smaller(value: Any, is_shown: Callable[[Any], bool]) -> None:
    """Leave out members of a JSON value, outer ones first, and shorten its strings, as long as it shows."""
    gone = True
    while gone:
        gone = False
        for path in list(_paths(value)):
            other = deepcopy(value)
            place = _at(other, path[:-1])
            if place is None or not _has(place, path[-1]):
                continue  # it went with something around it, or another has its place
            del place[path[-1]]
            if is_shown(other):
                value, gone = other, True
    for path in list(_paths(value)):
        text = _at(value, path)
        if not isinstance(text, str) or not text:
            continue

        letters = _fewest(list(text), partial(_shown_with, value, path, is_shown))
        value = _with_text(value, path, letters)


def _shown_with(value: Any, path: tuple[Any, ...], is_shown: Callable[[Any], bool], letters: list[str]) -> bool:
    """Return whether it shows with other letters at one place of a value."""
    return is_shown(_with_text(value, path, letters))


def _with_text(value: Any, path: tuple[Any, ...], letters: Iterable[str]) -> Any:
    other = deepcopy(value)
    _at(other, path[:-1])[path[-1]] = "".join(letters)
    return other


def _paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each member, outer ones first, those of a list from its end."""
    level: list[tuple[tuple[Any, ...], Any]] = [((), value)]
    while level:
        below = []
        for path, item in level:
            keys = list(item) if isinstance(item, dict) else range(len(item))[::-1] if isinstance(item, list) else ()
            for key in keys:
                yield (*path, key)
                below.append(((*path, key), item[key]))
        level = below


def _at(value: Any, path: Sequence[Any]) -> Any:
    for key in path:
        if not _has(value, key):
            return None
        value = value[key]
    return value


def _has(value: Any, key: Any) -> bool:
    if isinstance(value, dict):
        return key in value
    return isinstance(value, list) and isinstance(key, int) and key < len(value)
