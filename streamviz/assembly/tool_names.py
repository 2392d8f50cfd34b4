"""Which tool a call means: models decorate, respell and misplace names.

Nothing is resolved unless the caller says which tools there are, and where two of them are possible the name stays as
it was sent: running the wrong tool is worse than running none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

_WORD = re.compile(r"(?:functions?|tools?)[._:/-]*(?=.)", re.IGNORECASE)
_COUNTER = re.compile(r"[._:#/-]?[0-9]+\Z")


def resolve_tool_name(name: str, ident: str | None, tools: Collection[str]) -> str:
    """Return the tool that a call means, else the name as sent, without the blanks around it.

    Parameters
    ----------
    name : str
        The name as sent.
    ident : str or None
        The id as sent: some servers put the name there only (``functions.read:0``).
    tools : collection of str
        The tools that the request offered; empty: the name is only stripped of blanks.

    Notes
    -----
    Tried in this order: the name itself; another case of it; the name without its leading dotted segments, the longest
    rest first (a slash counts as a dot); the name without a ``functions`` or ``tools`` in front and a counter behind;
    for a call without a name, the same with its id.

    Examples
    --------
    >>> resolve_tool_name("functions.Read_File", None, ["read_file", "write_file"])
    'read_file'
    >>> resolve_tool_name("", "functions.write_file:2", ["read_file", "write_file"])
    'write_file'
    >>> resolve_tool_name("read", None, ["read_file", "write_file"])
    'read'
    """
    sent = name.strip() or name
    if not tools:
        return sent
    source = sent if sent.strip() else (ident or "").strip()
    for spelling in _spellings(source):
        if spelling in tools:
            return spelling
        same = [tool for tool in tools if tool.casefold() == spelling.casefold()]
        if same:
            return same[0] if len(same) == 1 else sent
    return sent


def _spellings(source: str) -> Iterable[str]:
    """Yield the names that a decorated name may stand for, the most literal first."""
    yield source
    dotted = source.replace("/", ".")
    segments = dotted.split(".")
    for start in range(len(segments)):
        yield ".".join(segments[start:])
    bare = dotted
    while word := _WORD.match(bare):
        bare = bare[word.end() :]
        yield bare
    yield _COUNTER.sub("", bare)
