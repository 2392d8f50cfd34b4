"""What the text itself gives away: sent twice, decoded wrongly, with reasoning in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...assembly.reasoning_tags import DEFAULT_TAGS, split_reasoning
from ...assembly.text import TextBlock
from ..evidence import Evidence, Said, quoted
from ..finding import Finding, Lost
from ..registry import detector

_SHORTEST = 20
"""How many characters must be the same before it is no coincidence."""
_WORDS = {"text": "text", "thinking": "reasoning", "refusal": "refusal"}


@detector
def doubled(evidence: Evidence) -> Iterable[Finding]:
    """Find a text that was sent twice: as a whole, piece by piece, or as the reasoning too."""
    texts = {said.choice: said for said in evidence.said if said.kind == "text"}
    for said in texts.values():
        half, odd = divmod(len(said.text), 2)
        if half >= _SHORTEST and not odd and said.text[:half] == said.text[half:]:
            how = "the text is the same again from its middle on"
            where = said.chunk_at(half)
        elif length := _stuttered(evidence, said):
            half, how, where = length, "each piece comes twice in a row", said.chunk_at(0)
        else:
            continue
        yield evidence.finding(
            "text-doubled",
            evidence.at(where, "the second copy" if "middle" in how else "the first piece that is repeated"),
            lost=Lost(characters=half),
            characters=half,
            how=how,
        )
    for said in evidence.said:
        other = texts.get(said.choice)
        if said.kind == "thinking" and other and other.text == said.text and len(said.text) >= _SHORTEST:
            yield evidence.finding(
                "text-doubled",
                evidence.at(other.chunk_at(0), "the text"),
                evidence.at(said.chunk_at(0), "the reasoning"),
                lost=Lost(characters=len(said.text)),
                characters=len(said.text),
                how="as text and as reasoning",
            )


def _stuttered(evidence: Evidence, said: Said) -> int:
    """Return how many characters were repeated where each piece of a text came twice in a row; else 0."""
    pieces = [
        piece
        for block in evidence.blocks
        if type(block) is TextBlock and block.choice == said.choice
        for piece in block.pieces.fragments
        if piece
    ]
    if len(pieces) < 8 or len(pieces) % 2 or pieces[::2] != pieces[1::2] or len(set(pieces)) < 4:
        return 0
    return len(said.text) // 2


@detector
def replaced(evidence: Evidence) -> Iterable[Finding]:
    """Find characters that were lost in decoding."""
    evidence.take("replacement-characters")
    texts = [(said.text, _WORDS[said.kind], said.chunk_at) for said in evidence.said]
    for text, kind, chunk_at in texts:
        count = text.count("\ufffd")
        if count:
            place = text.index("\ufffd")
            yield evidence.finding(
                "replacement-characters",
                evidence.at(chunk_at(place), f"character {place} of the {kind}"),
                lost=Lost(characters=count),
                count=count,
                stand="stands" if count == 1 else "stand",
                kind=kind,
            )
    for words, _, call in evidence.calls:
        count = call.raw_arguments.count("\ufffd")
        if count:
            place = call.raw_arguments.index("\ufffd")
            yield evidence.finding(
                "replacement-characters",
                evidence.at(evidence.chunk_of(call, place), f"character {place} of the arguments"),
                lost=Lost(characters=count),
                count=count,
                stand="stands" if count == 1 else "stand",
                kind=f"arguments of {words}",
            )


_WIDE = re.compile(r"[^\x00-\x7f]++")
_SINGLE = ("latin-1", "cp1252")
"""What UTF-8 is read as where nobody says what it is."""


@detector
def wrong_charset(evidence: Evidence) -> Iterable[Finding]:
    """Find UTF-8 that was read as a set of 256 characters: all that is not ASCII becomes UTF-8 again."""
    for said in evidence.said:
        if said.text.isascii():
            continue
        runs = list(_WIDE.finditer(said.text))
        for charset in _SINGLE:
            meant = [_undone(run[0], charset) for run in runs]
            right = [(run, text) for run, text in zip(runs, meant, strict=True) if text is not None]
            if len(right) < 2 or 2 * len(right) <= len(runs):  # "Ã©" by itself may be meant
                continue
            kind = _WORDS[said.kind]
            run, text = right[0]
            yield evidence.finding(
                "wrong-charset",
                evidence.at(said.chunk_at(run.start()), f"character {run.start()} of the {kind}"),
                lost=Lost(characters=sum(len(text) for _, text in right)),
                count=len(right),
                kind=kind,
                charset="Latin-1" if charset == "latin-1" else "Windows-1252",
                sample=quoted(run[0], 12),
                meant=quoted(text, 12),
            )
            break


def _undone(text: str, charset: str) -> str | None:
    """Return a text as it was before its UTF-8 was read as ``charset``; None where it was not."""
    try:
        return text.encode(charset).decode("utf-8")
    except UnicodeError:
        return None


@detector
def reasoning_tags(evidence: Evidence) -> Iterable[Finding]:
    """Find reasoning between tags in the text, where nobody asked for it to be told apart."""
    if evidence.state.reasoning_tags:
        return
    for said in evidence.said:
        if said.kind != "text" or "<" not in said.text:
            continue
        parts = [part for part in split_reasoning(said.text, DEFAULT_TAGS, recover=True) if part.kind == "thinking"]
        if not parts:
            continue
        first = parts[0]
        characters = sum(part.end - part.start for part in parts)
        yield evidence.finding(
            "reasoning-tags-in-text",
            *(evidence.at(said.chunk_at(part.tag), f"character {part.tag} of the text") for part in parts),
            lost=Lost(characters=characters),
            characters=characters,
            tag=said.text[first.tag : first.start],
        )
