"""The table of frames: what came over the wire."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

    from ..run import StreamRun

FRAMES = Schema(
    "frames",
    "One row a frame. The ranges of bytes tile the recording.",
    Column("frame", "int64", "Number of the frame, from 0; its chunk has the same."),
    Column("kind", "string", "``event``, ``comment``, ``heartbeat``, ``bad``, ``end`` or ``tail``."),
    Column("event", "string", "The event field, or the event-stream message's event, exception or error code."),
    Column("category", "string", "Event stream: ``event``, ``exception``, ``error``; ``event`` elsewhere."),
    Column("start", "int64", "Offset of its first byte in the recording."),
    Column("end", "int64", "Offset behind its last byte."),
    Column("bytes", "int64", "Its length, field names and line ends included."),
    Column("data_bytes", "int64", "Length of its data."),
    Column("read", "int64", "Number of the read that held its last byte."),
    Column("time_s", "float64", "When that read arrived, in seconds since the request was sent."),
    Column("fault", "string", "Code of what is wrong with it."),
    Column("message", "string", "The same in words."),
)


def frames_table(run: StreamRun) -> pd.DataFrame:
    r"""Return a data frame with one row a frame; see `FRAMES` for its columns.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b': hi\n\ndata: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
    >>> run.frames_table()[["frame", "kind", "start", "end"]]
       frame     kind  start  end
    0      0  comment      0    6
    1      1    event      6   54
    """
    frames = run.frames
    ends = [frame.end for frame in frames]
    return FRAMES.frame(
        run.name,
        {
            "frame": range(len(frames)),
            "kind": [frame.kind for frame in frames],
            "event": [frame.event for frame in frames],
            "category": [frame.category for frame in frames],
            "start": [frame.start for frame in frames],
            "end": ends,
            "bytes": [frame.end - frame.start for frame in frames],
            "data_bytes": [len(frame.data) for frame in frames],
            "read": run.recording.reads_of(ends),
            "time_s": times(run, range(len(frames))),
            "fault": [frame.fault.code if frame.fault else None for frame in frames],
            "message": [frame.fault.message if frame.fault else None for frame in frames],
        },
    )


def times(run: StreamRun, chunks: Sequence[int | None] | Sequence[int]) -> list[float]:
    """Return when each of the chunks arrived; NaN where that is not known."""
    known = run.frame_times_s
    return [known[k] if k is not None and k < len(known) else float("nan") for k in chunks]
