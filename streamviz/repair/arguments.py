"""`repair_tool_call_arguments`: what the joined argument text of a tool call amounts to."""

from __future__ import annotations

import json

from msgspec.structs import replace

from ..limits import DEFAULT_LIMITS, Limits
from .cut import close
from .outline import outline, too_deep
from .report import Edit, RepairReport
from .report import replay as edited
from .strict import RefusedError, Step, path_of, strict_loads

_BLANKS = " \t\n\r"
_TYPES = {list: "a list", str: "a string", bool: "a boolean", int: "a number", float: "a number", type(None): "null"}


def repair_tool_call_arguments(raw: str | bytes, *, limits: Limits = DEFAULT_LIMITS) -> RepairReport:
    r"""Read the joined argument text of a tool call.

    Valid JSON is never touched. A text that ends inside the value is closed: open strings, lists and objects get their
    closers, unfinished pieces (half a key, half an escape, half a number) are dropped, and the report lists each edit.
    Anything else is refused, with the place.

    Parameters
    ----------
    raw : str or bytes
        The text as sent, its fragments joined.
    limits : Limits
        ``argument_bytes``, ``depth`` and ``integer_digits`` are checked before anything is parsed.

    Returns
    -------
    RepairReport
        With the value, the status and the edits. Data never raises.

    Notes
    -----
    The value is what a strict parser (RFC 8259) makes of the edited text, integers exact. A number beyond the range of
    a double is infinite in the value, and stands as sent in ``lexemes``. Of a cut text the value is a prefix of the
    whole one: strings may be shorter, trailing members may be missing, and only a last number may differ, which the
    edit ``keep-unconfirmed-number`` marks.

    Examples
    --------
    >>> repair_tool_call_arguments('{"city": "Paris", "days": 3}').status
    'exact'
    >>> report = repair_tool_call_arguments('{"path": "a.txt", "content": "one\\ntw')
    >>> report.status, report.value, report.open_path
    ('incomplete', {'path': 'a.txt', 'content': 'one\ntw'}, '$.content')
    >>> repair_tool_call_arguments("[1, 2]").message
    'the arguments are a list, not an object'
    """
    if isinstance(raw, str):
        return _read(raw, raw, limits)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        text = raw[: error.start].decode()
        if error.reason != "unexpected end of data":
            message = f"byte {raw[error.start]:#04x} is no UTF-8"
            return _invalid(raw.decode("utf-8", "replace"), message, len(text))
        return _read(text + "\ufffd", text, limits)
    return _read(text, text, limits)


def _read(sent: str, text: str, limits: Limits) -> RepairReport:
    """Read ``text``, which is what was sent, but for a last character that is cut in two."""
    if len(text) > limits.argument_bytes:
        return _invalid(sent, f"more than {limits.argument_bytes} characters", limits.argument_bytes)
    stripped = text.strip(_BLANKS)
    if stripped in ("", "null", '""') and sent is text:
        return RepairReport(raw=sent, value={}, status="empty", complete=True)
    if too_deep(text, limits.depth):
        return _invalid(sent, f"nested too deep: more than {limits.depth} levels")
    try:
        if stripped[:1] == "{" and (stripped[-1] != "}" or sent is not text):
            return _closed(sent, text, limits)  # whatever it is, it is no whole object
        try:
            value, lexemes = strict_loads(text, limits.integer_digits)
        except json.JSONDecodeError:
            if stripped[:1] == "{":
                return _closed(sent, text, limits)
            raise
    except json.JSONDecodeError as error:
        return _invalid(sent, error.msg, min(error.pos, len(text)))
    except RefusedError as error:
        return _invalid(sent, str(error))
    if not isinstance(value, dict):
        return _invalid(sent, f"the arguments are {_TYPES[type(value)]}, not an object", text.index(stripped[0]))
    return RepairReport(raw=sent, value=value, status="exact", complete=True, lexemes=lexemes)


def _closed(sent: str, text: str, limits: Limits) -> RepairReport:
    """Close the text of an object, if all that is wrong with it is that it ends too early."""
    brackets = outline(text)
    edits: list[Edit] = []
    steps: list[Step] = []
    if brackets.opened and brackets.mismatch is None:
        edits, steps = close(text, brackets)
    value, lexemes = strict_loads(edited(text, edits), limits.integer_digits)
    if not edits:  # the value is whole; what is cut in two stands behind it
        return _invalid(sent, "Extra data", len(text))
    if sent is not text:
        partial = Edit(rule="drop-partial-character", level="truncation", position=len(text), removed=sent[-1])
        behind = [replace(edit, position=len(sent)) for edit in edits if not edit.removed]
        edits = [*(edit for edit in edits if edit.removed), partial, *behind]
    return RepairReport(
        raw=sent,
        value=value,
        status="incomplete",
        complete=False,
        edits=tuple(edits),
        position=len(text),
        open_path=path_of(value, steps),
        lexemes=lexemes,
    )


def _invalid(raw: str, message: str, position: int | None = None) -> RepairReport:
    return RepairReport(raw=raw, value=None, status="invalid", complete=False, message=message, position=position)
