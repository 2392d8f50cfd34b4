"""A run as a file for others: a report in HTML, a document in JSON."""

from __future__ import annotations

import json
import os
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any, overload

from .assembly.payload import json_safe

if TYPE_CHECKING:
    from .run import StreamRun

REPORT_CHUNKS = 2_000
"""How many chunks a report lists when nobody says otherwise."""

Target = str | os.PathLike[str]


@overload
def to_html(run: StreamRun, path: None = None, *, chunks: int | None = ..., charts: bool = ...) -> str: ...
@overload
def to_html(run: StreamRun, path: Target, *, chunks: int | None = ..., charts: bool = ...) -> None: ...
def to_html(
    run: StreamRun, path: Target | None = None, *, chunks: int | None = REPORT_CHUNKS, charts: bool = True
) -> str | None:
    r"""Make a report of the whole run: one HTML file that needs no script and nothing from the network.

    It has the outcome, the answer's blocks, every call with its fragments and repair, usage over time, timing where it
    is known, the diagnostics, the request, and the chunks with their byte ranges. All text of the stream is escaped,
    and a Content-Security-Policy in the file forbids whatever might get past that. The same run gives the same bytes.

    Parameters
    ----------
    run : StreamRun
        The run.
    path : str or path, optional
        Where to write it. The file appears whole or not at all.
    chunks : int, optional
        How many chunks are listed, from the beginning and the end of the run; None lists them all. The report says how
        many are left out.
    charts : bool
        Draw the charts.

    Returns
    -------
    str or None
        The HTML; None where it was written to ``path``.

    Raises
    ------
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"<b>Hi"},"finish_reason":"stop"}]}\n\n')
    >>> report = run.to_html(charts=False)
    >>> report[:15], "&lt;b&gt;Hi" in report, "<b>" in report
    ('<!DOCTYPE html>', True, False)
    """
    from .display.report import report_html

    report = report_html(run, chunks=chunks, charts=charts)
    return _given(report, path)


@overload
def to_json(run: StreamRun, path: None = None, *, indent: int | None = ...) -> str: ...
@overload
def to_json(run: StreamRun, path: Target, *, indent: int | None = ...) -> None: ...
def to_json(run: StreamRun, path: Target | None = None, *, indent: int | None = None) -> str | None:
    r"""Return `StreamRun.to_dict` as strict JSON: no NaN, no lone surrogates, integers beyond 2**53 - 1 as strings.

    Parameters
    ----------
    run : StreamRun
        The run.
    path : str or path, optional
        Where to write it. The file appears whole or not at all.
    indent : int, optional
        Write it over several lines, this many blanks deeper at each level.

    Returns
    -------
    str or None
        The JSON text; None where it was written to ``path``.

    Raises
    ------
    OSError
        The file cannot be written.

    Examples
    --------
    >>> import json, streamviz as sv
    >>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\n')
    >>> document = json.loads(run.to_json())
    >>> document["dialect"], document["payloads"][0]["assistant_text"]
    ('openai-chat', 'Hi')
    """
    text = json.dumps(to_dict(run), ensure_ascii=False, allow_nan=False, indent=indent)
    return _given(text, path)


def to_dict(run: StreamRun) -> dict[str, Any]:
    """Return what the run amounts to as JSON-safe values.

    ============  ====================================================================================================
    key           value
    ============  ====================================================================================================
    source        where the bytes were read from; null where nobody said
    dialect       how the stream speaks, ``unknown`` where nobody knows
    vendor        who sent it, or null
    framing       ``sse``, ``eventstream``, ``json-array``, ``json-lines``, ``body``, or null
    bytes         size of the body
    reads         how many network reads it came in
    frames        how many frames, which is how many chunks
    timed         ``reads`` where arrival times are known, else ``none``
    finished      whether the stream is over
    synthetic     whether the bytes were made up from parsed events
    payloads      one object a choice: the fields of `EmbeddedRunPayload`, and ``complete``; in ``calls`` the fields of
                  `ToolCall`, and ``executable``
    ============  ====================================================================================================
    """
    about = {
        "source": run.source,
        "dialect": run.dialect,
        "vendor": run.vendor,
        "framing": run.framing,
        "bytes": run.recording.size,
        "reads": len(run.recording.reads),
        "frames": len(run.frame_ends),
        "timed": run.timed,
        "finished": run.finished,
        "synthetic": run.synthetic,
    }
    return {**json_safe(about), "payloads": [payload.to_dict() for payload in run.payloads]}


def _given(text: str, path: Target | None) -> str | None:
    """Return a text, or write it where there is a path."""
    if path is None:
        return text
    write_whole(path, text)
    return None


def write_whole(path: Target, text: str) -> None:
    """Write a text file so that it is there whole or, where something goes wrong, as it was before."""
    target = Path(path)
    data = text.encode("utf-8")
    if target.exists() and not target.is_file():  # a pipe, or /dev/stdout
        target.write_bytes(data)
        return
    target = target.resolve()  # what a link points to is written, the link stays
    part = target.with_name(f".{token_hex(8)}.part")
    try:
        with part.open("xb") as file:
            file.write(data)
        if target.exists():
            part.chmod(target.stat().st_mode & 0o777)
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
