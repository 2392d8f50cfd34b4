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
from collections.abc import Callable
from typing import Any, Literal

from .cut import HALF_NUMBER, NUMBER
from .editing import Open, RefusalError, State
from .outline import STRING
from .report import EditLevel
from .strings import CLOSING_QUOTES, SHORT_KEY_AHEAD, STRICT_STRING, WHOLE_STRING, StringReader
from .words import LITERALS, SPELLINGS, WORDS, number_in_json

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
_BLANKS = re.compile(_BLANK)
_INVISIBLE = re.compile(
    "[\x00\x0b\x0c\x1c-\x1f\x85\xa0\u1680\u2000-\u200f\u2028\u2029\u202f\u205f-\u2064\u3000\ufeff]+"
)
_COMMENT = re.compile(r"//[^\n\r]*+|/\*(?:[^*]++|\*(?!/))*+(?:\*/)?|\#[^\n\r]*+|<!--(?:[^-]++|-(?!->))*+(?:-->)?")
_ESCAPED_BLANK = re.compile(r"(?:\\[nrt])+")
_NO_COMMENT = {
    State.VALUE: re.compile(r"(?:#|//)[\w\"'-]"),
    State.KEY: re.compile(r"(?:#|//)[\w.-]++[ \t]*+[:=]"),
    State.NEXT: re.compile(r"(?:#|//[ \t]*+)[0-9]"),
}
_STRIPPED = (("strip-invisible", _INVISIBLE), ("strip-invisible", _ESCAPED_BLANK), ("strip-comment", _COMMENT))
_NUMBER_HERE = re.compile(_STRICT_NUMBER)
_TOKEN = re.compile(r"[^\s,;:\[\]{}()\"'`“”‘’\\]++")
_BARE = re.compile(r"[^,\[\]{}()<>\n\"'`“”‘’]++")
_IDENTIFIER = re.compile(r"[\w$][\w$.-]*+")
_LOOSE_KEY = re.compile(r"[^\s:=,{}\[\]\"'][^:=,{}\[\]\"'\n]*+(?=:)")
_ANY_STRING = rf"(?:{STRING}|'(?:[^'\\\n]++|\\.)*+'|[“„][^“”\n]*+[“”]|‘[^‘’\n]*+’|`[^`]*+`)"
_QUOTED_KEY_AHEAD = re.compile(rf"{_ANY_STRING}{_BLANK}[:=]", re.DOTALL)
_ELLIPSIS = re.compile(r"\.{3,}+")
_SHORT_NUMBERS = re.compile(
    rf"(?:-?(?:0|[1-9][0-9]?|[1-9][0-9]{{4,}}+)(?:\.[0-9]++)?(?![0-9.]){_BLANK}){{2,}}+(?:\]|\Z)"
)
"""The rest of a list of numbers without commas. Groups of three or four digits may be those of one number."""
ONLY_CLOSERS = re.compile(r"[ \t\r\n}\])]*+\Z")
_NEGATIVE = re.compile(r"-[ \t]+([0-9.]+)")
_PLUS = re.compile(r"\s*+\+\s*+(?=[\"'])")
_STRUCTURE = frozenset("\"'{[]},:")
_BRACKETS = frozenset("{}[]")


class Reader(StringReader):
    """Read one value from ``at`` on."""

    def __init__(self, text: str, at: int, **options: Any) -> None:
        super().__init__(text, at, **options)
        self._value_end = at  # behind the last value
        self._value_is_string = False
        self._key_start = self._key_end = at
        self._bracket_in_comment = False
        self.may_shift = False
        """Whether a bracket in the value may have come too early: see `Open`."""

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
        state = State.VALUE
        if in_object is not None:
            self._push("}", self.start)
            state = State.KEY if in_object == "key" else State.COLON
        steps: tuple[Callable[[], State], ...] = (self._value, self._key, self._colon, self._next)  # by state
        while True:
            if state is State.NEXT and not self._stack:
                return
            self.skip(state)
            if self.at >= len(self.text):
                self._end(state)
                return
            state = steps[state]()
            if self.truncated:
                self._close_all()
                return

    def skip(self, due: State | None = None) -> None:
        """Step over blanks; drop comments and what looks blank but is none.

        ``due`` is what must come next: what could be just that is no comment.
        """
        text, begin = self.text, self.at
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
                    level: EditLevel = "lossless"
                    if due is not None and pattern is _COMMENT and self._may_be_content(due, begin):
                        if character == "#" or due is State.NEXT:
                            return
                        level = "guess"
                    if pattern is _COMMENT:
                        if due is not None and self._may_end_string(found[0], begin):
                            level = "guess"
                        self._bracket_in_comment |= not _BRACKETS.isdisjoint(found[0])
                    only_mark = not found[0].strip("\ufeff")
                    self.edit("strip-bom" if only_mark else rule, self.at, removed=found[0], level=level)
                    self.at = found.end()
                    break
            else:
                return

    def _may_be_content(self, due: State, begin: int) -> bool:
        """Whether what begins like a comment may be part of the value: it does not stand on a line of its own.

        ``#ff0000`` where a value is due, ``#b: 2`` where a key is, and the ``//2`` of a division.
        """
        pattern = _NO_COMMENT.get(due)
        if pattern is None or not self._stack or not pattern.match(self.text, self.at):
            return False
        return not any(line_end in self.text[begin : self.at] for line_end in "\n\r")

    def _may_end_string(self, comment: str, begin: int) -> bool:
        """Whether a comment may be content: the rest of a string before it, with its quote, or of a bare word.

        ``"5" #2 pencil"``, ``7#b``. Whole strings in a comment are well, unless one stands right before it, too.
        """
        before = self.text[begin - 1 : begin]
        if before.isalnum():
            touches = not comment.startswith(("/*", "<!--")) and self.text[begin : begin + 1] not in " \t\n\r"
            return touches or self._count_quotes(comment) % 2 == 1
        quotes = self._count_quotes(comment)
        return quotes % 2 == 1 or (quotes > 0 and before not in ",:{[(")

    def _count_quotes(self, text: str) -> int:
        return sum(map(text.count, self._quotes))

    def _is_group(self, here: Open) -> bool:
        """Whether a list is one value in round brackets, which is no tuple: it has no comma."""
        at = here.cut
        return self.text[at - 1 : at] == "(" and self.text[at : at + 1] != "," and self._value_end > at

    def _push(self, closer: str, cut: int) -> None:
        if len(self._stack) >= self._depth:
            raise RefusalError(f"nested too deep: more than {self._depth} levels", self.at)
        self._stack.append(Open(closer, cut))

    def _pop(self) -> State:
        closed = self._stack.pop()
        around = self._stack[-1] if self._stack else None
        if around is None:
            self.may_shift = closed.may_shift
        elif around.closer == closed.closer:
            around.nests = True
            around.may_shift |= closed.may_shift
        self._done(is_string=False)
        return State.NEXT

    def _done(self, *, is_string: bool) -> None:
        self._value_end = self.at
        self._value_is_string = is_string

    def _comma(self, position: int) -> State:
        """Go on behind a comma at ``position``, or behind a place where one was missing."""
        here = self._stack[-1]
        here.cut, here.after_comma = position, True
        here.may_shift |= here.nests
        return self._run(here)

    def _run(self, here: Open) -> State:
        """Step over sound members, each with the comma behind it."""
        is_object = here.closer == "}"
        end = (_MEMBERS if is_object else _ITEMS).match(self.text, self.at).end()  # type: ignore[union-attr]
        if end > self.at:
            if self.text.find("{" if is_object else "[", self.at, end) >= 0:
                here.nests = here.may_shift = True
            self.at, here.cut, here.after_comma = end, end - 1, True
        return State.KEY if is_object else State.VALUE

    # -- the end of the text ------------------------------------------------------------------------------------------

    def _end(self, state: State) -> None:
        """Settle a text that ends inside the value."""
        if not self._stack:
            self._refuse("a value")
        here = self._stack[-1]
        if state is State.COLON or (state is State.VALUE and here.closer == "}"):
            self._drop(here.cut, "drop-partial-member")
        elif state is not State.NEXT and here.after_comma:
            self._drop(here.cut, "drop-trailing-comma")
        self._close_all()

    def _close_all(self) -> None:
        closers = "".join([here.closer for here in reversed(self._stack)])
        level: EditLevel = "guess" if any(self._is_group(here) for here in self._stack) else "lossless"
        self.truncated = True
        self.at = len(self.text)
        if closers:
            self.edit("close-container", self.at, inserted=closers, level=level)

    # -- structure ----------------------------------------------------------------------------------------------------

    def _value(self) -> State:
        text, at = self.text, self.at
        character = text[at]
        here = self._stack[-1] if self._stack else None
        if character in "{[":
            self._push("}" if character == "{" else "]", at + 1)
            self.at = at + 1
            return self._run(self._stack[-1])
        if character in CLOSING_QUOTES:
            return self._string_value()
        match character:
            case "(":
                self.edit("tuple-to-array", at, removed="(", inserted="[")
                self._push("]", at + 1)
                self.at = at + 1
                return State.VALUE
            case "," if here and here.closer == "]":
                self.edit("drop-extra-comma", at, removed=",", level="guess")
                self.at = at + 1
                return State.VALUE
            case "]" | ")" if here and here.closer == "]":
                self._trailing_comma(here)
                return self._closer()
            case "," | "}" if here and here.closer == "}":
                self.edit("fill-null", at, inserted="null", level="guess")
                self._done(is_string=False)
                return State.NEXT
            case "}" | "]" | ")":
                if here:
                    self._trailing_comma(here)
                    return self._closer()
                self._refuse("a value")
            case ":" | ";" | "," | "=":
                self._refuse("a value")
        return self._word()

    def _trailing_comma(self, here: Open) -> None:
        if here.after_comma:
            self.edit("drop-trailing-comma", here.cut, removed=self.text[here.cut : here.cut + 1])
            here.after_comma = False

    def _key(self) -> State:
        text, at = self.text, self.at
        here = self._stack[-1]
        character = text[at]
        if character in CLOSING_QUOTES:
            self._string(is_key=True)
            self._key_start, self._key_end = at, self.at
            return State.COLON
        match character:
            case "}" | "]" | ")":
                self._trailing_comma(here)
                return self._closer()
            case ",":
                self.edit("drop-extra-comma", at, removed=",")
                self.at = at + 1
                return State.KEY
            case "{":
                self.edit("drop-extra-opener", at, removed="{", level="guess")
                self.at = at + 1
                return State.KEY
            case ".":
                dots = _ELLIPSIS.match(text, at)
                if dots:
                    self.edit("drop-ellipsis", at, removed=dots[0], level="guess")
                    self.at = dots.end()
                    return State.KEY
        return self._bare_key()

    def _bare_key(self) -> State:
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
        return State.COLON

    def _colon(self) -> State:
        text, at = self.text, self.at
        character = text[at]
        if character == ":":
            self.at = at + 1
            while text.startswith(":", self.at):
                self.edit("replace-separator", self.at, removed=":")
                self.at += 1
            return State.VALUE
        for sign in ("=>", "="):
            if text.startswith(sign, at):
                self.edit("replace-separator", at, removed=sign, inserted=":")
                self.at = at + len(sign)
                return State.VALUE
        if character in ",}":
            self.edit("fill-null", at, inserted=":null", level="guess")
            self._done(is_string=False)
            return State.NEXT
        string = WHOLE_STRING.match(text, at)
        behind = _BLANKS.match(text, string.end()).end() if string else 0  # type: ignore[union-attr]
        is_value = character in "{[-" or character.isdigit() or self._word_is_known(at)
        if not is_value and not (string and text[behind : behind + 1] in (",", "}")):
            self._refuse("a colon")
        certain = self._are_apart(self._key_end, self._key_start) and self._are_apart(self._key_end, at)
        self.edit("insert-colon", at, inserted=":", level="lossless" if certain else "guess")
        return State.VALUE

    def _next(self) -> State:
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
                following = min(_BLANKS.match(text, at + 1).end(), len(text) - 1)  # type: ignore[union-attr]
                apart = self._are_apart(self._value_end, following)
                self.edit("replace-separator", at, removed=";", inserted=",", level="lossless" if apart else "guess")
                self.at = at + 1
                return self._comma(at)
            case ":" if here.closer == "]" and self._value_is_string and here.after_comma:
                return self._lost_bracket(here)
            case ":":
                self._refuse("a comma or a closing bracket")
        if here.closer == "}":
            ahead = _QUOTED_KEY_AHEAD.match(text, at)
            bare = None if ahead else _IDENTIFIER.match(text, at)
            if not ahead and not (bare and text[bare.end() : bare.end() + 1] == ":"):
                self._refuse("a comma or a closing bracket")
            certain = not bare and self._is_comma_lost(here)
        else:
            starts = character in '{["' or character.isdigit() or character in "-'“‘" or self._word_is_known(at)
            if not starts:
                self._refuse("a comma or a closing bracket")
            certain = self._is_comma_lost(here)
        self.edit("insert-comma", at, inserted=",", level="lossless" if certain else "guess")
        return self._comma(at)

    def _is_comma_lost(self, here: Open) -> bool:
        """Whether nothing but a lost comma can be the reason why one value stands behind another.

        ``"x""y"`` is one string, ``100[7]`` an expression, ``1 500`` and ``1. 5`` one number, ``5.`` one that lost a
        digit; of ``{} "a":1`` the bracket may be in the wrong place.
        """
        text, end, at = self.text, self._value_end, self.at
        if text[end:at].strip(" \t\n\r") or text[end - 2 : end] in ("{}", "[]") or not self._are_apart(end, at):
            return False
        if end == at and (self._value_is_string or (here.closer == "]" and text[end - 1] not in "}])")):
            return False
        last = self.edits[-1] if self.edits else None
        if last and last.rule == "fix-number" and last.position + len(last.removed) == end:
            return False
        if text[end - 1].isdigit() and (text[at].isdigit() or text[at] == "-"):
            here.blanks_separate |= not here.after_comma and bool(_SHORT_NUMBERS.match(text, at))
            return here.blanks_separate
        return True

    def _word_is_known(self, at: int) -> bool:
        word = _TOKEN.match(self.text, at)
        return word is not None and (word[0] in LITERALS or word[0] in SPELLINGS)

    def _lost_bracket(self, here: Open) -> State:
        """Read ``[1, 2, "b": 3`` in an object: the list ended before the key."""
        if len(self._stack) < 2 or self._stack[-2].closer != "}":
            self._refuse("a comma or a closing bracket")
        self.edit("fix-closer", here.cut, inserted="]", level="guess")
        self._stack.pop()
        around = self._stack[-1]
        around.cut, around.after_comma = here.cut, True
        return State.COLON

    def _closer(self) -> State:
        """Close what a bracket closes, and what must be closed before it."""
        text, at = self.text, self.at
        character = text[at]
        wanted = "}" if character == "}" else "]"
        here = self._stack[-1]
        if here.closer == wanted:
            if character == ")":
                level: EditLevel = "guess" if self._is_group(here) else "lossless"
                self.edit("tuple-to-array", at, removed=")", inserted="]", level=level)
            self.at = at + 1
            return self._pop()
        open_inside = 0
        while open_inside < len(self._stack) and self._stack[-1 - open_inside].closer != wanted:
            open_inside += 1
        rest = _BLANKS.match(text, at + 1).end()  # type: ignore[union-attr]
        if open_inside < len(self._stack):
            ends_all = open_inside == len(self._stack) - 1
            if ends_all and text.startswith(",", rest) and SHORT_KEY_AHEAD.match(text, rest + 1):
                self.edit("fix-closer", at, removed=character, inserted=here.closer, level="guess")
                self.at = at + 1
                return self._pop()
            missing = "".join([inner.closer for inner in reversed(self._stack[-open_inside:])])
            certain = open_inside == 1 and self._is_closer_lost(here)
            self.edit("fix-closer", at, inserted=missing, level="lossless" if certain else "guess")
            del self._stack[-open_inside:]
            return State.NEXT
        if len(self._stack) == 1 and ONLY_CLOSERS.match(text, rest):
            certain = rest == len(text) and self._is_closer_lost(here)
            self.edit(
                "fix-closer", at, removed=character, inserted=here.closer, level="lossless" if certain else "guess"
            )
            self.at = at + 1
            return self._pop()
        self.at = at + 1
        while text.startswith(character, self.at):  # a run at a time: each would be looked behind again
            self.at += 1
        self.edit("drop-extra-closer", at, removed=text[at : self.at], level="guess")
        return State.NEXT

    def _is_closer_lost(self, here: Open) -> bool:
        """Whether a closing bracket can be due here only: nothing says that the opening one is too much instead.

        A list of one value may be that value, and a member may belong outside, if the bracket of the one before it
        is missing. What a comment swallowed is not known.
        """
        many = here.after_comma or (here.closer == "}" and self._value_end > here.cut)
        return (
            many
            and not here.nests
            and not self._bracket_in_comment
            and not (self._value_is_string and not self._are_apart(self._value_end, self.at))
        )

    # -- words and numbers --------------------------------------------------------------------------------------------

    def _word(self) -> State:
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
            return State.NEXT
        if token is None:
            self._refuse("a value")
        word = token[0]
        at_end = token.end() == len(text)
        if at_end and self._stack and HALF_NUMBER.match(text, at):
            return self._cut("drop-partial-number")
        comment = re.search(r"/[/*]|#", word)
        if comment and (word[: comment.start()] in WORDS or NUMBER.match(word[: comment.start()])):
            word = word[: comment.start()]
        if word in LITERALS:
            pass
        elif word in SPELLINGS:
            spelling, level = SPELLINGS[word]
            self.edit("map-literal", at, removed=word, inserted=spelling, level=level)
        elif at_end and self._stack and any(known.startswith(word) for known in WORDS):
            return self._cut("drop-partial-literal")
        elif number_form := number_in_json(word):
            self.edit("fix-number", at, removed=word, inserted=number_form[0], level=number_form[1])
        else:
            return self._bare_value(at)
        self.at = at + len(word)
        self._done(is_string=False)
        return State.NEXT

    def _bare_value(self, at: int) -> State:
        text = self.text
        signed = _NEGATIVE.match(text, at)
        if signed and NUMBER.match(signed[1]):
            self.edit("fix-number", at, removed=signed[0], inserted="-" + signed[1], level="guess")
            self.at = signed.end()
            self._done(is_string=False)
            return State.NEXT
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
        return State.NEXT

    # -- strings ------------------------------------------------------------------------------------------------------

    def _string_value(self) -> State:
        self._string(is_key=False)
        while not self.truncated:
            plus = _PLUS.match(self.text, self.at)
            if plus is None:
                break
            self._join(plus.end())
        self._done(is_string=True)
        return State.NEXT
