"""Reasoning that a model writes into its text, between tags such as ``<think>`` and ``</think>``.

The text is kept as it was sent, and divided when it is asked for: what is shown depends on the text alone, not on how
it was cut into chunks. While it still arrives, an end that may become a tag is held back, and nothing else is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Literal, NamedTuple

DEFAULT_TAGS = ("think", "thinking", "thought", "reasoning")
_LONGEST_TAG = 256
"""Characters after which what looks like the beginning of a tag is none."""
_MARK = re.compile(r"[\r\n]|`+|~~~+|<")
_LINE_END = re.compile(r"[ \t]*+(?:[\r\n]|\Z)")


class Segment(NamedTuple):
    """A run of text or of reasoning, the tags around it left out."""

    kind: Literal["text", "thinking"]
    start: int
    end: int
    tag: int
    """Where its opening tag begins; for text, where the segment does."""
    closed: bool = True
    """Whether its closing tag came."""


class _Patterns(NamedTuple):
    opening: re.Pattern[str]
    closing: re.Pattern[str]
    half: re.Pattern[str]


def read_tags(tags: bool | Iterable[str]) -> tuple[str, ...]:  # noqa: FBT001 - a choice of names, or the usual ones
    """Return the names of the tags that are meant: True means `DEFAULT_TAGS`.

    Raises
    ------
    ValueError
        A name that no tag can have.
    """
    if isinstance(tags, bool):
        return DEFAULT_TAGS if tags else ()
    names = (tags,) if isinstance(tags, str) else tuple(tags)
    for name in names:
        if not re.fullmatch(r"[A-Za-z][\w.:-]*", name):
            raise ValueError(f"{name!r} is no name of a tag: give 'think', not '<think>'")
    return names


@lru_cache
def _patterns(names: tuple[str, ...]) -> _Patterns:
    known = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    begun = "|".join(re.escape(name[:length]) for name in names for length in range(len(name), 0, -1))
    value = r"[^<>\"']|\"[^\"]*+\"|'[^']*+'"
    return _Patterns(
        re.compile(rf"<({known})((?:\s(?:{value})*+)?)>", re.IGNORECASE),
        re.compile(rf"</({known})\s*+>", re.IGNORECASE),
        re.compile(rf"</?(?:(?:{begun})?|(?:{known})\s(?:{value})*+(?:\"[^\"]*+|'[^']*+)?)\Z", re.IGNORECASE),
    )


def split_reasoning(text: str, names: tuple[str, ...], *, final: bool = True, recover: bool = False) -> list[Segment]:
    """Divide a text into what is said and what is thought.

    Tags in code (between backticks on a line, in a fence) are text, and so are closing tags that close nothing.

    Parameters
    ----------
    text : str
        The text as sent.
    names : tuple of str
        The names of the tags, in any case.
    final : bool
        Whether the text is over; while it is not, an end that may become a tag belongs to no segment.
    recover : bool
        Whether a tag that is never closed was none: what follows it is text then, and so is the tag.

    Returns
    -------
    list of Segment
        In order; empty ones are left out.

    Examples
    --------
    >>> text = "Hi <think>weigh</think>there, `<think>` <th"
    >>> [(s.kind, text[s.start : s.end]) for s in split_reasoning(text, DEFAULT_TAGS, final=False)]
    [('text', 'Hi '), ('thinking', 'weigh'), ('text', 'there, `<think>` ')]
    """
    opening, closing, half = _patterns(names)
    found: list[Segment] = []
    begin = tag = at = depth = 0
    name = ""  # of the tag that is open
    end = len(text)
    code = _Code(text)
    while mark := _MARK.search(text, at):
        start, at = mark.start(), mark.end()
        if mark[0] != "<":
            code.take(mark[0], start, fences=not depth)
            continue
        if code:
            continue
        part = text[start : start + _LONGEST_TAG]
        if depth and (closed := closing.match(part)) and closed[1].lower() == name:
            at = start + closed.end()
            depth -= 1
            if not depth:
                found.append(Segment("thinking", begin, start, tag))
                begin, name = at, ""
        elif (opened := opening.match(part)) and not opened[2].endswith("/") and name in ("", opened[1].lower()):
            at = start + opened.end()
            depth += 1
            if depth == 1:
                found.append(Segment("text", begin, start, begin))
                begin, tag, name = at, start, opened[1].lower()
        elif not final and start + len(part) == end and half.match(part):
            end = start
            break
    if depth and final and recover:
        text_before = found.pop()
        found.append(text_before._replace(end=end))
    else:
        kind: Literal["text", "thinking"] = "thinking" if depth else "text"
        found.append(Segment(kind, begin, end, tag if depth else begin, not depth))
    return [segment for segment in found if segment.end > segment.start]


class _Code:
    """Whether a place is inside code: between runs of backticks on one line, or in a fence.

    The rules of CommonMark (sections 4.5 and 6.1), but that a span of code ends with its line: a lone backtick must not
    hide a tag far behind it.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line = 0
        self._ticks = 0
        self._fence = ""
        self._due = ""  # a fence, if its line ends without another backtick

    def __bool__(self) -> bool:
        return bool(self._ticks or self._fence)

    def take(self, mark: str, start: int, *, fences: bool) -> None:
        """Go on to a line feed or a run of backticks or tildes at ``start``."""
        if mark in "\r\n":
            self._line, self._ticks = start + 1, 0
            self._fence, self._due = self._fence or self._due, ""
            return
        at_the_start = start - self._line <= 3 and not self._text[self._line : start].strip(" ")
        if self._fence:
            if at_the_start and mark.startswith(self._fence) and _LINE_END.match(self._text, start + len(mark)):
                self._fence = ""
        elif mark[0] == "`":
            self._due = mark if fences and at_the_start and len(mark) >= 3 else ""
            self._ticks = 0 if self._ticks == len(mark) else self._ticks or len(mark)
        elif fences and at_the_start:
            self._fence = mark
