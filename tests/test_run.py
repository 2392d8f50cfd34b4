"""`StreamRun` and `read`."""

import io

import pytest
from support.wire import chat

import streamviz as sv

HELLO = chat({"content": "Hel"}, ({"content": "lo"}, "stop"))


def test_every_kind_of_source_gives_the_same(tmp_path):
    path = tmp_path / "capture.sse"
    path.write_bytes(HELLO)
    with path.open("rb") as file:
        runs = [
            sv.read(s)
            for s in (HELLO, bytearray(HELLO), path, str(path), file, io.BytesIO(HELLO), [HELLO[:9], HELLO[9:]])
        ]
    assert {run.payload.assistant_text for run in runs} == {"Hello"}
    assert runs[2].source == str(path)


def test_a_text_file_and_a_wrong_type_are_refused_with_advice():
    with pytest.raises(TypeError, match="mode 'rb'"):
        sv.read(io.StringIO("data: {}"))
    with pytest.raises(TypeError, match="cannot read a int"):
        sv.read(5)


def test_a_missing_file_is_an_os_error():
    with pytest.raises(FileNotFoundError):
        sv.read("no/such/file.sse")


def test_a_run_grows_and_its_views_grow_with_it():
    run = sv.StreamRun("openai")
    run.feed(HELLO[:130], 0.1)
    assert (run.payload.assistant_text, len(run.chunks)) == ("Hel", len(run.frame_ends))
    run.feed(HELLO[130:], 0.2)
    run.finish()
    assert (run.payload.assistant_text, len(run.chunks)) == ("Hello", 3)
    assert list(run.recording.times_s) == [0.1, 0.2]
    assert run.recording.data == HELLO


def test_chunk_k_is_what_frame_k_means():
    run = sv.read(b": ping\n\n" + HELLO)
    assert [frame.kind for frame in run.frames] == ["comment", "event", "event", "event"]
    assert [chunk.content for chunk in run.chunks] == ["", "Hel", "lo", ""]
    assert run.bytes_of(0) == b": ping\n\n"
    assert b"".join(run.bytes_of(k) for k in range(4)) == run.recording.data
    assert run.bytes_of(-1) == b"data: [DONE]\n\n"


def test_a_state_can_be_had_at_any_chunk():
    run = sv.read(HELLO)
    assert [run.state_at(k).text for k in range(4)] == ["", "Hel", "Hello", "Hello"]
    assert run.state_at(2).finish.unified == "stop"


def test_several_choices_give_several_payloads():
    chunk = {
        "choices": [{"index": n, "delta": {"content": text}, "finish_reason": "stop"} for n, text in enumerate("ab")]
    }
    run = sv.read(chat(chunk))
    assert [p.assistant_text for p in run.payloads] == ["a", "b"]


def test_the_vendor_is_told_by_the_caller_or_by_a_sign():
    assert sv.read(HELLO, provider="groq").vendor == "groq"
    assert sv.read(chat({"choices": [], "x_groq": {"id": "r"}})).vendor == "groq"
    assert sv.read(HELLO).vendor is None
