"""The tables say what the run holds, and agree with each other."""

import io

import pandas as pd
import pytest
from support.material import MATERIAL, recordings

import streamviz as sv
from streamviz.views import SCHEMAS

SYSTEMS = sorted({path.parent.name for path in recordings()}) if (MATERIAL / "recordings").exists() else []
TABLES = {schema.name: schema for schema in SCHEMAS}


def tables(run):
    return {name: getattr(run, f"{name}_table")() for name in TABLES}


def assert_of_schema(name, table):
    schema = TABLES[name]
    assert list(table.columns) == [column.name for column in schema.columns]
    assert [str(dtype) for dtype in table.dtypes] == [column.dtype for column in schema.columns]
    assert isinstance(table.index, pd.RangeIndex)


def check_agreement(run, made):
    frames, chunks, deltas = made["frames"], made["chunks"], made["deltas"]
    assert len(frames) == len(chunks) == len(run.chunks)
    assert list(frames["start"]) == [0, *frames["end"]][: len(frames)]
    assert (frames["end"].iloc[-1] if len(frames) else 0) == run.recording.size
    assert (frames["bytes"] == frames["end"] - frames["start"]).all()
    assert list(chunks["start"]) == list(frames["start"])
    assert len(deltas) == len(run.history.blocks)
    counts = deltas.groupby("chunk").size()
    own = chunks.set_index("chunk")["deltas"]
    answered = {k for k, chunk in enumerate(run.chunks) if chunk.answer}
    assert all(counts.get(k, 0) == n for k, n in own.items() if k not in answered)
    check_blocks(run, deltas)
    check_calls(run, made)
    usage = run.payload.usage
    assert len(made["usage"]) == int(chunks["usage"].sum())
    if usage is not None:
        last = made["usage"].iloc[-1]
        assert last["state"] == usage.state
        for name in ("input_tokens", "output_tokens", "total_tokens", "reasoning_output_tokens"):
            said = getattr(usage, name)
            assert (last[name] is pd.NA and said is None) or last[name] == said
    codes = made["diagnostics"]["code"]
    assert set(codes) == {d.code for payload in run.payloads for d in payload.diagnostics}


def check_blocks(run, deltas):
    """The texts of a block's deltas, joined from the last replacement on, are its text, each where it says it is."""
    for number, block in enumerate(run.state.accumulators):
        if getattr(block, "paths", None) is not None or block.kind in ("media", "unknown", "tool_result"):
            continue
        rows = deltas[deltas["block"] == number]
        replaced = [n for n, flag in enumerate(rows["replaced"]) if flag]
        rows = rows.iloc[replaced[-1] if replaced else 0 :]
        joined = "".join("".join(run.history.texts[row] for row in rows.index))
        assert sv.assembly.text.join_surrogates(joined) == block.pieces.text
        for start, text in zip(rows["start"], rows["text"], strict=True):
            assert "\ufffd" in text or block.pieces.text.startswith(text, start)


def check_calls(run, made):
    calls, fragments, repairs = made["calls"], made["fragments"], made["repairs"]
    assert len(calls) == sum(len(payload.calls) + len(payload.server_tools) for payload in run.payloads)
    for row in calls.itertuples():
        pieces = fragments[(fragments["choice"] == row.choice) & (fragments["call"] == row.call)]
        if pieces["path"].isna().all():
            assert "".join(pieces["text"]) == row.raw_arguments
            lengths = pieces["text"].str.len()
            assert (pieces["offset"] == lengths.cumsum() - lengths).all()
        assert pieces["chunk"].is_monotonic_increasing
        assert pieces["chunk"].between(row.first_chunk, row.last_chunk).all()
        edits = repairs[(repairs["choice"] == row.choice) & (repairs["call"] == row.call)]
        assert len(edits) == row.edits
        assert edits["position"].between(0, len(row.raw_arguments)).all()


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_tables_of_every_recording_are_of_their_schema_and_agree(system):
    for path in recordings():
        if path.parent.name == system:
            run = sv.read(path)
            made = tables(run)
            again = tables(sv.read(path))
            for name, table in made.items():
                assert_of_schema(name, table)
                pd.testing.assert_frame_equal(table, again[name])
            check_agreement(run, made)


@pytest.mark.parametrize("data", [b"", b": only a comment\n\n", b"\xff\xfe\x00", b"data: {}\n\n"])
def test_a_run_without_an_answer_has_tables_of_the_same_columns(data):
    for name, table in tables(sv.read(data)).items():
        assert_of_schema(name, table)


FRAME = 'data: {"choices":[{"delta":%s}]}\n\n'
HOSTILE = "<script>\u202e\x00\ud800 $\\frac{\ufeff"


def hostile():
    import json

    text = json.dumps(HOSTILE)
    call = '{"tool_calls":[{"index":0,"id":%s,"function":{"name":%s,"arguments":%s}}]}'
    arguments = json.dumps('{"a": "' + HOSTILE)
    frames = [FRAME % f'{{"content":{text}}}', FRAME % (call % (text, text, arguments))]
    return sv.read("".join(frames).encode(), "openai")


@pytest.mark.parametrize("make", [hostile, lambda: sv.read(b""), lambda: sv.read(TOOLS, "openai")])
def test_tables_go_to_parquet_and_to_polars_and_come_back(make):
    import polars as pl

    for name, table in tables(make()).items():
        file = io.BytesIO()
        table.to_parquet(file)
        pd.testing.assert_frame_equal(pd.read_parquet(file), table)
        assert pl.from_pandas(table).columns == list(table.columns), name


TOOLS = "".join(
    FRAME % '{"tool_calls":[{"index":0,%s"function":{%s"arguments":"%s"}}]}' % part
    for part in [('"id":"c1",', '"name":"f",', r"{\"city\": \"Pa"), ("", "", r"ris\", \"days\": 3, "), ("", "", "}")]
).encode()


def test_fragments_say_how_far_the_arguments_are_read():
    table = sv.read(TOOLS, "openai").fragments_table()
    assert list(table["text"]) == ['{"city": "Pa', 'ris", "days": 3, ', "}"]
    assert list(table["offset"]) == [0, 12, 29]
    assert list(table["preview"]) == ["open", "open", "complete"]
    assert list(table["open_path"].fillna("-")) == ["$.city", "$", "-"]


def test_times_are_those_of_the_read_with_the_last_byte():
    run = sv.StreamRun("openai")
    for number, at in enumerate(range(0, len(TOOLS), 100)):
        run.feed(TOOLS[at : at + 100], time_s=number / 4)
    run.finish()
    ends = [len(frame) + 2 for frame in TOOLS.split(b"\n\n")[:-1]]
    expected = [sum(ends[: n + 1]) for n in range(3)]
    assert list(run.frames_table()["end"]) == expected
    assert list(run.frames_table()["read"]) == [(end - 1) // 100 for end in expected]
    for table in (run.frames_table(), run.chunks_table(), run.deltas_table(), run.fragments_table()):
        assert list(table["time_s"]) == [(end - 1) // 100 / 4 for end in expected]


def test_what_all_choices_share_is_told_once():
    data = b'data: {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}\n\n'
    table = sv.read(data, "openai").diagnostics_table()
    assert list(table["choice"][table["code"] == "usage-missing"].isna()) == [True]
    assert not table.duplicated().any()


def test_the_page_is_what_the_schemas_say():
    import runpy
    from pathlib import Path

    docs = Path(__file__).parents[2] / "docs"
    assert runpy.run_path(str(docs / "make_tables.py"))["page"]() == (docs / "tables.md").read_text(encoding="utf-8")


def test_a_whole_text_behind_streamed_leaves_is_one_fragment():
    paths = (sv.chunks.PathArgument("$.a", "x", more=True),)
    state = sv.AssemblyState()
    sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta(id="c", name="f", paths=paths),)))
    sv.route_chunk(state, sv.NormalizedChunk((sv.ToolCallDelta('{"a": "xy', id="c", snapshot=True),)))
    (call,) = state.calls
    assert (call.fragments, [edit.chunk for edit in call.repair.edits]) == (1, [1, 1])
