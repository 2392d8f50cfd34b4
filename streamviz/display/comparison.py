"""A comparison as HTML: what is the same, what differs, and the words in which two texts differ.

Every difference is said by a sign or a word, and never by a colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from . import html_parts as parts
from .facts import UNKNOWN, count
from .html_parts import Room

if TYPE_CHECKING:
    from ..comparing.comparison import Comparison

_ROOM_CHARACTERS = 250_000
_CELL_CHARACTERS = 160
_AROUND = 80
"""Characters that are shown of what is the same before and behind a difference."""
_PIECES = 400
_FIELDS = 400
_RULES = """\
.streamviz.streamviz .sv-rows.sv-sides td:nth-child(n+3) { width: auto; white-space: normal; }
.streamviz.streamviz .sv-rows.sv-sides td:nth-child(n+3) code { display: inline; max-width: none; }
"""


def comparison_html(comparison: Comparison, headline: str, details: Sequence[str] = ()) -> str:
    """Return a comparison as a card: its outcome, the fields side by side, the differences of the texts.

    Parameters
    ----------
    comparison : Comparison
        What is shown.
    headline : str
        Its outcome in a sentence.
    details : sequence of str
        More sentences. All of them may quote the streams.
    """
    room = Room(_ROOM_CHARACTERS)
    same = comparison.same
    word = parts.mark("no difference" if same else "differs", "usage" if same else "warning", "=" if same else "≠")
    return parts.card(
        f'<p class="sv-title"><strong>{word}</strong> {parts.prose(headline, room)}</p>',
        _fields(comparison, room),
        _sentences(details, room),
        *_texts(comparison, room),
        rules=_RULES,
    )


def _fields(comparison: Comparison, room: Room) -> str:
    rows = []
    for field in comparison.fields[:_FIELDS]:
        facts = comparison.facts(field)
        cells = [
            (parts.dim(one.note) or UNKNOWN) if one.shown is None else parts.code(one.shown, room, _CELL_CHARACTERS)
            for one in facts
        ]
        sign = "= same" if comparison.is_same(field) else "<strong>≠ differs</strong>"
        rows.append((sign, escape(field), *cells))
    # The names come from files and callers: the head is escaped by `table`, what is hidden in them is shown.
    heads = ("", "field", *(_plain(name) for name in comparison.names))
    return parts.table(heads, rows, side_by_side=True) + parts.more_rows(len(comparison.fields) - _FIELDS, "fields")


def _sentences(details: Sequence[str], room: Room) -> str:
    if not details:
        return ""
    items = "".join(f"<li>{parts.prose(sentence, room)}</li>" for sentence in details[:_FIELDS])
    more = parts.more_rows(len(details) - _FIELDS, "sentences")
    return parts.section("Where", count(len(details), "difference"), f"<ul>{items}</ul>", more)


def _plain(name: str) -> str:
    from .untrusted import shortened, visible_line

    return visible_line(shortened(name, 80))


def _texts(comparison: Comparison, room: Room) -> Iterator[str]:
    """Yield a section for each text that differs, held against the first one."""
    for field in comparison.differences:
        if field not in ("text", "thinking", "refusal") and not field.endswith("arguments"):
            continue
        first, *others = (one.shown or "" for one in comparison.facts(field))
        for name, other in zip(comparison.names[1:], others, strict=True):
            if other == first or not (first and other):
                continue
            title = f"{field}: {_plain(comparison.names[0])} → {_plain(name)}"
            note = (
                f"[−…−] only in the first, {{+…+}} only in the second; {count(len(first), 'character')}, {len(other):,}"
            )
            yield parts.section(title, note, diff_html(first, other, room))


def diff_html(first: str, second: str, room: Room) -> str:
    """Return how a text becomes another: what goes in ``[−…−]``, what comes in ``{+…+}``, long equal parts left out."""
    from ..comparing.text_diff import text_diff

    pieces = text_diff(first, second)
    markup = []
    for number, (sign, text) in enumerate(pieces[:_PIECES]):
        match sign:
            case "-":
                markup.append(f"<del>[−{_taken(text, room)}−]</del>")
            case "+":
                markup.append(f"<ins>{{+{_taken(text, room)}+}}</ins>")
            case _:
                head = "" if number == 0 else text[:_AROUND]
                tail = "" if number == len(pieces) - 1 else text[-_AROUND:]
                if len(head) + len(tail) >= len(text):
                    markup.append(_taken(text, room))
                    continue
                left = f"<em>… {len(text) - len(head) - len(tail):,} characters are the same …</em>"
                markup.append(f"{_taken(head, room)}{left}{_taken(tail, room)}")
    return f'<pre dir="auto">{"".join(markup)}</pre>' + parts.more_rows(len(pieces) - _PIECES, "pieces")


def _taken(text: str, room: Room) -> str:
    """Return as much of a text as there is room for."""
    markup, shown = room.take(text)
    return markup + (f"<em>… {len(text) - len(shown):,} more characters</em>" if len(shown) < len(text) else "")
