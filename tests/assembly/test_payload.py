"""What a response amounts to."""

import json

import streamviz as sv


def payload(*chunks, ended="clean"):
    state = sv.AssemblyState()
    for chunk in chunks:
        sv.route_chunk(state, chunk)
    return sv.build_embedded_run_payloads(state, ended)[0]


def finish(*words):
    return [sv.NormalizedChunk(finishes=(sv.providers.finish.finish_reason(word),)) for word in words]


def codes(found):
    return {d.code for d in found.diagnostics}


CALL = sv.NormalizedChunk((sv.ToolCallDelta("{}", 0, "a", "f"),))
CUT = sv.NormalizedChunk((sv.ToolCallDelta('{"p":"x', 0, "a", "f"),))


def test_a_missing_finish_reason_stays_missing():
    found = payload(sv.NormalizedChunk((sv.TextDelta("a"),)))
    assert found.finish is None
    assert "finish-missing" in codes(found)
    assert not found.complete


def test_repeated_reasons_are_kept_in_order_and_noted():
    found = payload(*finish("stop", "stop"))
    assert (found.finish.unified, found.finish.raw) == ("stop", ("stop", "stop"))
    assert "finish-repeated" in codes(found)


def test_reasons_that_contradict_each_other_are_kept_and_the_last_counts():
    found = payload(*finish("stop", "length"))
    assert (found.finish.unified, found.finish.raw) == ("length", ("stop", "length"))
    assert "finish-contradicts" in codes(found)


def test_an_unknown_reason_is_other_and_keeps_its_word():
    found = payload(*finish("tired"))
    assert (found.finish.unified, found.finish.raw) == ("other", ("tired",))
    assert "finish-unknown" in codes(found)


def test_stop_with_complete_calls_and_no_text_counts_as_tool_calls():
    found = payload(CALL, *finish("stop"))
    assert (found.finish.unified, found.finish.raw) == ("tool_calls", ("stop",))
    assert "stop-but-calls" in codes(found)
    assert payload(sv.NormalizedChunk((sv.TextDelta("see"),)), CALL, *finish("stop")).finish.unified == "stop"
    assert payload(CUT, *finish("stop")).finish.unified == "stop"


def test_a_cut_call_is_never_executable_whatever_the_finish_reason_says():
    for word in ("stop", "tool_calls", "length"):
        (call,) = payload(CUT, *finish(word)).calls
        assert (call.status, call.executable, call.arguments) == ("incomplete", False, {"p": "x"})


def test_calls_are_divided_by_whether_they_could_be_read():
    bad = sv.NormalizedChunk((sv.ToolCallDelta("[1", 1, "b", "g"),))
    found = payload(CALL, bad)
    assert [c.name for c in found.calls] == ["f", "g"]
    assert [c.name for c in found.tool_calls] == ["f"]
    assert [(c.name, c.raw_arguments) for c in found.malformed_tool_calls] == [("g", "[1")]


def test_an_error_keeps_what_came_before_and_leaves_the_finish_reason_alone():
    error = sv.StreamError("quota", "rate_limit", 429)
    found = payload(sv.NormalizedChunk((sv.TextDelta("par"),)), sv.NormalizedChunk(error=error), ended="error")
    assert (found.assistant_text, found.error, found.finish, found.complete) == ("par", error, None, False)


def test_the_dict_is_json_safe():
    chunk = sv.NormalizedChunk(
        (
            sv.ToolCallDelta('{"id":12345678901234567890,"x":1e400,"s":"\\ud800"}', 0, "a", "f"),
            sv.UnknownDelta("k", {"n": float("nan"), "d": [1, {"z": "\udc00"}]}),
        )
    )
    found = payload(chunk).to_dict()
    text = json.dumps(found, allow_nan=False, ensure_ascii=False)
    text.encode()
    assert found["calls"][0]["arguments"] == {"id": "12345678901234567890", "x": "inf", "s": "\ufffd"}
    assert json.loads(text) == found


def test_whitespace_text_is_real():
    assert payload(sv.NormalizedChunk((sv.TextDelta(" \n"),))).assistant_text == " \n"


def test_different_values_in_one_call_are_named_and_kept():
    found = payload(sv.NormalizedChunk((sv.ToolCallDelta('{"city":"Oslo"}{"city":"Rome"}', 0, "a", "f"),)))
    (call,) = found.calls
    assert (call.status, call.arguments) == ("invalid", None)
    assert [root.value for root in call.repair.roots] == [{"city": "Oslo"}, {"city": "Rome"}]
    (diagnostic,) = [d for d in found.diagnostics if d.severity == "fault"]
    assert (diagnostic.code, diagnostic.position) == ("calls-glued", 15)
