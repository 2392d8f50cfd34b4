"""Integers of any size, to text and back: Python itself refuses those of more than 4,300 digits by default."""

from __future__ import annotations

_DIRECT = 4000
"""So many digits Python converts directly, unless somebody lowered its limit."""


def exact_int(lexeme: str) -> int:
    """Return the integer that a decimal text stands for, however long it is.

    Examples
    --------
    >>> exact_int("-" + "9" * 5000) == -(10**5000 - 1)
    True
    """
    if lexeme.startswith("-"):
        return -exact_int(lexeme[1:])
    if len(lexeme) <= _DIRECT:
        return int(lexeme)
    half = len(lexeme) // 2
    power: int = 10**half
    return exact_int(lexeme[:-half]) * power + exact_int(lexeme[-half:])


def exact_digits(number: int) -> str:
    """Return an integer in decimal digits, however long it is.

    Examples
    --------
    >>> exact_digits(12345678901234567890)
    '12345678901234567890'
    >>> exact_digits(-(10**5000)) == "-1" + "0" * 5000
    True
    """
    if number < 0:
        return "-" + exact_digits(-number)
    digits = int(number.bit_length() * 0.30103) + 1  # log10(2): the number of digits, or one more
    if digits <= _DIRECT:
        return str(number)
    half = digits // 2
    high, low = divmod(number, 10**half)
    return exact_digits(high) + exact_digits(low).zfill(half)
