"""Whether bytes are one whole JSON text."""

from __future__ import annotations

import json

import msgspec


def is_json(data: bytes) -> bool:
    """Return True where ``data`` is exactly one complete JSON value.

    Bytes that are no UTF-8 and lone surrogates inside strings do not make a text incomplete: the plain reader of the
    standard library, which takes them, has the last word.
    """
    try:
        msgspec.json.decode(data, type=msgspec.Raw)
    except msgspec.DecodeError:
        try:
            json.loads(data.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            return False
    except RecursionError:
        return False
    return True
