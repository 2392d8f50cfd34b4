"""All findings of a run: `explain` and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, overload

import msgspec

from ..assembly.payload import json_safe
from ..tables import Column, Schema
from .evidence import Evidence
from .finding import Finding
from .registry import DETECTORS
from .rules import RULES

if TYPE_CHECKING:
    import pandas as pd

    from ..run import StreamRun

FINDINGS = Schema(
    "findings",
    "One finding.",
    Column("n", "int64", "Number of the finding, the gravest first."),
    Column("code", "string", "What was found, as a code."),
    Column("severity", "string", "``fault``, ``warning`` or ``note``."),
    Column("title", "string", "What was found, as a sentence."),
    Column("side", "string", "On whose side the cause lies; ``unknown`` unless the evidence decides it."),
    Column("remedy", "string", "What to do."),
    Column("places", "int64", "How many places show it."),
    Column("chunk", "Int64", "The chunk of the first of them; missing where it is the stream as a whole."),
    Column("start", "int64", "Where that place begins in the recording, in bytes."),
    Column("end", "int64", "Where it ends."),
    Column("time_s", "float64", "When it arrived, in seconds since the request."),
    Column("shows", "string", "What is to be seen there."),
    Column("calls_lost", "int64", "Tool calls that are lost or cannot be relied on."),
    Column("characters_lost", "int64", "Characters of text."),
    Column("tokens_lost", "int64", "Tokens."),
    Column("doc", "string", "The page that explains the code."),
)
"""The columns of `Findings.to_frame`."""

_RANK = {"fault": 0, "warning": 1, "note": 2}
_ORDER = {code: number for number, code in enumerate(RULES)}


class Findings(Sequence[Finding]):
    """What was found in a run, the gravest first. Printed, it is a text; in a notebook, a table.

    Parameters
    ----------
    name : str
        What the run is called.
    findings : iterable of Finding
        In any order.
    unseen : tuple of str
        What could not be looked for, and why: a sentence each.
    """

    def __init__(self, name: str, findings: Iterable[Finding], unseen: tuple[str, ...] = ()) -> None:
        self.name = name
        self.unseen = unseen
        self._findings = tuple(sorted(findings, key=_gravity))

    def __len__(self) -> int:
        return len(self._findings)

    @overload
    def __getitem__(self, n: int) -> Finding: ...
    @overload
    def __getitem__(self, n: slice) -> tuple[Finding, ...]: ...
    def __getitem__(self, n: int | slice) -> Finding | tuple[Finding, ...]:
        return self._findings[n]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Findings):
            return NotImplemented
        return (self.name, self._findings, self.unseen) == (other.name, other._findings, other.unseen)

    def __hash__(self) -> int:
        return hash((self.name, self._findings))

    @property
    def codes(self) -> tuple[str, ...]:
        """The code of each finding."""
        return tuple(finding.code for finding in self)

    @property
    def has_fault(self) -> bool:
        """Whether something is lost or wrong."""
        return any(finding.severity == "fault" for finding in self)

    def of(self, code: str) -> tuple[Finding, ...]:
        """Return the findings of one code.

        Raises
        ------
        KeyError
            There is no such code.
        """
        if code not in RULES:
            raise KeyError(f"{code!r} is no code of a finding; streamviz.findings.RULES lists them")
        return tuple(finding for finding in self if finding.code == code)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a finding; `FINDINGS` documents the columns."""
        return FINDINGS.rows(
            self.name,
            (
                (
                    n,
                    finding.code,
                    finding.severity,
                    finding.title,
                    finding.side,
                    finding.remedy,
                    len(finding.evidence),
                    (place := finding.evidence[0]).chunk,
                    place.start,
                    place.end,
                    place.time_s,
                    place.shows,
                    finding.lost.calls,
                    finding.lost.characters,
                    finding.lost.tokens,
                    finding.doc,
                )
                for n, finding in enumerate(self)
            ),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON-safe values."""
        findings = [msgspec.to_builtins(finding) | {"doc": finding.doc} for finding in self]
        plain = {"source": self.name, "findings": findings, "unseen": list(self.unseen)}
        return json_safe(plain)  # type: ignore[no-any-return]

    def to_html(self) -> str:
        """Return the findings as HTML that stands alone; everything from the stream is escaped."""
        from ..display import findings_html

        return findings_html(self)

    _repr_html_ = to_html

    def __str__(self) -> str:
        from ..display import findings_text

        return findings_text(self)

    __repr__ = __str__


def _gravity(finding: Finding) -> tuple[Any, ...]:
    lost = finding.lost
    place = finding.evidence[0]
    return (
        _RANK[finding.severity], -lost.calls, -lost.characters, -lost.tokens, _ORDER[finding.code], place.start,
        finding.title,
    )  # fmt: skip


def explain(run: StreamRun) -> Findings:
    r"""Say in words what is wrong with a run: on which evidence, on whose side, and what to do.

    Nothing is found without a place that shows it, and whose fault it is stays ``unknown`` unless the evidence decides
    it. What is known of the request (a recording keeps it) is used: whether usage was asked for, the limit of output
    tokens, which tools were offered and what their schemas allow.

    Returns
    -------
    Findings
        The gravest first; of equally grave ones, those first that lost more calls, then characters, then tokens. It
        prints as text and shows as a table in a notebook; ``to_frame()`` makes a data frame.

    Examples
    --------
    >>> import streamviz as sv
    >>> call = '{"index":0,"id":"c1","function":{"name":"book","arguments":"{\\"seat\\": \\"12"}}'
    >>> choice = '{"delta":{"tool_calls":[%s]},"finish_reason":"length"}' % call
    >>> usage = '{"prompt_tokens":9,"completion_tokens":4}'
    >>> body = 'data: {"choices":[%s],"usage":%s}\n\ndata: [DONE]\n\n' % (choice, usage)
    >>> run = sv.read(body.encode())
    >>> found = run.explain()
    >>> print(found[0])
    fault call-truncated-by-limit: The arguments of call 1 ('book') end inside $.seat after 12 characters: the output
    limit was reached.
    >>> found.has_fault, found.codes
    (True, ('call-truncated-by-limit',))
    """
    from . import detectors  # noqa: F401 - they enter themselves in the list

    evidence = Evidence(run)
    found = [finding for detect in DETECTORS for finding in detect(evidence)]
    if not run.finished:
        found = [finding for finding in found if not RULES[finding.code].at_end]
    return Findings(run.name, found, tuple(_unseen(evidence)))


def findings_table(run: StreamRun) -> pd.DataFrame:
    """Return what `explain` finds as a table, one row a finding.

    Returns
    -------
    pandas.DataFrame
        Columns as in `FINDINGS`, the gravest first.

    Examples
    --------
    >>> import streamviz as sv
    >>> sv.read(b"").findings_table()[["code", "severity", "start", "end"]]
             code severity  start  end
    0  empty-body    fault      0    0
    """
    return explain(run).to_frame()


def _unseen(evidence: Evidence) -> Iterable[str]:
    """Say what could not be looked for."""
    if not evidence.run.finished:
        yield "The stream is still arriving: nothing is said about its end."
    if evidence.run.timed == "none":
        yield "No times were recorded: nothing is said about stalls, delays and buffering."
    if not evidence.request.is_known:
        yield "The request is not known: nothing is said about what it asked for."
