"""Strings with something wrong in them: quotes of other kinds, control characters, escapes, lost and doubled quotes."""

from __future__ import annotations

import json
import re

from msgspec.structs import replace

from .cut import HIGH_SURROGATE
from .editing import Editing, RefusalError
from .escapes import ESCAPED, SIMPLE, fixed_escape, is_half
from .report import Edit, EditLevel

STRICT_STRING = r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
WHOLE_STRING = re.compile(STRICT_STRING)
SHORT_KEY_AHEAD = re.compile(r"[ \t\n\r]{0,200}[\"'“‘][^\"'“”‘’\n\\]{0,200}[\"'”’]\s{0,20}[:=]")
_BARE_KEY_AHEAD = re.compile(r"[\"']?[\w$-]{1,60}\s*:(?!//)")
_VALUE_AHEAD = re.compile(r"[ \t\n\r]{0,200}[\"'“‘0-9{\[\]tfnTFN-]")
_DOUBLED = re.compile(r'""([^"\\\x00-\x1f]++)""')
_OPEN_KEY = re.compile(r"[\"'][\w$ -]+(?=:)")
_INSIDE = {'"': re.compile(r'(?:[^"\\]++|\\.)*+', re.DOTALL), "'": re.compile(r"(?:[^'\"\\]++|\\.)*+", re.DOTALL)}
"""The inside of a string up to its quote, whatever is wrong in it."""
_FAULTS = re.compile(r"(?:[^\\\x00-\x1f]++|\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))*+(?:([\x00-\x1f]|\\.)|\Z)", re.DOTALL)
"""The next fault, or the end: a search that fails would begin anew in the middle of an escape."""
_ESCAPE = re.compile(r"\\[\\/bfnrtu]")
"""An escape that would be something else in a text without escapes: any but that of a quote, which would end there."""
_DRIVE = re.compile(r"(?<![A-Za-z])[A-Za-z]:\\(?!\\)")
_LOSSLESS: EditLevel = "lossless"
_CONTROL_ESCAPES = {chr(code): json.dumps(chr(code))[1:-1] for code in range(32)}
CLOSING_QUOTES = {
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
_TO_SPECIAL = {quote: re.compile(rf'[^"\\\x00-\x1f{closing}]*+') for quote, closing in CLOSING_QUOTES.items()}
_ALL_QUOTES = frozenset("".join([*CLOSING_QUOTES, *CLOSING_QUOTES.values()]))
_EDGES = frozenset(" \t\r\n,:;=+#/\\(){}[]") | _ALL_QUOTES
_AHEAD = 200


class StringReader(Editing):
    """Read strings.

    At level ``safe`` a string ends at its next quote. At level ``guess`` a quote ends it only if what follows looks
    like the end of one.
    """

    def _join(self, at: int) -> None:
        """Go on in the string at ``at``: both quotes and what stands between them are dropped."""
        last = self.at - 1
        if self.edits and self.edits[-1].position == last:
            self.edits.pop()  # the closing quote is not needed in any form
        level: EditLevel = "lossless" if self._are_apart(self.at, at) else "guess"
        self.edit("join-strings", last, removed=self.text[last : at + 1], level=level)
        self.at = at
        opening = len(self.edits)
        self._string(is_key=False)
        if len(self.edits) > opening and self.edits[opening].position == at:
            del self.edits[opening]  # its opening quote is gone already

    def _are_apart(self, end: int, start: int) -> bool:
        """Whether what ends and what begins here are two, and not one string with quotes in it.

        ``"use " " here"`` may be one, and in ``"a," "b"`` a quote may have changed places with the comma: there is a
        blank or a mark at the inner side of a quote.
        """
        text = self.text
        ends_well = text[end - 1] not in _ALL_QUOTES or text[end - 2] not in _EDGES
        return ends_well and (text[start] not in _ALL_QUOTES or text[start + 1 : start + 2] not in _EDGES)

    def _string(self, *, is_key: bool) -> None:
        text, start = self.text, self.at
        quote = text[start]
        if quote == '"':
            whole = WHOLE_STRING.match(text, start)
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
            self._quotes.update(quote, CLOSING_QUOTES[quote])
        edited = len(self.edits)
        self._string_body(start, quote, is_key=is_key)
        self._judge_backslashes(start, edited)

    def _judge_backslashes(self, start: int, edited: int) -> None:
        r"""Doubt a string that has escapes beside a backslash that is none: all of them may be meant as they stand.

        In ``C:\Program Files\new\x86`` neither ``\n`` nor ``\x86`` is one character, and the two backslashes of
        ``\\server\Share`` are two.
        """
        fixed = [n for n in range(edited, len(self.edits)) if self.edits[n].rule == "fix-escape"]
        if not fixed:
            return
        kept = sum(self.edits[n].inserted.startswith("\\\\") for n in fixed)
        if not kept and not _DRIVE.search(self.text, start, self.at):
            return
        if kept == len(fixed) and not _ESCAPE.search(self.text, start, self.at):
            return
        if not self.guess:
            raise RefusalError("a string with backslashes that may be none of JSON's", start)
        for number in fixed:
            self.edits[number] = replace(self.edits[number], level="guess")

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
            elif character in CLOSING_QUOTES[quote] or character == '"':
                if self._quote(start, at, quote, is_key=is_key, first=not inner_quotes):
                    return
                inner_quotes = inner_quotes or character in CLOSING_QUOTES[quote]
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
            if found is None:
                break
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
        if character not in CLOSING_QUOTES[quote]:
            if self.guess and quote in "“”„" and self._ends_string(at, is_key=is_key):
                self.edit("requote", at, level="guess")  # the two ends differ; this one needs no change
                self.at = at + 1
                return True
            if not self.guess and self._ends_string(at, is_key=is_key):
                raise RefusalError("the string may end at a quote of another kind", start)
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
        if self.text[before] == "," and SHORT_KEY_AHEAD.match(self.text, at):
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
                return bool(SHORT_KEY_AHEAD.match(text, following + 1) or _BARE_KEY_AHEAD.match(behind))
            case ":":  # the list around it ended before this key
                return here is not None and here.closer == "]" and self._closers()[-2:] == "}]"
            case "/" | "#" if not text.startswith("/*", following):  # a comment, unless the string goes on to a quote
                line = text[following : following + _AHEAD].partition("\n")[0]
                return following > end and line.count(text[at]) % 2 == 0
            case "/" | "+":
                return following > end
            case _ if following > end:
                return here is not None and (
                    bool(SHORT_KEY_AHEAD.match(text, following)) if here.closer == "}" else character in "\"'{["
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
