"""What the request asked for, read from whatever is known of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..assembly.tools import Schema, definitions
from ..repair.schema import validator_of

_LIMITS = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "generationConfig.maxOutputTokens",
    "inferenceConfig.maxTokens",
    "options.num_predict",
)
"""Where vendors take the limit of output tokens."""
_TOOLS = ("tools", "functions", "toolConfig.tools")


class Request:
    """The body of a request.

    Parameters
    ----------
    known : dict or None
        What a recording knows of the request: the body itself, or an object with the body under ``body`` or ``json``,
        as a value or as its text.

    Examples
    --------
    >>> request = Request({"url": "/v1/messages", "body": '{"max_tokens": 20, "tools": [{"name": "f"}]}'})
    >>> request.limit, request.tools
    (('max_tokens', 20), ('f',))
    """

    def __init__(self, known: dict[str, Any] | None) -> None:
        body: Any = known
        if known is not None and not known.keys() & {"model", "messages", "input", "contents"}:
            body = known.get("body", known.get("json"))
        if isinstance(body, str | bytes):
            try:
                body = json.loads(body)
            except ValueError:
                body = None
        self.body: dict[str, Any] = body if isinstance(body, dict) else {}
        self.is_known = bool(self.body)
        self.schemas: dict[str, Schema] = {}
        """The JSON Schemas of the tools' arguments, as far as they can be read."""
        names: list[str] = []
        tools = next((found for place in _TOOLS if isinstance(found := self.at(place), list)), [])
        for tool in tools:
            try:
                for name, schema in definitions(tool):
                    names.append(name)
                    if isinstance(schema, Mapping) and _is_valid(schema):
                        self.schemas[name] = schema
            except TypeError:
                continue
        self.tools = tuple(names)
        """The names of the tools that were offered."""

    def at(self, place: str) -> Any:
        """Return what stands at a dotted path of the body, None where nothing does."""
        value: Any = self.body
        for key in place.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        return value

    @property
    def limit(self) -> tuple[str, int] | None:
        """The limit of output tokens, and under which name it was set."""
        return next(((place, limit) for place in _LIMITS if type(limit := self.at(place)) is int), None)


def _is_valid(schema: Schema) -> bool:
    """Return whether there is something to validate with."""
    try:
        validator_of(schema)
    except (ValueError, ImportError, TypeError):
        return False
    return True
