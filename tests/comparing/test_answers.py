"""Answers side by side."""

import pytest
from hypothesis import given, settings
from laws.strategies import streams
from support.material import recordings
from support.wire import chat, sse

import streamviz as sv
from streamviz.comparing.text_diff import common_length, text_diff
from streamviz.samples import SAMPLES, load_sample

CALL = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{"q":1}'}}]}
USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11}}


def test_a_table_of_fields_by_runs():
    one = sv.read(chat({"content": "Hello"}, ({}, "stop"), USAGE))
    other = sv.read(chat({"content": "Hullo"}, CALL, ({}, "tool_calls")))
    table = sv.compare([one, other], names=["one", "other"]).table()
    assert list(table.columns) == ["field", "one", "other", "same"]
    assert [str(dtype) for dtype in table.dtypes] == ["string", "string", "string", "bool"]
    rows = table.set_index("field")
    assert list(rows.loc["text"]) == ["Hello", "Hullo", False]
    assert list(rows.loc["finish"]) == ["stop", "tool_calls", False]
    assert list(rows.loc["model"]) == ["m-1", "m-1", True]
    assert list(rows.loc["calls"]) == ["0", "1", False]
    assert rows.loc["call 1 name"].isna().tolist() == [True, False, False]
    assert rows.loc["input tokens", "one"] == "9"
    assert "audio input tokens" not in rows.index


def test_the_differences_by_name():
    one = sv.read(chat({"content": "a"}, ({}, "stop")))
    other = sv.read(chat({"content": "b"}, ({}, "stop")))
    found = sv.compare([one, other])
    assert found.differences == ("text",)
    assert not found.same


def test_arguments_are_the_same_where_their_values_are():
    spaced = {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "look", "arguments": '{ "q": 1 }'}}]}
    found = sv.compare([sv.read(chat(CALL)), sv.read(chat(spaced))])
    assert found.is_same("call 1 arguments")
    assert "call 1 arguments" not in found.differences


def test_columns_of_one_name_are_told_apart():
    run = sv.read(chat({"content": "a"}))
    assert sv.compare([run, run, run]).names == ["run", "run (2)", "run (3)"]
    assert sv.compare([run, run], names=["field", "same"]).names == ["field (2)", "same (2)"]


def test_what_cannot_be_compared():
    run = sv.read(chat({"content": "a"}))
    with pytest.raises(ValueError, match="two runs or more, not 1"):
        sv.compare([run])
    with pytest.raises(ValueError, match="one name a run"):
        sv.compare([run, run], names=["a"])
    with pytest.raises(ValueError, match="'answers' or 'hops'"):
        sv.compare([run, run], mode="lines")


def test_the_text_shows_signs_and_aligned_columns():
    one = sv.read(chat({"content": "a\nb"}, done=False))
    text = repr(sv.compare([one, sv.read(chat({"content": "a"}))], names=["x", "y"]))
    lines = text.splitlines()
    assert lines[0].startswith("2 answers compared: text, ended, complete,")
    (row,) = [line for line in lines if line.split()[:2] == ["≠", "text"]]
    assert row.split() == ["≠", "text", "a␊b", "a"]
    assert lines[1].index("x") == row.index("a␊b")


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("mode", ["answers", "hops"])
def test_a_run_does_not_differ_from_itself(name, mode):
    run = load_sample(name)
    found = sv.compare([run, run.resplit(7).drop(slice(0, 0)).cut(run.recording.size)], mode)
    allowed = {"reads"} if mode == "answers" else set()
    assert set(found.differences) <= allowed
    assert sv.compare([run, run], mode).same
    if mode == "hops":
        assert found.first_loss is None
    assert found.table()["same"].sum() >= len(found.fields) - 1


def test_no_recording_differs_from_itself():
    for path in recordings(largest=2000):
        run = sv.read(path)
        assert sv.compare([run, run]).same, path
        assert sv.compare([run, run], "hops").first_loss is None, path
        assert "no difference" in sv.compare([run, run])._repr_html_()


@given(streams, streams)
@settings(deadline=None, max_examples=50)
def test_any_two_streams_can_be_compared(one, other):
    runs = [sv.read(one[1]), sv.read(other[1])]
    for mode in ("answers", "hops"):
        found = sv.compare(runs, mode)
        assert repr(found)
        assert found._repr_html_()
        assert len(found.table()) == len(found.fields)


# -- the card ---------------------------------------------------------------------------------------------------------


def test_the_card_marks_words_beyond_colour():
    one = sv.read(chat({"content": "the red fox"}))
    other = sv.read(chat({"content": "the blue fox"}))
    html = sv.compare([one, other], names=["left", "right"])._repr_html_()
    assert "the <del>[−red−]</del><ins>{+blue+}</ins> fox" in html
    assert "<strong>≠ differs</strong>" in html
    assert "= same" in html
    assert html == sv.compare([one, other], names=["left", "right"])._repr_html_()


def test_what_is_the_same_for_long_is_left_out():
    long = "word " * 1000
    html = sv.compare([sv.read(chat({"content": long + "a"})), sv.read(chat({"content": long + "b"}))])._repr_html_()
    assert "<em>… 4,920 characters are the same …</em>" in html
    assert len(html) < 30_000


def test_hostile_text_is_escaped():
    evil = "<script>alert(1)</script>\u202e$\\frac{"
    runs = [sv.read(chat({"content": f"{evil}{n}"}, CALL)) for n in "ab"]
    for mode in ("answers", "hops"):
        found = sv.compare(runs, mode, names=[evil, f"{evil}2"])
        html = found._repr_html_()
        assert "<script" not in html
        assert "\u202e" not in html
        assert "&lt;script&gt;" in html
        assert "\u202e" not in repr(found)


def test_huge_texts_make_no_huge_card():
    runs = [sv.read(chat({"content": letter * 1_000_000})) for letter in "ab"]
    assert len(sv.compare(runs)._repr_html_()) < 400_000


# -- the texts --------------------------------------------------------------------------------------------------------


@given(...)
def test_a_diff_leads_from_one_text_to_the_other(first: str, second: str):
    pieces = text_diff(first, second)
    assert "".join(text for sign, text in pieces if sign != "+") == first
    assert "".join(text for sign, text in pieces if sign != "-") == second
    assert all(text for _, text in pieces)


@given(...)
def test_the_common_beginning(head: str, first: str, second: str):
    length = common_length(head + first, head + second)
    assert length >= len(head)
    assert (head + first)[:length] == (head + second)[:length]
    assert (head + first)[length : length + 1] != (head + second)[length : length + 1] or len(first) == len(second) == (
        length - len(head)
    )


def test_a_long_text_is_compared_by_lines():
    first = "".join(f"{number} a b c d\n" for number in range(2000))
    second = first.replace("7", "x")
    pieces = text_diff(first, second)
    assert "".join(text for sign, text in pieces if sign != "-") == second


def test_an_error_is_a_fact():
    good = sv.read(chat({"content": "a"}))
    bad = sv.read(
        sse({"choices": [{"delta": {"content": "a"}}]}, {"error": {"type": "overloaded", "message": "later"}})
    )
    rows = sv.compare([good, bad]).table().set_index("field")
    assert rows.loc["error"].tolist()[1:] == ["overloaded: later", False]
    assert rows.iloc[:, 1]["diagnostics"] == "error-in-stream"


def test_times_stand_beside_the_rest_where_they_are_known():
    run = sv.StreamRun("openai")
    run.feed(chat({"role": "assistant", "content": ""}, done=False), 0.25)
    run.feed(chat({"content": "Hi"}), 1.5)
    rows = (
        sv.compare([run.finish(), sv.read(chat({"content": "Hi"}))], names=["timed", "plain"])
        .table()
        .set_index("field")
    )
    assert rows.loc["first byte (s)", "timed"] == "0.250"
    assert rows.loc["first token (s)", "timed"] == "1.500"
    assert rows.loc[["first byte (s)", "transport"], "plain"].isna().all()
