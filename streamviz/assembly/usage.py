"""Token usage: reports replace one another inside a response; the buckets are derived afterwards.

Vendors send cumulative counts, each in buckets of its own. Reports are merged in those buckets first, field by field,
and turned into the library's inclusive ones only when somebody asks: adding, or deriving too early, counts twice.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

from ..chunks import Billed, Usage, UsageFields, UsageReport
from ..diagnostics import Note

COUNTS = (
    "input_tokens",
    "output_tokens",
    "total_tokens",
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
    "cache_creation_5m_input_tokens",
    "cache_creation_1h_input_tokens",
    "reasoning_output_tokens",
    "audio_input_tokens",
    "image_input_tokens",
    "video_input_tokens",
    "audio_output_tokens",
    "image_output_tokens",
    "tool_input_tokens",
    "accepted_prediction_tokens",
    "rejected_prediction_tokens",
)
_WORDS = ("service_tier", "speed", "inference_geo")


_Merged = tuple[dict[str, Any], UsageFields, bool]
"""The reports of a message, how to read them, and whether there is none but that from its start."""


class UsageAccumulator:
    """The usage reports of one stream: those of a message are merged, those of several messages stand apart."""

    __slots__ = ("before", "chunks", "fields", "merged", "preliminary")

    def __init__(self) -> None:
        self.merged: dict[str, Any] = {}
        self.fields: UsageFields | None = None
        self.preliminary = True
        self.chunks = array("L")
        """The chunks that held a report."""
        self.before: list[_Merged] = []
        """What the messages before the latest one reported."""

    def add(self, report: UsageReport, chunk: int) -> None:
        """Take the next report: its fields replace earlier ones, a null or missing field keeps what was there."""
        merge_report(self.merged, report.raw)
        self.fields = report.fields
        self.preliminary = self.preliminary and report.preliminary
        self.chunks.append(chunk)

    def restart(self) -> None:
        """Put the reports so far aside: another message begins."""
        if self.fields is not None:
            self.before.append((self.merged, self.fields, self.preliminary))
        self.merged, self.fields, self.preliminary = {}, None, True

    def usage(self) -> tuple[Usage | None, list[Note]]:
        """Return what the reports of the latest message that has one amount to, and what is odd about them.

        None where nothing was reported.
        """
        reports = self._reports()
        return _derived(reports[-1]) if reports else (None, [])

    def by_message(self) -> list[Usage]:
        """Return the usage of each message that reported one, in order."""
        return [usage for report in self._reports() if (usage := _derived(report)[0]) is not None]

    def _reports(self) -> list[_Merged]:
        return self.before if self.fields is None else [*self.before, (self.merged, self.fields, self.preliminary)]


def _derived(merged: _Merged) -> tuple[Usage | None, list[Note]]:
    raw, fields, preliminary = merged
    return derive_usage(raw, fields, preliminary=preliminary)


def sum_usage(usages: Iterable[Usage]) -> Usage | None:
    """Return the usage of several messages together; None where there is none.

    A count that one of them does not say is that of the others. ``raw`` is None: no report says the sum.

    Examples
    --------
    >>> sum_usage([Usage(input_tokens=5, output_tokens=2), Usage(input_tokens=9)])
    <Usage: input 14, output 2, missing>
    """
    total: Usage | None = None
    for usage in usages:
        total = usage if total is None else _plus(total, usage)
    return total


def _plus(one: Usage, other: Usage) -> Usage:
    fields: dict[str, Any] = {name: _sum(getattr(one, name), getattr(other, name)) for name in COUNTS}
    for name in (*_WORDS, "iterations"):
        known = getattr(other, name)
        fields[name] = getattr(one, name) if known is None else known
    for name in ("server_tools", "server_timing"):
        parts = [part for part in (getattr(one, name), getattr(other, name)) if part is not None]
        fields[name] = {key: sum(part.get(key, 0) for part in parts) for part in parts for key in part} or None
    if one.billed and other.billed and one.billed.currency == other.billed.currency:
        fields["billed"] = Billed(one.billed.amount + other.billed.amount, one.billed.currency, one.billed.field)
    state = next((s for s in ("suspect", "preliminary", "estimated") if s in (one.state, other.state)), other.state)
    is_reported = one.total_is_reported and other.total_is_reported
    return Usage(**fields, total_is_reported=is_reported, state=state)


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


def merge_report(into: dict[str, Any], report: dict[str, Any]) -> None:
    """Merge ``report`` into ``into``; nested objects field by field. The report itself is never changed."""
    for key, value in report.items():
        if value is None:
            into.setdefault(key, None)
        elif type(value) is dict and type(old := into.get(key)) is dict:
            into[key] = nested = dict(old)
            merge_report(nested, value)
        else:
            into[key] = value


def derive_usage(
    raw: dict[str, Any], fields: UsageFields, *, preliminary: bool = False
) -> tuple[Usage | None, list[Note]]:
    """Turn a vendor's report into the inclusive buckets.

    Parameters
    ----------
    raw : dict
        The report, all reports of a response merged.
    fields : UsageFields
        Where that vendor keeps what, and which counts stand beside which.
    preliminary : bool
        Whether only a report from the start of the response is there.

    Returns
    -------
    (Usage or None, list of Note)
        None where the report holds no count at all.

    Examples
    --------
    >>> from streamviz.providers.usage_tables import ANTHROPIC
    >>> usage, _ = derive_usage({"input_tokens": 9, "cache_read_input_tokens": 100, "output_tokens": 4}, ANTHROPIC)
    >>> usage.input_tokens, usage.total_tokens
    (109, 113)
    """
    notes: list[Note] = []
    found: dict[str, Any] = {name: _count(raw, getattr(fields, name), notes) for name in COUNTS}
    for name in _WORDS:
        found[name] = _word(raw, getattr(fields, name))
    for place, side in fields.modalities:
        found |= _modalities(raw, place, side)
    found["server_tools"] = _server_tools(raw, fields.server_tools)
    found["iterations"] = next((v for v in (value_at(raw, p) for p in fields.iterations) if v is not None), None)
    found["billed"] = _billed(raw, fields)
    timing = {
        name: n * factor
        for place, name, factor in fields.server_timing
        if (n := _number(value_at(raw, place))) is not None
    }
    found["server_timing"] = timing or None
    silent = all(found[name] is None for name in ("input_tokens", "output_tokens", "total_tokens"))
    if silent and not any(found[name] for name in (*COUNTS, "server_tools", "billed")):
        return None, notes
    _include(found, fields, notes)
    state = "preliminary" if preliminary else "reported"
    return Usage(**found, state=state, raw=dict(raw)), notes  # type: ignore[arg-type]


def _include(found: dict[str, Any], fields: UsageFields, notes: list[Note]) -> None:
    """Make input hold the cache and output the reasoning, and settle the total."""
    read, created = found["cache_read_input_tokens"], found["cache_creation_input_tokens"]
    if created is None:
        by_lifetime = (found["cache_creation_5m_input_tokens"] or 0) + (found["cache_creation_1h_input_tokens"] or 0)
        created = found["cache_creation_input_tokens"] = by_lifetime or None
    reasoning, total = found["reasoning_output_tokens"], found["total_tokens"]
    if fields.input_excludes_cache and found["input_tokens"] is not None:
        found["input_tokens"] += (read or 0) + (created or 0)
    if fields.adds_tool_input and found["input_tokens"] is not None:
        found["input_tokens"] += found["tool_input_tokens"] or 0
    if fields.output_excludes_reasoning and reasoning:
        if found["output_tokens"] is not None:
            found["output_tokens"] += reasoning
        elif total is not None and found["input_tokens"] is not None and total == found["input_tokens"] + reasoning:
            found["output_tokens"] = reasoning  # the vendor leaves out counts that are zero
    total_in, out = found["input_tokens"], found["output_tokens"]
    found["total_is_reported"] = total is not None
    if total_in is None or out is None:
        return
    if total is None:
        found["total_tokens"] = total_in + out
    elif total != total_in + out:
        if fields.decide_by_total and reasoning and total == total_in + out + reasoning:
            found["output_tokens"] = out + reasoning
            notes.append(
                Note(
                    "reasoning-outside-completion", f"{total} = {total_in} input + {out} output + {reasoning} reasoning"
                )
            )
        elif fields.decide_by_total and (read or created) and total == total_in + out + (read or 0) + (created or 0):
            found["input_tokens"] = total_in + (read or 0) + (created or 0)
        else:
            notes.append(
                Note(
                    "usage-total-mismatch",
                    f"the total is {total}, but {total_in} input + {out} output = {total_in + out}",
                )
            )


def value_at(raw: Any, place: str) -> Any:
    """Return the value at a dotted path, None where there is none."""
    if place in raw:
        return raw[place]
    for key in place.split("."):
        if not isinstance(raw, dict):
            return None
        raw = raw.get(key)
    return raw


_MOST = 1e18
"""No count, price or time is that large; NaN is not below it either."""


def _number(value: Any) -> float | int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not -_MOST < value < _MOST:
        return None
    return value


def _whole(value: Any) -> int | None:
    number = _number(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def _count(raw: dict[str, Any], places: tuple[str, ...], notes: list[Note]) -> int | None:
    """Return the first count there is.

    A zero is a count at the first place only, which is the vendor's documented one: gateways fill the others with
    zeros for what they never measured (``reasoning_tokens: 0`` for models that reasoned), and a positive one wins.
    """
    place = counted_at(raw, places, notes)
    return None if place is None else _whole(value_at(raw, place))


def counted_at(raw: dict[str, Any], places: tuple[str, ...], notes: list[Note] | None = None) -> str | None:
    """Return the place of the count that counts, None where there is none; see `_count`."""
    for place in places:
        value = value_at(raw, place)
        number = _whole(value)
        if number:
            return place
        if value is not None and number is None and notes is not None:
            notes.append(Note("usage-malformed", f"{place} is {value!r:.80}, which is no count"))
    return places[0] if places and _whole(value_at(raw, places[0])) == 0 else None


def _word(raw: dict[str, Any], places: tuple[str, ...]) -> str | None:
    return next((v for v in (value_at(raw, p) for p in places) if isinstance(v, str)), None)


def _modalities(raw: dict[str, Any], place: str, side: str) -> dict[str, int]:
    """Read a list of ``{"modality": "AUDIO", "tokenCount": 5}``, or with ``tokens``."""
    out: dict[str, int] = {}
    entries = value_at(raw, place)
    for entry in entries if isinstance(entries, list) else ():
        if not isinstance(entry, dict):
            continue
        bucket = f"{str(entry.get('modality')).lower()}_{side}_tokens"
        tokens = _whole(entry.get("tokenCount", entry.get("tokens")))
        if bucket in COUNTS and tokens is not None:
            out[bucket] = tokens
    return out


def _server_tools(raw: dict[str, Any], places: tuple[str, ...]) -> dict[str, int] | None:
    out: dict[str, int] = {}
    for place in places:
        value = value_at(raw, place)
        if isinstance(value, dict):
            out |= {str(k): n for k, v in value.items() if (n := _whole(v)) is not None}
        elif (number := _whole(value)) is not None:
            out[place.rpartition(".")[2]] = number
    return out or None


def _billed(raw: dict[str, Any], fields: UsageFields) -> Billed | None:
    for place, currency, factor in fields.billed:
        amount = _number(value_at(raw, place))
        if amount is not None and amount >= 0:
            return Billed(amount * factor, currency, place)
    return None
