"""Recording files: what was read comes back, byte for byte and second for second."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cuts import everything

import streamviz as sv
from streamviz.samples import SAMPLES, load_sample, sample_path


def recorded(data, size=50, **options):
    run = sv.StreamRun(**options)
    for number, start in enumerate(range(0, len(data), size)):
        run.feed(data[start : start + size], 0.1 * number)
    return run.finish()


@pytest.mark.parametrize("suffix", ["svrec", "svrec.gz"])
@pytest.mark.parametrize("name", SAMPLES)
def test_a_run_comes_back_as_it_was(name, suffix, tmp_path):
    run = recorded(sample_path(name).read_bytes(), provider=SAMPLES[name].provider)
    run.recording.request = {
        "model": "m",
        "max_tokens": 9,
        "headers": {"Authorization": "Bearer 1", "x-api-key": "2", "accept": "*/*"},
    }
    run.recording.status, run.recording.headers = 200, {"set-cookie": "3", "content-type": "text/event-stream"}
    path = tmp_path / f"run.{suffix}"
    run.save(path)
    again = sv.read(path)
    assert everything(again) == everything(run)
    assert again.recording.reads == run.recording.reads
    assert list(again.recording.times_s) == list(run.recording.times_s)
    assert (again.provider, again.recording.status) == (SAMPLES[name].provider, 200)
    assert again.recording.request == {
        "model": "m",
        "max_tokens": 9,
        "headers": {"Authorization": "…", "x-api-key": "…", "accept": "*/*"},
    }
    assert again.recording.headers == {"set-cookie": "…", "content-type": "text/event-stream"}
    if suffix == "svrec":
        assert not {b"Bearer", b'"2"', b'"3"'} & set(path.read_bytes().split())
        assert all(isinstance(json.loads(line), dict) for line in path.read_bytes().splitlines())
        assert sv.detect(path).dialect == run.dialect
        with path.open("rb") as file:
            assert everything(sv.read(file)) == everything(run)
        again.save(path)
        assert everything(sv.read(path)) == everything(run)


@given(st.lists(st.binary(max_size=9), max_size=6))
def test_any_bytes_come_back(tmp_path_factory, reads):
    run = sv.StreamRun()
    for data in reads:
        run.feed(data)
    path = tmp_path_factory.mktemp("any") / "run.svrec"
    run.finish().save(path)
    assert sv.read(path).recording.reads == reads
    assert "recording-changed" not in {d.code for d in sv.read(path).payload.diagnostics}


@pytest.mark.parametrize("suffix", ["svrec", "svrec.gz"])
def test_a_torn_file_is_read_as_far_as_it_goes(tmp_path, suffix):
    run = recorded(sample_path("openai-text").read_bytes())
    path = tmp_path / f"run.{suffix}"
    run.save(path)
    whole = path.read_bytes()
    for cut in range(40, len(whole) - 1, 97 if suffix == "svrec" else 13):
        path.write_bytes(whole[:cut])
        again = sv.read(path)
        assert run.recording.data.startswith(again.recording.data)
        codes = {d.code for d in again.payload.diagnostics}
        assert "recording-torn" in codes or (suffix == "svrec.gz" and cut > len(whole) - 9) or not again.recording.data


def test_what_is_wrong_with_a_file_is_told(tmp_path):
    path = tmp_path / "run.svrec"
    recorded(sample_path("openai-text").read_bytes()).save(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(
        b"".join([lines[0].replace(b'"svrec":1', b'"svrec":2'), b"no json\n", b"{}\n", b'{"base64":"?"}\n', *lines[2:]])
    )
    codes = [d.code for d in sv.read(path).payload.diagnostics]
    assert codes.count("recording-line") == 3
    assert {"recording-version", "recording-changed"} <= set(codes)


def test_how_a_stream_ended_is_kept(tmp_path):
    run = sv.StreamRun()
    run.feed(sample_path("openai-text").read_bytes()[:900])
    run.finish(aborted=True).save(tmp_path / "run.svrec")
    assert sv.read(tmp_path / "run.svrec").ended == "aborted"
    events = sv.from_events([{"choices": [{"delta": {"content": "Hi"}}]}])
    events.save(tmp_path / "events.svrec")
    assert sv.read(tmp_path / "events.svrec").synthetic
    assert sv.read(tmp_path / "events.svrec", "anthropic").dialect == "anthropic"
    assert load_sample("openai-text").recording.request is None
