"""Many runs at a glance: one row a run, and a summary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.table import Table
from rich.text import Text

from .facts import UNKNOWN, Verdict, all_diagnostics, count, finish_words, tokens, verdict
from .text_card import line_of, styled

if TYPE_CHECKING:
    from ..run import StreamRun


class RunRow(NamedTuple):
    """What a row says of a run; it keeps no bytes."""

    verdict: Verdict
    source: str
    dialect: str
    finish: str
    characters: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    worst: str
    """The code of the gravest diagnostic that is more than a note, and how many others there are."""


def run_row(run: StreamRun) -> RunRow:
    """Return what a row says of a run."""
    payload, usage = run.payload, run.payload.usage
    codes = [one.diagnostic.code for one in all_diagnostics(run.payloads) if one.diagnostic.severity != "note"]
    return RunRow(
        verdict=verdict(run.payloads, finished=run.finished),
        source=run.source or UNKNOWN,
        dialect=run.dialect,
        finish=finish_words(payload),
        characters=len(payload.assistant_text),
        calls=len(payload.calls),
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
        worst=f"{codes[0]} +{len(codes) - 1}" if len(codes) > 1 else "".join(codes),
    )


def runs_table(rows: Iterable[RunRow], *, wrap: bool = True) -> Table:
    """Return a table with one row a run.

    Parameters
    ----------
    rows : iterable of RunRow
        The runs.
    wrap : bool
        Whether cells may take several lines; without, a row is one line, for `grep` and the like.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    table.add_column("outcome", no_wrap=True)
    table.add_column("source", overflow="fold", no_wrap=not wrap, min_width=12)
    table.add_column("dialect", no_wrap=True)
    table.add_column("finish", no_wrap=not wrap)
    for name in ("text", "calls", "in", "out"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("diagnostics", overflow="fold", no_wrap=not wrap)
    for row in rows:
        table.add_row(
            styled(f"{row.verdict.sign} {_SHORT.get(row.verdict.word, row.verdict.word)}", row.verdict.kind),
            Text(line_of(row.source, 1000)),
            row.dialect,
            row.finish,
            f"{row.characters:,}",
            f"{row.calls:,}",
            tokens(row.input_tokens),
            tokens(row.output_tokens),
            row.worst,
        )
    return table


_SHORT = {"complete, with warnings": "warnings"}


def summary(rows: Sequence[RunRow]) -> str:
    """Return how many runs came out how, and the tokens of those that report them.

    Examples
    --------
    >>> summary([])
    '0 files'
    """
    outcomes = Counter(row.verdict.word for row in rows)
    words = [f"{number:,} {word}" for word, number in outcomes.most_common()]
    told = [row for row in rows if row.input_tokens is not None or row.output_tokens is not None]
    text = f"{count(len(rows), 'file')}: {'; '.join(words)}" if rows else count(0, "file")
    if told:
        tokens_in = tokens(sum(row.input_tokens or 0 for row in told))
        tokens_out = tokens(sum(row.output_tokens or 0 for row in told))
        text += f". Tokens: {tokens_in} in, {tokens_out} out, reported by {len(told):,}"
    return text
