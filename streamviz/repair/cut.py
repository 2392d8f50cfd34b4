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
_OPEN_KEY = re.compile(r'"(?:[^"\\]++|\\.)*+\\?\Z', re.DOTALL)
_WHOLE_STRING = re.compile(STRING, re.DOTALL)
_STRING_SO_FAR = re.compile(r'"(?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+')
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
    start = _TO_LAST_COMMA.match(text, brackets.edge).end()  # type: ignore[union-attr]  # it matches nothing at least
    before = text[start - 1]
    cut = start - (before == ",")
    at = _BLANKS.match(text, start).end()  # type: ignore[union-attr]
    if at == len(text):
        return (_dropped(text, cut, "drop-trailing-comma") if before == "," else []), []
    if before in "}]":
        return [], []  # a value that is closed already; whatever stands behind it is the parser's to refuse
    if text[brackets.opened[-1]] == "[":
        return _value(text, at, cut, None, final=final)
    key = _KEY.match(text, at)
    if key is None:
        return (_dropped(text, cut, "drop-partial-key") if _OPEN_KEY.match(text, at) else []), []
    if not key[2]:
        return (_dropped(text, cut, "drop-partial-member") if key.end() == len(text) else []), []
    if key.end() == len(text):
        return _dropped(text, cut, "drop-partial-member"), []
    return _value(text, key.end(), cut, key[1], final=final)


def _value(text: str, at: int, cut: int, key: Step, *, final: bool) -> tuple[list[Edit], list[Step]]:
    """Settle the last value; ``cut`` is where its member begins, with the comma before it."""
    end = len(text)
    step = [None if key is None else _decoded(key)]
    if text[at] == '"':
        if _WHOLE_STRING.match(text, at):
            return [], []
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
    kept = _STRING_SO_FAR.match(text, at).end()  # type: ignore[union-attr]  # a quote stands at ``at``
    if kept < len(text) and not _HALF_ESCAPE.match(text, kept):
        return len(text)  # no JSON string: the parser says where
    if "\ud800" <= text[kept - 1] <= "\udbff":
        return kept - 1
    # Half a surrogate pair says nothing, but an escaped backslash before the same letters makes text of them.
    high = max(kept - 6, at + 1)
    slashes = high - len(text[at:high].rstrip("\\")) - at
    return high if HIGH_SURROGATE.match(text, high, kept) and slashes % 2 == 0 else kept


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
