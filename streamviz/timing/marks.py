"""When a response began, thought, spoke and ended, and how fast it went."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ..assembly.thinking import ThinkingBlock
from ..tables import Column, Schema
from .arrivals import Arrivals, arrivals_of
from .transport import Verdict, evidence_in, judge

if TYPE_CHECKING:
    import pandas as pd

    from ..run import StreamRun
    from .arrivals import Numbers


class Timing(Struct, frozen=True, kw_only=True):
    r"""When what happened, in seconds since the request was sent. ``None``: it did not happen, or no times are known.

    A frame came when the read with its last byte did. Choices are not told apart.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.StreamRun("openai")
    >>> for time_s, content in ((0.3, b""), (0.8, b"Hel"), (1.0, b"lo")):
    ...     _ = run.feed(b'data: {"choices":[{"delta":{"role":"assistant","content":"%b"}}]}\n\n' % content, time_s)
    >>> run.finish().timing
    <Timing: first byte 0.300 s, first token 0.800 s, last token 1.000 s, end 1.000 s>
    >>> run.timing.first_token_s
    0.8
    >>> sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n').timing
    <Timing: no times were recorded; the number of the chunk can be the axis instead>
    """

    timed: Literal["reads", "none"] = "none"
    """Whether times are known: those of the reads, or none."""
    first_byte_s: float | None = None
    first_frame_s: float | None = None
    """The first whole frame, whatever is in it; a comment is one."""
    first_token_s: float | None = None
    """The first text, reasoning, refusal, plan or arguments that are not empty. No role, no empty string, no ping, no
    event that opens the message, and no name of a tool."""
    first_text_s: float | None = None
    """The first visible text."""
    first_thinking_s: float | None = None
    """The first reasoning, or the first of its summary. Encrypted reasoning has no text and does not count."""
    thinking_end_s: float | None = None
    """The last of it."""
    first_tool_s: float | None = None
    """The first chunk of the first tool call, which may hold its name only; calls that the vendor runs count."""
    last_token_s: float | None = None
    end_s: float | None = None
    """The last read; None while the stream still arrives."""
    tail_s: float | None = None
    """How long it took from the last token to the end."""
    tokens_per_s: float | None = None
    """Reported output over the time from the first token to the last. Reasoning that was not sent is left out: it was
    made before. None where only a summary of it was sent, and where nothing final was reported."""
    thinking_tokens_per_s: float | None = None
    """Reported reasoning over the time in which it came; None where text came between, or only a summary was sent."""
    text_tokens_per_s: float | None = None
    """The rest of the output, arguments included, over the time from its first token to the last; None where nobody
    said how much of the output was the reasoning that came, or where that came between."""
    transport: Verdict = "unknown"
    """Whether it came as it was made; see `Transport`."""
    unreliable: bool = False
    """Whether it was held back on its way, so that rates and gaps tell nothing of the model."""
    server_timing: dict[str, float] | None = None
    """Durations in seconds that the vendor measured itself and reported: ``queue``, ``prompt``, ``generation`` …"""

    def __repr__(self) -> str:
        from ..display import timing_line

        return timing_line(self)

    def _repr_html_(self) -> str:
        from ..display import timing_html

        return timing_html(self)


def timing(run: StreamRun) -> Timing:
    """Return when what happened in a run, and how fast it went."""
    usage = run.payload.usage
    server = None if usage is None else usage.server_timing
    arrivals = arrivals_of(run)
    if arrivals is None:
        return Timing(server_timing=server)
    transport = judge(arrivals, evidence_in(run.recording.headers))
    frame_times = arrivals.frame_times_s

    def at(chunks: Numbers, which: int) -> float | None:
        return float(frame_times[chunks[which]]) if len(chunks) else None

    whole = len(frame_times) - (arrivals.is_over and run.state.pending > 0)
    last = at(arrivals.tokens, -1)
    end = arrivals.end_s if arrivals.is_over else None
    return Timing(
        timed="reads",
        first_byte_s=float(arrivals.read_times_s[0]) if len(arrivals.read_times_s) else None,
        first_frame_s=float(frame_times[0]) if whole else None,
        first_token_s=at(arrivals.tokens, 0),
        first_text_s=at(arrivals.text, 0),
        first_thinking_s=at(arrivals.thinking, 0),
        thinking_end_s=at(arrivals.thinking, -1),
        first_tool_s=at(arrivals.tools, 0),
        last_token_s=last,
        end_s=end,
        tail_s=None if last is None or end is None else end - last,
        **_rates(run, arrivals),
        transport=transport.verdict,
        unreliable=transport.is_held_back,
        server_timing=server,
    )


def _rates(run: StreamRun, arrivals: Arrivals) -> dict[str, float | None]:
    """Return tokens per second, where what was reported is what came in that time."""
    usage = run.payload.usage
    if usage is None or usage.state != "reported" or usage.output_tokens is None:
        return {}
    thinking, answer = arrivals.thinking, arrivals.answer
    reasoning = usage.reasoning_output_tokens
    rest = usage.output_tokens - (reasoning or 0)
    summary = any(isinstance(block, ThinkingBlock) and block.summary for block in run.state.accumulators)
    rates: dict[str, float | None] = {}

    def rate(name: str, tokens: int, chunks: Numbers) -> None:
        if tokens > 0 and len(chunks):
            span = float(arrivals.frame_times_s[chunks[-1]] - arrivals.frame_times_s[chunks[0]])
            rates[name] = tokens / span if span > 0 else None

    if not (summary and reasoning):
        rate("tokens_per_s", usage.output_tokens if len(thinking) else rest, arrivals.tokens)
    apart = not len(thinking) or (len(answer) and thinking[-1] <= answer[0])
    if apart and (reasoning or not len(thinking)):
        rate("text_tokens_per_s", rest, answer)
    if reasoning and not summary and (apart or not len(answer)):
        rate("thinking_tokens_per_s", reasoning, thinking)
    return rates


_SERVER = {
    "queue": "waiting for its turn",
    "load": "loading the model",
    "prompt": "reading the prompt",
    "generation": "generating",
    "first_byte": "up to the first byte",
    "total": "for all of it",
}
"""The durations that vendors report (keys of `Timing.server_timing`)."""

TIMING = Schema(
    "timing",
    "One row: when what happened, and how fast it went.",
    Column("timed", "string", "``reads``: the time of every read is known. ``none``: no times were recorded."),
    Column("first_byte_s", "float64", "The first byte; this and all that follows in seconds since the request."),
    Column("first_frame_s", "float64", "The first whole frame; a comment is one."),
    Column("first_token_s", "float64", "The first text, reasoning, refusal, plan or arguments that are not empty."),
    Column("first_text_s", "float64", "The first visible text."),
    Column("first_thinking_s", "float64", "The first reasoning."),
    Column("thinking_end_s", "float64", "The last reasoning."),
    Column("first_tool_s", "float64", "The first chunk of the first tool call."),
    Column("last_token_s", "float64", "The last token."),
    Column("end_s", "float64", "The last read."),
    Column("tail_s", "float64", "Seconds from the last token to the end."),
    Column("tokens_per_s", "float64", "Reported output over the time from the first token to the last."),
    Column("thinking_tokens_per_s", "float64", "Reported reasoning over the time in which it came."),
    Column("text_tokens_per_s", "float64", "The rest of the output over the time in which that came."),
    Column("transport", "string", "``streamed``, ``bursty``, ``buffered``, ``single-read`` or ``unknown``."),
    Column("unreliable", "bool", "Whether it was held back on its way, so that rates tell nothing of the model."),
    *(Column(f"server_{name}_s", "float64", f"Seconds the vendor reports {what}.") for name, what in _SERVER.items()),
)


def timing_table(run: StreamRun) -> pd.DataFrame:
    """Return `Timing` as a table of one row; those of many runs can be joined with ``pandas.concat``.

    Returns
    -------
    pandas.DataFrame
        Columns as in `TIMING`; what did not happen, or is not known, is NaN.

    Examples
    --------
    >>> import streamviz as sv
    >>> sv.StreamRun().finish().timing_table()[["run", "timed", "first_token_s"]]
       run timed  first_token_s
    0  run  none            NaN
    """
    value = run.timing
    server = value.server_timing or {}
    row = [
        server.get(name.removeprefix("server_").removesuffix("_s"))
        if name.startswith("server_")
        else getattr(value, name)
        for name, _, _ in TIMING.columns[1:]
    ]
    return TIMING.rows(run.name, [tuple(row)])
