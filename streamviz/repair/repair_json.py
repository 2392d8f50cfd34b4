"""`repair_json` and `repair_tool_call_arguments`: what a text that should be JSON amounts to."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..limits import DEFAULT_LIMITS, Limits
from .cut import close, open_steps
from .outline import Outline, outline
from .report import Edit, RepairReport, RepairStatus
from .report import replay as edited
from .rules import RULES
from .strict import BeyondLimitError, NoJSONError, Parsed, path_of, strict_loads

RepairLevel = Literal["off", "safe", "guess"]
_LEVELS, _MODES, _EXPECTED = ("off", "safe", "guess"), ("final", "partial"), ("any", "object")
_BLANKS = " \t\n\r"
_TYPES = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}
_NOTHING = re.compile(r"[ \t\n\r]*+(?:null|\"\")[ \t\n\r]*+\Z")
_LAYERS = 3
"""How often a text may be encoded over again."""


class _Options(Struct, frozen=True):
    expect_object: bool
    final: bool
    level: RepairLevel
    without: frozenset[str]
    limits: Limits


def repair_tool_call_arguments(
    raw: str | bytes,
    *,
    repair: RepairLevel = "safe",
    without: Collection[str] = (),
    schema: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> RepairReport:
    r"""Read the joined argument text of a tool call: `repair_json` where an object is due.

    Nothing at all, blanks, ``null`` and ``""`` mean no arguments.

    Parameters
    ----------
    raw : str or bytes
        The text as sent, its fragments joined.
    repair, without, schema, limits
        See `repair_json`.

    Returns
    -------
    RepairReport
        With the value, the status and the edits. Data never raises.

    Examples
    --------
    >>> repair_tool_call_arguments('{"city": "Paris", "days": 3}').status
    'exact'
    >>> report = repair_tool_call_arguments('{"path": "a.txt", "content": "one\\ntw')
    >>> report.status, report.value, report.open_path
    ('incomplete', {'path': 'a.txt', 'content': 'one\ntw'}, '$.content')
    >>> report = repair_tool_call_arguments("{'city': 'Paris',}")
    >>> report.status, report.value, [edit.rule for edit in report.edits][-1]
    ('repaired', {'city': 'Paris'}, 'drop-trailing-comma')
    >>> repair_tool_call_arguments("[1, 2]").message
    'the arguments are a list, not an object'
    """
    return repair_json(raw, expect="object", repair=repair, without=without, schema=schema, limits=limits)


def repair_json(
    text: str | bytes,
    *,
    expect: Literal["any", "object"] = "any",
    mode: Literal["final", "partial"] = "final",
    repair: RepairLevel = "safe",
    without: Collection[str] = (),
    schema: Mapping[str, Any] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> RepairReport:
    r"""Read a text that should be JSON, and say what it took.

    Valid JSON is never touched. A text that ends inside the value is closed: open strings, lists and objects get their
    closers, unfinished pieces (half a key, half an escape, half a number) are dropped. Anything else is mended by named
    rules (`streamviz.repair.rules.RULES`), or refused with the place. The report lists each edit; done on the text,
    they give strict JSON with the value.

    Parameters
    ----------
    text : str or bytes
        The text. Bytes are UTF-8.
    expect : {"any", "object"}
        What is due. With ``object`` a text that was encoded twice is decoded once more.
    mode : {"final", "partial"}
        Whether the text is over. In the view of one that is still arriving, a number that touches its end is withheld:
        nothing that was shown is ever taken back.
    repair : {"off", "safe", "guess"}
        What may be done: nothing; what loses and invents no character of the value (and drops what is unfinished at a
        cut); or what is likely, too.
    without : collection of str
        Rules that are switched off.
    schema : mapping, optional
        A JSON Schema that the value should have. Values that are of the wrong type only by their spelling are mended
        (``5`` for ``"5"``, a value for a list of it, a string that holds the object), and what is still not allowed is
        in ``schema_violations``. Needs the extra ``schema``.
    limits : Limits
        ``argument_bytes``, ``depth`` and ``integer_digits`` are checked before anything is parsed.

    Returns
    -------
    RepairReport
        With the value, the status and the edits. Data never raises.

    Raises
    ------
    ValueError
        A rule in ``without`` does not exist, the schema is none, or ``repair``, ``mode`` or ``expect`` is no word that
        is known.
    TypeError
        The text is neither str nor bytes.

    Notes
    -----
    The value is what a strict parser (RFC 8259) makes of the edited text, integers exact. A number beyond the range of
    a double is infinite in the value, and stands as sent in ``lexemes``. Of a cut text the value is a prefix of the
    whole one: strings may be shorter, trailing members may be missing, and only a last number may differ, which the
    edit ``keep-unconfirmed-number`` marks.

    Several values in one text: equal ones are one, an empty object before the real one is a placeholder, and two that
    differ are two calls glued together: they are refused, and handed back in ``roots``.

    Examples
    --------
    >>> repair_json("[1, 2").value
    [1, 2]
    >>> repair_json("[1, 2", mode="partial").value
    [1]
    >>> repair_json('{"say": "he said "go""}').status
    'invalid'
    >>> repair_json('{"say": "he said "go""}', repair="guess").value
    {'say': 'he said "go"'}
    >>> schema = {"properties": {"zip": {"type": "string"}, "days": {"type": "array"}}}
    >>> report = repair_json('{"zip": 0.50, "days": 3}', schema=schema)
    >>> report.value, [edit.rule for edit in report.edits]
    ({'zip': '0.50', 'days': [3]}, ['quote-scalar', 'quote-scalar', 'wrap-in-array', 'wrap-in-array'])
    """
    for name, word, words in (("repair", repair, _LEVELS), ("mode", mode, _MODES), ("expect", expect, _EXPECTED)):
        if word not in words:
            raise ValueError(f"{name} is one of {', '.join(map(repr, words))}, not {word!r}")
    if not isinstance(text, str | bytes):
        raise TypeError(f"text is str or bytes, not {type(text).__name__}")
    unknown = set(without) - set(RULES)
    if unknown:
        raise ValueError(f"no rules are called {', '.join(sorted(unknown))}; see streamviz.repair.RULES")
    options = _Options(expect == "object", mode == "final", repair, frozenset(without), limits)
    report = _read(text, text, options) if isinstance(text, str) else _read_bytes(text, options)
    if schema is None or report.status not in ("exact", "empty", "repaired", "incomplete"):
        return report
    if report.status == "incomplete" and report.value is None:
        return report
    from .schema import apply_schema

    return apply_schema(report, schema, without=options.without, level=repair, integer_digits=limits.integer_digits)


def _read_bytes(text: bytes, options: _Options) -> RepairReport:
    """Read UTF-8; a last character that is cut in two is dropped."""
    try:
        decoded = text.decode()
    except UnicodeDecodeError as error:
        decoded = text[: error.start].decode()
        if error.reason != "unexpected end of data":
            message = f"byte {text[error.start]:#04x} is no UTF-8"
            return _invalid(text.decode("utf-8", "replace"), message, len(decoded))
        return _read(decoded + "\ufffd", decoded, options)
    return _read(decoded, decoded, options)


def _read(sent: str, text: str, options: _Options) -> RepairReport:
    """Read ``text``, which is what was sent, but for a last character that is cut in two."""
    limits = options.limits
    if len(text) > limits.argument_bytes:
        return _invalid(sent, f"more than {limits.argument_bytes} characters", limits.argument_bytes)
    first = text.lstrip(_BLANKS)[:1]
    if sent is text and (not first or (options.expect_object and _NOTHING.match(text))):
        if options.expect_object and options.final:
            return RepairReport(raw=sent, value={}, status="empty", complete=True)
        if not first:
            report = _invalid(sent, "there is no value in it")
            return report if options.final else replace(report, status="incomplete")
    brackets = outline(text) if len(text) > limits.depth else None
    if brackets is not None and brackets.deeper_than(limits.depth):
        return _invalid(sent, f"nested too deep: more than {limits.depth} levels")
    message: str
    position: int | None
    if sent is not text or _is_cut(first, text, brackets):
        message, position = "Expecting the end of the value", len(text)
    else:
        try:
            return _exact(sent, strict_loads(text, limits.integer_digits), options)
        except json.JSONDecodeError as error:
            message, position = error.msg.removesuffix(" starting at"), min(error.pos, len(text))
        except NoJSONError as error:
            message, position = str(error), None
        except BeyondLimitError as error:
            return _invalid(sent, str(error))
    if options.level == "off":
        return _invalid(sent, message, position)
    return _mended(sent, text, options, _LAYERS, brackets) or _refused(sent, text, options, message, position)


def _exact(text: str, parsed: Parsed, options: _Options) -> RepairReport:
    """Take a valid text; one that holds no object, where one is due, may be encoded over again."""
    if not options.expect_object or isinstance(parsed.value, dict):
        if not options.final and text[-1] not in _BLANKS and type(parsed.value) in (int, float):  # it may go on
            return replace(_invalid(text, "a number that may go on", len(text)), status="incomplete", open_path="$")
        return _report(text, parsed, "exact")
    message = f"the arguments are {_TYPES[type(parsed.value)]}, not an object"
    position = len(text) - len(text.lstrip(_BLANKS))
    return _layered(text, text, options, _LAYERS) or _invalid(text, message, position)


def _report(raw: str, parsed: Parsed, status: RepairStatus, edits: Iterable[Edit] = ()) -> RepairReport:
    return RepairReport(
        raw=raw,
        value=parsed.value,
        status=status,
        complete=status != "incomplete",
        edits=tuple(edits),
        lexemes=parsed.lexemes,
        duplicates=parsed.duplicates,
    )


def _is_cut(first: str, text: str, brackets: Outline | None) -> bool:
    """Whether a text need not be parsed to know that it does not reach its end."""
    if first not in ("{", "["):
        return False
    if brackets is not None and (brackets.opened or brackets.open_string is not None):
        return True
    return text.rstrip(_BLANKS)[-1] not in "}]"


def _mended(
    sent: str, text: str, options: _Options, layers: int, brackets: Outline | None = None
) -> RepairReport | None:
    """Close what is cut, else mend it at the levels allowed; None where that does not do."""
    guess = options.level == "guess"
    layered = _layered(sent, text, options, layers)
    if layered is not None:
        return layered
    if text.lstrip(_BLANKS)[:1] in ("{", "["):
        closed = _closed(sent, text, brackets or outline(text), options)
        ends_inside = text[-1] not in "}]" and text.rstrip(_BLANKS)[-1] not in "}]"
        if closed is not None and (ends_inside or not guess):
            return closed
    else:
        closed = None
    requoted = _requoted(sent, text, options)
    if requoted is not None:
        return requoted
    for level in (False, True)[: 1 + guess]:
        report = _tolerant(sent, text, options, guess=level)
        if report is not None and report.complete:
            return report
        closed = closed or report
    return closed


def _requoted(sent: str, text: str, options: _Options) -> RepairReport | None:
    """Read a text that is JSON but for its quotes, all of which are single; None where there is more to it.

    The reader would come to the same, at many times the cost: whole objects written by ``repr`` are common.
    """
    if sent is not text or "'" not in text or '"' in text or "\\" in text or "requote" in options.without:
        return None
    try:
        parsed = strict_loads(text.replace("'", '"'), options.limits.integer_digits)
    except ValueError:
        return None
    if options.expect_object and not isinstance(parsed.value, dict):
        return None
    quotes = re.finditer("'", text)
    edits = [
        Edit(rule="requote", level="lossless", position=quote.start(), removed="'", inserted='"') for quote in quotes
    ]
    return _report(sent, parsed, "repaired", edits)


def _closed(sent: str, text: str, brackets: Outline, options: _Options) -> RepairReport | None:
    """Close a text, if all that is wrong with it is that it ends too early."""
    if not brackets.opened:
        return None
    edits = close(text, brackets, final=options.final)
    if any(edit.rule in options.without for edit in edits):
        return None
    try:
        return _incomplete(sent, text, edits, options)
    except ValueError:
        return None


def _incomplete(sent: str, text: str, edits: list[Edit], options: _Options) -> RepairReport:
    parsed = strict_loads(edited(text, edits), options.limits.integer_digits)
    value = parsed.value
    wrong_type = options.expect_object and not isinstance(value, dict)
    if sent is not text:
        partial = Edit(rule="drop-partial-character", level="truncation", position=len(text), removed=sent[-1])
        behind = [replace(edit, position=len(sent)) for edit in edits if edit.position == len(text)]
        edits = [*(edit for edit in edits if edit.position < len(text)), partial, *behind]
    if wrong_type:
        return _invalid(sent, f"the arguments are {_TYPES[type(value)]}, not an object", 0)
    path = path_of(value, open_steps(parsed, edits))
    return replace(_report(sent, parsed, "incomplete", edits), position=len(text), open_path=path)


def _tolerant(sent: str, text: str, options: _Options, *, guess: bool) -> RepairReport | None:
    """Mend a text at one level."""
    from .document import read_document  # its patterns take a while to compile
    from .editing import RefusalError

    try:
        document = read_document(
            text,
            expect_object=options.expect_object,
            guess=guess,
            final=options.final,
            without=options.without,
            depth=options.limits.depth,
        )
        if document.roots:
            return None
        edits = sorted(document.edits, key=lambda edit: edit.position)
        if document.truncated:
            return _incomplete(sent, text, edits, options)
        if sent is not text:
            return None
        parsed = strict_loads(edited(text, edits), options.limits.integer_digits)
    except (RefusalError, ValueError):
        return None
    if options.expect_object and not isinstance(parsed.value, dict):
        return None
    return _report(sent, parsed, "repaired", edits)


def _layered(sent: str, text: str, options: _Options, layers: int) -> RepairReport | None:
    """Read a text that was encoded over again: as one edit, whatever it takes inside."""
    if not layers or options.level == "off":
        return None
    from .document import decoded_once_more

    layer = decoded_once_more(text)
    if layer is None or layer[1] in options.without or (layer[1] == "unwrap-string" and not options.expect_object):
        return None
    inner_text, rule = layer
    try:
        parsed = strict_loads(inner_text, options.limits.integer_digits)
        if options.expect_object and not isinstance(parsed.value, dict):
            inner = _layered(inner_text, inner_text, options, layers - 1)
        else:
            inner = _report(inner_text, parsed, "exact")
    except ValueError:
        inner = _mended(inner_text, inner_text, options, layers - 1)
    if inner is None or inner.value is None:
        return None
    levels = {"lossless", *(edit.level for edit in inner.edits)}
    level = next(name for name in ("guess", "truncation", "lossless") if name in levels)
    whole = Edit(rule=rule, level=level, position=0, removed=sent, inserted=inner.replay())
    return replace(
        inner,
        raw=sent,
        status="repaired" if inner.complete else "incomplete",
        edits=(whole,),
        position=None if inner.complete else len(text),
    )


def _refused(sent: str, text: str, options: _Options, message: str, position: int | None) -> RepairReport:
    """Say what is wrong: several values, or what the strict parser found."""
    try:
        strict_loads(text, options.limits.integer_digits)
    except json.JSONDecodeError as error:
        message, position = error.msg.removesuffix(" starting at"), min(error.pos, len(text))
    except ValueError:  # a word that is no JSON, or a limit
        pass
    from .document import read_document
    from .editing import RefusalError

    try:
        document = read_document(text, expect_object=options.expect_object, guess=False, depth=options.limits.depth)
    except RefusalError as error:
        return _invalid(sent, message, error.position if position is None else position)
    except ValueError:
        return _invalid(sent, message, position)
    if not document.roots:
        return _invalid(sent, message, position)
    count = len(document.roots)
    return replace(_invalid(sent, f"{count} different values in a row", document.roots[1].start), roots=document.roots)


def _invalid(raw: str, message: str, position: int | None = None) -> RepairReport:
    return RepairReport(raw=raw, value=None, status="invalid", complete=False, message=message, position=position)
