"""Each chunk of a run on a line: its number, its bytes, what is in it."""

from __future__ import annotations

from rich.text import Text

from ..chunks import NormalizedChunk, ResponseInfo
from .chunk_words import VALUE_CHARACTERS, chunk_words
from .text_card import STYLES, line_of


def chunk_line(number: int, start: int, end: int, chunk: NormalizedChunk, *, known: ResponseInfo | None = None) -> Text:
    r"""Return one chunk as a line for the terminal.

    Parameters
    ----------
    number : int
        Of the chunk.
    start, end : int
        The byte range of its frame.
    chunk : NormalizedChunk
        What the frame means.
    known : ResponseInfo, optional
        What an earlier chunk said of the response: not said again.

    Examples
    --------
    >>> from streamviz import TextDelta
    >>> print(chunk_line(3, 120, 160, NormalizedChunk(deltas=(TextDelta("Hi\x1b[2J"),), terminal="done")))
        3  120:160  text 'Hi␛[2J' | end mark done
    """
    line = Text(f"{number:>5}  {start}:{end} ", no_wrap=True)
    words = list(chunk_words(chunk, known))
    for position, (kind, word, value) in enumerate(words):
        line.append(" | " if position else " ").append(word, STYLES[kind])
        if value:
            line.append(f" {line_of(value, VALUE_CHARACTERS)}")
    if not words:
        line.append(" nothing", "dim")
    return line
