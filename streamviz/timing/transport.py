"""Whether a stream came as it was made, or somebody on the way held it back and let it go in portions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from .arrivals import Arrivals, arrivals_of

if TYPE_CHECKING:
    from ..run import StreamRun
    from .arrivals import Mask, Numbers

Verdict = Literal["streamed", "bursty", "buffered", "single-read", "unknown"]

EVIDENCE = ("server", "via", "content-encoding", "x-accel-buffering", "cf-ray")
"""Headers that tell who stands between, and whether it was asked not to hold anything back."""
MANY = 8
"""Frames in one read that no model makes at once."""
AT_ONCE_S = 0.0002
"""Reads that follow each other closer than this (in seconds) are one: an HTTP library hands on in pieces (a chunk of
the transfer coding, a line) what the socket gave at once."""


class Transport(Struct, frozen=True, kw_only=True):
    r"""How a response came through the network.

    Sizes and counts are of reads; reads closer together than 0.2 ms count as one. All of them are None where no times
    were recorded: the pieces that a file is read in say nothing of the network.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.StreamRun("openai")
    >>> for k in range(3):
    ...     _ = run.feed(b'data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n', time_s=0.5 + 0.25 * k)
    >>> run.finish().transport()
    <Transport: streamed: 1 frame a read, reads of 48 ± 0 bytes every 0.25 s>
    """

    verdict: Verdict = "unknown"
    """``streamed``: as it was made. ``bursty``: several frames at a time. ``buffered``: most of what holds content came
    in reads of 8 frames or more. ``single-read``: all of it came at once. ``unknown``: the times do not tell."""
    reason: str
    """Why, in one sentence with the numbers."""
    reads: int | None = None
    """How many reads there were."""
    frames_per_read_median: float | None = None
    frames_per_read_max: int | None = None
    bytes_per_read_median: float | None = None
    bytes_per_read_max: int | None = None
    interval_s: float | None = None
    """Median of the seconds from one read to the next."""
    content_frames: int | None = None
    """Frames with content."""
    batched_share: float | None = None
    """Of the frames with content, the part that came in reads of 8 frames or more; None where none had content."""
    headers: dict[str, str] = {}
    """Those response headers that are evidence: who stands between, and what it does to the body. Untrusted text."""

    @property
    def is_held_back(self) -> bool:
        """Whether times inside the stream tell of whoever held it back, not of the model."""
        return self.verdict in ("buffered", "single-read")

    def __repr__(self) -> str:
        from ..display import transport_line

        return transport_line(self)

    def _repr_html_(self) -> str:
        from ..display import transport_html

        return transport_html(self)


def transport(run: StreamRun) -> Transport:
    """Say how the response came through the network: as it was made, in bursts, or held back by a buffer.

    Returns
    -------
    Transport
        The verdict, its reason, the figures, and the headers that are evidence.

    Examples
    --------
    >>> import streamviz as sv
    >>> sv.read(b'data: {"choices":[{"delta":{"content":"Hi"}}]}').transport().verdict
    'unknown'
    """
    return judge(arrivals_of(run), evidence_in(run.recording.headers))


def evidence_in(headers: dict[str, Any] | None) -> dict[str, str]:
    """Return those of the headers that say something of who stands between, by their names in lower case."""
    known = {str(name).lower(): str(value) for name, value in (headers or {}).items()}
    return {name: known[name] for name in EVIDENCE if name in known}


def judge(arrivals: Arrivals | None, headers: dict[str, str]) -> Transport:
    """Say how what is known of the reads came."""
    import numpy as np

    if arrivals is None:
        return Transport(reason="no times were recorded", headers=headers)
    if not len(arrivals.read_sizes):
        return Transport(reason="nothing came", reads=0, headers=headers)
    if len(arrivals.read_sizes) == 1 and not arrivals.is_over:
        return Transport(reason="only the first read has come", reads=1, headers=headers)
    times = arrivals.read_times_s
    begins: Mask = np.diff(times, prepend=-np.inf) >= AT_ONCE_S
    groups = np.cumsum(begins) - 1  # of each read
    times = times[begins]
    sizes: Numbers = np.add.reduceat(arrivals.read_sizes, np.flatnonzero(begins))
    frame_groups = groups[arrivals.frame_reads]
    frames = np.bincount(frame_groups, minlength=len(times))
    content_groups = frame_groups[arrivals.content]
    content = np.bincount(content_groups, minlength=len(times))
    share = float((frames[content_groups] >= MANY).mean()) if len(content_groups) else None
    interval = float(np.median(np.diff(times))) if len(times) > 1 else None
    verdict, reason = _verdict(
        frames, sizes, content[content > 0], share=share, interval=interval, first_s=float(times[0])
    )
    if len(times) < len(arrivals.read_sizes):
        reason += "; reads less than 0.2 ms apart are taken as one"
    return Transport(
        verdict=verdict,
        reason=reason,
        reads=len(arrivals.read_sizes),
        frames_per_read_median=float(np.median(frames)),
        frames_per_read_max=int(frames.max()),
        bytes_per_read_median=float(np.median(sizes)),
        bytes_per_read_max=int(sizes.max()),
        interval_s=interval,
        content_frames=len(content_groups),
        batched_share=share,
        headers=headers,
    )


def _verdict(
    frames: Numbers,
    sizes: Numbers,
    content: Numbers,
    *,
    share: float | None,
    interval: float | None,
    first_s: float,
) -> tuple[Verdict, str]:
    """Return the verdict and its reason; ``content`` has the frames with content of the reads that hold any."""
    import numpy as np

    if interval is None:
        return "single-read", f"all came at once after {seconds(first_s)}: {_count(int(frames.sum()), 'frame')}"
    typical = float(np.median(sizes))
    spread = float(np.median(np.abs(sizes - typical)))
    many = float(np.median(frames))
    words = (
        f"{_count(many, 'frame')} a read, reads of {_number(typical)} ± {_number(spread)} bytes "
        f"every {seconds(interval)}"
    )
    number = int(content.sum())
    if share is None or number < 2:
        return "unknown", f"{_count(number, 'frame')} with content, which is too few to tell; {words}"
    if share >= 0.5:
        if number < MANY:
            return "unknown", f"{_count(number, 'frame')} with content, which is too few to tell; {words}"
        return "buffered", f"{words}; {share:.0%} of the frames with content came {MANY} or more at a time"
    if share >= 0.1 or np.median(content) >= 3:
        return "bursty", f"{words}, and up to {_count(int(frames.max()), 'frame')} at a time"
    return "streamed", words


def seconds(value: float) -> str:
    """Return a time in three figures.

    Examples
    --------
    >>> seconds(16.512), seconds(0.25), seconds(28800.4)
    ('16.5 s', '0.25 s', '28,800 s')
    """
    return f"{value:,.0f} s" if value >= 999.5 else f"{value:.3g} s"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _count(value: float, word: str) -> str:
    return f"{_number(value)} {word}{'' if value == 1 else 's'}"
