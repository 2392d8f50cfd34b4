"""From a text to its places: `find`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from .origin import TEXTS, Origin, What, origin

if TYPE_CHECKING:
    from ..assembly.payload import EmbeddedRunPayload
    from ..run import StreamRun


class Match(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """A place in the answer where a text stands."""

    what: What
    start: int
    end: int
    """Its range, in characters of the text that ``what`` names."""
    choice: int = 0
    call: int | None = None
    """Number of the call, of ``arguments``."""
    first: Origin
    last: Origin
    """Where its first and its last character come from."""

    def __str__(self) -> str:
        where = f"arguments of call {self.call}" if self.what == "arguments" else self.what
        chunks = f"chunks {self.first.chunk} to {self.last.chunk}"
        return f"{where} {self.start}:{self.end}, {chunks}, bytes {self.first.start}:{self.last.end}"


def find(run: StreamRun, text: str) -> list[Match]:
    r"""Return every place in the answer where a text stands: in the text, the reasoning, the arguments of calls.

    A text that the chunks cut in two is found, too. Places do not overlap.

    Raises
    ------
    ValueError
        The text is empty.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % text for text in ("Hel", "lo")).encode())
    >>> [(match.what, match.start, match.first.chunk, match.last.chunk) for match in run.find("ello")]
    [('text', 1, 0, 1)]
    """
    if not text:
        raise ValueError("the text to be found is empty")
    found = []
    for payload in run.payloads:
        for whole, fields, ask in _texts(run, payload):
            for at in _places(whole, text):
                end = at + len(text)
                found.append(
                    Match(**fields, start=at, end=end, choice=payload.choice, first=ask(at), last=ask(end - 1))
                )
    return found


def _texts(
    run: StreamRun, payload: EmbeddedRunPayload
) -> Iterator[tuple[str, dict[str, Any], Callable[[int], Origin]]]:
    """Yield each text of an answer, which it is, and whom to ask for the origin of its characters."""
    for what in TEXTS:
        whole = "".join(block.text for block in payload.blocks if block.kind == what)
        yield whole, {"what": what}, partial(origin, run, what, choice=payload.choice)
    for number, call in enumerate((*payload.calls, *payload.server_tools)):
        ask = partial(origin, run, "arguments", call=call, choice=payload.choice)
        yield call.raw_arguments, {"what": "arguments", "call": number}, ask


def _places(whole: str, text: str) -> Iterator[int]:
    at = whole.find(text)
    while at >= 0:
        yield at
        at = whole.find(text, at + len(text))
