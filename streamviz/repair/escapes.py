"""Escapes in strings that JSON does not know: how they are written as it has them."""

from __future__ import annotations

import json
import re

from .report import EditLevel

ESCAPED = re.compile(r"\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4})")
"""What JSON knows."""
_HALF = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?|U[0-9a-fA-F]{0,7}|u\{[0-9a-fA-F]{0,6})?\Z")
_HEX = re.compile(r"\\(?:u[0-9a-fA-F]{0,3}|x[0-9a-fA-F]?)?\Z")
_HALF_UNICODE = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_HEX = re.compile(r"\\x([0-9a-fA-F]{2})")
_LONG = re.compile(r"\\(?:U([0-9a-fA-F]{8})|u\{([0-9a-fA-F]{1,6})\})")
_KEEPS_ITS_BACKSLASH = re.compile(r"[A-Za-z1-9\[\](){}.^|+?:,\-]")


def is_half(text: str, at: int) -> bool:
    """Whether the text ends inside the escape at ``at``, or what other languages know as one."""
    return bool(_HALF.match(text, at))


def fixed_escape(text: str, at: int) -> tuple[str, str, EditLevel]:
    r"""Return an unknown escape, how it is written in JSON, and whether that takes a guess.

    It keeps its backslash, as it would in the languages that models write most (``\d`` in a regular expression);
    what other languages know as an escape is translated.

    Examples
    --------
    >>> fixed_escape(r"\d", 0), fixed_escape(r"\x41", 0), fixed_escape(r"\'", 0)
    (('\\d', '\\\\d', 'lossless'), ('\\x41', '\\u0041', 'lossless'), ("\\'", "'", 'lossless'))
    """
    character = text[at + 1 : at + 2]
    removed = "\\" + character
    if character == "'":
        return removed, "'", "lossless"
    if found := _HEX.match(text, at):
        return found[0], f"\\u00{found[1].lower()}", "lossless"
    if (found := _LONG.match(text, at)) and int(found[1] or found[2], 16) <= 0x10FFFF:
        return found[0], json.dumps(chr(int(found[1] or found[2], 16)))[1:-1], "guess"
    if character == "0":
        return removed, "\\u0000", "guess"
    if character == "`":
        return removed, "`", "guess"
    if character < " ":
        return removed, json.dumps(character)[1:-1], "guess"
    lossless = character != "u" and _KEEPS_ITS_BACKSLASH.match(character)
    return removed, "\\\\" + character, "lossless" if lossless else "guess"


SIMPLE: dict[str, tuple[str, str, EditLevel]] = {
    f"\\{chr(code)}": fixed_escape(f"\\{chr(code)}", 0) for code in range(32, 127) if chr(code) not in "xuU"
}
"""Unknown escapes of one character, fixed."""
