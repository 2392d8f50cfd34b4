"""Feeding bytes to a framer in every way of cutting them."""

import time
from itertools import pairwise

from hypothesis import strategies as st


def pieces(data, cuts):
    """Cut ``data`` at the offsets ``cuts``; one that comes twice gives an empty read."""
    edges = [0, *sorted(cuts), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


def every(size, data):
    """Cut ``data`` into pieces of ``size`` bytes."""
    return pieces(data, range(size, len(data), size))


def cuts_of(data):
    """Ways of cutting ``data``, for Hypothesis."""
    return st.lists(st.integers(0, len(data)), max_size=8)


def cuttings(data, chunkings):
    """Yield the reads of every way of cutting that a suite's case lists."""
    for chunking in chunkings:
        match chunking:
            case "whole":
                yield [data]
            case "every_byte":
                yield every(1, data)
            case "every_two_way_split":
                yield from (pieces(data, [cut]) for cut in range(1, len(data)))
            case int():
                yield every(chunking, data)
            case list():
                yield pieces(data, chunking)
            case _:
                raise ValueError(chunking)


def read(framer, reads):
    """Return all frames of a framer, checking on the way what it says is pending."""
    frames = []
    fed = 0
    for data in reads:
        frames += framer.feed(data)
        fed += len(data)
        assert framer.pending_bytes == fed - (frames[-1].end if frames else 0)
    frames += framer.finish()
    assert framer.pending_bytes == 0
    assert framer.finish() == []
    return frames


def assert_frames_tile(frames, size):
    """Check that the frames' ranges cover ``size`` bytes without gap or overlap."""
    assert [frame.start for frame in frames] == [0, *(frame.end for frame in frames)][: len(frames)]
    assert (frames[-1].end if frames else 0) == size
    assert all(frame.start < frame.end for frame in frames)


def read_every_way(make, data, cuts=()):
    """Return the frames, having checked that they tile ``data`` and are the same whole, cut, and byte by byte."""
    frames = read(make(), [data])
    assert_frames_tile(frames, len(data))
    assert read(make(), pieces(data, cuts)) == frames
    assert read(make(), every(1, data)) == frames
    return frames


def seconds_to_read(framer, reads):
    """Return the processor time that the framer takes for the reads."""
    began = time.process_time()
    for data in reads:
        framer.feed(data)
    framer.finish()
    return time.process_time() - began
