"""A stream without what it says: letters of the model in neutral ones, the shape kept.

Every letter and digit becomes one that takes as many bytes in UTF-8, so that lengths, cuts and offsets stay. Blanks,
punctuation, escapes and the structure of JSON stay, and so do keys, ids, names, types, models, reasons and numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from .assembly.tool_calls import ToolCallBlock
from .chunks import Delta, NormalizedChunk, PlanDelta, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from .framing.reframe import rewritten

if TYPE_CHECKING:
    from .run import StreamRun

_KEPT_KEYS = (
    *("id", "name", "type", "reason", "model", "role", "object", "status", "version", "event", "code", "tier"),
    *("fingerprint", "modality", "format", "kind", "signature", "encrypted_content", "phase", "path"),
)
"""How the keys end whose values are the vendor's words and not the model's."""
_WORD = re.compile(r"[A-Za-z0-9_.:/+=@#-]*").fullmatch
"""A value of one word may be one of the vendor's, and stays; what has blanks or other letters is prose."""
_JSON_STRING = re.compile(r'"((?:[^"\\]|\\.)*)("|\Z)', re.DOTALL)
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\.|\\\Z", re.DOTALL)
_BARE_WORD = re.compile(r"[^\W\d]\w*")
_LITERALS = {"true", "false", "null"}
_NEUTRAL = {1: "x", 2: "é", 3: "文", 4: "𝐱"}
"""A letter of each length in UTF-8."""
_ASCII, _HIGH, _LOW = 0x80, 0xD800, 0xDC00


def neutral_text(text: str) -> str:
    """Return a text in neutral letters, as long as it was in characters and in bytes.

    Examples
    --------
    >>> neutral_text("Call Zoë, 0171-23!")
    'Xxxx Xxé, 0000-00!'
    """
    return "".join([_neutral(character) if character.isalnum() else character for character in text])


def _neutral(character: str) -> str:
    if character.isdigit() and character.isascii():
        return "0"
    letter = _NEUTRAL[len(character.encode())]
    return letter.upper() if letter == "x" and character.isupper() else letter


def neutral_arguments(text: str) -> str:
    """Return the arguments of a call, valid JSON or not, in neutral letters: keys, numbers and words of JSON stay.

    Examples
    --------
    >>> neutral_arguments('{"to": "Ann", "n": 12, "ok": true')
    '{"to": "Xxx", "n": 12, "ok": true'
    """
    pieces: list[str] = []
    done = 0
    for string in _JSON_STRING.finditer(text):
        pieces.append(_BARE_WORD.sub(_bare, text[done : string.start()]))
        is_key = string[2] and text[string.end() :].lstrip().startswith(":")
        pieces.append(string[0] if is_key else f'"{_in_string(string[1])}{string[2]}')
        done = string.end()
    pieces.append(_BARE_WORD.sub(_bare, text[done:]))
    return "".join(pieces)


def _bare(word: re.Match[str]) -> str:
    return word[0] if word[0] in _LITERALS else neutral_text(word[0])


def _in_string(text: str) -> str:
    """Return the inside of a JSON string; an escape stays one."""
    pieces: list[str] = []
    done = 0
    for escape in _ESCAPE.finditer(text):
        pieces += [neutral_text(text[done : escape.start()]), _neutral_escape(escape)]
        done = escape.end()
    return "".join([*pieces, neutral_text(text[done:])])


def _neutral_escape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    code = int(escape[1], 16)
    if code < _ASCII:
        return f"\\u{ord(neutral_text(chr(code))):04x}"
    if _HIGH <= code < _LOW:
        return "\\ud835"
    return "\\udc31" if _LOW <= code < 0xE000 else "\\u00e9"


def neutral_frames(run: StreamRun) -> list[bytes]:
    """Return the bytes of each frame with what the model says in neutral letters.

    What follows is neutral: text, reasoning, refusals and plans, the strings of arguments, tool results and citations,
    and every other string value that is prose. The message of a vendor's error stays.
    """
    frames = []
    for k, (frame, chunk) in enumerate(zip(run.frames, run.chunks, strict=True)):
        raw = run.bytes_of(k)
        sent: set[str] = set()
        rewritten(frame, raw, partial(_note, sent))
        known, inside = _known(run, k, chunk, sent)
        frames.append(rewritten(frame, raw, partial(_change, chunk, known, inside)) if sent else raw)
    return frames


def _note(sent: set[str], key: str | None, value: str) -> str:
    """Note a string that a frame holds."""
    sent.add(value)
    return value


def _change(chunk: NormalizedChunk, known: dict[str, str], inside: set[str], key: str | None, value: str) -> str:
    """Return what takes the place of a string."""
    if value in inside:
        return neutral_text(value)
    if key is not None and key.lower().endswith(_KEPT_KEYS):
        return value
    if value in known:
        return known[value]
    if chunk.error is not None or (_WORD(value) and not _is_unreadable(chunk)):
        return value
    return neutral_text(value)


def _is_unreadable(chunk: NormalizedChunk) -> bool:
    """Return whether nobody can say which strings of a frame are the model's."""
    return any(note.code in ("bad-json", "unknown-event", "unexpected-json", "torn-tail") for note in chunk.notes)


def _known(run: StreamRun, k: int, chunk: NormalizedChunk, sent: set[str]) -> tuple[dict[str, str], set[str]]:
    """Return the strings of a chunk with their neutral twins, and those that stand inside an argument object.

    ``sent`` holds the strings of the frame: arguments that are none of them were sent as an object.
    """
    history = run.history
    known: dict[str, str] = {}
    inside: set[str] = set()
    routed = list(history.deltas_of(k))
    for row, delta in enumerate(routed, start=history.first_rows[k]):
        if type(delta) is ToolCallDelta and delta.arguments and not delta.whole and not delta.snapshot:
            block = run.state.accumulators[history.blocks[row]] if history.blocks[row] >= 0 else None
            whole = neutral_arguments(block.raw_arguments if isinstance(block, ToolCallBlock) else delta.arguments)
            start = history.starts[row]
            piece = whole[start : start + len(delta.arguments)]
            known[delta.arguments] = piece if len(piece) == len(delta.arguments) else neutral_arguments(delta.arguments)
    for delta in (*chunk.deltas, *chunk.answer):
        for text in _texts(delta):
            known.setdefault(text, neutral_text(text))
        if type(delta) is ToolCallDelta and delta.arguments:
            if delta.arguments in sent:
                known.setdefault(delta.arguments, neutral_arguments(delta.arguments))
            else:
                inside |= set(_strings(delta.arguments)) - {delta.name, delta.id, ""}
    return known, inside


def _texts(delta: Delta) -> Iterator[str]:
    match delta:
        case TextDelta() | ThinkingDelta() | RefusalDelta() | PlanDelta():
            yield delta.text
        case ToolCallDelta():
            yield from (leaf.value for leaf in delta.paths if isinstance(leaf.value, str))


def _strings(document: str) -> Iterator[str]:
    """Yield the strings of a JSON document, keys left out."""
    try:
        stack: list[Any] = [json.loads(document)]
    except (ValueError, RecursionError):
        return
    while stack:
        match stack.pop():
            case str(text):
                yield text
            case dict(members):
                stack += members.values()
            case list(items):
                stack += items
