"""The tools that a request offered: their names, and what their arguments should be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..repair.schema import validator_of

Schema = Mapping[str, Any]
Tools = Iterable[str | Mapping[str, Any]] | Mapping[str, Schema | None]
"""Names; or the JSON Schema of the arguments by name; or the definitions as they stand in a request."""


def read_tools(tools: Tools) -> tuple[tuple[str, ...], dict[str, Schema]]:
    """Return names and schemas.

    Parameters
    ----------
    tools : iterable of str or mapping, or mapping
        Names; or schemas by name; or definitions in the form of OpenAI (Chat and Responses), Anthropic, Google or
        Bedrock. Google's own form of a schema is none of JSON's, and is not validated against.

    Raises
    ------
    TypeError
        One name instead of several, or something that names no tool.
    ValueError
        A schema is none.

    Examples
    --------
    >>> read_tools([{"name": "f", "input_schema": {"type": "object"}}, "g"])
    (('f', 'g'), {'f': {'type': 'object'}})
    """
    found: dict[str, Schema | None] = {}
    if isinstance(tools, str):
        raise TypeError(f"tools is a list of names, or a dict of JSON Schemas by name, not {tools!r:.200}")
    if isinstance(tools, Mapping):
        found.update(tools)
    else:
        for tool in tools:
            found.update({tool: None} if isinstance(tool, str) else dict(definitions(tool)))
    if not all(isinstance(name, str) for name in found):
        raise TypeError(f"the names of tools are texts, not {list(found)!r:.200}")
    schemas = {name: schema for name, schema in found.items() if schema}
    for name, schema in schemas.items():
        try:
            validator_of(schema)
        except ValueError as error:
            raise ValueError(f"tool {name!r}: {error}") from error
    return tuple(found), schemas


def definitions(tool: Any) -> Iterator[tuple[str, Schema | None]]:
    """Yield name and schema of each tool that one definition holds; a built-in tool has a type only."""
    match tool:
        case {"function": {"name": str(name)}}:
            yield name, tool["function"].get("parameters")
        case {"toolSpec": {"name": str(name)}}:
            schema = tool["toolSpec"].get("inputSchema")
            yield name, schema.get("json") if isinstance(schema, Mapping) else None
        case {"functionDeclarations": [*declarations]} | {"function_declarations": [*declarations]}:
            for declaration in declarations:
                yield from definitions({**declaration, "parameters": declaration.get("parametersJsonSchema")})
        case {"name": str(name)}:
            yield name, tool.get("input_schema", tool.get("parameters"))
        case {"type": str(name)}:
            yield name, None
        case _:
            raise TypeError(f"{tool!r:.200} is neither the name of a tool nor a definition of one")
