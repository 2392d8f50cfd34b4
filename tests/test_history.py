"""Time travel: the state after k chunks is that of routing k chunks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from laws.strategies import streams
from support.material import MATERIAL, recordings

import streamviz as sv

SYSTEMS = sorted({path.parent.name for path in recordings()}) if (MATERIAL / "recordings").exists() else []


def check(run, positions):
    """Hold `state_at` against a state that chunk after chunk was routed to."""
    state = sv.AssemblyState()
    for k in range(len(run.chunks) + 1):
        if k in positions:
            assert run.state_at(k).to_dict() == state.to_dict()
        if k < len(run.chunks):
            state.offset = run.frame_ends[k - 1] if k else 0
            sv.route_chunk(state, run.chunks[k])


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_state_after_k_chunks_of_every_recording(system):
    for path in recordings():
        if path.parent.name == system:
            run = sv.read(path)
            count = len(run.chunks)
            check(run, range(count + 1) if count <= 60 else {*range(0, count + 1, count // 40), 255, 256, 257, count})


@given(stream=streams, seed=st.randoms())
def test_the_state_after_k_chunks_of_a_drawn_stream_in_any_order_of_asking(stream, seed):
    provider, data = stream
    run = sv.read(data, provider)
    order = list(range(len(run.chunks) + 1))
    seed.shuffle(order)
    for k in order[:6]:
        check(run, {k})


def test_a_state_does_not_change_when_another_is_asked_for():
    frame = 'data: {"choices":[{"delta":{"content":"%d "}}]}\n\n'
    run = sv.read("".join(frame % n for n in range(700)).encode())
    early = run.state_at(300)
    text = early.text
    sv.route_chunk(early, sv.NormalizedChunk((sv.TextDelta("!"),)))
    assert early.text == text + "!"
    assert run.state_at(300).text == text == "".join(f"{n} " for n in range(300))
    assert run.state_at(-1).text == run.state_at(699).text
    assert run.state_at(10_000).text == run.payload.assistant_text


def test_steps_are_a_sequence_made_when_asked_for():
    frame = 'data: {"choices":[{"delta":{"content":"%d "}}]}\n\n'
    run = sv.read("".join(frame % n for n in range(50)).encode())
    steps = run.steps()
    assert len(steps) == 50
    assert [step.k for step in steps[10:13]] == [10, 11, 12]
    assert steps[-1].k == 49
    assert steps[49].changes[0].text == "49 "
    with pytest.raises(IndexError):
        steps[50]


def test_a_run_that_grows_forgets_its_history():
    run = sv.StreamRun("openai")
    run.feed(b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n')
    assert run.state_at(1).text == "a"
    run.feed(b'data: {"choices":[{"delta":{"content":"b"}}]}\n\n')
    assert run.state_at(2).text == "ab"
    assert len(run.steps()) == 2
