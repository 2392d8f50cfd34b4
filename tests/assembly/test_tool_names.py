"""Which tool a call means: only one that was offered, and only where there is no doubt."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamviz as sv
from streamviz.assembly.tool_names import resolve_tool_name
from streamviz.assembly.tools import read_tools

TOOLS = ("read", "write_file", "shell.exec", "Search", "SEARCH", "web2")


@pytest.mark.parametrize(
    ("name", "ident", "tool"),
    [
        ("read", None, "read"),
        (" read\n", None, "read"),
        ("READ", None, "read"),
        ("Search", None, "Search"),
        ("search", None, "search"),  # two tools could be meant
        ("shell/exec", None, "shell.exec"),
        ("default_api.shell.exec", None, "shell.exec"),
        ("functions.read", None, "read"),
        ("functions.read:0", None, "read"),
        ("functionsread3", None, "read"),
        ("tool_write_file_1", None, "write_file"),
        ("web2", None, "web2"),
        ("functions.web2:1", None, "web2"),
        ("delete", "functions.read:0", "delete"),  # a name that was sent beats the id
        ("", "functions.read:0", "read"),
        ("  ", "toolread", "read"),
        ("", "call_1", ""),
        ("  ", None, "  "),
    ],
)
def test_the_tool_that_is_meant(name, ident, tool):
    assert resolve_tool_name(name, ident, TOOLS) == tool


@given(st.text(), st.none() | st.text(), st.lists(st.text(min_size=1)))
def test_the_result_is_an_offered_tool_or_what_was_sent(name, ident, tools):
    found = resolve_tool_name(name, ident, tools)
    assert found in tools or found == (name.strip() or name)
    if name in tools and name == name.strip():
        assert found == name


def test_calls_say_what_was_sent_and_what_is_not_offered():
    data = b"""data: {"choices":[{"delta":{"tool_calls":[
data: {"index":0,"id":"a","function":{"name":"functions.Read:0","arguments":"{}"}},
data: {"index":1,"id":"b","function":{"name":"erase","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}

"""
    payload = sv.read(data, tools=["read", "write_file"]).payload
    assert [(c.name, c.name_as_sent) for c in payload.calls] == [("read", "functions.Read:0"), ("erase", "erase")]
    codes = {d.code: d.message for d in payload.diagnostics if d.code.startswith("call-name")}
    assert set(codes) == {"call-name-resolved", "call-name-unknown"}
    assert [c.executable for c in payload.calls] == [True, False]
    plain = sv.read(data).payload
    assert [c.name for c in plain.calls] == ["functions.Read:0", "erase"]
    assert not [d for d in plain.diagnostics if d.code.startswith("call-name")]
    stream = sv.process_stream("openai", [data], tools=["read"])
    assert len(list(stream)) == 1
    assert stream.payload.calls[0].name == "read"


def calls_of(arguments, tools):
    events = [
        {
            "choices": [
                {"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}]}}
            ]
        },
        {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
    ]
    data = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"
    return sv.read(data, tools=tools).payload


def test_with_the_schemas_of_the_tools_arguments_are_validated():
    tools = {"f": {"properties": {"n": {"type": "string"}}, "required": ["n"]}, "g": None}
    found = calls_of('{"n":5}', tools)
    (call,) = found.calls
    assert (call.status, call.arguments, call.executable) == ("repaired", {"n": "5"}, False)
    found = calls_of('{"m":5}', tools)
    (call,) = found.calls
    assert (call.status, call.executable) == ("exact", False)
    assert "call-schema-violation" in {d.code for d in found.diagnostics}
    assert "required" in {v.keyword for v in call.repair.schema_violations}
    assert calls_of('{"n":"5"}', tools).calls[0].executable


def test_tools_that_are_none_are_refused():
    with pytest.raises(TypeError, match="not 'f'"):
        sv.read(b"", tools="f")
    with pytest.raises(TypeError, match="neither the name of a tool nor a definition"):
        sv.read(b"", tools=[{"kind": "function"}])
    with pytest.raises(TypeError, match="names of tools are texts"):
        sv.read(b"", tools={1: None})
    with pytest.raises(ValueError, match="tool 'f': this is no JSON Schema"):
        sv.read(b"", tools={"f": {"type": "text"}})


SCHEMA = {"type": "object", "properties": {"n": {"type": "string"}}}


@pytest.mark.parametrize(
    ("definition", "schema"),
    [
        ({"type": "function", "function": {"name": "f", "parameters": SCHEMA}}, SCHEMA),
        ({"type": "function", "name": "f", "parameters": SCHEMA}, SCHEMA),
        ({"name": "f", "input_schema": SCHEMA}, SCHEMA),
        ({"toolSpec": {"name": "f", "inputSchema": {"json": SCHEMA}}}, SCHEMA),
        ({"functionDeclarations": [{"name": "f", "parametersJsonSchema": SCHEMA}]}, SCHEMA),
        ({"functionDeclarations": [{"name": "f", "parameters": {"type": "OBJECT"}}]}, None),
        ({"function": {"name": "f"}}, None),
    ],
)
def test_the_definitions_of_a_request_are_taken_as_they_are(definition, schema):
    names, schemas = read_tools([definition, {"type": "web_search"}, "g"])
    assert (names, schemas) == (("f", "web_search", "g"), {"f": schema} if schema else {})
    (call,) = calls_of('{"n":5}', [definition]).calls
    assert call.arguments == ({"n": "5"} if schema else {"n": 5})
