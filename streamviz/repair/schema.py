"""Arguments against the tool's JSON Schema: what is of the wrong type only by its spelling is mended.

`jsonschema` validates, and it alone says what is wrong. A value is mended where it is not of the type that is due, and
exactly one way of writing the same characters makes it valid there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from .compose import compose
from .report import Edit, EditLevel, RepairReport, SchemaViolation
from .spans import Path, spans
from .strict import path_of, strict_loads

_PASSES = 4
"""How often what was mended is looked at again: a list that was wrapped has items."""
_LONGEST_MESSAGE = 500
_PATTERN_SECONDS = 0.5
"""How long one pattern may take: a schema's may be such that some text takes it years."""
_ABOUT_THE_TYPE = ("type", "enum", "const", "anyOf", "oneOf")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?\Z")


class _Choice(Struct, frozen=True):
    """One way of mending a value: how its text is written, and under which rule."""

    rule: str
    text: str
    level: EditLevel = "lossless"


def apply_schema(
    report: RepairReport, schema: Mapping[str, Any], *, level: str, without: Collection[str], integer_digits: int
) -> RepairReport:
    """Validate a value, mend what is of the wrong type, and return the report with both.

    Raises
    ------
    ValueError
        The schema is none.
    ImportError
        ``jsonschema`` is not installed.
    """
    validator = validator_of(schema)
    parsed = strict_loads(report.replay() or "{}", integer_digits)  # nothing was sent: no arguments
    skipped = _open_paths(report)
    for _ in range(_PASSES if level != "off" and report.status != "empty" else 0):
        text = report.replay()
        edits = _edits(validator, _errors(validator, parsed.value, skipped), text, level, without)
        if not edits:
            break
        report = replace(report, edits=tuple(compose(report.raw, report.edits, edits)))
        parsed = strict_loads(report.replay(), integer_digits)
    if report.edits and report.status == "exact":
        report = replace(report, status="repaired")
    violations = [
        SchemaViolation(path_of(parsed.value, path), error.validator, error.message[:_LONGEST_MESSAGE])
        for path, error in _errors(validator, parsed.value, skipped)
    ]
    return replace(
        report,
        value=parsed.value,
        lexemes=parsed.lexemes,
        duplicates=parsed.duplicates,
        schema_violations=tuple(violations),
    )


def validator_of(schema: Mapping[str, Any]) -> Any:
    """Return the validator of a schema.

    Raises
    ------
    ValueError
        The schema is none.
    ImportError
        ``jsonschema`` is not installed.
    """
    return _validator_of_text(json.dumps(schema))


@lru_cache(maxsize=256)
def _validator_of_text(text: str) -> Any:
    try:
        import jsonschema
        import regex
        from referencing import Registry
    except ImportError as error:
        raise ImportError(
            "a schema needs the packages jsonschema and regex: the extra 'schema' installs them"
        ) from error
    schema = json.loads(text)
    cls: Any = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    try:
        cls.check_schema(schema, format_checker=_any_pattern())
    except jsonschema.SchemaError as error:
        raise ValueError(f"this is no JSON Schema: {error.message:.200} at {error.json_path}") from error
    except regex.error as error:
        raise ValueError(f"this is no JSON Schema: {error}") from error
    bounded: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
        cls, {"pattern": _pattern, "patternProperties": _pattern_properties}
    )
    return bounded(schema, registry=Registry())  # which fetches nothing


def _any_pattern() -> Any:
    """Return a format checker that takes for a pattern what the matching engine does, Unicode properties too."""
    import jsonschema
    import regex

    checker = jsonschema.FormatChecker(formats=())

    @checker.checks("regex", raises=regex.error)
    def is_pattern(value: object) -> bool:
        return not isinstance(value, str) or bool(regex.compile(value))

    return checker


def _found(pattern: str, text: str) -> bool | None:
    """Whether a pattern occurs in a text; None where that took too long to find out."""
    import regex

    try:
        return regex.search(pattern, text, timeout=_PATTERN_SECONDS) is not None
    except TimeoutError:
        return None


def _pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
    """Check ``pattern`` in bounded time: the text is the model's."""
    from jsonschema import ValidationError

    if not validator.is_type(instance, "string"):
        return
    match _found(pattern, instance):
        case None:
            yield ValidationError(f"whether it matches {pattern!r} takes longer than {_PATTERN_SECONDS} s to find out")
        case False:
            yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _pattern_properties(validator: Any, patterns: Any, instance: Any, schema: Any) -> Iterator[Any]:
    """Check ``patternProperties`` in bounded time."""
    if not validator.is_type(instance, "object"):
        return
    for pattern, subschema in patterns.items():
        for key, value in instance.items():
            if _found(pattern, key):
                yield from validator.descend(value, subschema, path=key, schema_path=pattern)


def _errors(validator: Any, value: Any, skipped: set[Path]) -> list[tuple[Path, Any]]:
    """Return what the validator finds wrong, with its path."""
    from jsonschema import ValidationError
    from referencing.exceptions import Unresolvable

    try:
        found = [(tuple(error.absolute_path), error) for error in validator.iter_errors(value)]
    except Unresolvable as error:
        return [((), ValidationError(f"the schema refers to what it does not hold: {error}", validator="$ref"))]
    except RecursionError:
        return [((), ValidationError("nested too deep to be validated", validator="$ref"))]
    return [(path, error) for path, error in found if path not in skipped]


def _open_paths(report: RepairReport) -> set[Path]:
    """Return the paths of what is cut off: it may still become what is due."""
    if report.complete:
        return set()
    value, path = report.value, ()  # type: tuple[Any, Path]
    found = {path}
    while isinstance(value, dict | list) and value:
        step = next(reversed(value)) if isinstance(value, dict) else len(value) - 1
        path, value = (*path, step), value[step]
        found.add(path)
    return found


def _edits(
    validator: Any, errors: list[tuple[Path, Any]], text: str, level: str, without: Collection[str]
) -> list[Edit]:
    """Return what mends the values that are of the wrong type."""
    wrong = {path: error for path, error in reversed(errors) if error.validator in _ABOUT_THE_TYPE}
    outermost = {path for path in wrong if not any(path[:length] in wrong for length in range(len(path)))}
    edits = []
    for path, (start, end) in spans(text, outermost).items():
        here = validator.evolve(schema=wrong[path].schema)
        choices: dict[str, _Choice] = {}
        for choice in _choices(wrong[path], text[start:end]):
            allowed = choice.rule not in without and (level == "guess" or choice.level == "lossless")
            if allowed and _is_due(here, json.loads(choice.text)):
                choices.setdefault(choice.text, choice)
        if len(choices) == 1:
            edits += _written(start, text[start:end], *choices.values())
    return sorted(edits, key=lambda edit: edit.position)


def _is_due(validator: Any, value: Any) -> bool:
    """Whether a value is what is due at its place; what is inside it is looked at in the next pass."""
    return all(error.path for error in validator.iter_errors(value))


def _choices(error: Any, text: str) -> Iterator[_Choice]:
    """Yield the ways in which a value could be written."""
    value = error.instance
    if error.validator in ("enum", "const") and isinstance(value, str):
        allowed = error.validator_value if error.validator == "enum" else [error.validator_value]
        for item in allowed:
            if isinstance(item, str) and item.strip().casefold() == value.strip().casefold():
                yield _Choice("match-enum", json.dumps(item, ensure_ascii=False), "guess")
    match value:
        case bool() | int() | float():
            yield _Choice("quote-scalar", f'"{text}"')
        case str():
            inner = value.strip()
            if _NUMBER.match(inner) or inner in ("true", "false", "null"):
                yield _Choice("unquote-scalar", inner)
            elif inner[:1] in ("{", "["):
                try:
                    json.loads(inner)
                except (ValueError, RecursionError):
                    pass
                else:
                    yield _Choice("unwrap-nested", inner)
                    return
            elif inner.lower() in ("true", "false", "null"):
                yield _Choice("unquote-scalar", inner.lower(), "guess")
        case [_] if text.startswith("["):
            yield _Choice("unwrap-item", text[1:-1].strip(), "guess")
    is_list_text = isinstance(value, str) and (not value.strip() or value.lstrip()[:1] in ("[", "{"))
    if value is not None and not isinstance(value, list) and not is_list_text:
        yield _Choice("wrap-in-array", f"[{text}]")


def _written(start: int, text: str, choice: _Choice) -> list[Edit]:
    """Return the edits that write a value so: what is put around it, or taken off, at its two ends."""

    def edit(at: int, removed: str, inserted: str = "") -> Edit:
        return Edit(rule=choice.rule, level=choice.level, position=start + at, removed=removed, inserted=inserted)

    at = choice.text.find(text)
    if at >= 0:
        return [edit(0, "", choice.text[:at]), edit(len(text), "", choice.text[at + len(text) :])]
    at = text.find(choice.text)
    if at >= 0:
        return [edit(0, text[:at]), edit(at + len(choice.text), text[at + len(choice.text) :])]
    return [edit(0, text, choice.text)]
