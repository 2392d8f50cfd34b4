"""The what-ifs: cut, other reads, damage, lost frames, no end. Each is a new run, and leaves its own alone."""

import re
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from laws.strategies import streams
from support.cuts import everything
from support.material import recordings
from support.wire import sse

import streamviz as sv
from streamviz.corruption import CORRUPTIONS
from streamviz.framing.encode import bedrock_event
from streamviz.samples import SAMPLES, load_sample
from streamviz.whatifs import corrupt

SAMPLE_NAMES = list(SAMPLES)


def chat(text):
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


def timed(*reads, provider=None, **options):
    """A run whose read n came at n + 1 seconds."""
    run = sv.StreamRun(provider, **options)
    for number, data in enumerate(reads, start=1):
        run.feed(data, float(number))
    return run.finish()


# -- cut --------------------------------------------------------------------------------------------------------------


def test_a_cut_keeps_the_reads_before_it_with_their_times():
    run = timed(b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n")
    shorter = run.cut(12)
    assert shorter.recording.reads == [b"data: 1\n\n", b"dat"]
    assert list(shorter.recording.times_s) == [1.0, 2.0]
    assert shorter.finished
    assert shorter.name == "run, cut at byte 12"
    assert run.recording.size == 27


def test_a_cut_counts_from_the_end_as_a_slice_does():
    run = sv.read(b"data: 1\n\ndata: 2\n\n")
    assert run.cut(-4).recording.data == b"data: 1\n\ndata:"
    assert run.cut(-99).recording.data == b""
    assert run.cut(99).recording.data == run.recording.data


def test_a_cut_behind_chunks():
    run = sv.read(b"data: 1\n\ndata: 2\n\n: three\n\n")
    assert [run.cut(chunk=k).recording.data for k in (0, 1, -1)] == [b"", b"data: 1\n\n", b"data: 1\n\ndata: 2\n\n"]
    assert run.cut(chunk=2).name == "run, cut behind 2 of 3 chunks"


def test_a_cut_is_at_one_place():
    run = sv.read(b"data: 1\n\n")
    with pytest.raises(TypeError, match="one of the two"):
        run.cut()
    with pytest.raises(TypeError, match="one of the two"):
        run.cut(1, chunk=1)


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_a_cut_at_the_end_changes_nothing(name):
    run = load_sample(name)
    assert everything(run.cut(run.recording.size)) == everything(run)
    assert everything(run.cut(chunk=len(run.chunks))) == everything(run)


# -- what stays -------------------------------------------------------------------------------------------------------


def test_dialect_options_and_request_stay():
    data = sse(chat("<think>a</think>b"), {"choices": [{"delta": {"tool_calls": [
        {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":1,}'}}]}}]})  # fmt: skip
    run = sv.read(data, "deepseek", repair="off", tools={"f": {"type": "object"}, "g": None}, reasoning_tags=True)
    run.recording.request, run.recording.status, run.recording.headers = {"model": "m"}, 200, {"via": "x"}
    other = run.resplit(7)
    assert everything(other) == everything(run)
    assert (other.provider, other.vendor) == ("deepseek", "deepseek")
    assert (other.payload.thinking, other.payload.calls[0].status) == ("a", run.payload.calls[0].status)
    known = other.recording
    assert (known.request, known.status, known.headers) == ({"model": "m"}, 200, {"via": "x"})


def test_a_dialect_that_was_found_stays_where_nothing_is_left_to_find_it_by():
    run = sv.read(sse({"type": "message_start", "message": {"id": "m", "usage": {}}}, {"type": "ping"}))
    assert run.dialect == "anthropic"
    assert run.drop(0).dialect == "anthropic"
    assert run.cut(0).dialect == "anthropic"


def test_bedrock_is_settled_to_what_it_turned_out_to_be():
    run = sv.read(bedrock_event("messageStart", {"role": "assistant"}), provider="bedrock")
    assert run.cut(0).dialect == "bedrock-converse"


def test_an_aborted_run_stays_aborted_and_a_strict_one_may_be_damaged():
    run = sv.StreamRun("openai")
    run.feed(sse(chat("Hi")))
    run.finish(aborted=True)
    assert run.resplit(3).payload.ended == "aborted"
    strict = sv.read(sse({"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]}, "[DONE]"), strict=True)
    assert strict.cut(20).payload.ended == "torn"


def test_a_run_made_of_events_stays_marked():
    assert sv.from_events([chat("Hi")]).drop(slice(0, 0)).synthetic


# -- other reads ------------------------------------------------------------------------------------------------------


def test_other_reads_come_when_their_last_byte_came():
    run = timed(b"data: 1\n\n", b"data: 2\n\n")
    other = run.resplit([3, 6, 1])
    assert other.recording.reads == [b"dat", b"a: 1\n\n", b"d", b"ata: 2\n\n"]
    assert list(other.recording.times_s) == [1.0, 1.0, 2.0, 2.0]
    assert [len(read) for read in run.resplit(cycle([4, 1])).recording.reads] == [4, 1, 4, 1, 4, 1, 3]


def test_reads_by_chance_are_the_same_for_one_seed():
    run = load_sample("openai-text")
    reads = [run.resplit(seed=seed).recording.reads for seed in (1, 1, 2)]
    assert reads[0] == reads[1] != reads[2]
    assert b"".join(reads[2]) == run.recording.data


def test_reads_that_cannot_be():
    run = sv.read(b"data: 1\n\n")
    for sizes in (0, [3, 0], -1):
        with pytest.raises(ValueError, match="at least 1 byte"):
            run.resplit(sizes)
    with pytest.raises(TypeError, match="one of the two"):
        run.resplit()
    assert sv.read(b"").resplit(3).recording.reads == []


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_other_reads_make_the_same_of_any_stream(data):
    _, body = data.draw(streams)
    run = sv.read(body)
    sizes = data.draw(st.lists(st.integers(1, 400), max_size=20))
    assert everything(run.resplit(sizes)) == everything(run)
    assert everything(run.resplit(seed=data.draw(st.integers(0, 99)))) == everything(run)


# -- damage -----------------------------------------------------------------------------------------------------------

TWO = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"choices":[{"delta":{"content":"b"}}]}\n\n'
FIRST, SECOND = TWO[:47], TWO[47:]


def test_the_table_in_the_documentation_is_the_table():
    rows = re.findall(r"^    ([a-z0-9-]+) {2,}(\S.*)$", corrupt.__doc__, re.MULTILINE)
    assert [row for row in rows if row != ("kind", "what happened")] == [
        (name, kind.doc) for name, kind in CORRUPTIONS.items()
    ]


def test_a_kind_that_does_not_exist():
    with pytest.raises(ValueError, match=r"one of flip-bit, drop-byte, .* not 'melt'"):
        sv.read(TWO).corrupt("melt")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("duplicate-frame", {FIRST * 2 + SECOND, FIRST + SECOND * 2}),
        ("drop-frame", {FIRST, SECOND}),
        ("swap-frames", {SECOND + FIRST}),
        ("restart", {FIRST + TWO}),
        ("keep-alive", {FIRST + b": keep-alive\n\n" + SECOND}),
        ("cr", {TWO.replace(b"\n", b"\r")}),
        ("drop-blank-lines", {TWO.replace(b"\n\n", b"\n")}),
        ("bom", {b"\xef\xbb\xbf" + TWO}),
        ("chunk-sizes", {b"5e\r\n" + TWO + b"\r\n0\r\n\r\n"}),
        ("drop-read", {b""}),
        ("duplicate-read", {TWO * 2}),
    ],
)
def test_what_a_kind_does(kind, expected):
    run = sv.read(TWO)
    assert {run.corrupt(kind, seed).recording.data for seed in range(20)} == expected


def test_kinds_that_change_one_byte():
    run = sv.read(TWO)
    flipped = run.corrupt("flip-bit", 3).recording.data
    (place,) = [n for n, pair in enumerate(zip(TWO, flipped, strict=True)) if pair[0] != pair[1]]
    assert (TWO[place] ^ flipped[place]).bit_count() == 1
    assert run.corrupt("flip-bit", 3).name == f"run, flip-bit (at byte {place}), seed 3"
    assert len(run.corrupt("drop-byte").recording.data) == len(TWO) - 1
    assert len(run.corrupt("insert-byte").recording.data) == len(TWO) + 1


def test_kinds_that_hurt_letters():
    body = sse(chat("é"))
    place = body.index(b"\xc3")
    run = timed(body[: place + 1], body[place + 1 :])
    assert run.corrupt("mojibake").payload.assistant_text == "Ã©"
    assert run.corrupt("decode-reads").payload.assistant_text == "\ufffd\ufffd"
    assert run.corrupt("bad-utf8").payload.assistant_text == "\ufffd"
    assert run.corrupt("gzip").payload.diagnostics[0].code == "not-a-stream"
    assert b"\xff" in sv.read(TWO).corrupt("bad-utf8").recording.data


def test_a_truncated_read_leaves_the_others():
    run = timed(FIRST, SECOND)
    other = run.corrupt("truncate-read", 1)
    assert other.recording.size < run.recording.size
    assert SECOND in other.recording.reads or FIRST in other.recording.reads
    assert [FIRST, SECOND, b""].count(other.recording.reads[0]) <= 1


def test_event_lines_get_lost():
    run = sv.read(b'event: ping\r\ndata: {"type":"ping"}\r\n\r\n')
    assert run.corrupt("drop-event-lines").recording.data == b'data: {"type":"ping"}\r\n\r\n'


def call_delta(arguments, **more):
    return {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": arguments}, **more}]}}]}


def test_a_quote_is_lost_in_the_arguments_only():
    body = sse(chat('say "a"'), call_delta('{"q": ', id="c"), call_delta('"é"}'))
    run = sv.read(body, "openai")
    seen = {run.corrupt("drop-quote", seed).payload.calls[0].raw_arguments for seed in range(30)}
    assert seen == {'{q": "é"}', '{"q: "é"}', '{"q": é"}', '{"q": "é}'}
    assert run.corrupt("drop-quote").payload.assistant_text == 'say "a"'
    assert run.corrupt("drop-colon").payload.calls[0].raw_arguments == '{"q" "é"}'
    assert run.corrupt("drop-comma").name == "run, no place for drop-comma"
    assert run.corrupt("drop-comma").recording.data == body


def test_a_brace_is_lost_inside_a_checksummed_message():
    body = bedrock_event(
        "contentBlockStart", {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t", "name": "f"}}}
    )
    body += bedrock_event("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"toolUse": {"input": '{"a":1}'}}})
    run = sv.read(body)
    seen = set()
    for seed in range(8):
        payload = run.corrupt("drop-brace", seed).payload
        seen.add(payload.calls[0].raw_arguments)
        assert not [d for d in payload.diagnostics if "crc" in d.code]
    assert seen == {'"a":1}', '{"a":1'}


def test_a_brace_is_lost_in_the_events_that_bedrock_carries_in_base64():
    run = load_sample("bedrock-invoke-claude")
    before, after = run.payload.calls[0].raw_arguments, run.corrupt("drop-brace").payload.calls[0].raw_arguments
    assert len(after) == len(before) - 1
    assert sorted([*after, "{"]) == sorted(before) or sorted([*after, "}"]) == sorted(before)


def test_all_that_repeats_the_arguments_has_the_damage():
    run = load_sample("responses-reasoning-call")
    call = run.corrupt("drop-colon", 2).payload.calls[0]
    assert call.raw_arguments.count(":") == run.payload.calls[0].raw_arguments.count(":") - 1


# -- lost frames, and no end ------------------------------------------------------------------------------------------


def test_frames_that_are_dropped():
    run = sv.read(b"data: 0\n\ndata: 1\n\ndata: 2\n\n")
    assert run.drop(1).recording.data == b"data: 0\n\ndata: 2\n\n"
    assert run.drop([0, -1]).recording.data == b"data: 1\n\n"
    assert run.drop(slice(None)).recording.data == b""
    assert run.drop(range(2)).name == "run, without frames 0 to 1"
    with pytest.raises(IndexError, match="no frame 3: the run has 3"):
        run.drop([3])


def test_an_array_stays_an_array_whichever_element_goes():
    run = sv.read(b'[{"a":0},\n{"a":1},\n{"a":2}]')
    assert run.drop(0).recording.data == b'[{"a":1},\n{"a":2}]'
    assert run.drop([0, 1]).recording.data == b'[{"a":2}]'
    assert run.drop(1).recording.data == b'[{"a":0},\n{"a":2}]'
    assert run.drop([0, 1, 2]).recording.data == b"]"


COHERE = {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "a"}}}}
OLLAMA = b'{"message":{"content":"a"},"done":false}\n'
RESPONSES = {"type": "response.output_text.delta", "delta": "a"}
GEMINI = b'[{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}'
ENDS = {
    "openai": (sse(chat("a")), b"data: [DONE]\n\n: bye\n\n"),
    "anthropic": (sse({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}), sse({"type": "message_stop"})),
    "responses": (sse(RESPONSES), sse({"type": "response.completed", "response": {}})),
    "google": (GEMINI, b"\n]\n"),
    "cohere": (sse(COHERE), sse({"type": "message-end", "delta": {"finish_reason": "COMPLETE"}})),
    "ollama": (OLLAMA, b'{"message":{"content":""},"done":true,"done_reason":"stop"}\n'),
    "ai-sdk-ui": (sse({"type": "text-delta", "id": "0", "delta": "a"}), sse({"type": "finish"}, "[DONE]")),
    "ag-ui": (sse({"type": "TEXT_MESSAGE_CONTENT", "messageId": "m", "delta": "a"}), sse({"type": "RUN_FINISHED"})),
    "mistral": (sse(chat("a")), sse("[DONE]")),
    "langgraph": (b"event: messages\ndata: []\n\n", b"event: end\ndata: null\n\n"),
}


@pytest.mark.parametrize("provider", ENDS)
def test_without_its_end_mark_and_what_follows(provider):
    kept, end = ENDS[provider]
    other = sv.read(kept + end, provider).without_end()
    assert other.recording.data == kept
    assert other.payload.ended in ("clean", "torn")


@pytest.mark.parametrize("name", ["gemini-thoughts-call", "bedrock-converse"])
def test_a_stream_that_has_no_end_mark(name):
    run = load_sample(name)
    assert run.without_end().recording.data == run.recording.data
    assert run.without_end().name == f"{run.name}, which has no end mark"


# -- whatever comes ---------------------------------------------------------------------------------------------------


@given(st.data())
@settings(deadline=None, max_examples=100)
def test_nothing_raises_for_any_stream(data):
    _, body = data.draw(streams)
    run = sv.read(body)
    assert everything(run.cut(len(body))) == everything(run)
    run.cut(data.draw(st.integers(-len(body) - 3, len(body) + 3))).payload  # noqa: B018
    for kind in CORRUPTIONS:
        run.corrupt(kind, data.draw(st.integers(0, 9))).payload  # noqa: B018
    if run.frames:
        run.drop(data.draw(st.lists(st.integers(-len(run.frames), len(run.frames) - 1)))).payload  # noqa: B018
    run.without_end().payload  # noqa: B018


def test_nothing_raises_for_the_recordings():
    for path in recordings(largest=3000):
        run = sv.read(path)
        assert everything(run.cut(run.recording.size)) == everything(run), path
        for kind in CORRUPTIONS:
            run.corrupt(kind, 1).payload  # noqa: B018
        run.cut(run.recording.size // 2).payload  # noqa: B018
        run.drop(slice(None, None, 2)).payload  # noqa: B018
        run.without_end().payload  # noqa: B018
        assert run.resplit(seed=1).payload == run.payload, path


@pytest.mark.parametrize("name", SAMPLE_NAMES)
@pytest.mark.parametrize("kind", CORRUPTIONS)
def test_every_kind_on_every_sample(name, kind):
    run = load_sample(name)
    other = run.corrupt(kind, 5)
    assert other.recording.data == run.corrupt(kind, 5).recording.data
    assert other.payload.to_dict()
