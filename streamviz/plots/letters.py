"""Letters of fixed width that fill their cells."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from rich.cells import cell_len

from .labels import families

if TYPE_CHECKING:
    from matplotlib.transforms import Transform

ADVANCE = 0.602
"""Width of a cell, in units of the font size."""


class Letters(PathPatch):
    """A stretch of text, drawn as shapes, each letter in its cell.

    A `Text` rounds every letter's width to whole pixels: a line of it is as much as a tenth wider or narrower than it
    should be, and what is marked in it would not stand where its mark is.

    Parameters
    ----------
    text : str
        Visible text, with glyphs for all of it.
    start : (float, float)
        Where its first letter begins on the base line, in points.
    size : float
        Font size in points.
    place : Transform
        From points to where it stands.
    colour : str
        Of the letters.
    """

    def __init__(self, text: str, start: tuple[float, float], size: float, place: Transform, colour: str) -> None:
        self._text = text
        names = families(mono=True)
        shapes = []
        x, y = start
        for letter in text:
            vertices, codes = _glyph(letter, names)
            if len(vertices):
                shapes.append(Path(vertices * size + (x, y), codes))
            x += cell_len(letter) * ADVANCE * size
        path = Path.make_compound_path(*shapes) if shapes else Path(np.empty((0, 2)))
        super().__init__(path, facecolor=colour, linewidth=0, transform=place)

    def get_text(self) -> str:
        """Return the text."""
        return self._text


@cache
def _glyph(letter: str, names: tuple[str, ...]) -> tuple[Any, Any]:
    """Return the shape of a letter at size 1."""
    font = FontProperties(family=list(names), size=text_to_path.FONT_SCALE)
    vertices, codes = text_to_path.get_text_path(font, letter, ismath=False)
    return np.asarray(vertices, dtype=float).reshape(-1, 2) / text_to_path.FONT_SCALE, codes
