"""Our reading of a stream against that of another library, and the first chunk after which they part."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ..errors import MissingLibraryError
from .accumulators import LIBRARIES, Accumulate, Told, accumulate_by, arguments_text, has_claude_inside
from .comparison import Comparison, some
from .facts import NOTHING, Fact, Facts, fact

if TYPE_CHECKING:
    from ..run import StreamRun

_PACKAGE = "streamviz"
_CUT_SHORT = "before a finish_reason was received"
"""How litellm complains of a stream that stops: every prefix does."""


class SDKComparison(Comparison):
    """A stream as this package reads it, and as another library does.

    Attributes
    ----------
    library, version : str
        Which one.
    exception : BaseException or None
        What it raised; what it had come to before is compared all the same.
    first_chunk : int or None
        The first chunk after which the two differ; None where they do not.
    first_chunks : dict of str to int
        The same for every field that differs.
    """

    def __init__(
        self,
        names: tuple[str, str],
        columns: tuple[Facts, Facts],
        *,
        library: str,
        version: str | None,
        exception: BaseException | None,
    ) -> None:
        super().__init__("readings", names, columns)
        self.library = library
        self.version = version
        self.exception = exception
        self.first_chunks: dict[str, int] = {}

    @property
    def first_chunk(self) -> int | None:
        """The first chunk after which the two differ; None where they do not."""
        return min(self.first_chunks.values(), default=None)

    @property
    def outcome(self) -> str:
        """``value`` or ``exception``."""
        return "value" if self.exception is None else "exception"

    def _more_columns(self) -> dict[str, Any]:
        import pandas as pd

        return {"first_chunk": pd.array([self.first_chunks.get(field) for field in self.fields], dtype="Int64")}

    def table(self) -> Any:
        """Return a data frame with one row a field.

        ===========  =======  ==========================================================================
        column       dtype    meaning
        ===========  =======  ==========================================================================
        field        string   What the row is about; tokens under the vendor's own names.
        streamviz    string   What this package says.
        (library)    string   What the library says.
        same         bool     Whether the two say the same.
        first_chunk  Int64    The first chunk after which they do not.
        ===========  =======  ==========================================================================
        """
        return super().table()

    def _details(self) -> list[str]:
        return [f"{field} differs from chunk {chunk} on" for field, chunk in self.first_chunks.items()]

    def _headline(self) -> str:
        library = f"{self.names[1]} {self.version}" if self.version else self.names[1]
        raised = "" if self.exception is None else f"; it raises {_words(self.exception)}"
        if not self.differences:
            return f"{library} reads this stream as {_PACKAGE} does{raised}"
        where = "" if self.first_chunk is None else f" from chunk {self.first_chunk} on"
        return f"{library} differs{where}: {some(self.differences)}{raised}"


def compare_sdk(run: StreamRun, library: str | Callable[[Iterator[bytes]], Mapping[str, Any]]) -> SDKComparison:
    r"""Give the same bytes to another library, and say where it reads them otherwise.

    The library's own client, decoder and accumulator run over the recorded reads in place of a network. Where the two
    differ in the end, the first chunk after which they do is found by bisection over what both make of the stream's
    beginnings, for each field.

    ================  =================================================================================
    library           what runs
    ================  =================================================================================
    ``openai``        Chat Completions and Responses: client and stream state
    ``anthropic``     Messages, also inside Bedrock's InvokeModelWithResponseStream: client and snapshot
    ``google-genai``  its client; it has no accumulator, so its chunks are joined
    ``boto3``         botocore's event stream and parser; its events are joined
    ``litellm``       ``completion`` and ``stream_chunk_builder`` over the openai client
    ``langchain``     langchain-core's addition of message chunks, made from our chunks
    a function        from an iterator of bytes to a dict with any of ``text``, ``thinking``, ``calls`` (dicts of
                      ``name``, ``id``, ``arguments``), ``finish``, ``usage`` (the vendor's names)
    ================  =================================================================================

    Parameters
    ----------
    run : StreamRun
        The stream.
    library : str or callable
        One of the table.

    Returns
    -------
    SDKComparison

    Raises
    ------
    MissingLibraryError
        The library is not installed.
    ValueError
        There is no such library, or it does not read this dialect.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % letter for letter in "ab").encode())
    >>> def keeps_the_last(reads):
    ...     return {"text": b"".join(reads)[-8:-7].decode()}
    >>> found = compare_sdk(run, keeps_the_last)
    >>> found.differences, found.first_chunk
    (('text',), 1)
    """
    if isinstance(library, str):
        name, version, accumulate = _library(library, run)
    else:
        name, version, accumulate = getattr(library, "__name__", type(library).__name__), None, accumulate_by(library)
    compared: dict[int, tuple[Facts, Facts, BaseException | None]] = {}
    count = len(run.frame_ends)

    def at(chunks: int) -> tuple[Facts, Facts, BaseException | None]:
        if chunks not in compared:
            beginning = run if chunks == count else run.cut(chunk=chunks)
            compared[chunks] = _hold(beginning, accumulate, whole=chunks == count)
        return compared[chunks]

    ours, theirs, error = at(count)
    names = (_PACKAGE, name if name != _PACKAGE else f"{name} (2)")
    result = SDKComparison(names, (ours, theirs), library=name, version=version, exception=error)
    for field in result.differences:
        same, differs = 0, count
        while differs - same > 1:
            middle = (same + differs) // 2
            one, other, _ = at(middle)
            if one.get(field, NOTHING).is_same(other.get(field, NOTHING)):
                same = middle
            else:
                differs = middle
        if count:
            result.first_chunks[field] = differs - 1
    return result


def _library(name: str, run: StreamRun) -> tuple[str, str | None, Accumulate]:
    """Return a library's name, version and accumulator."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as version_of

    library = LIBRARIES.get(name)
    if library is None:
        raise ValueError(f"library is one of {', '.join(LIBRARIES)}, or a function, not {name!r}")
    if run.dialect not in library.dialects:
        raise ValueError(f"{name} does not read {run.dialect}: it reads {', '.join(library.dialects)}")
    if name == "anthropic" and run.dialect == "bedrock-invoke" and not has_claude_inside(run):
        raise ValueError("anthropic does not read this stream of Bedrock's: another vendor's events are in it")
    try:
        found = find_spec(library.module) is not None
    except ModuleNotFoundError:  # of a package inside one that is not there
        found = False
    if not found:
        raise MissingLibraryError(f"{name} is not installed: pip install {library.package}")
    try:
        return name, version_of(library.package), library.accumulate
    except PackageNotFoundError:
        return name, None, library.accumulate


def _hold(run: StreamRun, accumulate: Accumulate, *, whole: bool) -> tuple[Facts, Facts, BaseException | None]:
    """Return what we say of a run and what another library does, in the fields that it speaks of."""
    told = Told()
    error: Exception | None = None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a library warns of is no business of the caller's
        try:
            accumulate(run, told)
        except Exception as raised:  # noqa: BLE001 - whatever it is, it is the outcome
            error = raised
    if error is not None and not whole and _CUT_SHORT in str(error):
        error = None
    return _our_facts(run, told), _their_facts(told, error), error


def _our_facts(run: StreamRun, told: Told) -> Facts:
    payload = run.payload
    facts: Facts = {}
    if told.text is not None:
        facts["text"] = fact(payload.assistant_text)
    if told.thinking is not None:
        facts["thinking"] = fact(payload.thinking)
    if told.calls is not None:
        facts["calls"] = fact(len(payload.calls))
        for number, call in enumerate(payload.calls, start=1):
            facts[f"call {number} name"] = fact(call.name_as_sent)
            facts[f"call {number} id"] = NOTHING if call.id_is_made_up else fact(call.id)
            theirs = told.calls[number - 1].arguments if number <= len(told.calls) else ""
            key = None if isinstance(theirs, str) else call.arguments
            facts[f"call {number} arguments"] = Fact(call.raw_arguments, key)
    if told.tells_finish:
        facts["finish"] = fact(str(payload.finish.raw[-1]) if payload.finish and payload.finish.raw else None)
    if told.usage is not None:
        raw = (payload.usage and payload.usage.raw) or {}
        spoken = raw.keys() if told.counts is None else told.counts
        counts = {name: raw[name] for name in raw if name in spoken and type(raw[name]) is int}
        facts |= {name: fact(value) for name, value in counts.items() if value or name in told.usage}
    if told.tells_errors:
        facts["exception"] = NOTHING if payload.error is None else Fact(payload.error.message or "error", key="raised")
    return facts


def _their_facts(told: Told, error: Exception | None) -> Facts:
    facts: Facts = {}
    if told.text is not None:
        facts["text"] = fact(told.text)
    if told.thinking is not None:
        facts["thinking"] = fact(told.thinking)
    if told.calls is not None:
        facts["calls"] = fact(len(told.calls))
        for number, call in enumerate(told.calls, start=1):
            facts[f"call {number} name"] = fact(call.name)
            facts[f"call {number} id"] = fact(call.id)
            key = None if isinstance(call.arguments, str) else call.arguments
            facts[f"call {number} arguments"] = Fact(arguments_text(call.arguments), key)
    if told.tells_finish:
        facts["finish"] = fact(told.finish and str(told.finish))
    if told.usage is not None:
        facts |= {name: fact(value) for name, value in told.usage.items()}
    if error is not None or told.tells_errors:
        facts["exception"] = NOTHING if error is None else Fact(_words(error), key="raised")
    return facts


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error!s:.300}"
