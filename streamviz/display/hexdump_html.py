"""The bytes of a frame in a notebook."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from .html_parts import card, more_rows, table
from .untrusted import escaped, escaped_line

if TYPE_CHECKING:
    from ..provenance import Hexdump

_MOST_ROWS = 256


def hexdump_html(dump: Hexdump) -> str:
    """Return a hexdump as a table: offset, bytes, characters, meaning."""
    rows = [
        (_code(str(offset)), _code(pairs), _code(escaped(characters)), escaped_line(name))
        for offset, pairs, characters, name in islice(dump.rows, _MOST_ROWS)
    ]
    left = dump.size // 16 - len(rows)
    more = more_rows(left, "rows") if left > 0 else ""
    return card(table(("offset", "bytes", "characters", "what they are"), rows), more)


def _code(markup: str) -> str:
    return f"<code>{markup}</code>"
