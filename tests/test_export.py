"""Runs as files for others: strict JSON, reports that are there whole or not at all."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.material import recordings
from support.wire import chat

import streamviz as sv
from streamviz.export import write_whole

HELLO = chat({"content": "Hel"}, ({"content": "lo"}, "stop"))
KEYS = ["source", "dialect", "vendor", "framing", "bytes", "reads", "frames", "timed", "finished", "synthetic"]


def strict(text):
    """Parse JSON as other languages do: no NaN, no half of a surrogate pair, no integer that a double cannot hold."""

    def refuse(word):
        raise AssertionError(f"{word} is no JSON")

    def integer(digits):
        assert abs(int(digits)) < 2**53
        return int(digits)

    assert json.dumps(text).encode("ascii") is not None
    return json.loads(text.encode("utf-8"), parse_constant=refuse, parse_int=integer)


def test_a_run_as_json_has_the_documented_keys():
    document = strict(sv.read(HELLO).to_json())
    assert list(document) == [*KEYS, "payloads"]
    assert [document[key] for key in KEYS] == [
        *(None, "openai-chat", None, "sse", len(HELLO), 1, 3, "none", True, False),
    ]
    assert document["payloads"][0]["assistant_text"] == "Hello"
    assert all(f"\n    {key} " in sv.StreamRun.to_dict.__doc__ for key in document)


def test_what_json_cannot_hold_is_text():
    arguments = '{"n": 12345678901234567890, "x": 1e400, "half": "\\ud83d", "\\udc00": 1}'
    call = {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}]}
    run = sv.StreamRun("openai", source="half \ud83d")
    run.feed(chat((call, "tool_calls")))
    document = strict(run.finish().to_json())
    assert document["source"] == "half \ufffd"
    assert document["payloads"][0]["calls"][0]["arguments"] == {
        "n": "12345678901234567890",
        "x": "inf",
        "half": "\ufffd",
        "\ufffd": 1,
    }


@settings(max_examples=60)
@given(st.text(), st.text())
def test_any_text_gives_strict_json_and_a_report(text, name):
    run = sv.StreamRun("openai", source=name)
    run.feed(chat(({"content": text}, text)))
    run.finish()
    strict(run.to_json())
    run.to_html(charts=False).encode("utf-8")


def test_every_recording_gives_strict_json_and_the_same_report_twice():
    for path in recordings():
        run = sv.read(path)
        strict(run.to_json())
        assert run.to_html(charts=False) == sv.read(path).to_html(charts=False)


def test_written_files_hold_what_is_returned(tmp_path):
    run = sv.read(HELLO)
    assert run.to_json(tmp_path / "a.json", indent=1) is None
    assert run.to_html(str(tmp_path / "a.html")) is None
    assert (tmp_path / "a.json").read_text("utf-8") == run.to_json(indent=1)
    assert (tmp_path / "a.html").read_text("utf-8") == run.to_html()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.html", "a.json"]


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    path = tmp_path / "a.html"
    path.write_text("before")

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, "after")
    assert [found.read_text() for found in tmp_path.iterdir()] == ["before"]


def test_mode_and_links_of_a_file_are_kept(tmp_path):
    path, link = tmp_path / "a.html", tmp_path / "link.html"
    path.write_text("before")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "after")
    assert link.is_symlink()
    assert path.read_text() == "after"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_pipe_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_whole(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
