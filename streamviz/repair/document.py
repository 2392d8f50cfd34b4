"""The text around a value: fences, prose, wrappers, several values where one was due."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Container, Iterator
from itertools import pairwise, starmap
from typing import Any

from msgspec import Struct, structs

from .editing import RefusalError
from .outline import STRING
from .prefix import is_beginning, same
from .reader import ONLY_CLOSERS, Reader
from .report import Edit, EditLevel, Root, replay

_BRACKET = re.compile(r"[{\[]")
_CLOSER = re.compile(r"[}\]]")
_OPENING_BRACE = re.compile(r"\{")
_KEY_INSIDE = re.compile(r"[\"'`“”‘’]\s*(?::|=>)")
_STARTS_WITH_KEY = re.compile(rf"\s*{STRING}\s*:", re.DOTALL)
_STARTS_IN_KEY = re.compile(r"\s*[\w$-]+\"\s*:")
_GOES_ON = re.compile(r"[,:0-9-]|[\"'][^\s}\]]")
"""What a suffix does not begin with, but the rest of a value does whose brackets are wrong."""
_CONTENT = re.compile(r"[\w\"'}\]]")
_STRAY_QUOTE = re.compile(r'"(?: ++[}\])]*+)?\Z')
"""A quote too many at the end. With a bracket right behind it, or on the next line, it may end the last string."""
_STRING_AND_CLOSERS = re.compile(r"[\"'`”’“»][}\]),\s]*+\Z")
_WELL_ENDED = re.compile(r"[^\s,:;=+#/\\(){}\[\]\"'`“”‘’]\"[}\s]*+\Z")
_AT_THE_END = 1000
"""How much of a value is looked at from behind: more blanks and brackets than that are not expected."""
_PLACEHOLDER = re.compile(r"\s*(?:null|\"\")\s*\Z")
_SCALAR = re.compile(r"[-\"'`“‘0-9.tfnTFNIu]")
_ENTITY = re.compile(r"&(?:quot|apos|lt|gt|amp|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")
_QUOTED = re.compile(r'\s*+"')
_ESCAPED_QUOTED = re.compile(r"\s*+[{\[]\s*+\\\"")
_ENTITY_QUOTED = re.compile(r"\s*[{\[]\s*&(?:quot|#34|#[xX]22);")
_BLANKS = " \t\r\n"
_MOST_STARTS = 8
"""How many brackets are tried as the beginning of the value."""


class Document(Struct):
    """What a text was read as."""

    edits: list[Edit]
    truncated: bool
    roots: tuple[Root, ...] = ()
    """More than one only where they contradict each other; then nothing was read."""


def read_document(
    text: str,
    *,
    expect_object: bool,
    guess: bool,
    final: bool = True,
    without: Container[str] = (),
    depth: int = 500,
) -> Document:
    """Find the edits that make strict JSON of a text.

    Raises
    ------
    RefusalError
        It cannot be done at this level.
    """
    options: dict[str, Any] = {"guess": guess, "final": final, "without": without, "depth": depth}
    head = Reader(text, 0, **options)
    head.skip()
    begin, marks = head.at, len(head.edits)
    starts = _starts(text, begin, expect_object=expect_object)
    if _STARTS_WITH_KEY.match(text, begin) or (guess and _STARTS_IN_KEY.match(text, begin)):
        starts = [begin]
    refusal = RefusalError("there is no list or object in it", begin)
    for number, start in enumerate(starts):
        reader = Reader(text, start, **options)
        del head.edits[marks:]
        try:
            _prefix(head, begin, start)
            _body(reader)
            document = _tail(head, reader, options)
        except RecursionError:
            raise RefusalError("several values, too deep to be compared", start) from None
        except RefusalError as error:
            refusal = refusal if number else error
            if not guess:
                break
        else:
            if not document.truncated or all(edit.level == "lossless" for edit in head.edits):
                return document
            refusal = RefusalError("neither where it begins nor where it ends is certain", start)
    raise refusal


def _starts(text: str, begin: int, *, expect_object: bool) -> list[int]:
    """Return where the value may begin, the likeliest first."""
    if not expect_object and _SCALAR.match(text, begin) and not _BRACKET.search(text, begin):
        return [begin]
    pattern = _OPENING_BRACE if expect_object and "{" in text else _BRACKET
    if text[begin : begin + 1] in ("{", "["):
        pattern = _BRACKET
    found = []
    for bracket in pattern.finditer(text, begin):
        found.append(bracket.start())
        if len(found) == _MOST_STARTS:
            break
    return found


def _prefix(head: Reader, begin: int, start: int) -> None:
    """Drop what stands before the value."""
    prefix = head.text[begin:start]
    if not prefix:
        return
    if _PLACEHOLDER.match(prefix):
        head.edit("drop-empty-value", begin, removed=prefix, level="guess")
        return
    if _KEY_INSIDE.search(prefix):
        raise RefusalError("a key stands before the first bracket", begin)
    rule = "strip-fence" if "```" in prefix or "~~~" in prefix else "strip-prefix"
    has_bracket = any(bracket in prefix for bracket in "{}[]")
    if has_bracket and '"' in prefix:
        raise RefusalError("another value seems to stand before this one", begin)
    is_member = prefix.rstrip().endswith(",") or prefix.count('"') % 2  # of a list, or the end of one
    head.edit(rule, begin, removed=prefix, level="guess" if has_bracket or is_member else "lossless")


def _body(reader: Reader) -> None:
    """Read the value itself; a lost opening brace, or half the first key, is put back."""
    text, at = reader.text, reader.at
    if _STARTS_WITH_KEY.match(text, at):
        swapped = text.startswith("{", text.index('"', at) + 1)  # "{a" was {"a
        reader.edit("add-opener", at, inserted="{", level="guess" if swapped else "lossless")
        reader.read(in_object="key")
    elif text[at : at + 1] not in ("{", "[") and _STARTS_IN_KEY.match(text, at):
        reader.edit("add-opener", at, inserted='{"', level="guess")
        reader.at = text.index('"', at) + 1
        reader.read(in_object="colon")
    else:
        reader.read()


def _tail(head: Reader, reader: Reader, options: dict[str, Any]) -> Document:
    """Settle what stands behind the value: nothing, a suffix, or more values."""
    text = reader.text
    readers = [reader]
    while not reader.truncated:
        bracket = _BRACKET.search(text, reader.at)
        gap = text[reader.at : bracket.start() if bracket else len(text)]
        if bracket is None and not gap.strip(_BLANKS):
            break
        if _KEY_INSIDE.search(gap):
            raise RefusalError("a key stands behind the value", reader.at)
        if bracket is None:
            _suffix(reader, is_alone=len(readers) == 1 and not any(e.rule == "strip-prefix" for e in head.edits))
            break
        following = Reader(text, bracket.start(), **options)
        try:
            following.read()
        except RefusalError:
            if not options["guess"] or not any(map(str.isalpha, gap)):
                raise
            reader.edit("strip-suffix", reader.at, removed=text[reader.at :], level="guess")
            break
        readers.append(following)
        reader = following
    if len(readers) == 1:
        return Document(head.edits + reader.edits, reader.truncated)
    return _several(head, readers)


def _suffix(reader: Reader, *, is_alone: bool) -> None:
    """Drop what stands behind the value and holds no value of its own.

    ``is_alone`` says that nothing stands before the value.
    """
    rest = reader.text[reader.at :].lstrip(_BLANKS)
    stripped = rest.rstrip()
    level: EditLevel = "lossless"
    if stripped == ",":
        rule = "drop-trailing-comma"
    elif ONLY_CLOSERS.match(stripped):
        rule = "drop-extra-closer"
        if _CLOSER.search(stripped) and not (is_alone and _is_closer_extra(reader, stripped)):
            level = "guess"
    else:
        goes_on = (
            _GOES_ON.match(stripped)
            or reader.text[reader.start] not in "{[("
            or any(edit.rule == "fix-closer" for edit in reader.edits)
        )
        is_stray = _STRAY_QUOTE.match(stripped)
        if goes_on and not is_stray and _CONTENT.search(stripped):
            raise RefusalError("the text goes on behind the end of the value", reader.at)
        if stripped.startswith(("```", "~~~")):
            rule = "strip-fence"
        elif stripped.startswith(("//", "/*", "#", "<!--")):
            rule = "strip-comment"
        else:
            rule = "strip-suffix"
        if _may_go_on(reader, stripped):
            level = "guess"
    reader.edit(rule, len(reader.text) - len(rest), removed=rest, level=level)


def _is_closer_extra(reader: Reader, closers: str) -> bool:
    """Whether brackets behind a value are too many there, and not the ones of members that another closed too early."""
    text = reader.text
    fixed = next((edit for edit in reader.edits if edit.rule in ("fix-closer", "add-opener")), None)
    if fixed is not None and not ONLY_CLOSERS.match(text, fixed.position):
        return False
    closer = "}" if text[reader.start] == "{" else "]"
    return not (reader.may_shift and closer in closers)


def _may_go_on(reader: Reader, suffix: str) -> bool:
    """Whether a suffix may be the rest of a value whose last string or bracket was closed too early."""
    ending = reader.text[max(0, reader.at - _AT_THE_END) : reader.at]
    if _STRAY_QUOTE.match(suffix):
        return bool(_STRING_AND_CLOSERS.search(ending)) and not _WELL_ENDED.search(ending)
    quotes = suffix.count('"')
    in_string = bool(_STRING_AND_CLOSERS.search(ending))
    return bool(_CLOSER.search(suffix)) or quotes % 2 == 1 or (quotes > 0 and in_string)


def _several(head: Reader, readers: list[Reader]) -> Document:
    """Make one value of several, where that takes no decision, or say which there are."""
    text = head.text
    roots = []
    for reader in readers:
        own = [edit for edit in reader.edits if edit.position <= reader.at]
        written = replay(text[reader.start : reader.at], [_moved(edit, -reader.start) for edit in own])
        roots.append(Root(reader.start, reader.at, json.loads(written)))
    values = [root.value for root in roots]
    truncated = readers[-1].truncated
    two = len(values) == 2
    endless = any(math.isinf(number) for number in _numbers(values))  # beyond a double's range: 1e400 is not 1e500
    in_list = any("," in text[one.end : other.start] for one, other in pairwise(roots))  # its bracket is lost
    level: EditLevel = "guess" if in_list else "lossless"
    if all(same(value, values[0]) for value in values) and not truncated and not endless:
        return _keep(head, readers, 0, "collapse-repeat", level)
    if two and values[0] == {}:
        return _keep(head, readers, 1, "drop-empty-value", level)
    if two and values[1] == {} and not truncated:
        return _keep(head, readers, 0, "drop-empty-value", "guess")
    if head.guess and two and truncated and is_beginning(values[1], values[0]):
        return _keep(head, readers, 0, "collapse-repeat", "guess")
    if head.guess and all(starmap(is_beginning, pairwise(values))):
        return _keep(head, readers, -1, "take-snapshot", "guess")
    return Document([], truncated=False, roots=tuple(roots))


def _numbers(values: list[Any]) -> Iterator[float]:
    """Go through the numbers with a fraction or exponent."""
    stack = list(values)
    while stack:
        match stack.pop():
            case float(number):
                yield number
            case dict() as value:
                stack += value.values()
            case list() as value:
                stack += value


def _keep(head: Reader, readers: list[Reader], which: int, rule: str, level: EditLevel = "lossless") -> Document:
    """Keep one of several values and drop the text of the others."""
    text, kept = head.text, readers[which]
    if kept is not readers[0]:
        head.edit(rule, readers[0].start, removed=text[readers[0].start : kept.start], level=level)
    if kept is not readers[-1]:
        kept.edits = [edit for edit in kept.edits if edit.position <= kept.at]
        kept.edit(rule, kept.at, removed=text[kept.at :], level=level)
    return Document(head.edits + kept.edits, kept.truncated)


def _moved(edit: Edit, by: int) -> Edit:
    return structs.replace(edit, position=edit.position + by)


def decoded_once_more(text: str) -> tuple[str, str] | None:
    r"""Return a text without a layer of encoding around the whole of it, and the rule's name; None where there is none.

    Examples
    --------
    >>> decoded_once_more('"{\\"a\\":1}"')
    ('{"a":1}', 'unwrap-string')
    >>> decoded_once_more("{&quot;a&quot;:1}")
    ('{"a":1}', 'unescape-entities')
    """
    if _QUOTED.match(text):
        stripped = text.strip()
        body = re.match(r'"((?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+)("?)', stripped)
        inner = _decoded(body[1]) if body and body.end() >= len(stripped) - (not body[2]) * 6 else None
        if inner is not None and inner.lstrip()[:1] in ("{", "[", '"') and inner.strip():
            return inner, "unwrap-string"
    elif _ESCAPED_QUOTED.match(text):
        inner = _decoded(text.strip())
        if inner is not None:
            return inner, "unescape-quotes"
    elif _ENTITY_QUOTED.match(text):
        return _ENTITY.sub(lambda entity: html.unescape(entity[0]), text), "unescape-entities"
    return None


def _decoded(body: str) -> str | None:
    try:
        return str(json.loads(f'"{body}"', strict=False))
    except ValueError:
        return None
