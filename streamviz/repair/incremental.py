"""The value of a JSON text while it still arrives: after every fragment, at a cost that does not grow with the text.

A push reader, with one step of the regular-expression engine for each run of characters that are read alike. Its value
grows in place. Where the text is not what JSON allows, and more than the inside of a string is wrong, the whole of it
is read again by the repair, each time it has grown by an eighth: in sum that costs a constant number of readings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum
from typing import Any, Literal

from ..limits import DEFAULT_LIMITS, Limits
from .cut import HIGH_SURROGATE
from .escapes import fixed_escape, is_half
from .numbers import exact_int
from .prefix import is_beginning
from .repair_json import RepairLevel, repair_json
from .report import Edit, RepairReport, replay
from .strict import Step, path_of

_BLANKS = re.compile(r"[ \t\n\r]*+")
_RUN = re.compile(r'(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+')
_TOKEN = re.compile(r"[-+.0-9A-Za-z_]*+")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]*+))((?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)\Z")
_LITERALS = {"true": True, "false": False, "null": None}
_PYTHON_LITERALS = {"True": "true", "False": "false", "None": "null"}
_CLOSERS: dict[type, str] = {dict: "}", list: "]"}
_LONGEST_WORD = 5
_FEWEST = 32
"""Characters that must have come before a text that is no JSON is read again."""


class _State(Enum):
    FIRST_KEY = "a key or }"
    KEY = "a key"
    IN_KEY = "the rest of a key"
    COLON = "a colon"
    FIRST_ITEM = "a value or ]"
    VALUE = "a value"
    IN_STRING = "the rest of a string"
    IN_WORD = "the rest of a number or word"
    NEXT = "a comma or a closing bracket"
    END = "nothing more"


class IncrementalReader:
    r"""Read a JSON text fragment by fragment; show the value so far.

    Nothing that was shown is taken back: strings only grow, members are only added, and a number is withheld until
    something follows it. (Only a key that is named again takes a new value.)

    Parameters
    ----------
    expect : {"any", "object"}
        What is due.
    repair : {"off", "safe", "guess"}
        What may be done where the text is no JSON; see `repair_json`.
    limits : Limits
        ``argument_bytes``, ``depth`` and ``integer_digits``.

    Notes
    -----
    `feed` costs what its fragment costs, amortised, however long the text has become. ``value`` is one object that
    grows in place; copy what you want to keep (and keep no strings out of it: appending to a string that somebody else
    holds, too, copies it).

    Inside a string, raw control characters and unknown escapes are mended on the way. On any other fault the value
    stands still (``fault``), and is brought up to date by a new reading of the whole text each time that has grown by
    an eighth; a reading that contradicts what was shown waits for `finish`.

    Examples
    --------
    >>> reader = IncrementalReader(expect="object")
    >>> for fragment in ['{"city": "Pa', 'ris", "days', '": 1', '2, "on"', ": true"]:
    ...     reader.feed(fragment)
    ...     print(reader.value, reader.open_path, reader.text)
    {'city': 'Pa'} $.city {"city": "Pa"}
    {'city': 'Paris'} $ {"city": "Paris"}
    {'city': 'Paris'} $ {"city": "Paris"}
    {'city': 'Paris', 'days': 12} $ {"city": "Paris", "days": 12}
    {'city': 'Paris', 'days': 12, 'on': True} $ {"city": "Paris", "days": 12, "on": true}
    >>> reader.finish().status
    'incomplete'
    """

    def __init__(
        self,
        *,
        expect: Literal["any", "object"] = "any",
        repair: RepairLevel = "safe",
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.expect = expect
        self.repair = repair
        self.limits = limits
        self.length = 0
        """Characters taken."""
        self.fault: int | None = None
        """Position of the first character that neither JSON allows nor is mended on the way."""
        self.kept = 0
        """How many characters of the text the value covers: the rest of what was taken is an unfinished piece."""
        self.repeats_key = False
        """Whether an object has named a key again. The last value wins: the only way that something is taken back."""
        self.edits: list[Edit] = []
        """What was mended on the way."""
        self._fragments: list[str] = []
        self._held = ""
        """The end of what was taken, where it is half an escape."""
        self._half = ""
        """The first half of a surrogate pair that was cut in two."""
        self._base = 0
        """Where the characters begin that are being read."""
        self._state = _State.VALUE
        self._root: list[Any] = []
        self._stack: list[Any] = []
        self._steps: list[Step] = []
        self._holder: Any = self._root
        self._slot: Any = 0
        self._pieces: list[str] = []
        self._comma = 0
        self._reread: RepairReport | None = None
        self._reread_at = 0
        self._table: dict[_State, Callable[[str, int], int]] = {
            _State.FIRST_KEY: self._key,
            _State.KEY: self._key,
            _State.IN_KEY: self._in_key,
            _State.COLON: self._colon,
            _State.FIRST_ITEM: self._value,
            _State.VALUE: self._value,
            _State.IN_STRING: self._in_string,
            _State.IN_WORD: self._in_word,
            _State.NEXT: self._next,
            _State.END: self._end,
        }

    # -- what is asked ------------------------------------------------------------------------------------------------

    def feed(self, fragment: str) -> None:
        """Take the next characters."""
        if not isinstance(fragment, str):
            raise TypeError(f"a fragment is str, not {type(fragment).__name__}")
        if self._half or not fragment.isascii():
            fragment = self._whole_characters(self._half + fragment)
        if not fragment:
            return
        self._fragments.append(fragment)
        self.length += len(fragment)
        if self.fault is not None:
            return
        if self.length > self.limits.argument_bytes:
            self.fault = self.limits.argument_bytes
            return
        text = self._held + fragment if self._held else fragment
        self._held = ""
        self._base = self.length - len(text)
        at, end, table = 0, len(text), self._table
        while at < end:
            at = table[self._state](text, at)

    def finish(self) -> RepairReport:
        """Read the whole text, now that it is over: what `repair_json` makes of it."""
        text = "".join(self._fragments) + ("\ufffd" if self._half else "")
        return repair_json(text, expect=self.expect, repair=self.repair, limits=self.limits)

    @property
    def value(self) -> Any:
        """The value so far; None as long as there is none."""
        if self.fault is not None:
            self._read_again()
            if self._reread is not None:
                return self._reread.value
        return self._root[0] if self._root else None

    @property
    def complete(self) -> bool:
        """Whether the value has reached its end. What follows can only be blanks, or a fault."""
        if self.fault is None:
            return self._state is _State.END
        self._read_again()
        return self._reread is not None and self._reread.complete

    @property
    def open_path(self) -> str | None:
        """Where in the value the text ends; None where the value is complete, or there is none yet."""
        value = self.value
        if self._reread is not None:
            return self._reread.open_path
        if not self._stack and self._state is not _State.IN_STRING:
            return None
        steps = self._steps[1 : len(self._stack)]
        if self._state is _State.IN_STRING:
            steps = self._steps[1 : len(self._stack) + 1]
        return path_of(value, steps)

    @property
    def closers(self) -> str:
        """What closes the covered part of the text: a quote, brackets."""
        closers = "".join([_CLOSERS[type(container)] for container in reversed(self._stack)])
        return '"' + closers if self._state is _State.IN_STRING else closers

    @property
    def text(self) -> str:
        """Strict JSON of the value: the covered part of the text, mended, and its closers. As long as the text."""
        value = self.value
        if self._reread is not None:
            return self._reread.text
        if not self._root:
            return ""
        edits = [edit for edit in self.edits if edit.position < self.kept]
        covered = replay("".join(self._fragments)[: self.kept], edits) + self.closers
        return covered if isinstance(value, dict | list) else covered.strip()

    def __repr__(self) -> str:
        where = f", ends at {self.open_path}" if self.open_path else ""
        fault = f", fault at {self.fault}" if self.fault is not None else ""
        return f"<IncrementalReader: {self.length} characters{where}{fault}>"

    # -- characters ---------------------------------------------------------------------------------------------------

    def _whole_characters(self, text: str) -> str:
        """Join surrogate halves that were cut apart; the first half of a pair waits for the second."""
        self._half = text[-1] if text and "\ud800" <= text[-1] <= "\udbff" else ""
        text = text[: len(text) - len(self._half)]
        try:
            text.encode()
        except UnicodeEncodeError:
            return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text

    def _fail(self, text: str, at: int) -> int:
        self.fault = self._base + at
        return len(text)

    def _edit(self, rule: str, at: int, removed: str, inserted: str = "") -> None:
        position = self._base + at
        self.edits.append(Edit(rule=rule, level="lossless", position=position, removed=removed, inserted=inserted))

    # -- strings ------------------------------------------------------------------------------------------------------

    def _in_string(self, text: str, at: int) -> int:
        piece, end = self._run(text, at)
        if piece:
            holder, slot = self._holder, self._slot
            string = holder[slot]
            holder[slot] = None  # with one owner left, the string grows where it is
            string += piece
            holder[slot] = string
        self.kept = self._base + end
        if text.startswith('"', end):
            end += 1
            self._done(end)
            return end
        return len(text)

    def _in_key(self, text: str, at: int) -> int:
        piece, end = self._run(text, at)
        self._pieces.append(piece)
        if text.startswith('"', end):
            self._state = _State.COLON
            return end + 1
        return len(text)

    def _run(self, text: str, at: int) -> tuple[str, int]:
        """Read the inside of a string; return it, and where it ends: at its quote, at half an escape, at a fault."""
        pieces = []
        while True:
            sound = _RUN.match(text, at).end()  # type: ignore[union-attr]
            more = sound == len(text) or is_half(text, sound)
            end = _before_half_pair(text, at, sound) if more else sound
            if end > at:
                raw = text[at:end]
                pieces.append(str(json.loads(f'"{raw}"')) if "\\" in raw else raw)
            if more:
                self._held = text[end:]
                break
            if text[end] == '"':
                break
            character = text[end]
            if character == "\\":
                rule, (removed, inserted, level) = "fix-escape", fixed_escape(text, end)
            else:
                rule, removed, inserted, level = "escape-control", character, json.dumps(character)[1:-1], "lossless"
            if level != "lossless" or self.repair == "off":
                self._fail(text, end)
                break
            pieces.append(str(json.loads(f'"{inserted}"')))
            self._edit(rule, end, removed, inserted)
            at = end + len(removed)
        return "".join(pieces), end

    # -- structure ----------------------------------------------------------------------------------------------------

    def _value(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        character = text[at]
        if self.expect == "object" and not self._stack and character != "{":
            return self._fail(text, at)
        match character:
            case '"':
                self._put("")
                self._state = _State.IN_STRING
                self.kept = self._base + at + 1
                return at + 1
            case "{":
                return self._open(text, at, {}, _State.FIRST_KEY)
            case "[":
                return self._open(text, at, [], _State.FIRST_ITEM)
            case "]" if self._stack and type(self._stack[-1]) is list:
                return self._close(text, at, first=_State.FIRST_ITEM)
        if not _TOKEN.match(text, at).end() > at:  # type: ignore[union-attr]
            return self._fail(text, at)
        self._pieces.clear()
        self._state = _State.IN_WORD
        return at

    def _put(self, value: Any) -> None:
        """Add a value to the innermost list or object."""
        if not self._stack:
            self._root.append(value)
            return
        holder = self._holder = self._stack[-1]
        if type(holder) is list:
            self._slot = len(holder)
            holder.append(value)
        else:
            self.repeats_key = self.repeats_key or self._slot in holder
            holder[self._slot] = value
            self._steps[len(self._stack)] = self._slot

    def _open(self, text: str, at: int, container: Any, state: _State) -> int:
        if len(self._stack) >= self.limits.depth:
            return self._fail(text, at)
        self._put(container)
        self._stack.append(container)
        if len(self._steps) <= len(self._stack):
            self._steps.extend([None] * (len(self._stack) + 1 - len(self._steps)))
        self._steps[len(self._stack)] = None
        self._state = state
        self.kept = self._base + at + 1
        return at + 1

    def _close(self, text: str, at: int, *, first: _State) -> int:
        if self._state is not first and self._state is not _State.NEXT:
            if self.repair == "off":
                return self._fail(text, at)
            self._edit("drop-trailing-comma", self._comma - self._base, ",")
        self._stack.pop()
        self._done(at + 1)
        return at + 1

    def _done(self, at: int) -> None:
        self._state = _State.NEXT if self._stack else _State.END
        self.kept = self._base + at

    def _in_word(self, text: str, at: int) -> int:
        end = _TOKEN.match(text, at).end()  # type: ignore[union-attr]
        self._pieces.append(text[at:end])
        if end == len(text) and (len(self._pieces) > _LONGEST_WORD or end - at > _LONGEST_WORD):
            return end  # it is no word, and a number counts only when something follows it
        token = "".join(self._pieces)
        if token in _LITERALS:
            self._put(_LITERALS[token])
        elif token in _PYTHON_LITERALS and self.repair != "off":
            self._edit("map-literal", end - len(token), token, _PYTHON_LITERALS[token])
            self._put(_LITERALS[_PYTHON_LITERALS[token]])
        elif end == len(text):
            return end
        else:
            found = _NUMBER.match(token)
            if found is None or (not found[2] and len(token) > self.limits.integer_digits):
                return self._fail(text, end - len(token))
            self._put(float(token) if found[2] else exact_int(token))
        self._done(end)
        return end

    def _key(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        match text[at]:
            case '"':
                self._pieces.clear()
                self._state = _State.IN_KEY
                return at + 1
            case "}":
                return self._close(text, at, first=_State.FIRST_KEY)
        return self._fail(text, at)

    def _colon(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        if text[at] != ":":
            return self._fail(text, at)
        self._slot = "".join(self._pieces)
        self._state = _State.VALUE
        return at + 1

    def _next(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        if at == len(text):
            return at
        character, here = text[at], self._stack[-1]
        if character == ",":
            self._comma = self._base + at
            self._state = _State.KEY if type(here) is dict else _State.VALUE
            return at + 1
        if character == _CLOSERS[type(here)]:
            return self._close(text, at, first=_State.NEXT)
        return self._fail(text, at)

    def _end(self, text: str, at: int) -> int:
        at = _BLANKS.match(text, at).end()  # type: ignore[union-attr]
        return at if at == len(text) else self._fail(text, at)

    # -- what is no JSON ----------------------------------------------------------------------------------------------

    def _read_again(self) -> None:
        """Read the whole text with the repair, if it has grown by enough; keep what contradicts nothing shown."""
        if self.length < self._reread_at or self.length > self.limits.argument_bytes:
            return
        self._reread_at = self.length + max(_FEWEST, self.length // 8)
        report = repair_json(
            "".join(self._fragments), expect=self.expect, mode="partial", repair=self.repair, limits=self.limits
        )
        if not isinstance(report.value, dict | list):
            return  # a word or a string that is no JSON may be all sorts of things: a fence, a sentence
        shown = self._root[:1] if self._reread is None else [self._reread.value]
        if not shown or is_beginning(shown[0], report.value):
            self._reread = report


def _before_half_pair(text: str, start: int, end: int) -> int:
    """Return where a run of characters ends without an escaped half of a surrogate pair, which more may follow."""
    high = end - 6
    if high < start or not HIGH_SURROGATE.match(text, high):
        return end
    first = high
    while first > start and text[first - 1] == "\\":
        first -= 1
    return high if (high - first) % 2 == 0 else end
