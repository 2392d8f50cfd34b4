"""One answer at several places on its way: what was lost where.

The recordings are aligned by content: the same letter of the text, the same call, the same letter of its arguments.
Their chunks are not compared, for every place cuts the answer in its own way and may speak its own dialect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from ..assembly.tool_calls import ToolCall
from .comparison import Comparison
from .facts import NOTHING, USAGE_FIELDS, Fact, Facts, call_facts, fact, time_facts, usage_facts, without_zeros
from .origins import Origins, argument_origins, text_origins
from .text_diff import common_length

if TYPE_CHECKING:
    from ..run import StreamRun

_APPLICATIONS = ("ai-sdk-ui", "ag-ui", "langgraph")
"""Dialects between a server and its user interface: they need not carry token counts, finish reasons and model."""
_OF_THE_PLACE = ("dialect", "ended", "usage state", "first token (s)", "transport")
"""Fields that say something of the place, and may well differ."""


class Loss(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """Something that one place had, and the next one has not, or not so."""

    source: str
    """The place that had it."""
    hop: str
    """The next one."""
    field: str
    kind: Literal["lost", "cut", "changed"]
    """``cut``: its beginning is there."""
    before: str | None = None
    after: str | None = None
    position: int | None = None
    """Of a text or of arguments: where the two part, in characters."""
    chunk_before: int | None = None
    """The chunk of the source that brought it."""
    chunk_after: int | None = None
    """The chunk of the hop that has something else, or after which nothing more of it came."""
    counts: bool = True
    """Whether it is a loss; other ids, that a gateway may well give, are a change only."""

    def __str__(self) -> str:
        match self.kind:
            case "cut":
                what = f"is cut at {self.position} of {len(self.before or '')} characters"
            case "lost":
                what = "is lost"
            case _:
                what = "is changed" if self.position is None else f"is changed at {self.position}"
        places = [
            f"chunk {chunk} of {name}"
            for chunk, name in ((self.chunk_before, self.source), (self.chunk_after, self.hop))
            if chunk is not None
        ]
        where = f" ({', '.join(places)})" if places else ""
        return f"{self.hop}: {self.field} {what}{where}"


class HopComparison(Comparison):
    """One answer at several places.

    Attributes
    ----------
    losses : tuple of Loss
        All that one place had and the next one has not, or not so, in the order of the way.
    first_loss : Loss or None
        Of the first place that lost something, what went first.
    """

    def __init__(self, names: Sequence[str], columns: Sequence[Facts], losses: Sequence[Loss]) -> None:
        super().__init__("hops", names, columns, _OF_THE_PLACE)
        self.losses = tuple(losses)
        counted = [loss for loss in losses if loss.counts]
        hop = counted[0].hop if counted else None
        here = [loss for loss in counted if loss.hop == hop]
        self.first_loss = min(here, key=_when, default=None)

    def _more_columns(self) -> dict[str, Any]:
        from ..tables.schema import _strings

        first: dict[str, Loss] = {}
        for loss in self.losses:
            first.setdefault(loss.field, loss)
        found = [first.get(field) for field in self.fields]
        return {
            "lost_at": _strings([loss and loss.hop for loss in found]),
            "loss": _strings([loss and str(loss) for loss in found]),
        }

    def table(self) -> Any:
        """Return a data frame with one row a field and one column a hop.

        =========  =======  ==========================================================================
        column     dtype    meaning
        =========  =======  ==========================================================================
        field      string   What the row is about: ``text``, ``call 1 arguments``, ``input tokens`` …
        (name)     string   One a hop: what it says, whole; missing where it says nothing.
        same       bool     Whether all hops say the same.
        lost_at    string   The first hop that has not what the one before it had.
        loss       string   The same in words, with the chunks on both sides.
        =========  =======  ==========================================================================
        """
        return super().table()

    def _details(self) -> list[str]:
        return [str(loss) if loss.counts else f"{loss} (no loss)" for loss in self.losses]

    def _headline(self) -> str:
        if self.first_loss is None:
            return f"{' → '.join(self.names)}: nothing is lost"
        return f"{' → '.join(self.names)}: first loss at {self.first_loss}"


def compare_hops(runs: Sequence[StreamRun], names: Sequence[str]) -> HopComparison:
    """Return one answer at several places."""
    losses: list[Loss] = []
    for (source, before), (hop, after) in pairwise(zip(names, runs, strict=True)):
        losses += _Step(before, after, source, hop).losses()
    return HopComparison(names, without_zeros([_facts(run) for run in runs]), losses)


def _facts(run: StreamRun) -> Facts:
    payload = run.payload
    error = payload.error
    facts: Facts = {
        "dialect": fact(run.dialect),
        "text": fact(payload.assistant_text),
        "thinking": fact(payload.thinking),
        "refusal": fact(payload.refusal),
        "calls": fact(len(payload.calls)),
        **{field: one for field, one in call_facts(payload.calls).items() if not field.endswith("status")},
        "finish": fact(payload.finish and payload.finish.unified),
        "ended": fact(payload.ended),
        "complete": fact(payload.complete),
        "error": fact(error and ": ".join(filter(None, (error.type, error.message)))),
        **usage_facts(payload.usage),
        **{field: one for field, one in time_facts(run).items() if field in _OF_THE_PLACE},
    }
    if run.dialect in _APPLICATIONS:
        for name in ("finish", *(field.replace("_", " ") for field in USAGE_FIELDS)):
            if facts.get(name, NOTHING).shown is None:
                facts[name] = Fact(None, note="not carried by this protocol")
    return facts


def _when(loss: Loss) -> tuple[bool, int]:
    """Order losses by where in the source they happen; those of no place come last."""
    return loss.chunk_before is None, loss.chunk_before or 0


class _Step:
    """From one place to the next."""

    def __init__(self, before: StreamRun, after: StreamRun, source: str, hop: str) -> None:
        self.before, self.after = before, after
        self.source, self.hop = source, hop

    def losses(self) -> Iterator[Loss]:
        """Yield what the second place has not, or not so."""
        one, other = self.before.payload, self.after.payload
        pairs: list[tuple[str, str, str]] = [
            ("text", one.assistant_text, other.assistant_text),
            ("thinking", one.thinking, other.thinking),
            ("refusal", one.refusal or "", other.refusal or ""),
        ]
        for field, text, other_text in pairs:
            yield from self._text(
                field,
                text,
                other_text,
                lambda field=field: text_origins(self.before, field),  # type: ignore[misc]
                lambda field=field: text_origins(self.after, field),  # type: ignore[misc]
            )
        yield from self._calls()
        yield from self._finish()
        yield from self._usage()
        if one.error is not None and other.error is None:
            yield self._loss("error", "lost", chunk_before=self.before.state.errors[-1][0], before=one.error.message)
        if one.complete and not other.complete:
            last = len(self.after.chunks) - 1
            yield self._loss(
                "complete",
                "lost",
                before=one.ended,
                after=other.ended,
                chunk_before=len(self.before.chunks) - 1,
                chunk_after=last if last >= 0 else None,
            )

    def _loss(self, field: str, kind: Literal["lost", "cut", "changed"], **more: Any) -> Loss:
        return Loss(source=self.source, hop=self.hop, field=field, kind=kind, **more)

    def _text(
        self, field: str, text: str, other: str, origins: Callable[[], Origins], others: Callable[[], Origins]
    ) -> Iterator[Loss]:
        """Hold a text against what the next place has of it; more is no loss."""
        if other.startswith(text):
            return
        position = common_length(text, other)
        rest = len(other) > position
        yield self._loss(
            field,
            "changed" if rest else "cut" if other else "lost",
            before=text,
            after=other or None,
            position=position,
            chunk_before=origins().chunk_at(position),
            chunk_after=others().chunk_at(position if rest else position - 1) if other else None,
        )

    def _calls(self) -> Iterator[Loss]:
        calls, others = self.before.payload.calls, self.after.payload.calls
        for number, partner in enumerate(_partners(calls, others)):
            call, field = calls[number], f"call {number + 1}"
            if partner is None:
                after = others[-1].last_chunk if others else None
                yield self._loss(field, "lost", before=call.name, chunk_before=call.first_chunk, chunk_after=after)
                continue
            other = others[partner]
            if call.name != other.name:
                yield self._of_call(f"{field} name", call, other, call.name, other.name or None)
            other_id = None if other.id_is_made_up else other.id
            if not call.id_is_made_up and call.id != other_id:
                yield self._of_call(f"{field} id", call, other, call.id, other_id)
            if call.arguments is None or call.arguments != other.arguments or call.status != other.status:
                yield from self._arguments(field, number, partner)

    def _of_call(self, field: str, call: ToolCall, other: ToolCall, before: str, after: str | None) -> Loss:
        return self._loss(
            field,
            "changed" if after else "lost",
            before=before,
            after=after,
            chunk_before=call.first_chunk,
            chunk_after=other.first_chunk,
            counts=not (after and field.endswith("id")),
        )

    def _arguments(self, field: str, number: int, partner: int) -> Iterator[Loss]:
        call, other = self.before.payload.calls[number], self.after.payload.calls[partner]
        if other.executable and call.arguments == other.arguments:
            return
        yield from self._text(
            f"{field} arguments",
            call.raw_arguments,
            other.raw_arguments,
            lambda: argument_origins(self.before, number),
            lambda: argument_origins(self.after, partner),
        )

    def _finish(self) -> Iterator[Loss]:
        one, other = self.before.payload.finish, self.after.payload.finish
        if one is None or (other is not None and one.unified == other.unified):
            return
        if other is None and self.after.dialect in _APPLICATIONS:
            return
        yield self._loss(
            "finish",
            "changed" if other else "lost",
            before=one.unified,
            after=other and other.unified,
            chunk_before=_finish_chunk(self.before),
            chunk_after=_finish_chunk(self.after),
        )

    def _usage(self) -> Iterator[Loss]:
        one, other = self.before.payload.usage, self.after.payload.usage
        for name in USAGE_FIELDS if one else ():
            count, other_count = getattr(one, name), getattr(other, name, None)
            if count is None or count == other_count or (not count and other_count is None):
                continue
            if other_count is None and self.after.dialect in _APPLICATIONS:
                continue
            yield self._loss(
                name.replace("_", " "),
                "lost" if other_count is None else "changed",
                before=str(count),
                after=None if other_count is None else str(other_count),
                chunk_before=_usage_chunk(self.before),
                chunk_after=_usage_chunk(self.after),
            )


def _partners(calls: Sequence[ToolCall], others: Sequence[ToolCall]) -> list[int | None]:
    """Return for each call which of the others it is: by its id, by name and arguments, by name in order."""
    found: list[int | None] = [None] * len(calls)
    free = dict(enumerate(others))
    signs: tuple[Callable[[ToolCall, ToolCall], bool], ...] = (
        lambda a, b: not a.id_is_made_up and a.id == b.id,
        lambda a, b: a.name == b.name and a.arguments is not None and a.arguments == b.arguments,
        lambda a, b: a.name == b.name,
        lambda a, b: a.raw_arguments == b.raw_arguments,
    )
    for is_same in signs:
        for number, call in enumerate(calls):
            partner = next((n for n, other in free.items() if found[number] is None and is_same(call, other)), None)
            if partner is not None:
                found[number] = partner
                del free[partner]
    if len(calls) == len(others):  # what is left is the same call in another guise
        rest = iter(free)
        found = [next(rest) if partner is None else partner for partner in found]
    return found


def _finish_chunk(run: StreamRun) -> int | None:
    return next((chunk for chunk, finish in reversed(run.state.finishes) if finish.choice == 0), None)


def _usage_chunk(run: StreamRun) -> int | None:
    chunks = run.state.usage_reports.chunks
    return chunks[-1] if chunks else None
