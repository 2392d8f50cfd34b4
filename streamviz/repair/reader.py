"""The tolerant reader: one pass over a text that is nearly JSON, and a list of the edits that make it so.

It writes no value. The edits are done on the text, and the strict parser reads the result: what comes out is what JSON
says, never what this reader believes. Depth costs a list entry, and runs of sound members are one step of the regular
expression engine.

At level ``safe`` a string ends at its next quote, and only structure and spelling are mended: a good string cannot be
damaged by a fault elsewhere. At level ``guess`` a quote ends a string only if what follows looks like the end of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container
from enum import IntEnum
from typing import Literal, NoReturn

from msgspec import Struct

from .cut import HALF_NUMBER, HIGH_SURROGATE, NUMBER
from .escapes import ESCAPED, SIMPLE, fixed_escape, is_half
from .outline import STRING
from .report import Edit, EditLevel

STRICT_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_BLANK = r"[ \t\n\r]*+"
_STRICT_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
_SCALAR = rf"(?:{STRICT_STRING}|true|false|null|{_STRICT_NUMBER})"


def _container(inner: str) -> str:
    """Return the pattern of a sound list or object of values of the pattern ``inner``."""
    member = rf"{_BLANK}{STRICT_STRING}{_BLANK}:{_BLANK}{inner}{_BLANK}"
    item = rf"{_BLANK}{inner}{_BLANK}"
    return rf"(?:\{{(?:{member}(?:,{member})*+|{_BLANK})\}}|\[(?:{item}(?:,{item})*+|{_BLANK})\])"


# Sound values are stepped over in runs, up to two levels of nesting at a time.
_FLAT = rf"(?:{_SCALAR}|{_container(_SCALAR)})"
_SOUND = rf"(?:{_SCALAR}|{_container(_FLAT)})"
_MEMBERS = re.compile(rf"(?:{_BLANK}{STRICT_STRING}{_BLANK}:{_BLANK}{_SOUND}{_BLANK},(?={_BLANK}\"))*+")
_ITEMS = re.compile(rf"(?:{_BLANK}{_SOUND}{_BLANK},(?={_BLANK}[\"0-9tfn{{\[-]))*+")
_WHOLE_STRING = re.compile(STRICT_STRING)
_BLANKS = re.compile(_BLANK)
_INVISIBLE = re.compile(
    "[\x00\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f-\u2064\u3000\ufeff]+"
)
_COMMENT = re.compile(r"//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|\#[^\n\r]*+|<!--(?:[^-]++|-(?!->))*+(?:-->)?")
_ESCAPED_BLANK = re.compile(r"(?:\\[nrt])+")
_STRIPPED = (("strip-invisible", _INVISIBLE), ("strip-invisible", _ESCAPED_BLANK), ("strip-comment", _COMMENT))
_NUMBER_HERE = re.compile(_STRICT_NUMBER)
_TOKEN = re.compile(r"[^\s,;:\[\]{}()\"'`“”‘’\\]++")
_BARE = re.compile(r"[^,\[\]{}()<>\n\"'`“”‘’]++")
_IDENTIFIER = re.compile(r"[\w$][\w$.-]*+")
_LOOSE_KEY = re.compile(r"[^\s:=,{}\[\]\"'][^:=,{}\[\]\"'\n]*+(?=:)")
_ANY_STRING = rf"(?:{STRING}|'(?:[^'\\\n]++|\\.)*+'|[“„][^“”\n]*+[“”]|‘[^‘’\n]*+’|`[^`]*+`)"
_QUOTED_KEY_AHEAD = re.compile(rf"{_ANY_STRING}{_BLANK}[:=]", re.DOTALL)
_SHORT_KEY_AHEAD = re.compile(r"[ \t\n\r]{0,200}[\"'“‘][^\"'“”‘’\n\\]{0,200}[\"'”’]\s{0,20}[:=]")
_BARE_KEY_AHEAD = re.compile(r"[\"']?[\w$-]{1,60}\s*:(?!//)")
_VALUE_AHEAD = re.compile(r"[ \t\n\r]{0,200}[\"'“‘0-9{\[\]tfnTFN-]")
_DOUBLED = re.compile(r'""([^"\\\x00-\x1f]++)""')
_ELLIPSIS = re.compile(r"\.{3,}+")
_ONLY_CLOSERS = re.compile(r"[ \t\r\n}\])]*+\Z")
_NEGATIVE = re.compile(r"-[ \t]+([0-9.]+)")
_PLUS = re.compile(r"\s*+\+\s*+(?=[\"'])")
_OPEN_KEY = re.compile(r"[\"'][\w$ -]+(?=:)")
_STRUCTURE = frozenset("\"'{[]},:")
_INSIDE = {'"': re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL), "'": re.compile(r"(?:[^'\"\\]++|\\.)*+", re.DOTALL)}
"""The inside of a string up to its quote, whatever is wrong in it."""
_FAULTS = re.compile(r"(?:[^\\\x00-\x1f]++|\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))*+([\x00-\x1f]|\\.)", re.DOTALL)
_LOSSLESS: EditLevel = "lossless"
_CONTROL_ESCAPES = {chr(code): json.dumps(chr(code))[1:-1] for code in range(32)}
_LITERALS = {"true", "false", "null"}
_SPELLINGS: dict[str, tuple[str, EditLevel]] = {
    **dict.fromkeys(("True", "TRUE"), ("true", "lossless")),
    **dict.fromkeys(("False", "FALSE"), ("false", "lossless")),
    **dict.fromkeys(("None", "NULL", "Null", "nil"), ("null", "lossless")),
    **dict.fromkeys(("undefined", "NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"), ("null", "guess")),
}
_WORDS = (*_LITERALS, *_SPELLINGS)
_CLOSING_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "“": "”",
    "”": "”",
    "„": "“”",
    "‘": "’",
    "’": "’",
    "«": "»",
}
_TO_SPECIAL = {quote: re.compile(rf'[^"\\\x00-\x1f{closing}]*+') for quote, closing in _CLOSING_QUOTES.items()}
_AHEAD = 200


class RefusalError(Exception):
    """A text that cannot be read at this level, and where."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.message = message
        self.position = position


class _State(IntEnum):
    """What is due."""

    VALUE = 0
    KEY = 1
    COLON = 2
    NEXT = 3
    """A comma or a closing bracket."""


class _Open(Struct):
    """An open list or object."""

    closer: str
    cut: int
    """Where its current member begins, with the comma before it: from here on a half member is dropped."""
    after_comma: bool = False


class Reader:
    """Read one value from ``at`` on.

    Parameters
    ----------
    text : str
        The text.
    at : int
        Where to begin.
    guess : bool
        Whether edits of level ``guess`` are allowed.
    final : bool
        Whether the text is over.
    without : container of str
        Rules that are switched off.
    depth : int
        How deep lists and objects may nest.
    """

    def __init__(
        self, text: str, at: int, *, guess: bool, final: bool = True, without: Container[str] = (), depth: int = 500
    ) -> None:
        self.text = text
        self.start = self.at = at
        self.guess = guess
        self.edits: list[Edit] = []
        self.truncated = False
        self._final = final
        self._without = without
        self._depth = depth
        self._stack: list[_Open] = []
        self._value_end = at  # behind the last value
        self._value_is_string = False

    # -- edits --------------------------------------------------------------------------------------------------------

    def edit(
        self, rule: str, position: int, removed: str = "", inserted: str = "", level: EditLevel = "lossless"
    ) -> None:
        """Note an edit, if it is allowed."""
        if (level == "guess" and not self.guess) or rule in self._without:
            raise RefusalError(f"{rule} would be needed", position)
        self.edits.append(Edit(rule=rule, level=level, position=position, removed=removed, inserted=inserted))

    def _refuse(self, what: str) -> NoReturn:
        found = repr(self.text[self.at : self.at + 20]) if self.at < len(self.text) else "the end"
        raise RefusalError(f"{what} is due, not {found}", self.at)

    def _drop(self, start: int, rule: str) -> None:
        """Drop everything from ``start`` to the end, and what was noted there."""
        while self.edits and self.edits[-1].position >= start:
            self.edits.pop()
        level: EditLevel = "lossless" if rule == "drop-trailing-comma" else "truncation"
        self.edit(rule, start, removed=self.text[start:], level=level)

    # -- the loop -----------------------------------------------------------------------------------------------------

    def read(self, *, in_object: Literal["key", "colon"] | None = None) -> None:
        """Read the value; ``at`` is behind it then.

        Parameters
        ----------
        in_object : str, optional
            The object's brace is missing, and was put back: what is due inside it.

        Raises
        ------
        RefusalError
            It cannot be read at this level.
        """
        state = _State.VALUE
        if in_object is not None:
            self._push("}", self.start)
            state = _State.KEY if in_object == "key" else _State.COLON
        steps: tuple[Callable[[], _State], ...] = (self._value, self._key, self._colon, self._next)  # by state
        while True:
            if state is _State.NEXT and not self._stack:
                return
            self.skip()
            if self.at >= len(self.text):
                self._end(state)
                return
            state = steps[state]()
            if self.truncated:
                self._close_all()
                return

    def skip(self) -> None:
        """Step over blanks; drop comments and what looks blank but is none."""
        text = self.text
        while True:
            character = text[self.at : self.at + 1]
            if character and character in " \t\n\r":
                self.at = _BLANKS.match(text, self.at).end()  # type: ignore[union-attr]
                character = text[self.at : self.at + 1]
            if not character or character in _STRUCTURE:
                return
            for rule, pattern in _STRIPPED:
                found = pattern.match(text, self.at)
                if found:
                    only_mark = not found[0].strip("\ufeff")
                    self.edit("strip-bom" if only_mark else rule, self.at, removed=found[0])
                    self.at = found.end()
                    break
            else:
                return

    def _closers(self) -> str:
        return "".join([inner.closer for inner in self._stack[-4:]])

    def _push(self, closer: str, cut: int) -> None:
        if len(self._stack) >= self._depth:
            raise RefusalError(f"nested too deep: more than {self._depth} levels", self.at)
        self._stack.append(_Open(closer, cut))

    def _pop(self) -> _State:
        self._stack.pop()
        self._done(is_string=False)
        return _State.NEXT

    def _done(self, *, is_string: bool) -> None:
        self._value_end = self.at
        self._value_is_string = is_string

    def _comma(self, position: int) -> _State:
        """Go on behind a comma at ``position``, or behind a place where one was missing."""
        here = self._stack[-1]
        here.cut, here.after_comma = position, True
        return self._run(here)

    def _run(self, here: _Open) -> _State:
        """Step over sound members, each with the comma behind it."""
        is_object = here.closer == "}"
        end = (_MEMBERS if is_object else _ITEMS).match(self.text, self.at).end()  # type: ignore[union-attr]
        if end > self.at:
            self.at, here.cut, here.after_comma = end, end - 1, True
        return _State.KEY if is_object else _State.VALUE

    # -- the end of the text ------------------------------------------------------------------------------------------

    def _end(self, state: _State) -> None:
        """Settle a text that ends inside the value."""
        if not self._stack:
            self._refuse("a value")
        here = self._stack[-1]
        if state is _State.COLON or (state is _State.VALUE and here.closer == "}"):
            self._drop(here.cut, "drop-partial-member")
        elif state is not _State.NEXT and here.after_comma:
            self._drop(here.cut, "drop-trailing-comma")
        self._close_all()

    def _cut(self, rule: str) -> _State:
        """Drop the current member, which is half."""
        if not self._stack:
            self._refuse("a value")
        self._drop(self._stack[-1].cut, rule)
        self.truncated = True
        return _State.NEXT

    def _close_all(self) -> None:
        closers = "".join([here.closer for here in reversed(self._stack)])
        self.truncated = True
        self.at = len(self.text)
        if closers:
            self.edit("close-container", self.at, inserted=closers)

    # -- structure ----------------------------------------------------------------------------------------------------

    def _value(self) -> _State:
        text, at = self.text, self.at
        character = text[at]
        here = self._stack[-1] if self._stack else None
        if character in "{[":
            self._push("}" if character == "{" else "]", at + 1)
            self.at = at + 1
            return self._run(self._stack[-1])
        if character in _CLOSING_QUOTES:
            return self._string_value()
        match character:
            case "(":
                self.edit("tuple-to-array", at, removed="(", inserted="[")
                self._push("]", at + 1)
                self.at = at + 1
                return _State.VALUE
            case "," if here and here.closer == "]":
                self.edit("drop-extra-comma", at, removed=",", level="guess")
                self.at = at + 1
                return _State.VALUE
            case "]" | ")" if here and here.closer == "]":
                self._trailing_comma(here)
                return self._closer()
            case "," | "}" if here and here.closer == "}":
                self.edit("fill-null", at, inserted="null", level="guess")
                self._done(is_string=False)
                return _State.NEXT
            case "}" | "]" | ")":
                if here:
                    self._trailing_comma(here)
                    return self._closer()
                self._refuse("a value")
            case ":" | ";" | "," | "=":
                self._refuse("a value")
        return self._word()

    def _trailing_comma(self, here: _Open) -> None:
        if here.after_comma:
            self.edit("drop-trailing-comma", here.cut, removed=self.text[here.cut : here.cut + 1])
            here.after_comma = False

    def _key(self) -> _State:
        text, at = self.text, self.at
        here = self._stack[-1]
        character = text[at]
        if character in _CLOSING_QUOTES:
            self._string(is_key=True)
            return _State.COLON
        match character:
            case "}" | "]" | ")":
                self._trailing_comma(here)
                return self._closer()
            case ",":
                self.edit("drop-extra-comma", at, removed=",")
                self.at = at + 1
                return _State.KEY
            case "{":
                self.edit("drop-extra-opener", at, removed="{", level="guess")
                self.at = at + 1
                return _State.KEY
            case ".":
                dots = _ELLIPSIS.match(text, at)
                if dots:
                    self.edit("drop-ellipsis", at, removed=dots[0], level="guess")
                    self.at = dots.end()
                    return _State.KEY
        return self._bare_key()

    def _bare_key(self) -> _State:
        text, at = self.text, self.at
        found = _IDENTIFIER.match(text, at)
        level: EditLevel = "lossless"
        if found:
            behind = _BLANKS.match(text, found.end()).end()  # type: ignore[union-attr]
            if behind >= len(text):
                return self._cut("drop-partial-key")
            if text[behind] not in ":=":
                found = None
        if found is None:
            found, level = _LOOSE_KEY.match(text, at), "guess"
        if found is None:
            self._refuse("a key")
        key = found[0].rstrip()
        if text.startswith('"', at + len(key)):
            self._refuse("a key")
        self.edit("quote-key", at, removed=key, inserted=json.dumps(key, ensure_ascii=False), level=level)
        self.at = at + len(key)
        return _State.COLON

    def _colon(self) -> _State:
        text, at = self.text, self.at
        character = text[at]
        if character == ":":
            self.at = at + 1
            while text.startswith(":", self.at):
                self.edit("replace-separator", self.at, removed=":")
                self.at += 1
            return _State.VALUE
        for sign in ("=>", "="):
            if text.startswith(sign, at):
                self.edit("replace-separator", at, removed=sign, inserted=":")
                self.at = at + len(sign)
                return _State.VALUE
        if character in ",}":
            self.edit("fill-null", at, inserted=":null", level="guess")
            self._done(is_string=False)
            return _State.NEXT
        string = _WHOLE_STRING.match(text, at)
        behind = _BLANKS.match(text, string.end()).end() if string else 0  # type: ignore[union-attr]
        is_value = character in "{[-" or character.isdigit() or self._word_is_known(at)
        if not is_value and not (string and text[behind : behind + 1] in (",", "}")):
            self._refuse("a colon")
        self.edit("insert-colon", at, inserted=":")
        return _State.VALUE

    def _next(self) -> _State:
        text, at = self.text, self.at
        here = self._stack[-1]
        character = text[at]
        match character:
            case ",":
                self.at = at + 1
                return self._comma(at)
            case "}" | "]" | ")":
                return self._closer()
            case ";":
                self.edit("replace-separator", at, removed=";", inserted=",")
                self.at = at + 1
                return self._comma(at)
            case ":" if here.closer == "]" and self._value_is_string and here.after_comma:
                return self._lost_bracket(here)
            case ":":
                self._refuse("a comma or a closing bracket")
        touching = self._value_is_string and at == self._value_end
        if here.closer == "}":
            ahead = _QUOTED_KEY_AHEAD.match(text, at)
            bare = None if ahead else _IDENTIFIER.match(text, at)
            if not ahead and not (bare and text[bare.end() : bare.end() + 1] == ":"):
                self._refuse("a comma or a closing bracket")
            level: EditLevel = "guess" if touching or bare else "lossless"
        else:
            starts = character in '{["' or character.isdigit() or character in "-'“‘" or self._word_is_known(at)
            if not starts:
                self._refuse("a comma or a closing bracket")
            level = "guess" if touching else "lossless"
        self.edit("insert-comma", at, inserted=",", level=level)
        return self._comma(at)

    def _word_is_known(self, at: int) -> bool:
        word = _TOKEN.match(self.text, at)
        return word is not None and (word[0] in _LITERALS or word[0] in _SPELLINGS)

    def _lost_bracket(self, here: _Open) -> _State:
        """Read ``[1, 2, "b": 3`` in an object: the list ended before the key."""
        if len(self._stack) < 2 or self._stack[-2].closer != "}":
            self._refuse("a comma or a closing bracket")
        self.edit("fix-closer", here.cut, inserted="]", level="guess")
        self._stack.pop()
        around = self._stack[-1]
        around.cut, around.after_comma = here.cut, True
        return _State.COLON

    def _closer(self) -> _State:
        """Close what a bracket closes, and what must be closed before it."""
        text, at = self.text, self.at
        character = text[at]
        wanted = "}" if character == "}" else "]"
        here = self._stack[-1]
        if here.closer == wanted:
            if character == ")":
                self.edit("tuple-to-array", at, removed=")", inserted="]")
            self.at = at + 1
            return self._pop()
        open_inside = 0
        while open_inside < len(self._stack) and self._stack[-1 - open_inside].closer != wanted:
            open_inside += 1
        rest = _BLANKS.match(text, at + 1).end()  # type: ignore[union-attr]
        if open_inside < len(self._stack):
            ends_all = open_inside == len(self._stack) - 1
            if ends_all and text.startswith(",", rest) and _SHORT_KEY_AHEAD.match(text, rest + 1):
                self.edit("fix-closer", at, removed=character, inserted=here.closer, level="guess")
                self.at = at + 1
                return self._pop()
            missing = "".join([inner.closer for inner in reversed(self._stack[-open_inside:])])
            self.edit("fix-closer", at, inserted=missing)
            del self._stack[-open_inside:]
            return _State.NEXT
        if len(self._stack) == 1 and _ONLY_CLOSERS.match(text, rest):
            self.edit("fix-closer", at, removed=character, inserted=here.closer)
            self.at = at + 1
            return self._pop()
        self.at = at + 1
        while text.startswith(character, self.at):  # a run at a time: each would be looked behind again
            self.at += 1
        self.edit("drop-extra-closer", at, removed=text[at : self.at], level="guess")
        return _State.NEXT

    # -- words and numbers --------------------------------------------------------------------------------------------

    def _word(self) -> _State:
        """Read a number, a literal, or what stands where one was due."""
        text, at = self.text, self.at
        number = _NUMBER_HERE.match(text, at)
        token = _TOKEN.match(text, at)
        if number and (token is None or number.end() >= token.end()):
            self.at = number.end()
            if self.at == len(text) and self._stack:
                if not self._final:
                    return self._cut("drop-partial-number")
                self.edit("keep-unconfirmed-number", self.at, level="truncation")
            self._done(is_string=False)
            return _State.NEXT
        if token is None:
            self._refuse("a value")
        word = token[0]
        at_end = token.end() == len(text)
        if at_end and self._stack and HALF_NUMBER.match(text, at):
            return self._cut("drop-partial-number")
        comment = re.search(r"/[/*]|#", word)
        if comment and (word[: comment.start()] in _WORDS or NUMBER.match(word[: comment.start()])):
            word = word[: comment.start()]
        if word in _LITERALS:
            pass
        elif word in _SPELLINGS:
            spelling, level = _SPELLINGS[word]
            self.edit("map-literal", at, removed=word, inserted=spelling, level=level)
        elif at_end and self._stack and any(known.startswith(word) for known in _WORDS):
            return self._cut("drop-partial-literal")
        elif number_form := _number(word):
            self.edit("fix-number", at, removed=word, inserted=number_form[0], level=number_form[1])
        else:
            return self._bare_value(at)
        self.at = at + len(word)
        self._done(is_string=False)
        return _State.NEXT

    def _bare_value(self, at: int) -> _State:
        text = self.text
        signed = _NEGATIVE.match(text, at)
        if signed and NUMBER.match(signed[1]):
            self.edit("fix-number", at, removed=signed[0], inserted="-" + signed[1], level="guess")
            self.at = signed.end()
            self._done(is_string=False)
            return _State.NEXT
        found = _BARE.match(text, at)
        bare = found[0].rstrip() if found else ""
        end = at + len(bare)
        behind = _BLANKS.match(text, end).end()  # type: ignore[union-attr]
        following = text[behind : behind + 1]
        if not bare or not self._stack or "object Object" in bare:
            self._refuse("a value")
        if following == '"' and behind == end and self._ends_string(behind, is_key=False):
            self.edit(
                "open-string", at, removed=bare, inserted=json.dumps(bare, ensure_ascii=False)[:-1], level="guess"
            )
            self.at = end + 1
        elif following in ("", ",", "}", "]", "\n") or text[end : end + 1] == "\n":
            self.edit("quote-value", at, removed=bare, inserted=json.dumps(bare, ensure_ascii=False), level="guess")
            self.at = end
        else:
            self._refuse("a value")
        self._done(is_string=True)
        return _State.NEXT

    # -- strings ------------------------------------------------------------------------------------------------------

    def _string_value(self) -> _State:
        self._string(is_key=False)
        while not self.truncated:
            plus = _PLUS.match(self.text, self.at)
            if plus is None:
                break
            self._join(plus.end())
        self._done(is_string=True)
        return _State.NEXT

    def _join(self, at: int) -> None:
        """Go on in the string at ``at``: both quotes and what stands between them are dropped."""
        last = self.at - 1
        if self.edits and self.edits[-1].position == last:
            self.edits.pop()  # the closing quote is not needed in any form
        self.edit("join-strings", last, removed=self.text[last : at + 1])
        self.at = at
        opening = len(self.edits)
        self._string(is_key=False)
        if len(self.edits) > opening and self.edits[opening].position == at:
            del self.edits[opening]  # its opening quote is gone already

    def _string(self, *, is_key: bool) -> None:
        text, start = self.text, self.at
        quote = text[start]
        if quote == '"':
            whole = _WHOLE_STRING.match(text, start)
            if whole and (not self.guess or self._ends_string(whole.end() - 1, is_key=is_key)):
                self.at = whole.end()
                return
            doubled = _DOUBLED.match(text, start) if self.guess else None
            if doubled:
                self.edit("drop-extra-quote", start, removed='"', level="guess")
                self.edit("drop-extra-quote", doubled.end() - 1, removed='"', level="guess")
                self.at = doubled.end()
                return
        else:
            self.edit("requote", start, removed=quote, inserted='"')
        self._string_body(start, quote, is_key=is_key)

    def _string_body(self, start: int, quote: str, *, is_key: bool) -> None:
        """Read a string piece by piece: whole characters, escapes, quotes, control characters."""
        text = self.text
        to_special = _TO_SPECIAL[quote]
        at, escape = self._inside(start + 1, quote), start  # ``escape`` is where the last escape begins
        inner_quotes = False
        while True:
            at = to_special.match(text, at).end()  # type: ignore[union-attr]
            character = text[at : at + 1]
            after = self._escape(at) if character == "\\" else 0
            if not character or after < 0:
                half_pair = at == escape + 6 and HIGH_SURROGATE.match(text, escape)
                self._string_cut(start, escape if half_pair else at, is_key=is_key)
                return
            if character == "\\":
                escape, at = at, after
            elif character in _CLOSING_QUOTES[quote] or character == '"':
                if self._quote(start, at, quote, is_key=is_key, first=not inner_quotes):
                    return
                inner_quotes = inner_quotes or character in _CLOSING_QUOTES[quote]
                at += 1
            else:
                self.edit("escape-control", at, removed=character, inserted=_CONTROL_ESCAPES[character])
                at += 1

    def _inside(self, at: int, quote: str) -> int:
        """Mend what is wrong inside a string up to its first quote, all at once; return where that is.

        Where no quote comes, nothing is done: the string is cut, and its end needs a closer look.
        """
        text, inside = self.text, _INSIDE.get(quote)
        end = inside.match(text, at).end() if inside else at  # type: ignore[union-attr]
        if not text.startswith(quote, end) or "escape-control" in self._without or "fix-escape" in self._without:
            return at
        edits = self.edits
        for fault in _FAULTS.finditer(text, at, end):
            found, position = fault[1], fault.start(1)
            control = _CONTROL_ESCAPES.get(found)
            if control is not None:
                rule, (removed, inserted, level) = "escape-control", (found, control, _LOSSLESS)
            else:
                rule, (removed, inserted, level) = "fix-escape", SIMPLE.get(found) or fixed_escape(text, position)
            if level != "lossless":
                self.edit(rule, position, removed, inserted, level)
            else:
                edits.append(Edit(rule=rule, level=level, position=position, removed=removed, inserted=inserted))
        return end

    def _quote(self, start: int, at: int, quote: str, *, is_key: bool, first: bool) -> bool:
        """Deal with the quote at ``at`` in a string; return whether the string ends, and ``at`` is behind it then."""
        character = self.text[at]
        if character not in _CLOSING_QUOTES[quote]:
            if self.guess and quote in "“”„" and self._ends_string(at, is_key=is_key):
                self.edit("requote", at, level="guess")  # the two ends differ; this one needs no change
                self.at = at + 1
                return True
            self.edit("requote", at, inserted="\\")
            return False
        if not self.guess or self._ends_string(at, is_key=is_key):
            if character != '"':
                self.edit("requote", at, removed=character, inserted='"')
            self.at = at + 1
            return True
        lost = self._lost_quote(start, at, is_key=is_key) if first else -1
        if lost >= 0:
            self.edit("close-string", lost, inserted='"', level="guess")
            self.at = lost
            return True
        if is_key:
            raise RefusalError("a key with quotes in it", at)
        self.edit("escape-quote", at, inserted="\\" if character == '"' else "", level="guess")
        return False

    def _string_cut(self, start: int, whole: int, *, is_key: bool) -> None:
        """Settle a string that the text ends in; ``whole`` is where its last whole character ends."""
        if is_key:
            lost = _OPEN_KEY.match(self.text, start) if self.guess else None
            if lost and self.text.rstrip().endswith(("}", "]")):
                self.edit("close-string", lost.end(), inserted='"', level="guess")
                self.at = lost.end()
                return
            self._cut("drop-partial-key")
            return
        if not self._stack:
            raise RefusalError("the string has no end", start)
        if not self.guess and self.text[start] not in "\"'`" and '"' in self.text[start:]:
            raise RefusalError("the string may end at a quote of another kind", start)
        if "\ud800" <= self.text[whole - 1] <= "\udbff":
            whole -= 1
        if whole < len(self.text):
            self._drop(whole, "drop-partial-escape")
        self.edit("close-string", len(self.text), inserted='"')
        self.truncated = True

    def _lost_quote(self, start: int, at: int, *, is_key: bool) -> int:
        """Return where the quote of a string was lost, if the one at ``at`` seems to open the next string; else -1."""
        before = len(self.text[start:at].rstrip()) + start - 1
        if is_key:
            return before if self.text[before] == ":" else -1
        if self.text[before] == "," and _SHORT_KEY_AHEAD.match(self.text, at):
            return before
        return -1

    def _ends_string(self, at: int, *, is_key: bool) -> bool:
        """Whether the quote at ``at`` ends its string, judged by what follows it."""
        text = self.text
        end = at + 1
        following = end
        while following < len(text) and following < end + _AHEAD and text[following] in " \t\r\n":
            following += 1
        if following >= len(text):
            return True
        character = text[following]
        if is_key:
            return character in ":="
        here = self._stack[-1] if self._stack else None
        match character:
            case "}":
                return "}" in self._closers()
            case "]" | ")":
                return "]" in self._closers()
            case "," | ";":
                if here and here.closer == "]":
                    return bool(_VALUE_AHEAD.match(text, following + 1))
                behind = text[following + 1 : following + 1 + _AHEAD].lstrip()
                if not behind or behind[0] in "}/#.":
                    return True
                return bool(_SHORT_KEY_AHEAD.match(text, following + 1) or _BARE_KEY_AHEAD.match(behind))
            case ":":  # the list around it ended before this key
                return here is not None and here.closer == "]" and self._closers()[-2:] == "}]"
            case "/" | "#" | "+":
                return following > end
            case _ if following > end:
                return here is not None and (
                    bool(_SHORT_KEY_AHEAD.match(text, following)) if here.closer == "}" else character in "\"'{["
                )
        return False

    def _escape(self, at: int) -> int:
        """Read the escape at ``at``; return the position behind it, -1 where the text ends in it."""
        text = self.text
        known = ESCAPED.match(text, at)
        if known:
            return known.end()
        if is_half(text, at):
            return -1
        removed, inserted, level = fixed_escape(text, at)
        self.edit("fix-escape", at, removed=removed, inserted=inserted, level=level)
        return at + len(removed)


def _number(word: str) -> tuple[str, EditLevel] | None:
    """Return a number in JSON's spelling, and whether that takes a guess; None where it is none.

    Examples
    --------
    >>> _number("1_000."), _number("0x1F"), _number("1.2.3")
    (('1000.0', 'lossless'), ('31', 'guess'), None)
    """
    plain = re.sub(r"(?<=[0-9])_(?=[0-9])", "", word).removeprefix("+")
    plain = re.sub(r"\A(-?)\.(?=[0-9])", r"\g<1>0.", plain)
    plain = re.sub(r"(?<=[0-9])\.(?=\Z|[eE])", ".0", plain)
    if re.fullmatch(r"-?[0-9]+n", plain):
        plain = plain[:-1]
    if NUMBER.match(plain):
        return plain, "lossless"
    if re.fullmatch(r"-?0[xX][0-9a-fA-F]{1,16}", plain):
        return str(int(plain, 16)), "guess"
    without_zeros = re.sub(r"\A(-?)0+(?=[0-9])", r"\1", plain)
    return (without_zeros, "guess") if NUMBER.match(without_zeros) else None
