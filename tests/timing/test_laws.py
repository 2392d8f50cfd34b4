"""What holds for every stream and all times."""

from itertools import accumulate, pairwise

from hypothesis import given
from hypothesis import strategies as st
from support.cuts import pieces
from support.timed import timed
from support.wire import chat

from streamviz.samples import SAMPLES, sample_path

ORDER = ("first_byte_s", "first_frame_s", "first_token_s", "last_token_s", "end_s")
waits = st.floats(0, 20, allow_nan=False)
EMPTY = (b": ping\n\n", chat({"content": ""}, done=False), chat({"role": "assistant"}, done=False), b"\n")


@st.composite
def streams(draw):
    """A sample, or part of one, in reads that came at any times."""
    data = sample_path(draw(st.sampled_from(sorted(SAMPLES)))).read_bytes()
    data = data[: draw(st.one_of(st.none(), st.integers(0, len(data))))]
    reads = pieces(data, sorted(draw(st.sets(st.integers(1, 4000), max_size=12))))
    times = list(accumulate(draw(st.lists(waits, min_size=len(reads), max_size=len(reads)))))
    return timed(*zip(times, reads, strict=True))


@given(streams())
def test_what_comes_first_is_not_later(run):
    timing = run.timing
    known = [value for name in ORDER if (value := getattr(timing, name)) is not None]
    assert known == sorted(known)
    inside = (timing.first_text_s, timing.first_thinking_s, timing.thinking_end_s)
    assert all(timing.first_token_s <= value <= timing.last_token_s for value in inside if value is not None)
    assert timing.tail_s is None or timing.tail_s >= 0
    assert all(rate is None or rate > 0 for rate in (timing.tokens_per_s, timing.text_tokens_per_s))


@given(streams(), st.one_of(st.none(), waits))
def test_gaps_lie_inside_the_run_and_one_after_the_other(run, threshold_s):
    table = run.gaps_table(threshold_s)
    ends = (table["start_s"] + table["length_s"]).tolist()
    assert all(end <= start + 1e-9 for end, (_, start) in zip(ends, pairwise(table["start_s"]), strict=False))
    if len(table):
        timing = run.timing
        assert (table["length_s"] > (2 if threshold_s is None else threshold_s)).all()
        assert timing.first_byte_s <= table["start_s"].min()
        assert max(ends) <= timing.end_s + 1e-9
    assert (table["kind"] == "tail").sum() <= 1


@given(streams())
def test_every_view_can_be_shown(run):
    assert repr(run.timing).startswith("<Timing: ")
    assert repr(run.transport()).startswith("<Transport: ")
    assert run.timing._repr_html_().count("<table") == run.transport()._repr_html_().count("<table") == 1
    share = run.transport().batched_share
    assert share is None or 0 <= share <= 1


@given(
    st.lists(st.tuples(waits, st.sampled_from(["Hi", " you", "!"])), min_size=1, max_size=6),
    st.lists(st.tuples(waits, st.sampled_from(EMPTY)), max_size=8),
)
def test_what_is_empty_never_moves_a_token(said, empty):
    reads = [(time_s, chat({"content": text}, done=False)) for time_s, text in said]
    alone = timed(*sorted(reads, key=lambda read: read[0]), provider="openai")
    among = timed(*sorted(reads + empty, key=lambda read: read[0]), provider="openai")
    for name in ("first_token_s", "first_text_s", "last_token_s"):
        assert getattr(among.timing, name) == getattr(alone.timing, name)
    distances = [table.loc[table["kind"] != "tail", ["start_s", "length_s"]].to_numpy().tolist()
                 for table in (alone.gaps_table(0), among.gaps_table(0))]  # fmt: skip
    assert distances[0] == distances[1]


HALF = chat({"content": "Hi"}, done=False)


def expected_gaps(reads, over):
    """The gaps of reads that are a text, a comment, or a piece of a text each, found by walking through them."""
    found, last, inside, pieces, k = [], None, [], b"", 0
    for time_s, data in reads:
        pieces += data
        whole = pieces.endswith(b"\n\n")
        if whole and pieces.startswith(b"data"):
            if last is not None and time_s - last[0] > over:
                between = [kind for at, kind in inside if last[0] < at < time_s]
                kind = "keepalive" if "frame" in between else "partial" if between else "silent"
                found.append((last[0], time_s - last[0], last[1], kind, between.count("frame")))
            last, inside = (time_s, k), []
        elif last is not None:
            inside.append((time_s, "frame" if whole else "piece"))
        if whole:
            pieces, k = b"", k + 1
    end = reads[-1][0]
    if last is not None and end - last[0] > over:
        after = [kind for at, kind in inside if at > last[0]]
        found.append((last[0], end - last[0], last[1], "tail", after.count("frame")))
    return found


items = st.sampled_from([(HALF,), (b": ping\n\n",), (HALF[:9], HALF[9:]), (HALF[:9], HALF[9:20], HALF[20:])])


@given(st.lists(items, min_size=1, max_size=10), st.data())
def test_gaps_are_those_that_a_walk_through_the_reads_finds(found, data):
    reads = [piece for item in found for piece in item]
    waits = data.draw(st.lists(st.sampled_from([0, 0.25, 1, 2, 2.25, 4]), min_size=len(reads), max_size=len(reads)))
    timeline = list(zip(accumulate(waits), reads, strict=True))
    table = timed(*timeline, provider="openai").gaps_table(2)
    assert [tuple(row)[1:6] for row in table.itertuples(index=False)] == expected_gaps(timeline, 2)
