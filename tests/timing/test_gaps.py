"""Where nothing came: gaps that can be read off."""

import pytest
from support.timed import timed
from support.wire import anthropic, chat

import streamviz as sv
from streamviz.timing import GAPS

TEXT = chat({"content": "Hi"}, done=False)
PING = b": ping\n\n"


def gaps(run, *threshold):
    return [tuple(row)[1:6] for row in run.gaps_table(*threshold).itertuples(index=False)]


def test_silence_keepalives_and_half_a_frame_are_told_apart():
    run = timed(
        (0.5, TEXT),
        (3.0, TEXT),  # 2.5 s of nothing
        (4.0, PING),
        (5.0, PING),
        (6.0, TEXT[:9]),
        (7.0, TEXT[9:]),  # 4 s, and two comments in them
        (8.0, TEXT[:9]),
        (8.5, TEXT[9:15]),
        (10.0, TEXT[15:]),  # 3 s, and bytes of a frame that is not whole
        (10.5, chat(({}, "stop"), done=False)),
        (12.5, b"data: [DONE]\n\n"),  # 2.5 s to the end
    )
    assert gaps(run) == [
        (0.5, 2.5, 0, "silent", 0),
        (3.0, 4.0, 1, "keepalive", 2),
        (7.0, 3.0, 4, "partial", 0),
        (10.0, 2.5, 5, "tail", 2),
    ]


def test_what_comes_at_the_edge_of_a_gap_is_not_in_it():
    ends = {"type": "content_block_stop", "index": 0}
    begins = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}

    def said(index):
        return {"type": "content_block_delta", "index": index, "delta": {"type": "text_delta", "text": "Hi"}}

    run = timed((1.0, anthropic(said(0), ends)), (9.0, anthropic(begins, said(1))))
    assert gaps(run) == [(1.0, 8.0, 0, "silent", 0)]


def test_empty_deltas_and_pings_of_the_vendor_keep_alive():
    empty = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": ""}}
    full = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
    run = timed((1.0, anthropic(full)), (2.0, anthropic({"type": "ping"}, empty)), (5.0, anthropic(full)))
    assert gaps(run) == [(1.0, 4.0, 0, "keepalive", 2)]


def test_a_stream_that_is_alive_without_content_to_its_end():
    run = timed((1.0, TEXT), *((float(k), PING) for k in range(2, 30)), finish=False)
    assert gaps(run) == [(1.0, 28.0, 0, "keepalive", 28)]
    assert gaps(run.finish()) == [(1.0, 28.0, 0, "tail", 28)]


def test_the_result_of_a_server_tool_is_content_and_its_end_is_none():
    call = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
    result = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}

    def start(index, block):
        return {"type": "content_block_start", "index": index, "content_block": block}

    run = timed(
        (1.0, anthropic(start(0, call))),
        (4.0, anthropic({"type": "content_block_stop", "index": 0})),
        (6.0, anthropic(start(1, result))),
        (9.0, anthropic({"type": "content_block_stop", "index": 1})),
    )
    assert gaps(run) == [(1.0, 5.0, 0, "keepalive", 1), (6.0, 3.0, 2, "tail", 1)]


def test_the_threshold_is_two_seconds_or_ten_usual_distances():
    slow = timed(*((0.5 * k, TEXT) for k in range(20)), (14.0, TEXT), (20.0, TEXT))
    assert gaps(slow) == [(14.0, 6.0, 20, "silent", 0)]  # 4.5 s are less than 10 × 0.5 s
    assert len(gaps(slow, 0)) == 21
    assert gaps(slow, 4) == [(9.5, 4.5, 19, "silent", 0), (14.0, 6.0, 20, "silent", 0)]
    few = timed((1.0, TEXT), (9.0, TEXT))
    assert gaps(few) == [(1.0, 8.0, 0, "silent", 0)]  # one distance is not the usual one
    assert gaps(few, 8) == []


@pytest.mark.parametrize(
    "run",
    [sv.StreamRun().finish(), sv.read(TEXT), timed((0.5, PING), (90.0, PING)), timed((0.5, b"")), timed((0.5, TEXT))],
    ids=["empty", "untimed", "no content", "no bytes", "no gap"],
)
def test_no_gap_is_an_empty_table_of_the_same_columns(run):
    table = run.gaps_table()
    assert len(table) == 0
    full = timed((0.5, TEXT), (9.5, TEXT)).gaps_table()
    assert list(table.columns) == list(full.columns) == [column.name for column in GAPS.columns]
    assert list(table.dtypes) == list(full.dtypes)


def test_gaps_of_a_stream_that_was_held_back_are_marked():
    assert not timed((0.5, TEXT), (9.5, TEXT)).gaps_table()["unreliable"].any()
    assert timed(*((16.0 * k, TEXT * 64) for k in range(4))).gaps_table()["unreliable"].tolist() == [True] * 3
