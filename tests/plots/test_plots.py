"""The plots show what the tables hold, are labelled, and leave nothing behind."""

import json
import pickle

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure
from support.material import index, need, recordings
from support.timed import timed

import streamviz as sv
from streamviz.assembly.text import join_surrogates
from streamviz.plots import plot_repair
from streamviz.plots.growth import growth
from streamviz.plots.labels import families, named, shown
from streamviz.plots.timeline import LANES
from streamviz.plots.usage import BUCKETS
from streamviz.plots.when import CHUNK, CHUNK_UNTIMED, TIME
from streamviz.samples import SAMPLES, load_sample
from streamviz.tables.chunks import DELTA_KINDS

PLOTS = ("usage", "timeline", "gaps", "growth", "fragments", "repair")


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    before, open_figures = dict(mpl.rcParams), plt.get_fignums()
    yield
    assert plt.get_fignums() == open_figures
    assert dict(mpl.rcParams) == before


def plot(run, name, **options):
    return getattr(run, f"plot_{name}")(**options)


def own_lines(ax):
    """Return the lines that stand for data, by label."""
    return {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def words(ax):
    """Return every text that a reader sees."""
    found = [text.get_text() for text in ax.texts]
    found += [patch.get_text() for patch in ax.patches if hasattr(patch, "get_text")]
    return found + (legend(ax) if ax.get_legend() else [])


def frame(delta, **rest):
    return b"data: %b\n\n" % json.dumps({"choices": [{"index": 0, "delta": delta}]} | rest).encode()


def call(arguments, **rest):
    return frame({"tool_calls": [{"index": 0, "function": {"arguments": arguments} | rest}]})


def answer(name="a.sse", *, is_timed=True):
    """Seven chunks: thinking, text twice, a call in two pieces that lacks a brace, usage, the end mark."""
    reads = [
        frame({"reasoning_content": "Hm. "}),
        frame({"content": "Hel"}),
        frame({"content": "lo"}),
        call('{"city": "Pa', name="find"),
        call('ris"'),
        frame({}, usage={"prompt_tokens": 40, "completion_tokens": 9, "total_tokens": 49}),
        b"data: [DONE]\n\n",
    ]
    run = sv.StreamRun("openai", source=name)
    for number, data in enumerate(reads):
        run.feed(data, number / 4 if is_timed else None)
    return run.finish()


def samples():
    return [load_sample(name) for name in SAMPLES]


# -- data ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SAMPLES)
def test_usage_lines_are_the_columns_of_the_table(name):
    run = load_sample(name)
    table, lines = run.usage_table(), own_lines(run.plot_usage())
    drawn = 0
    for column, (label, *_) in BUCKETS.items():
        if label in lines:
            drawn += 1
            np.testing.assert_array_equal(lines[label].get_ydata(), table[column].to_numpy(float, na_value=np.nan))
            assert list(lines[label].get_xdata()) == list(table["chunk"])
            assert lines[label].get_drawstyle() == "steps-post"
    known = [column for column in ("input_tokens", "output_tokens") if table[column].notna().any()]
    assert all(BUCKETS[column][0] in lines for column in known)
    assert drawn == len(lines)


def test_counts_that_are_not_final_are_hollow_and_named_in_the_legend():
    ax = load_sample("anthropic-overloaded").plot_usage()
    assert "preliminary: no final report came" in legend(ax)
    marked = [line for line in ax.lines if line.get_label() == "_output_tokens" and line.get_marker() == "D"]
    assert [(len(line.get_xdata()), line.get_markerfacecolor()) for line in marked][1] == (1, "none")
    ax = load_sample("anthropic-thinking-calls").plot_usage()
    assert "preliminary: before the final report" in legend(ax)
    final = load_sample("openai-text").plot_usage()
    assert not any("preliminary" in words for words in legend(final))


def test_usage_says_when_reports_came_and_what_they_amount_to():
    ax = answer().plot_usage()
    assert legend(ax) == ["a.sse", "total  49", "input  40", "output  9", "1 report"]
    [rug] = [line for line in ax.lines if line.get_label() == "_reports"]
    assert list(rug.get_xdata()) == [1.25]


@pytest.mark.parametrize("name", SAMPLES)
def test_the_time_line_has_every_chunk_in_the_lane_of_its_kind(name):
    run = load_sample(name)
    ax = run.plot_timeline()
    kinds = run.chunks_table()["kind"]
    lines = own_lines(ax)
    assert sum(len(line.get_xdata()) for line in lines.values()) == len(run.chunks)
    labels = {text.get_text(): y for text, y in zip(ax.get_yticklabels(), ax.get_yticks(), strict=True)}
    for kind, rows in kinds.groupby(kinds):
        line = lines[LANES[kind][0]]
        assert list(line.get_xdata()) == list(rows.index)
        assert set(line.get_ydata()) == {labels[f"{LANES[kind][0]}  {len(rows):,}"]}


def test_every_kind_of_chunk_has_a_lane():
    assert set(DELTA_KINDS.values()) | {"error", "finish", "usage", "end", "start", "empty"} == set(LANES)


@pytest.mark.parametrize("name", SAMPLES)
def test_growth_ends_at_the_length_of_the_blocks(name):
    run = load_sample(name)
    lengths = {}
    for block in run.state.accumulators:
        if block.kind in ("text", "thinking", "refusal", "plan"):
            lengths[block.kind] = lengths.get(block.kind, 0) + len(block.pieces.text)
    grown = growth(run)
    assert {kind: at[1][-1] for kind, at in grown.items() if kind in lengths} == {k: n for k, n in lengths.items() if n}


def test_growth_is_what_came_chunk_by_chunk():
    lines = own_lines(answer().plot_growth())
    data = {label: line.get_xydata().tolist() for label, line in lines.items()}
    assert data == {
        "thinking": [[0.0, 4]],
        "text": [[0.25, 3], [0.5, 5]],
        "tool call arguments": [[0.75, 12], [1.0, 16]],
    }


def test_growth_falls_where_an_authoritative_text_is_shorter():
    event = "event: %s\ndata: %s\n\n"
    piece = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0}
    done = piece | {"type": "response.output_text.done", "text": "Hell"}
    events = [piece | {"delta": "Hello"}, piece | {"delta": " you"}, done]
    run = sv.read("".join(event % (one["type"], json.dumps(one)) for one in events).encode(), "openai-responses")
    assert run.payload.assistant_text == "Hell"
    [line] = own_lines(run.plot_growth()).values()
    assert line.get_xydata().tolist() == [[0, 5], [1, 9], [2, 4]]


def test_a_dot_of_the_gaps_is_a_chunk_and_its_wait():
    ax = answer().plot_gaps()
    lines = own_lines(ax)
    assert lines["text"].get_xydata().tolist() == [[0.25, 0.25], [0.5, 0.25]]
    assert lines["tool call"].get_xydata().tolist() == [[0.75, 0.25], [1.0, 0.25]]
    assert "median 250 ms" in legend(ax)
    assert ax.get_yscale() == "log"


def test_gaps_are_those_of_the_table():
    reads = [(0.5, frame({"content": "a"})), (4.0, b": ping\n\n"), (8.0, frame({"content": "b"}) * 2)]
    run = timed(*reads, provider="openai")
    ax = run.plot_gaps()
    [bars] = ax.collections
    assert [segment.tolist() for segment in bars.get_segments()] == [[[0.5, 7.5], [8.0, 7.5]]]
    assert run.gaps_table()["length_s"].tolist() == [7.5]
    assert legend(ax) == [
        "run", "text", "other chunks", "same read as the one before (1)", "gap: kept alive (1)", "median 3.75 s",
    ]  # fmt: skip
    assert "7.5 s" in words(ax)
    assert not run.plot_gaps(threshold_s=10).collections


@pytest.mark.parametrize("name", SAMPLES)
def test_bars_of_fragments_are_those_of_the_table(name):
    run = load_sample(name)
    calls, table = run.calls_table(), run.fragments_table()
    for number, row in enumerate(calls.itertuples()):
        ax = run.plot_fragments(call=number)
        rows = table[(table["choice"] == row.choice) & (table["call"] == row.call)]
        bars = sorted(
            (x, start, end)
            for line in own_lines(ax).values()
            if line.get_label() != "edits"
            for x, start, end in zip(line.get_xdata()[::3], line.get_ydata()[::3], line.get_ydata()[1::3], strict=True)
        )
        ends = rows["text"].str.len().cumsum()
        expected = zip(rows["chunk"], ends - rows["text"].str.len(), ends, strict=True)
        assert bars == sorted(expected)


def test_fragments_have_their_text_beside_them_and_the_edits_on_them():
    ax = answer().plot_fragments()
    assert [text.get_text() for text in ax.texts] == ['{"city": "Pa', 'ris"']
    assert own_lines(ax)["edits"].get_xydata().tolist() == [[1.0, 16]]
    assert legend(ax) == ["a.sse", "find: incomplete", "fragment (2)", "edit (1)"]


def test_a_repair_is_the_text_with_its_edits_marked():
    report = sv.repair_json("{'a': 1, \"b\": [2,],}")
    ax = plot_repair(report)
    drawn = [patch for patch in ax.patches if hasattr(patch, "get_text") and patch.get_gid() != "key"]
    assert "".join(p.get_text() for p in drawn if p.get_gid() in ("kept", "removed")) == report.raw
    assert "".join(p.get_text() for p in drawn if p.get_gid() in ("kept", "inserted")) == report.text
    assert [p.get_text() for p in ax.patches if p.get_gid() == "key"] == ["removed", "inserted"]
    strokes, grounds = len(ax.lines), sum(not hasattr(patch, "get_text") for patch in ax.patches)
    assert strokes == grounds == len([p for p in drawn if p.get_gid() != "kept"]) + 2  # the words of the key, too


def test_of_a_long_text_the_neighbourhood_of_the_edits_is_drawn():
    ax = plot_repair(sv.repair_json('{"a": "' + "x" * 5000 + '", }'), context=20)
    drawn = [patch.get_text() for patch in ax.patches if hasattr(patch, "get_text")]
    assert len("".join(drawn)) < 200
    assert any("characters" in text for text in drawn)
    starts = [text.get_text() for text in ax.get_yticklabels()]
    assert starts[0] == "0"


def test_a_text_with_thousands_of_edits_is_cut_and_says_so():
    ax = plot_repair(sv.repair_json("{" + "'k': 1, " * 3000 + "}"))
    assert len(ax.get_yticks()) == 18
    [rest] = [p.get_text() for p in ax.patches if p.get_gid() == "key" and "more" in p.get_text()]
    assert rest.endswith("characters more")


def test_outcomes_count_responses_and_calls():
    cut = sv.read(frame({"content": "Hi"})[:-9], "openai")
    limit = sv.read(b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}]}\n\n', "openai")
    error = sv.read(b'data: {"error":{"message":"no"}}\n\n', "openai")
    growing = sv.StreamRun("openai")
    ax = sv.plot_outcomes(iter([answer(), answer(), cut, limit, error, growing]))
    labels = [text.get_text() for text in ax.get_yticklabels()]
    widths = [bar.get_width() for bar in ax.patches]
    assert dict(zip(labels, widths, strict=True)) == {
        "complete": 2, "stopped at the token limit": 1, "cut": 1, "error": 1, "still arriving": 1, "incomplete": 2,
    }  # fmt: skip
    assert [text.get_text() for text in ax.texts if ":" in text.get_text()] == ["responses: 6", "tool calls: 2"]
    assert "2  (33 %)" in words(ax)


def test_outcomes_of_no_run_and_of_several_groups():
    ax = sv.plot_outcomes([])
    assert [text.get_text() for text in ax.texts] == ["responses: 0"]
    sv.plot_outcomes([answer()], ax=ax, name="$new_")
    assert "$new_: responses: 1" in words(ax)
    ax.figure.canvas.draw()


# -- axes ---------------------------------------------------------------------------------------------------------


def test_the_axis_is_the_time_where_it_was_recorded_and_says_so_where_not():
    for name in ("usage", "timeline", "growth", "fragments"):
        assert plot(answer(), name).get_xlabel() == TIME
        assert plot(answer(), name, against="chunk").get_xlabel() == CHUNK
        assert plot(answer(is_timed=False), name).get_xlabel() == CHUNK_UNTIMED
        with pytest.raises(ValueError, match="no recorded times"):
            plot(answer(is_timed=False), name, against="time")
        with pytest.raises(ValueError, match="against"):
            plot(answer(), name, against="frames")


def test_times_and_chunk_numbers_do_not_share_an_axis():
    ax = answer().plot_growth()
    with pytest.raises(ValueError, match="against='chunk'"):
        answer(is_timed=False).plot_growth(ax=ax)


def test_gaps_of_a_run_without_times_say_so():
    ax = answer(is_timed=False).plot_gaps()
    assert not ax.has_data()
    assert "no arrival times were recorded, and a plain file has none" in words(ax)
    assert ax.get_xlabel() == TIME
    assert ax.get_ylabel()


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("data", [b"", b": only a comment\n\n", b"\xff\xfe\x00", b"data: {}\n\n"])
def test_a_run_without_an_answer_gives_labelled_axes(name, data):
    ax = plot(sv.read(data), name)
    assert ax.get_ylabel()
    assert ax.get_xlabel() or name == "repair"
    assert words(ax)
    ax.figure.canvas.draw()


def test_there_is_no_call_of_that_number():
    for name in ("fragments", "repair"):
        with pytest.raises(IndexError, match="no call 3; the run has 1"):
            plot(answer(), name, call=3)
        assert plot(answer(), name, call=-1)


@pytest.mark.parametrize("name", PLOTS)
def test_two_runs_share_an_axes_and_are_told_apart_by_name(name):
    ax = plot(answer("_first$"), name)
    assert plot(answer("second^"), name, ax=ax) is ax
    seen = "\n".join(words(ax))
    assert "_first$" in seen
    assert "second^" in seen
    if name in ("usage", "growth"):
        assert {line.get_linestyle() for line in ax.lines if line.get_label()[0] != "_"} == {"-", "--"}
    if name in ("timeline", "repair"):
        rows = list(ax.get_yticks())
        assert len(set(rows)) == len(rows)
    ax.figure.canvas.draw()


def test_a_second_run_is_seen_whole():
    ax = timed((0.5, frame({"content": "abc"})), provider="openai").plot_growth()
    timed((9.0, frame({"content": "a" * 500})), provider="openai").plot_growth(ax=ax)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 500
    assert ax.get_xlim()[1] > 9
    ax = answer().plot_usage()
    high = frame({}, usage={"prompt_tokens": 7000, "completion_tokens": 2000})
    timed((3.0, high), provider="openai").plot_usage(ax=ax)
    assert ax.get_ylim()[0] == 0
    assert ax.get_ylim()[1] > 9000
    ax = answer().plot_fragments()
    timed((3.0, call('{"a": "' + "b" * 300, name="f")), provider="openai").plot_fragments(ax=ax)
    assert ax.get_ylim()[0] > 300 > 0 >= ax.get_ylim()[1]
    assert ax.get_xlim()[1] > 3


@pytest.mark.parametrize("name", PLOTS)
def test_many_runs_share_an_axes(name):
    figure = Figure(figsize=(3, 2), layout="constrained")
    small, own = figure.add_subplot(), None
    for sample in SAMPLES:
        own = plot(load_sample(sample), name, ax=own)
        plot(load_sample(sample), name, ax=small)
    own.figure.canvas.draw()  # warns where there is no room for the Axes beside the legend
    figure.draw_without_rendering()


def test_an_empty_run_and_a_full_one_share_an_axes():
    ax = sv.read(b"").plot_growth(against="chunk")
    answer("full").plot_growth(ax=ax, against="chunk")
    assert legend(ax)[:3] == ["run", "no text, thinking or arguments came", "full"]
    assert not ax.texts  # what stood in the middle is in the legend only
    ax.figure.canvas.draw()


def test_what_the_legend_held_before_stays():
    ax = Figure().add_subplot()
    ax.plot([0, 1], [0, 1], label="$x^2$")
    ax.legend()
    answer().plot_growth(ax=ax)
    texts = ax.get_legend().get_texts()
    assert texts[0].get_text() == "$x^2$"
    assert texts[0].get_parse_math()
    assert not any(text.get_parse_math() for text in texts[1:])


@pytest.mark.parametrize("name", PLOTS)
def test_an_axes_of_ones_own_is_returned_and_keeps_its_ground(name):
    figure, ax = plt.subplots()
    try:
        ax.set_facecolor("#202020")
        assert plot(answer(), name, ax=ax) is ax
        assert mpl.colors.to_hex(ax.get_facecolor()) == "#202020"
        if ax.get_legend():
            written = ax.get_legend().get_texts()[0].get_color()
            assert mpl.colors.to_hex(written) == "#e6e6e6"  # for a dark ground
        figure.canvas.draw()
    finally:
        plt.close(figure)


def test_style_is_the_ground_and_the_text_on_it():
    light, dark, both = (answer().plot_growth(style=style) for style in ("light", "dark", "auto"))
    assert mpl.colors.to_hex(light.figure.get_facecolor()) == "#ffffff"
    assert mpl.colors.to_hex(dark.figure.get_facecolor()) == "#111111"
    assert both.figure.get_facecolor()[3] == 0
    assert own_lines(light)["text"].get_color() == "#0072B2"
    assert own_lines(dark)["text"].get_color() == "#56B4E9"
    with pytest.raises(ValueError, match="'auto', 'light', 'dark'"):
        answer().plot_growth(style="neon")


@pytest.mark.parametrize("style", ["auto", "light", "dark"])
def test_text_can_be_read_on_its_ground(style):
    def luminance(colour):
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mpl.colors.to_rgb(colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    ax = answer().plot_growth(style=style)
    ground = ax.figure.get_facecolor()
    for against in [ground] if ground[3] else ["#ffffff", "#212121"]:  # the grounds of JupyterLab's cells
        for text in (ax.xaxis.label, ax.get_legend().get_texts()[0], ax.get_xticklabels()[0]):
            low, high = sorted((luminance(text.get_color()), luminance(against)))
            assert (high + 0.05) / (low + 0.05) >= (4.5 if ground[3] else 3.8)


# -- in a notebook ------------------------------------------------------------------------------------------------


def test_the_axes_shows_itself_in_a_notebook():
    from IPython.core.formatters import DisplayFormatter

    data, about = DisplayFormatter().format(answer().plot_usage())
    assert data["image/png"].startswith(b"\x89PNG")
    assert about["image/png"] == {"width": 730, "height": 346}
    assert data["text/plain"].startswith("<PlotAxes: ")


@pytest.mark.parametrize("name", PLOTS)
def test_the_same_plot_is_the_same_bytes(name):
    first, second = (plot(answer(), name)._repr_png_()[0] for _ in range(2))
    assert first == second
    assert b"Software" not in first


def test_a_figure_can_be_pickled_and_saved_as_vectors(tmp_path):
    for name in PLOTS:
        ax = pickle.loads(pickle.dumps(plot(answer(), name)))
        for suffix in ("svg", "pdf"):
            ax.figure.savefig(tmp_path / f"{name}.{suffix}")


def test_settings_of_the_user_do_not_make_names_formulas():
    with mpl.rc_context({"text.usetex": True, "axes.formatter.use_mathtext": True, "font.family": "serif"}):
        ax = answer("$\\frac{").plot_growth()
        assert families()[0] == "DejaVu Serif"
        texts = [ax.xaxis.label, ax.yaxis.label, *ax.get_legend().get_texts()]
        assert not any(text.get_usetex() or text.get_parse_math() for text in texts)


# -- what streams may hold ----------------------------------------------------------------------------------------

HOSTILE = [
    "_begins", "$x$", "$\\frac{", "a^b_c", "\U0001f600", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u4e2d\u6587",
    "\ud800", "nul\x00", "\u202eabc", "<script>", "y" * 100_000, "two\nlines", "\u05e2\u05d1\u05e8", "\\", "%s{}", "",
    "\U000e0041", "\U0010ffff", "\ue000",
]  # fmt: skip


def hostile(text, name):
    reads = [
        (0.0, frame({"content": text, "reasoning_content": text})),
        (0.5, call("{'a': \"" + text, name=text)),
        (1.0, call(text)),
        (1.5, frame({}, usage={"prompt_tokens": 3, "completion_tokens": 5, text or "x": text})),
    ]
    run = timed(*reads, provider="openai")
    run.recording.source = name
    return run


@pytest.mark.parametrize("name", PLOTS)
@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: ascii(text)[:20])
def test_names_and_texts_are_shown_as_they_are(name, text):
    ax = plot(hostile(text, text or None), name)
    plot(hostile(text, "second"), name, ax=ax)
    ax.figure.canvas.draw()
    texts = [*ax.texts, *(ax.get_legend().get_texts() if ax.get_legend() else ())]
    assert not any(one.get_parse_math() or one.get_usetex() for one in texts)
    head = named(text or "run")
    assert any(head in seen for seen in words(ax))
    for seen in words(ax):
        assert seen.isprintable() or "\u200d" in seen or "\ue000" in seen
        assert len(seen) < 500


def test_what_no_font_has_is_shown_by_its_number():
    assert shown("a\x00b") == "a<U+0000>b"
    assert shown("\ud800") == "\ufffd"
    assert shown("\u202e") == "<U+202E>"
    assert shown("\U0010ffff") == "<U+10FFFF>"
    assert shown("$\\frac{") == "$\\frac{"
    assert len(named("\x00" * 100)) <= 40
    assert named("a/b.sse") == "a/b.sse"


@pytest.mark.parametrize("times", [(float("nan"), 1.0, 2.0), (0.0, float("inf"), 1e308), (-5.0, -4.0, -4.0), (3, 2, 1)])
def test_times_that_cannot_be_are_drawn_as_far_as_they_can(times):
    run = timed(*((time_s, frame({"content": "a"})) for time_s in times), provider="openai")
    for name in PLOTS:
        plot(run, name).figure.canvas.draw()


def test_plots_do_not_change_the_run():
    run = answer()
    before = run.to_dict()
    for name in PLOTS:
        plot(run, name)
    assert run.to_dict() == before


# -- many ---------------------------------------------------------------------------------------------------------


def test_there_is_no_artist_for_each_chunk():
    run = sv.StreamRun("openai")
    for number in range(3000):
        run.feed(frame({"content": "a"}), number / 100)
    run.feed(call('{"a": "', name="f"), 31.0)
    for number in range(3000):
        run.feed(call("b"), 31 + number / 100)
    run.finish()
    for name in PLOTS:
        ax = plot(run, name)
        assert len(ax.get_children()) < 60, name
        ax.figure.canvas.draw()


def spread():
    """Return about 150 recordings of all systems, and all that hold tool calls."""
    need_calls = {row["file"] for row in index() if row["has_tool_calls"]}
    chosen = []
    for path in recordings():
        of_system = [other for other in chosen if other.parent.name == path.parent.name]
        if len(of_system) < 14:
            chosen.append(path)
    rest = [path for path in recordings() if f"{path.parent.name}/{path.name}" in need_calls and path not in chosen]
    return chosen, rest


PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_every_plot_of_the_recordings_is_made_without_a_warning(part):
    chosen, rest = spread()
    for number, path in enumerate(chosen[part::PARTS]):
        run = sv.read(path)
        for name in PLOTS:
            ax = plot(run, name)
            assert ax.get_ylabel()
            if number % 4 == 0:
                ax.figure.canvas.draw()
    for path in rest[part::PARTS]:
        run = sv.read(path)
        for number in range(min(len(run.calls_table()), 2)):
            run.plot_fragments(call=number)
            plot_repair(run, call=number)


@pytest.mark.parametrize("part", range(PARTS))
def test_the_lines_of_the_recordings_are_the_columns_of_their_tables(part):
    for path in spread()[0][part::PARTS]:
        run = sv.read(path)
        table, lines = run.usage_table(), own_lines(run.plot_usage())
        for column, (label, *_) in BUCKETS.items():
            if label in lines:
                expected = table[column].to_numpy(float, na_value=np.nan)
                np.testing.assert_array_equal(lines[label].get_ydata(), expected)
        chunks = run.chunks_table()
        drawn = own_lines(run.plot_timeline())
        for kind, rows in chunks.groupby("kind"):
            assert list(drawn[LANES[kind][0]].get_xdata()) == list(rows["chunk"])
        deltas = run.deltas_table()
        if not deltas["replaced"].any() and not deltas["text"].str.contains("\ufffd").any():
            own = deltas[deltas["kind"] == "text"].dropna(subset="block")
            added = own.groupby("chunk")["chars"].sum()
            added = added[added > 0].cumsum()
            if len(added) and "text" in growth(run):
                at, characters = growth(run)["text"]
                assert (list(at), list(characters)) == (list(added.index), list(added))
        assert join_surrogates(named(run.name)) == named(run.name)


def test_outcomes_of_the_recordings():
    need(recordings()[0])
    chosen = spread()[0]
    ax = sv.plot_outcomes(map(sv.read, chosen))
    assert f"responses: {len(chosen)}" in words(ax)
    ax.figure.canvas.draw()
