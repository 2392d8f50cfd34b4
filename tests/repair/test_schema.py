"""With the tool's JSON Schema: what `jsonschema` refuses, and what is of the wrong type only by its spelling."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.json_texts import documents

import streamviz as sv


def typed(**properties):
    return {"type": "object", "properties": properties}


STRING, INTEGER, NUMBER, BOOLEAN, STRINGS = (
    {"type": "string"},
    {"type": "integer"},
    {"type": "number"},
    {"type": "boolean"},
    {"type": "array", "items": {"type": "string"}},
)


@pytest.mark.parametrize(
    ("text", "schema", "value", "rules"),
    [
        ('{"a":5}', typed(a=STRING), {"a": "5"}, {"quote-scalar"}),
        ('{"a":1.50}', typed(a=STRING), {"a": "1.50"}, {"quote-scalar"}),
        ('{"a":123456789012345678901}', typed(a=STRING), {"a": "123456789012345678901"}, {"quote-scalar"}),
        ('{"a": "7" }', typed(a=INTEGER), {"a": 7}, {"unquote-scalar"}),
        ('{"a":"-1.5e3"}', typed(a=NUMBER), {"a": -1500.0}, {"unquote-scalar"}),
        ('{"a":"true"}', typed(a=BOOLEAN), {"a": True}, {"unquote-scalar"}),
        ('{"a":"x"}', typed(a=STRINGS), {"a": ["x"]}, {"wrap-in-array"}),
        ('{"a":"[\\"x\\", \\"y\\"]"}', typed(a=STRINGS), {"a": ["x", "y"]}, {"unwrap-nested"}),
        ('{"a":"{\\"b\\":\\"1\\"}"}', typed(a=typed(b=INTEGER)), {"a": {"b": 1}}, {"unwrap-nested"}),
        ('{"a":5}', typed(a={"anyOf": [STRING, {"type": "null"}]}), {"a": "5"}, {"quote-scalar"}),
        ('{"a":5}', {"$ref": "#/$defs/t", "$defs": {"t": typed(a=STRING)}}, {"a": "5"}, {"quote-scalar"}),
        ('{"a":[1,2]}', typed(a=STRINGS), {"a": ["1", "2"]}, {"quote-scalar"}),
        ('{"a":"3"}', typed(a={"enum": [1, 2, 3]}), {"a": 3}, {"unquote-scalar"}),
        ("{'a':5,}", typed(a=STRING), {"a": "5"}, {"requote", "quote-scalar", "drop-trailing-comma"}),
        (
            '{"a":5,"b":"x',
            typed(a=STRING, b=INTEGER),
            {"a": "5", "b": "x"},
            {"quote-scalar", "close-string", "close-container"},
        ),
    ],
)
def test_a_spelling_is_mended_where_the_type_is_certain(text, schema, value, rules):
    report = sv.repair_json(text, schema=schema)
    assert (report.value, {edit.rule for edit in report.edits}) == (value, rules)
    assert report.safe
    assert report.schema_violations == ()
    assert report.status == ("incomplete" if "close-string" in rules else "repaired")
    assert sv.repair_json(report.replay(), schema=schema).edits == ()


@pytest.mark.parametrize(
    ("text", "schema", "value", "rule"),
    [
        ('{"a":["x"]}', typed(a=STRING), {"a": "x"}, "unwrap-item"),
        ('{"a":"True"}', typed(a=BOOLEAN), {"a": True}, "unquote-scalar"),
        ('{"a":"Celsius "}', typed(a={"enum": ["celsius", "kelvin"]}), {"a": "celsius"}, "match-enum"),
    ],
)
def test_what_is_only_likely_takes_a_guess(text, schema, value, rule):
    assert sv.repair_json(text, schema=schema).edits == ()
    report = sv.repair_json(text, schema=schema, repair="guess")
    assert (report.value, {edit.rule for edit in report.edits}, report.safe) == (value, {rule}, False)
    assert sv.repair_json(text, schema=schema, repair="guess", without={rule}).edits == ()


@pytest.mark.parametrize(
    ("text", "schema", "path", "keyword"),
    [
        ('{"a":5.5}', typed(a=INTEGER), "$.a", "type"),
        ('{"a":5}', typed(a={"type": ["string", "array"]}), "$.a", "type"),  # both would do
        ('{"a":"05"}', typed(a=INTEGER), "$.a", "type"),
        ('{"a":5}', typed(a={"type": "string", "minLength": 3}), "$.a", "type"),
        ('{"a":{"b c":[1,null]}}', typed(a={"additionalProperties": {"items": INTEGER}}), "$.a['b c'][1]", "type"),
        ("{}", {"required": ["a"]}, "$", "required"),
    ],
)
def test_what_is_not_certain_is_left_and_told(text, schema, path, keyword):
    report = sv.repair_json(text, schema=schema)
    assert (report.status, report.edits) == ("exact", ())
    assert [(v.path, v.keyword) for v in report.schema_violations] == [(path, keyword)]
    assert repr(report) == "<RepairReport: exact, 1 schema violation>"


def test_of_what_is_cut_off_only_what_is_complete_is_looked_at():
    schema = typed(a=INTEGER, b=typed(c={"type": "string", "minLength": 9})) | {"required": ["z"]}
    report = sv.repair_json('{"a":"x","b":{"c":"sho', schema=schema)
    assert [(v.path, v.keyword) for v in report.schema_violations] == [("$.a", "type")]


def test_off_only_validates():
    report = sv.repair_json('{"a":5}', schema=typed(a=STRING), repair="off")
    assert (report.edits, [v.path for v in report.schema_violations]) == ((), ["$.a"])


def test_nothing_sent_is_validated_as_no_arguments():
    report = sv.repair_tool_call_arguments("", schema={"required": ["a"]})
    assert (report.status, [v.keyword for v in report.schema_violations]) == ("empty", ["required"])


def test_a_schema_that_is_none_is_refused():
    with pytest.raises(ValueError, match=r"no JSON Schema: 'text' is not valid .* at \$\.type"):
        sv.repair_json("{}", schema={"type": "text"})


@pytest.mark.parametrize("schema", [{"$ref": "#/nowhere"}, {"$ref": "https://example.org/schema"}])
def test_nothing_is_fetched_for_a_schema(schema):
    (violation,) = sv.repair_json("{}", schema=schema).schema_violations
    assert (violation.path, violation.keyword) == ("$", "$ref")


def test_a_value_that_is_too_deep_for_the_validator_does_not_raise():
    schema = {"$defs": {"t": {"items": {"$ref": "#/$defs/t"}}}, "$ref": "#/$defs/t"}
    assert len(sv.repair_json("[" * 400 + "]" * 400, schema=schema).schema_violations) <= 1


def test_without_a_schema_nothing_is_looked_at():
    assert sv.repair_json('{"a":5}').schema_violations is None


schemas = st.recursive(
    st.sampled_from([STRING, INTEGER, NUMBER, BOOLEAN, {"type": "null"}, {"type": ["string", "null"]}, {}]),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda values: {"type": "object", "additionalProperties": values}, inner),
        st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=4,
)


@given(documents, schemas, st.sampled_from(["safe", "guess"]))
def test_the_edits_give_the_value_and_the_validator_has_the_last_word(text, schema, level):
    report = sv.repair_json(text, schema=schema, repair=level)
    again = sv.repair_json(report.replay())
    assert (again.status, repr(again.value)) == ("exact", repr(report.value))
    assert (report.schema_violations == ()) == jsonschema.Draft202012Validator(schema).is_valid(report.value)
    before = sv.repair_json(text, schema=schema, repair="off")
    if not before.schema_violations:
        assert report.edits == ()


def test_a_pattern_is_ecmascripts_and_takes_bounded_time():
    schema = {"properties": {"a": {"pattern": r"^\p{L}+$"}}, "patternProperties": {"^b": {"type": "string"}}}
    assert sv.repair_json('{"a": "é", "bb": "x"}', schema=schema).schema_violations == ()
    assert [v.keyword for v in sv.repair_json('{"a": "1"}', schema=schema).schema_violations] == ["pattern"]
    hard = {"properties": {"a": {"pattern": r"^((a|aa)+)+\1$"}}}
    report = sv.repair_json('{"a": "%s!"}' % ("a" * 200), schema=hard)
    assert [v.keyword for v in report.schema_violations] == ["pattern"]


def test_a_pattern_that_is_none_is_no_schema():
    with pytest.raises(ValueError, match="no JSON Schema"):
        sv.repair_json("{}", schema={"properties": {"a": {"pattern": "("}}})
