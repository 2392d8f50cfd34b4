"""Where a JSON value ends, found without reading it.

Brackets count outside strings only, and a string ends at a quote that no backslash precedes (RFC 8259, section 7). That
is all one needs to cut values apart; whether a value is valid JSON is for its reader to say.
"""

from __future__ import annotations

import re

_QUOTE, _BACKSLASH = b'"\\'
_BRACE, _BRACKET = b"{["
_OPENER_OF = {b"}"[0]: _BRACE, b"]"[0]: _BRACKET}

# Neither pattern can fail, so that neither is ever asked to backtrack. The matcher still keeps a record of each
# repetition, which is why it is given a window at a time. (Possessive repetitions keep none, but go wrong in
# Python 3.11.0 to 3.11.4: https://github.com/python/cpython/issues/106052.)
_string_rest = re.compile(rb'[^"\\]*(?:\\.[^"\\]*)*', re.DOTALL).match
_up_to_bracket = re.compile(
    rb'[^"{}\[\]]*(?:(?>"[^"\\]*(?:\\.[^"\\]*)*")[^"{}\[\]]*)*',
    re.DOTALL,
).match
_WINDOW_BYTES = 65536


class ValueScanner:
    """Find the end of one array, object or string that comes in pieces.

    Every byte is looked at a bounded number of times, whatever the pieces and the depth; nothing recurses.

    Brackets that do not match are garbage, and the aim is then to lose as little as possible of what follows: a
    closing bracket closes everything up to the innermost one of its kind, and is passed over where there is none. An
    unclosed string or bracket swallows what follows, since nothing tells where it should have ended.

    Examples
    --------
    >>> scanner = ValueScanner()
    >>> scanner.scan(b'{"a": "}', 0)
    -1
    >>> scanner.scan(b'"}, {"b": 1}', 0)
    2
    """

    def __init__(self) -> None:
        self._open = bytearray()
        self._braces = 0  # how many of the open brackets are braces
        self._in_string = False
        self._escaped = False  # the last byte was the backslash of an escape

    def scan(self, data: bytes, position: int) -> int:
        """Go on with the value at ``position``.

        Parameters
        ----------
        data : bytes
            The next piece. At the very beginning, ``data[position]`` is an opening bracket or a quote.
        position : int
            Where in ``data`` to go on.

        Returns
        -------
        int
            The position after the value's last byte; -1 where ``data`` ends inside the value.
        """
        size, stack = len(data), self._open
        if not stack and not self._in_string and data[position : position + 1] == b'"':  # the value is a string
            self._in_string = True
            position += 1
        while position < size:
            if self._in_string:
                position = self._end_of_string(data, position)
                if position < 0:
                    return -1
                if not stack:
                    return position
            window = position + _WINDOW_BYTES
            position = _up_to_bracket(data, position, window).end()  # type: ignore[union-attr]
            if position >= size:
                break
            if position == window:
                continue
            byte = data[position]
            position += 1
            if byte == _QUOTE:  # of a string that does not end inside the window
                self._in_string = True
            elif byte == _BRACE:
                stack.append(byte)
                self._braces += 1
            elif byte == _BRACKET:
                stack.append(byte)
            else:
                opener = _OPENER_OF[byte]
                if stack[-1] == opener:
                    del stack[-1]
                    self._braces -= opener == _BRACE
                else:
                    self._close_up_to(opener)
                if not stack:
                    return position
        return -1

    def _end_of_string(self, data: bytes, position: int) -> int:
        """Return the position after the closing quote, or -1."""
        size = len(data)
        if self._escaped:
            self._escaped = False
            position += 1
        while position < size:
            position = _string_rest(data, position, position + _WINDOW_BYTES).end()  # type: ignore[union-attr]
            stop = data[position : position + 2]
            if stop == b"\\":
                self._escaped = True
                break
            if stop[:1] == b'"':
                self._in_string = False
                return position + 1
            # Otherwise the window is at its end, or before the backslash that would be its last byte.
        return -1

    def _close_up_to(self, opener: int) -> None:
        """Close everything up to the innermost bracket of this kind, if there is one."""
        stack = self._open
        if self._braces == (0 if opener == _BRACE else len(stack)):
            return
        while True:
            top = stack.pop()
            self._braces -= top == _BRACE
            if top == opener:
                return


def ends_inside(data: bytes) -> bool:
    """Return True where a JSON value that starts with a bracket or a quote is cut off by the end of ``data``.

    Examples
    --------
    >>> ends_inside(b'{"a": [1, 2')
    True
    >>> ends_inside(b'{"a": 1} and more')
    False
    """
    return ValueScanner().scan(data, 0) < 0
