"""Words and numbers as other languages spell them, and how JSON does."""

from __future__ import annotations

import re

from .cut import NUMBER
from .report import EditLevel

LITERALS = {"true", "false", "null"}
SPELLINGS: dict[str, tuple[str, EditLevel]] = {
    **dict.fromkeys(("True", "TRUE"), ("true", "lossless")),
    **dict.fromkeys(("False", "FALSE"), ("false", "lossless")),
    **dict.fromkeys(("None", "NULL", "Null", "nil"), ("null", "lossless")),
    **dict.fromkeys(("undefined", "NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"), ("null", "guess")),
}
WORDS = (*LITERALS, *SPELLINGS)


def number_in_json(word: str) -> tuple[str, EditLevel] | None:
    """Return a number in JSON's spelling, and whether that takes a guess; None where it is none.

    Examples
    --------
    >>> number_in_json("1_000."), number_in_json("0x1F"), number_in_json("1.2.3")
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
