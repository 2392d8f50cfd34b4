"""Close a JSON text that was cut off: nothing is invented, and what is dropped is named.

A number may go on behind the cut, and half a key or half an escape says nothing: they are the only pieces that are
dropped or marked. Whether the rest is JSON at all is left to the parser that reads the closed text.
"""

from __future__ import annotations

import json
import re

from .outline import STRING, Outline
from .report import Edit, EditLevel
from .strict import Step

_BLANK = r"[ \t\n\r]*+"
_BLANKS = re.compile(_BLANK)
_TO_LAST_COMMA = re.compile(rf'(?:(?:[^",]++|{STRING})*+,)*+', re.DOTALL)
_KEY = re.compile(rf"({STRING}){_BLANK}(:?){_BLANK}", re.DOTALL)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")
HALF_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*+)(?:\.(?:[0-9]++(?:[eE][+-]?)?)?|[eE][+-]?))?\Z")
_HALF_LITERAL = re.compile(r"(?:t(?:r|ru)?|f(?:a|al|als)?|n(?:u|ul)?)\Z")
_CLOSERS = {"{": "}", "[": "]"}


def close(text: str, brackets: Outline, *, final: bool = True) -> tuple[list[Edit], list[Step]]:
    """Return the edits that close a text, and the steps to the place where it ends.

    Parameters
    ----------
    text : str
        A text that begins with a bracket.
    brackets : Outline
        Its outline: at least one bracket is open, and none is mismatched.
    final : bool
        Whether the text is over: a number that touches its end is kept then, and withheld otherwise.
    """
    edits, last = _tail(text, brackets, final=final)
    closers = "".join([_CLOSERS[text[position]] for position in reversed(brackets.opened)])
    edits.append(Edit(rule="close-container", level="lossless", position=len(text), inserted=closers))
    return edits, [*_steps(text, brackets), *last]


def _tail(text: str, brackets: Outline, *, final: bool) -> tuple[list[Edit], list[Step]]:
    """Settle what stands behind the last bracket or comma; return the edits, and the step into it if it stays open."""
    open_string = len(text) if brackets.open_string is None else brackets.open_string
    start = _TO_LAST_COMMA.match(text, brackets.edge, open_string).end()  # type: ignore[union-attr]  # or nothing
    before = text[start - 1]
    cut = start - (before == ",")
    at = _BLANKS.match(text, start).end()  # type: ignore[union-attr]
    if at == len(text):
        return (_dropped(text, cut, "drop-trailing-comma") if before == "," else []), []
    if before in "}]":
        return [], []  # a value that is closed already; whatever stands behind it is the parser's to refuse
    if text[brackets.opened[-1]] == "[":
        return _value(text, at, cut, None, is_open=at == open_string, final=final)
    if at == open_string:
        return _dropped(text, cut, "drop-partial-key"), []
    key = _KEY.match(text, at)
    if key is None or (not key[2] and key.end() < len(text)):
        return [], []
    if key.end() == len(text):
        return _dropped(text, cut, "drop-partial-member"), []
    return _value(text, key.end(), cut, key[1], is_open=key.end() == open_string, final=final)


def _value(text: str, at: int, cut: int, key: Step, *, is_open: bool, final: bool) -> tuple[list[Edit], list[Step]]:
    """Settle the last value; ``cut`` is where its member begins, with the comma before it."""
    end = len(text)
    step = [None if key is None else _decoded(key)]
    if is_open:
        kept = _end_of_string(text, at)
        edits = _dropped(text, kept, "drop-partial-escape") if kept < end else []
        return [*edits, Edit(rule="close-string", level="lossless", position=end, inserted='"')], step
    if NUMBER.match(text, at) and final:
        return [Edit(rule="keep-unconfirmed-number", level="truncation", position=end)], step
    if NUMBER.match(text, at) or HALF_NUMBER.match(text, at):
        return _dropped(text, cut, "drop-partial-number"), []
    if _HALF_LITERAL.match(text, at):
        return _dropped(text, cut, "drop-partial-literal"), []
    return [], []


def _end_of_string(text: str, at: int) -> int:
    """Return where the last whole character of the open string at ``at`` ends."""
    kept = len(text)
    half = _HALF_ESCAPE.search(text, max(at, kept - 5))
    if half and _is_escaping(text, half.start(), at):
        kept = half.start()
    if "\ud800" <= text[kept - 1] <= "\udbff":
        return kept - 1
    high = kept - 6  # half a surrogate pair says nothing
    return high if high > at and HIGH_SURROGATE.match(text, high) and _is_escaping(text, high, at) else kept


def _is_escaping(text: str, slash: int, start: int) -> bool:
    """Whether the backslash at ``slash`` is no escaped one itself: it ends an odd run of them."""
    first = slash
    while first - 1 > start and text[first - 1] == "\\":
        first -= 1
    return (slash - first) % 2 == 0


def _dropped(text: str, position: int, rule: str) -> list[Edit]:
    level: EditLevel = "lossless" if rule == "drop-trailing-comma" else "truncation"
    return [Edit(rule=rule, level=level, position=position, removed=text[position:])]


def _steps(text: str, brackets: Outline) -> list[Step]:
    """Return the step that leads to each open bracket from the one around it."""
    steps: list[Step] = []
    for parent, edge, position in zip(brackets.opened, brackets.edges[1:], brackets.opened[1:], strict=False):
        if text[parent] == "[":
            steps.append(None)
            continue
        comma = _TO_LAST_COMMA.match(text, edge, position).end()  # type: ignore[union-attr]
        start = _BLANKS.match(text, comma, position).end()  # type: ignore[union-attr]
        key = _KEY.match(text, start, position)
        steps.append(_decoded(key[1]) if key else "")  # without a key it is no JSON, and the parser says so
    return steps


def _decoded(key: str) -> str:
    try:
        return str(json.loads(key))
    except ValueError:
        return ""
