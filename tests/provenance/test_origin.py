"""Which bytes produced which letter: right for every letter, or said not to be known."""

import json
import random
from binascii import a2b_base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.strategies import streams
from support.material import MATERIAL, recordings

import streamviz as sv

SYSTEMS = sorted({path.parent.name for path in recordings()}) if (MATERIAL / "recordings").exists() else []


def texts(run):
    """Every text of an answer, and how to ask for the origin of its letters."""
    for payload in run.payloads:
        for what in ("text", "thinking", "refusal", "plan"):
            whole = "".join(block.text for block in payload.blocks if block.kind == what)
            yield whole, lambda at, what=what, choice=payload.choice: run.origin(what, at, choice=choice)
        for call in (*payload.calls, *payload.server_tools):
            yield (
                call.raw_arguments,
                lambda at, call=call, choice=payload.choice: run.origin("arguments", at, call=call, choice=choice),
            )


def letter(run, found):
    """What the bytes of an origin say, read by the standard library."""
    data = run.recording.slice(found.start, found.end)
    for read in (lambda: json.loads(b'"' + data + b'"', strict=False), data.decode):
        try:
            return read()
        except ValueError:
            continue
    return None


def sample(whole, most, seed=0):
    return random.Random(f"{seed}{whole[:40]}").sample(range(len(whole)), min(most, len(whole)))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_letters_of_every_recording_come_from_bytes_that_say_them(system):
    asked = exact = 0
    for path in recordings():
        if path.parent.name != system:
            continue
        run = sv.read(path)
        for whole, ask in texts(run):
            for at in sample(whole, 6):
                found = ask(at)
                assert found.frame_start <= found.start <= found.end <= found.frame_end
                assert (found.frame_start, found.frame_end) == (
                    run.frames[found.chunk].start,
                    run.frames[found.chunk].end,
                )
                asked += 1
                exact += found.exact
                if not found.exact:
                    continue
                if run.dialect == "bedrock-invoke" and letter(run, found) != whole[at]:
                    inside = a2b_base64(run.recording.slice(found.start, found.end))
                    assert whole[at].encode()[:1] in inside or b"\\" in inside
                elif letter(run, found) != whole[at]:  # half of an escape, in arguments that the wire carries as JSON
                    data = run.recording.slice(found.start, found.end)
                    assert data.startswith(b"\\")
                    assert whole[at].encode() in data
    assert exact >= 0.95 * asked


@pytest.mark.parametrize("system", SYSTEMS)
def test_another_letter_in_these_bytes_is_another_letter_of_the_answer(system):
    """The strongest witness there is: change the bytes of one letter, read again, and look what changed."""
    tried = 0
    for path in recordings(largest=30_000):
        if path.parent.name != system or tried > 40:
            continue
        run = sv.read(path)
        if run.framing == "eventstream":
            continue  # its checksums would say that the message is damaged
        answers = list(texts(run))
        for number, (whole, ask) in enumerate(answers):
            for at in sample(whole, 2, "changed"):
                found = ask(at)
                other = "Q" if whole[at] != "Q" else "q"
                if not found.exact or not whole[at].isalnum():
                    continue
                data = run.recording.data
                changed = sv.read(data[: found.start] + other.encode() + data[found.end :], run.dialect)
                again = [text for text, _ in texts(changed)]
                if run.payload.calls and len(again) != len(answers):
                    continue  # a letter of JSON that made another value of it
                expected = whole[:at] + other + whole[at + 1 :]
                assert again[number] in (expected, whole) if repeated(run) else again[number] == expected
                tried += 1
    assert tried or system in ("bedrock-converse", "bedrock-invoke")


def repeated(run):
    """Whether the stream says its answer again, so that the other place contradicts."""
    return any("snapshot-differs" not in run.state.said and chunk.answer for chunk in run.chunks) or any(
        getattr(delta, "snapshot", False) or getattr(delta, "whole", False)
        for chunk in run.chunks
        for delta in chunk.deltas
    )


@given(streams, st.data())
def test_the_letters_of_a_drawn_stream_come_from_bytes_that_say_them(stream, draw):
    provider, data = stream
    run = sv.read(data, provider)
    for whole, ask in texts(run):
        if whole:
            at = draw.draw(st.integers(0, len(whole) - 1))
            found = ask(at)
            if found.exact and run.dialect != "bedrock-invoke" and "\ufffd" not in whole:
                assert letter(run, found) == whole[at]


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_numbers_of_every_recording_add_up_to_its_usage(system):
    for path in recordings():
        if path.parent.name != system:
            continue
        run = sv.read(path)
        usage = run.payload.usage
        for name in ("input_tokens", "output_tokens", "total_tokens", "cache_read_input_tokens"):
            if usage is None or getattr(usage, name) is None:
                continue
            found = run.origins(name)
            assert run.origin("usage", name) == found[0]
            if run.dialect != "bedrock-invoke" and all(one.exact for one in found):
                assert sum(float(letter(run, one)) for one in found) == getattr(usage, name)


FRAME = 'data: {"choices":[{"delta":{"role":"assistant","content":%s}}]}\n\n'


def read(*pieces, **options):
    return sv.read("".join(FRAME % json.dumps(piece) for piece in pieces).encode(), "openai", **options)


@pytest.mark.parametrize("text", ["assistant", "content", "role", "x"])
def test_a_letter_that_stands_twice_in_a_frame_is_found_where_it_counts(text):
    run = read(text)
    start = FRAME.index("%s") + 1
    assert [run.origin("text", at).start for at in range(len(text))] == list(range(start, start + len(text)))


def test_escapes_and_pairs_are_one_letter_each():
    run = read('a"\n', "é🍸")
    data = run.recording.data
    ranges = [run.origin("text", at) for at in range(5)]
    assert [data[o.start : o.end] for o in ranges] == [b"a", b'\\"', b"\\n", b"\\u00e9", b"\\ud83c\\udf78"]


def test_a_pair_that_was_cut_in_two_is_found_in_the_first_half():
    run = read("\ud83c", "\udf78!")
    assert run.payload.assistant_text == "🍸!"
    assert [run.origin("text", at).chunk for at in (0, 1)] == [0, 1]
    assert run.recording.slice(run.origin("text", 1).start, run.origin("text", 1).end) == b"!"


def test_several_data_lines_are_one_text():
    data = b'event: x\ndata: {"choices":[{"delta":\ndata: {"content":"Hi"}}]}\n\n'
    found = sv.read(data, "openai").origin("text", 1)
    assert data[found.start : found.end] == b"i"


def test_reasoning_between_tags_has_its_own_letters():
    run = read("<thi", "nk>abc</th", "ink>xyz", reasoning_tags=True)
    assert (run.payload.thinking, run.payload.assistant_text) == ("abc", "xyz")
    data = run.recording.data
    for what, text in (("thinking", "abc"), ("text", "xyz")):
        found = [run.origin(what, at) for at in range(3)]
        assert b"".join(data[o.start : o.end] for o in found).decode() == text
        assert len({o.chunk for o in found}) == 1


def test_a_text_that_replaced_another_comes_from_the_chunk_that_replaced_it():
    chunks = [sv.TextDelta("abc"), sv.TextDelta("abX", snapshot=True), sv.TextDelta("abXd", snapshot=True)]
    state = sv.AssemblyState()
    for delta in chunks:
        sv.route_chunk(state, sv.NormalizedChunk((delta,)))
    history = sv.history.History([sv.NormalizedChunk((delta,)) for delta in chunks], [1, 2, 3])
    assert [history.chunk_of(history.row_at(0, at))[0] for at in range(4)] == [1, 1, 1, 2]
    assert history.row_at(0, 4) is None


def call_of(*fragments):
    call = '{"index":0,%s"function":{"name":"f","arguments":%s}}'
    frames = [
        'data: {"choices":[{"delta":{"tool_calls":[' + call % ('"id":"c9",' * (not n), json.dumps(text)) + "]}}]}\n\n"
        for n, text in enumerate(fragments)
    ]
    return sv.read("".join(frames).encode(), "openai")


def test_an_edit_comes_from_the_fragment_it_falls_in():
    run = call_of('{"a": 1,', ' "b": "x')
    data = run.recording.data
    for edit in run.payload.calls[0].repair.edits:
        found = run.origin(edit)
        assert (found.chunk, data[found.start : found.end]) == (1, b"x")
    with pytest.raises(LookupError, match="no edit of this run"):
        run.origin(sv.Edit(rule="x", level="guess", position=0))


def test_calls_are_named_by_number_by_id_or_by_themselves():
    run = call_of("{}")
    (call,) = run.payload.calls
    assert run.origin("arguments", -1, call="c9") == run.origin("arguments", 1, call=call) == run.origin("arguments", 1)


@pytest.mark.parametrize(
    ("what", "at", "error", "words"),
    [
        ("text", 0, IndexError, "text has 0 characters"),
        ("arguments", 99, IndexError, "2 characters; there is no character 99"),
        ("usage", "input_tokens", LookupError, "says anything of input_tokens"),
        ("usage", "tokens", ValueError, "'tokens' is none of them"),
        ("txt", 0, ValueError, "not 'txt'"),
        ("text", "0", TypeError, "is a number"),
    ],
)
def test_what_is_not_there_is_said(what, at, error, words):
    with pytest.raises(error, match=words):
        call_of("{}").origin(what, at)


def test_a_call_that_is_not_there_is_said_with_those_that_are():
    with pytest.raises(LookupError, match="c9"):
        call_of("{}").origin("arguments", 0, call="c1")


def test_times_and_reads_are_those_of_the_last_byte_of_the_letter():
    data = (FRAME % '"Hello"').encode()
    at = data.index(b"llo")
    run = sv.StreamRun("openai")
    run.feed(data[:at], time_s=0.5)
    run.feed(data[at:], time_s=0.75)
    run.finish()
    found = [run.origin("text", at) for at in range(5)]
    assert [(o.read, o.time_s) for o in found] == [(0, 0.5)] * 2 + [(1, 0.75)] * 3


def test_a_text_is_found_across_chunks_and_in_arguments():
    run = read("Hel", "lo, hel", "lo")
    assert [(m.start, m.end, m.first.chunk, m.last.chunk) for m in run.find("lo")] == [(3, 5, 1, 1), (10, 12, 2, 2)]
    assert [(m.start, m.first.chunk, m.last.chunk) for m in run.find("ello")] == [(1, 0, 1), (8, 1, 2)]
    assert run.find("nowhere") == []
    with pytest.raises(ValueError, match="empty"):
        run.find("")
    (match,) = call_of('{"city": "Pa', 'ris"}').find("Paris")
    assert (match.what, match.call, match.first.chunk, match.last.chunk) == ("arguments", 0, 0, 1)


def test_a_byte_belongs_to_the_chunk_of_its_frame():
    run = read("a", "b")
    ends = list(run.frame_ends)
    assert [run.chunk_at(offset) for offset in (0, ends[0] - 1, ends[0], ends[1] - 1)] == [0, 0, 1, 1]
    for offset in (-1, ends[1]):
        with pytest.raises(IndexError):
            run.chunk_at(offset)
