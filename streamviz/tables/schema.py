"""The columns of a table, as data: what each is called, its dtype, and what it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..assembly.text import join_surrogates

if TYPE_CHECKING:
    import pandas as pd

DType = Literal["string", "Int64", "int64", "float64", "boolean", "bool"]
"""``Int64`` and ``boolean`` may be missing (``pd.NA``), ``float64`` is NaN then; ``int64`` and ``bool`` always hold."""


class Column(NamedTuple):
    """One column."""

    name: str
    dtype: DType
    doc: str


RUN = Column("run", "string", "The run's name: where its bytes come from.")


class Schema:
    """The columns of a table in their order; the first is always ``run``, so that tables of many runs can be joined.

    Parameters
    ----------
    name : str
        As in ``run.<name>_table()``.
    doc : str
        What one row is.
    columns : Column
        All columns but ``run``.
    """

    def __init__(self, name: str, doc: str, *columns: Column) -> None:
        self.name = name
        self.doc = doc
        self.columns = (RUN, *columns)

    def frame(self, run: str, columns: Mapping[str, Any]) -> pd.DataFrame:
        """Return the data frame of one run.

        ``columns`` holds a sequence a column, all of one length; None stands for what is missing.
        """
        import pandas as pd

        rows = len(next(iter(columns.values())))
        data = {RUN.name: _strings([run]).repeat(rows)}
        for name, dtype, _ in self.columns[1:]:
            values = columns[name]
            data[name] = _strings(values) if dtype == "string" else pd.array(values, dtype=dtype)
        return pd.DataFrame(data, copy=False)

    def rows(self, run: str, rows: Iterable[tuple[Any, ...]]) -> pd.DataFrame:
        """Return the data frame of one run, given its rows; for tables that are short."""
        names = [column.name for column in self.columns[1:]]
        values = list(zip(*rows, strict=True)) or [()] * len(names)
        return self.frame(run, dict(zip(names, values, strict=True)))


def _strings(values: Any) -> Any:
    """Return a column of text; half a surrogate pair, which no file format can hold, becomes U+FFFD."""
    import pandas as pd

    values = list(values)
    try:
        return pd.array(values, dtype="string")
    except UnicodeEncodeError:
        return pd.array([value and join_surrogates(value) for value in values], dtype="string")
