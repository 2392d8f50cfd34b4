"""The laws that hold for every input: cut-independence, nothing lost, data never raises, states are folds, limits."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from laws.strategies import damaged, frames_shuffled, mangled, streams
from support.cuts import assert_tiled, everything, pieces, read_cut
from support.material import recordings

import streamviz as sv
from streamviz.recording.svrec import MARK

SYSTEMS = (
    *("openai-chat", "openai-compatible", "openai-responses", "mistral", "anthropic", "google"),
    *("bedrock-converse", "bedrock-invoke", "cohere", "ollama", "other"),
)
cuts = st.lists(st.integers(0, 6000), max_size=8)
slow = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


async def _read_async(data, at, provider):
    async def reads():
        for piece in pieces(data, at):
            yield piece

    stream = sv.aprocess_stream(provider, reads())
    return [chunk async for chunk in stream], stream.state.to_dict(), stream.payloads


def check_everything(provider, data, at):
    """Assert laws 1 to 4 for one stream and one way of cutting it."""
    whole = sv.read(data, provider=provider)
    expected = everything(whole)
    assert everything(read_cut(data, at, provider=provider)) == expected
    assert_tiled(whole, data)
    assert len(whole.chunks) == len(whole.frames) == whole.state.chunks
    stream = sv.process_stream(provider, pieces(data, at))
    chunks = list(stream)
    assert (chunks, stream.state.to_dict(), stream.payloads) == (whole.chunks, whole.state.to_dict(), whole.payloads)
    assert asyncio.run(_read_async(data, at, provider)) == (chunks, stream.state.to_dict(), stream.payloads)
    for payload in whole.payloads:
        payload.to_dict()


@given(stream=streams, at=cuts)
@settings(slow, max_examples=250)
def test_any_cut_of_a_drawn_stream_gives_the_same_sync_and_async(stream, at):
    provider, data = stream
    check_everything(provider, data, at)


@given(stream=mangled(), at=cuts)
@settings(slow, max_examples=150)
def test_any_cut_of_a_sample_with_values_of_the_wrong_form_gives_the_same(stream, at):
    provider, data = stream
    check_everything(provider, data, at)


@given(stream=streams)
@settings(slow, max_examples=60)
def test_one_byte_a_read_gives_the_same(stream):
    provider, data = stream
    assert everything(read_cut(data, range(len(data)), provider=provider)) == everything(
        sv.read(data, provider=provider)
    )


@given(stream=streams, at=cuts)
@settings(slow, max_examples=100)
def test_detection_does_not_depend_on_the_cut(stream, at):
    data = stream[1]
    assert everything(read_cut(data, at)) == everything(sv.read(data))


@given(stream=streams, at=cuts, draw=st.data())
@settings(slow, max_examples=150)
def test_a_damaged_drawn_stream_never_raises_and_loses_no_byte(stream, at, draw):
    provider, data = stream
    check_everything(provider, draw.draw(damaged(data)), at)


@given(data=st.binary(max_size=200).filter(lambda data: not data.startswith(MARK)), at=cuts)  # no recording file
@settings(slow, max_examples=150)
def test_any_bytes_at_all_are_read(data, at):
    check_everything(None, data, at)


@pytest.mark.parametrize("api", SYSTEMS)
@given(draw=st.data(), at=cuts)
@settings(slow, max_examples=25)
def test_a_damaged_recording_never_raises_and_loses_no_byte(api, draw, at):
    data = draw.draw(st.sampled_from(recordings(api, largest=20_000))).read_bytes()
    check_everything(None, draw.draw(damaged(data)), at)


@pytest.mark.parametrize("api", SYSTEMS)
@given(draw=st.data(), at=cuts)
@settings(slow, max_examples=15)
def test_frames_of_a_recording_dropped_doubled_and_swapped_are_read(api, draw, at):
    run = sv.read(draw.draw(st.sampled_from(recordings(api, largest=10_000))))
    frames = [run.bytes_of(k) for k in range(len(run.frames))]
    check_everything(run.dialect if run.dialect != "unknown" else None, draw.draw(frames_shuffled(frames)), at)


@given(stream=streams, draw=st.data())
@settings(slow, max_examples=120)
def test_a_state_is_what_routing_the_first_k_chunks_gives(stream, draw):
    provider, data = stream
    run = sv.read(data, provider=provider)
    k = draw.draw(st.integers(0, len(run.chunks)))
    state = sv.AssemblyState()
    for chunk, frame in zip(run.chunks[:k], run.frames, strict=False):
        state.offset = frame.start
        sv.route_chunk(state, chunk)
    assert run.state_at(k).to_dict() == state.to_dict()
    assert run.state_at(len(run.chunks)).to_dict() | {"pending": 0} == run.state.to_dict() | {"pending": 0}


@given(stream=streams)
@settings(slow, max_examples=100)
def test_strict_raises_exactly_where_a_fault_is_recorded(stream):
    provider, data = stream
    faults = [d for p in sv.read(data, provider=provider).payloads for d in p.diagnostics if d.severity == "fault"]
    if faults:
        with pytest.raises(sv.StreamFaultError) as raised:
            sv.read(data, provider=provider, strict=True)
        assert raised.value.diagnostic in faults
    else:
        sv.read(data, provider=provider, strict=True)


@given(stream=streams, limit=st.integers(1, 200), at=cuts)
@settings(slow, max_examples=120)
def test_the_limits_hold_and_say_so_for_any_cut(stream, limit, at):
    provider, data = stream
    limits = sv.Limits(frame_bytes=limit, argument_bytes=limit)
    run = sv.read(data, provider=provider, limits=limits)
    assert everything(read_cut(data, at, provider=provider, limits=limits)) == everything(run)
    assert_tiled(run, data)
    for block in run.state.accumulators:
        if isinstance(block, sv.assembly.tool_calls.ToolCallBlock) and not block.whole and block.paths is None:
            assert len("".join(block.pieces.fragments)) <= limit
    for frame in run.frames:
        assert len(frame.data) <= limit
