"""The parts of a card in HTML: small functions from values to strings. Every one of them escapes what it is given.

What comes from a stream stands in ``<code>`` or ``<pre>``: a notebook typesets ``$…$`` as mathematics everywhere else.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from .facts import Row
from .json_view import pretty_json
from .palette import PALETTE, Kind
from .untrusted import escaped, escaped_line, shortened

TEXT_CHARACTERS = 20_000
"""How much of one text a card holds at most."""
_OPEN_CHARACTERS = 1_000
_OPEN_LINES = 16
_LINE_CHARACTERS = 200
_LABEL_CHARACTERS = 24
LEFT_OUT = "left out here"


class Room:
    """How much more a card may hold: characters of escaped text, and rows. A huge stream must not make a huge card."""

    def __init__(self, characters: int, rows: int = 400, *, text: int = TEXT_CHARACTERS) -> None:
        self.characters = characters
        self.rows = rows
        self.text = text
        """How much of one text there is room for at most."""

    def admit(self, rows: int, most: int) -> int:
        """Return how many of ``rows`` there is room for, at most ``most``."""
        admitted = min(rows, most, self.rows)
        self.rows -= admitted
        return admitted

    def take(self, text: str, most: int | None = None) -> tuple[str, str]:
        """Return the beginning of ``text`` escaped, as much as there is room for, and the part that was escaped."""
        piece = text[: self.text if most is None else most]
        while True:
            markup = escaped(piece)
            if len(markup) <= self.characters or not piece:
                self.characters -= len(markup)
                return markup, piece
            piece = piece[: min(len(piece) // 2, self.characters)]

    def line(self, text: object, most: int = _LINE_CHARACTERS) -> str:
        """Return a text escaped for one line, shortened where it is long."""
        markup = escaped_line(shortened(str(text), most))
        if len(markup) > self.characters:
            return "…"
        self.characters -= len(markup)
        return markup


@cache
def style_sheet() -> str:
    """Return the card's style sheet, with the palette's colours for light and dark ground."""
    light = "".join(f"--sv-{kind}:{colour.light};" for kind, colour in PALETTE.items())
    dark = "".join(f"--sv-{kind}:{colour.dark};" for kind, colour in PALETTE.items())
    # The colours that `mark` and `barred` write inline, for viewers that drop style sheets, are those for light ground.
    bars = "".join(
        f".streamviz .sv-{kind}{{border-color:var(--sv-{kind}) !important}}"
        f".streamviz .sv-fill-{kind}{{background:var(--sv-{kind}) !important}}\n"
        for kind in PALETTE
    )
    rules = files(__package__).joinpath("card.css").read_text("utf-8")
    return (
        f".streamviz{{{light}}}\n"
        f"@media (prefers-color-scheme:dark){{.streamviz{{{dark}}}}}\n"
        f'[data-jp-theme-light="true"] .streamviz,.vscode-light .streamviz,[data-theme="light"] .streamviz{{{light}}}\n'
        f'[data-jp-theme-light="false"] .streamviz,.vscode-dark .streamviz,[data-theme="dark"] .streamviz{{{dark}}}\n'
        f"{bars}{rules}"
    )


def card(*parts: str, rules: str = "") -> str:
    """Put parts together to a card that stands alone; ``rules`` are style rules that only this kind of card needs."""
    body = "\n".join(part for part in parts if part)
    # The two last classes keep both generations of MathJax out.
    style = f"<style>\n{style_sheet()}{rules}</style>"
    return f'<div class="streamviz tex2jax_ignore mathjax_ignore">\n{style}\n{body}\n</div>'


def mark(word: str, kind: Kind, sign: str = "") -> str:
    """Return a word with its colour beside it."""
    text = f"{sign} {word}" if sign else word
    style = f"border-left:0.6em solid {PALETTE[kind].light};padding-left:0.4em"
    return f'<span class="sv-mark sv-{kind}" style="{style}">{escape(text)}</span>'


def barred(kind: Kind, *parts: str) -> str:
    """Put parts behind a bar of a kind's colour."""
    style = f"border-left:0.25em solid {PALETTE[kind].light};padding-left:0.8em;margin:0.7em 0"
    return f'<div class="sv-{kind}" style="{style}">{"".join(parts)}</div>'


def code(text: object, room: Room, most: int = _LINE_CHARACTERS) -> str:
    """Return a short text of the stream, on one line."""
    return f"<code>{room.line(text, most)}</code>"


def prose(text: object, room: Room, most: int = 600) -> str:
    """Return a sentence that may quote the stream."""
    return f'<code class="sv-prose">{room.line(text, most)}</code>'


def dim(words: str) -> str:
    """Return words of our own that matter less."""
    return f'<small class="sv-dim">{escape(words)}</small>' if words else ""


def facts_table(caption: str, rows: Iterable[Row], room: Room) -> str:
    """Return rows of label and value."""
    lines = []
    for row in rows:
        value = prose(row.value, room, 400) if row.from_stream else escape(row.value)
        note = f" {dim(row.note)}" if row.note else ""
        lines.append(f'<tr><th scope="row">{room.line(row.label, _LABEL_CHARACTERS)}</th><td>{value}{note}</td></tr>')
    return f'<table class="sv-facts"><caption>{escape(caption)}</caption>{"".join(lines)}</table>'


def table(
    columns: Iterable[str], rows: Iterable[Iterable[str]], caption: str = "", *, side_by_side: bool = False
) -> str:
    """Return a table of cells that are HTML already, under column heads in words.

    The last column has the room that the others leave; ``side_by_side`` shares it among all but the first two.
    """
    head = "".join(f'<th scope="col">{escape(column)}</th>' for column in columns)
    body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    kind = "sv-rows sv-sides" if side_by_side else "sv-rows"
    return f'<table class="{kind}">{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def columns(*parts: str) -> str:
    """Put parts side by side, where there is room for it."""
    return f'<div class="sv-columns">{"".join(f"<div>{part}</div>" for part in parts)}</div>'


def section(title: str, note: str, *parts: str, opened: bool = True) -> str:
    """Return a part of the card that folds away."""
    attribute = " open" if opened else ""
    summary = f"<summary><strong>{escape(title)}</strong> {dim(note)}</summary>"
    return f'<details class="sv-section"{attribute}>{summary}{"".join(parts)}</details>'


def folded(title: str, body: str) -> str:
    """Return HTML behind a line that opens it."""
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def long_text(text: str, room: Room, what: str = "characters") -> str:
    """Return a text: its beginning, the rest behind a fold, and how much had to be left out."""
    if not text:
        return dim("empty")
    head = _head(text)
    markup, shown = room.take(head)
    parts = [pre(markup)] if shown else []
    if len(shown) == len(head) < len(text):
        rest, more = room.take(text[len(head) :], room.text - len(head))
        if more:
            parts.append(folded(f"{len(more):,} more {what}", pre(rest)))
            shown += more
    if len(shown) < len(text):
        parts.append(f"<p>{dim(f'{len(text) - len(shown):,} of {len(text):,} {what} {LEFT_OUT}')}</p>")
    return "".join(parts)


def _head(text: str) -> str:
    """Return what is shown at once: all of it where little would be left to fold away."""
    position = -1
    for _ in range(_OPEN_LINES):
        position = text.find("\n", position + 1, _OPEN_CHARACTERS)
        if position < 0:
            break
    end = position + 1 if position >= 0 else _OPEN_CHARACTERS
    rest = text[end : end + 201]
    return text if len(rest) <= 200 and rest.count("\n") < 4 else text[:end]


def pre(markup: str) -> str:
    """Put markup into a ``<pre>``. HTML drops a line feed at its start, so one more is put there."""
    guard = "\n" if markup.startswith("\n") else ""
    return f'<pre dir="auto">{guard}{markup}</pre>'


def json_text(value: Any, room: Room) -> str:
    """Return a value as indented JSON, its beginning where it is long."""
    text, whole = pretty_json(value, room.text)
    cut = "" if whole else f"<p>{dim(f'the rest of the JSON is {LEFT_OUT}')}</p>"
    return long_text(text, room) + cut


def more_rows(left: int, what: str) -> str:
    """Say how many rows are not shown."""
    return f"<p>{dim(f'{left:,} more {what} {LEFT_OUT}')}</p>" if left > 0 else ""
