"""Text from a stream, made safe to look at: nothing in it is markup, and nothing in it can hide.

Control characters, bidirectional overrides and invisible characters are shown as what they are; otherwise a stream
could recolour a terminal, reverse a line, or hide instructions in a card that looks harmless.
"""

from __future__ import annotations

import html
import re

from ..assembly.text import join_surrogates

_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 but tab and line feed, DEL, C1
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings, overrides, isolates
    "\u00ad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb"  # zero width, line ends, annotations
    "\u115f\u1160\u3164\uffa0"  # fillers: letters without a shape
    "\U000e0000-\U000e0fff"  # tags and further variation selectors: text that no font shows
)
_ONE = re.compile(f"[{_HIDDEN}]")
_RUN = re.compile(f"[{_HIDDEN}]+")
_BREAKS = str.maketrans({"\n": "\u240a", "\t": "\u2409"})


def _name(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else f"<U+{code:04X}>"


def visible(text: str) -> str:
    r"""Return ``text`` with what is hidden in it shown; line feeds and tabs stay, lone surrogates become U+FFFD.

    Examples
    --------
    >>> visible("red: \x1b[31m, reversed: \u202e!")
    'red: ␛[31m, reversed: <U+202E>!'
    """
    text = join_surrogates(text)
    return text if text.isascii() and text.isprintable() else _ONE.sub(lambda found: _name(found[0]), text)


def visible_line(text: object) -> str:
    r"""Return the same for a text that must stay on one line: line feeds and tabs are shown too.

    Examples
    --------
    >>> visible_line("two\nlines")
    'two␊lines'
    """
    return visible(str(text)).translate(_BREAKS)


def escaped(text: str) -> str:
    r"""Return ``text`` for HTML, between tags or inside a quoted attribute's value; what is hidden stands in a span.

    Examples
    --------
    >>> escaped("<b>\x1b")
    '&lt;b&gt;<span class="sv-hidden">␛</span>'
    """
    text = html.escape(join_surrogates(text), quote=True)
    return _RUN.sub(_marked, text)


def escaped_line(text: object) -> str:
    """Return the same for a text that must stay on one line."""
    return escaped(str(text).translate(_BREAKS))


def _marked(run: re.Match[str]) -> str:
    names = html.escape("".join([_name(character) for character in run[0]]))
    return f'<span class="sv-hidden">{names}</span>'


def json_escaped(document: str) -> str:
    r"""Return a JSON document with what is hidden in its strings written as ``\\u`` escapes: the same document.

    Examples
    --------
    >>> json_escaped('{"a": "\u202eb"}')
    '{"a": "\\u202eb"}'
    """
    return _ONE.sub(_json_escape, document)


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"


def shortened(text: str, most: int) -> str:
    """Return at most ``most`` characters of a text, and how many more there are.

    Examples
    --------
    >>> shortened("abcdefghij", 4)
    'abcd… (+6 characters)'
    """
    if len(text) <= most:
        return text
    return f"{text[:most]}… (+{len(text) - most:,} characters)"
