"""The bytes of a frame, with what each of them is."""

import pytest
from support.material import MATERIAL, recordings

import streamviz as sv
from streamviz.samples import SAMPLES, load_sample

SYSTEMS = sorted({path.parent.name for path in recordings()}) if (MATERIAL / "recordings").exists() else []


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_fields_of_a_frame_are_its_bytes(system):
    for path in recordings(largest=60_000):
        if path.parent.name == system:
            run = sv.read(path)
            for k in {0, len(run.frames) // 2, len(run.frames) - 1} if run.frames else ():
                dump = run.hexdump(k)
                assert b"".join(field.data for field in dump.fields) == run.bytes_of(k)
                assert all(field.data for field in dump.fields)
                str(dump), dump._repr_html_()


def test_the_fields_of_an_event_stream_message_are_named():
    run = next(run for run in map(load_sample, SAMPLES) if run.dialect == "bedrock-converse")
    names = [field.name for field in run.hexdump(0).fields]
    assert names[0] == f"total length: {len(run.bytes_of(0))}"
    assert names[1].startswith("headers length: ")
    assert names[2] == "checksum of the two"
    assert "header ':event-type' (string): 'messageStart'" in names
    assert names[-2:] == ["payload", "checksum of the message"]
    payload = run.hexdump(0).fields[-2].data
    assert payload == run.frames[0].data


def test_control_characters_in_a_name_are_not_printed():
    run = sv.read(b"data: \x1b[31m\xff\n\n")
    assert "\x1b" not in str(run.hexdump(0))
    assert "\x1b" not in run.hexdump(0)._repr_html_()
