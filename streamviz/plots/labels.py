"""Names from a stream in a picture: shown as they are, with glyphs that a font has."""

from __future__ import annotations

from functools import cache
from typing import TypeVar

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.text import Text

from ..assembly.text import join_surrogates

T = TypeVar("T", bound=Text)

LABEL_CHARACTERS = 40
"""How much of a name a label holds."""

_WIDE = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Source Han Sans SC",
    "WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "Droid Sans Fallback", "Arial Unicode MS", "PingFang SC",
    "Hiragino Sans", "Heiti TC", "Microsoft YaHei", "SimHei", "Yu Gothic", "Malgun Gothic", "Apple SD Gothic Neo",
    "Noto Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Symbola", "Noto Sans Symbols", "Noto Sans Symbols 2",
)  # fmt: skip
"""Fonts with many letters or emoji, which matplotlib can draw; those that are installed stand in for missing glyphs."""


def families(*, mono: bool = False) -> tuple[str, ...]:
    """Return the fonts to draw with: the user's own, then those that have what it lacks."""
    own = ("DejaVu Sans Mono",) if mono else tuple(mpl.rcParams["font.family"])
    return _installed(own, tuple(mpl.rcParams["font.sans-serif"]))


@cache
def _installed(own: tuple[str, ...], _sans: tuple[str, ...]) -> tuple[str, ...]:
    installed = {font.name for font in fontManager.ttflist}
    first = get_font(findfont(FontProperties(family=list(own)))).family_name
    return tuple(dict.fromkeys([first, "DejaVu Sans", *(name for name in _WIDE if name in installed)]))


@cache
def _glyphs(names: tuple[str, ...]) -> frozenset[int]:
    """Return all characters that one of the fonts has."""
    return frozenset().union(*(get_font(findfont(FontProperties(family=name))).get_charmap() for name in names))


def shown(text: str, *, mono: bool = False) -> str:
    r"""Return a text for one line: what is hidden in it, or has no glyph in any font, is shown as its number.

    Examples
    --------
    >>> shown("$x_1$ \u202e")
    '$x_1$ <U+202E>'
    """
    return text if _is_plain(text) else "".join(_pieces(text, mono=mono))


def named(text: str, most: int = LABEL_CHARACTERS) -> str:
    """Return a name for a label; of a long one the end, which tells paths apart.

    Examples
    --------
    >>> named("recordings/of/last/week/anthropic.sse", 20)
    '…/week/anthropic.sse'
    """
    if len(text) <= most and _is_plain(text):
        return text
    pieces = _pieces(text[-most:])
    left_out = len(text) > most
    while sum(map(len, pieces)) + left_out > most:
        del pieces[0]
        left_out = True
    return "…" * left_out + "".join(pieces)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _pieces(text: str, *, mono: bool = False) -> list[str]:
    """Return how each character is shown."""
    from ..display.untrusted import visible_line

    glyphs = _glyphs(families(mono=mono))
    pieces = []
    for character in join_surrogates(text):
        piece = visible_line(character)
        known = all(ord(letter) in glyphs for letter in piece)
        pieces.append(piece if known else f"<U+{ord(character):04X}>")
    return pieces


def plain(text: T, *, mono: bool = False) -> T:
    """Take a text as letters only, whatever the settings say: no formula, no TeX; return it."""
    text.set_parse_math(False)
    text.set_usetex(False)
    text.set_fontfamily(list(families(mono=mono)))
    return text
