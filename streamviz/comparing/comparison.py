"""`Comparison`: several columns of facts, the same field on one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .facts import NOTHING, Fact, Facts

if TYPE_CHECKING:
    import pandas as pd

_CELL_CHARACTERS = 60
_NAMED = 8


class Comparison:
    """Runs side by side.

    Parameters
    ----------
    mode : str
        What is compared, in a word.
    names : sequence of str
        What the columns are called.
    columns : sequence of dict
        The facts of each.
    expected : iterable of str
        Fields that say something of the recording and not of the answer: that they differ is no difference.

    Attributes
    ----------
    mode, names, columns
        As given.
    differences : tuple of str
        The fields that differ.
    """

    def __init__(self, mode: str, names: Sequence[str], columns: Sequence[Facts], expected: Sequence[str] = ()) -> None:
        self.mode = mode
        self.names = list(names)
        self.columns = list(columns)
        self.fields = _merged(columns)
        """All fields that some column has, in order."""
        self.differences = tuple(field for field in self.fields if field not in expected and not self.is_same(field))

    def facts(self, field: str) -> list[Fact]:
        """Return what each column says of a field."""
        return [column.get(field, NOTHING) for column in self.columns]

    def is_same(self, field: str) -> bool:
        """Return whether all columns say the same of a field."""
        first, *others = self.facts(field)
        return all(first.is_same(other) for other in others)

    @property
    def same(self) -> bool:
        """Whether nothing differs."""
        return not self.differences

    def table(self) -> pd.DataFrame:
        """Return a data frame with one row a field and one column a run.

        =========  =======  ==========================================================================
        column     dtype    meaning
        =========  =======  ==========================================================================
        field      string   What the row is about: ``text``, ``call 1 arguments``, ``input tokens`` …
        (name)     string   One a run: what it says, whole; missing where it says nothing.
        same       bool     Whether all runs say the same.
        =========  =======  ==========================================================================

        Numbers are written out, so that every column can be of one type; times are seconds since the request.
        """
        import pandas as pd

        from ..tables.schema import _strings

        data: dict[str, Any] = {"field": _strings(self.fields)}
        for name, column in zip(self.names, self.columns, strict=True):
            data[name] = _strings([column.get(field, NOTHING).shown for field in self.fields])
        data["same"] = pd.array([self.is_same(field) for field in self.fields], dtype="bool")
        data |= self._more_columns()
        return pd.DataFrame(data)

    def _more_columns(self) -> dict[str, Any]:
        """Return what the table says beside."""
        return {}

    def _headline(self) -> str:
        """Return the outcome in a sentence."""
        if not self.differences:
            return f"{len(self.columns)} {self.mode} compared: no difference"
        return f"{len(self.columns)} {self.mode} compared: {some(self.differences)} differ"

    def _details(self) -> list[str]:
        """Return what there is to say beside the table, a sentence each; they may quote the streams."""
        return []

    def __repr__(self) -> str:
        from ..display.untrusted import shortened, visible_line

        def cell(text: object) -> str:
            return visible_line(shortened(str(text), _CELL_CHARACTERS))

        rows = [["", "field", *map(cell, self.names)]]
        for field in self.fields:
            shown = ["—" if one.shown is None else cell(one.shown) for one in self.facts(field)]
            rows.append(["=" if self.is_same(field) else "≠", field, *shown])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        details = [visible_line(sentence) for sentence in self._details()]
        return "\n".join([visible_line(self._headline()), *lines, *details])

    def _repr_html_(self) -> str:
        from ..display.comparison import comparison_html

        return comparison_html(self, self._headline(), self._details())


def some(fields: Sequence[str]) -> str:
    """Return fields in words, not more than a line of them.

    Examples
    --------
    >>> some(["text", "calls"])
    'text, calls'
    """
    more = f" and {len(fields) - _NAMED} more" if len(fields) > _NAMED else ""
    return ", ".join(fields[:_NAMED]) + more


def _merged(columns: Sequence[Facts]) -> list[str]:
    """Return the fields of all columns; one that only some have stands where it stands there."""
    fields: list[str] = []
    for column in columns:
        place = 0
        for field in column:
            if field in fields:
                place = fields.index(field) + 1
            else:
                fields.insert(place, field)
                place += 1
    return fields
