"""Close a JSON text that was cut off: nothing is invented, and what is dropped is named.

A number may go on behind the cut, and half a key or half an escape says nothing: they are the only pieces that are
dropped or marked. Whether the rest is JSON at all is left to the parser that reads the closed text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .outline import Outline
from .report import Edit, EditLevel
from .strict import Parsed, Step

_BLANKS = " \t\n\r"
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
HIGH_SURROGATE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}")
NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")
HALF_NUMBER = re.compile(r"-?(?:(?:0|[1-9][0-9]*+)(?:\.(?:[0-9]++(?:[eE][+-]?)?)?|[eE][+-]?))?\Z")
_HALF_LITERAL = re.compile(r"(?:t(?:r|ru)?|f(?:a|al|als)?|n(?:u|ul)?)\Z")
_INSIDE = ("close-string", "keep-unconfirmed-number")
"""What is done to a scalar that the text ends in, if it is kept."""
_CLOSERS = bytes.maketrans(b"{[", b"}]")


def close(text: str, brackets: Outline, *, final: bool = True) -> list[Edit]:
    """Return the edits that close a text.

    Parameters
    ----------
    text : str
        A text that begins with a bracket.
    brackets : Outline
        Its outline: at least one bracket is open, and none is mismatched.
    final : bool
        Whether the text is over: a number that touches its end is kept then, and withheld otherwise.
    """
    opened = brackets.opened or b""
    edits = _tail(text, brackets, in_object=opened.endswith(b"{"), final=final)
    closers = opened[::-1].translate(_CLOSERS).decode()
    edits.append(Edit(rule="close-container", level="lossless", position=len(text), inserted=closers))
    return edits


def _tail(text: str, brackets: Outline, *, in_object: bool, final: bool) -> list[Edit]:
    """Settle the last token, which may be half; what makes no sense here is the parser's to refuse."""
    masked = brackets.masked
    quote = masked.rfind('"')
    token = brackets.open_string
    if token is None:
        mark = max(masked.rfind(character, quote + 1) for character in ",:[]{}")
        if mark < 0:
            return _whole_string(text, masked, quote, in_object=in_object)
        token = _behind_blanks(text, mark + 1)
    mark = _before(text, token)
    before = text[mark]
    if before in "}]":
        return []
    if before == ":":
        cut = _member(text, masked, mark) if in_object else None
        if cut is None:
            return []
        if token == len(text):
            return _dropped(text, cut, "drop-partial-member")
    else:
        cut = _cut(text, mark)
        if token == len(text):
            return _dropped(text, mark, "drop-trailing-comma") if before == "," else []
        if in_object:
            return _dropped(text, cut, "drop-partial-key") if brackets.open_string is not None else []
    return _value(text, token, cut, is_string=brackets.open_string is not None, final=final)


def _whole_string(text: str, masked: str, quote: int, *, in_object: bool) -> list[Edit]:
    """Settle a string that has its end: a key without a colon is dropped."""
    mark = _before(text, masked.rfind('"', 0, quote))
    if not in_object or text[mark] not in "{," or text[quote + 1 :].strip(_BLANKS):
        return []
    return _dropped(text, _cut(text, mark), "drop-partial-member")


def _before(text: str, position: int) -> int:
    """Return where the last character before a position is that is no blank."""
    last = position - 1
    return last if last < 0 or text[last] not in _BLANKS else len(text[:last].rstrip(_BLANKS)) - 1


def _behind_blanks(text: str, position: int) -> int:
    at_once = text[position : position + 1].strip(_BLANKS)
    return position if at_once else len(text) - len(text[position:].lstrip(_BLANKS))


def _cut(text: str, mark: int) -> int:
    """Return where a member begins, from its bracket or comma: what is dropped takes the comma with it."""
    return mark if text[mark] == "," else mark + 1


def _member(text: str, masked: str, colon: int) -> int | None:
    """Return where the member begins whose colon this is; None where it has no key."""
    end = _before(text, colon)
    if end < 0 or masked[end] != '"':
        return None
    mark = _before(text, masked.rfind('"', 0, end))
    return _cut(text, mark) if mark >= 0 and text[mark] in "{," else None


def _value(text: str, at: int, cut: int, *, is_string: bool, final: bool) -> list[Edit]:
    """Settle the last value; ``cut`` is where its member begins."""
    end = len(text)
    if is_string:
        kept = _end_of_string(text, at)
        edits = _dropped(text, kept, "drop-partial-escape") if kept < end else []
        return [*edits, Edit(rule="close-string", level="lossless", position=end, inserted='"')]
    if NUMBER.match(text, at) and final:
        return [Edit(rule="keep-unconfirmed-number", level="truncation", position=end)]
    if NUMBER.match(text, at) or HALF_NUMBER.match(text, at):
        return _dropped(text, cut, "drop-partial-number")
    if _HALF_LITERAL.match(text, at):
        return _dropped(text, cut, "drop-partial-literal")
    return []


def open_steps(parsed: Parsed, edits: Sequence[Edit]) -> list[Step]:
    """Return the steps to the place where a text ended, from what it took to close it.

    Examples
    --------
    >>> edits = [Edit(rule="close-string", level="lossless", position=24, inserted='"')]
    >>> edits += [Edit(rule="close-container", level="lossless", position=24, inserted="}]}")]
    >>> open_steps(Parsed({"a": 1, "b": [2, {"c": "x"}]}), edits)
    ['b', None, 'c']
    """
    value, closing = parsed.value, edits[-1]
    inside = any(edit.position == closing.position and edit.rule in _INSIDE for edit in edits[-3:])
    steps: list[Step] = []
    for _ in range(len(closing.inserted) - 1 + inside):
        step = None if isinstance(value, list) else parsed.named_last.get(id(value), next(reversed(value)))
        steps.append(step)
        value = value[-1 if step is None else step]
    return steps


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
