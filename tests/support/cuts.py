"""Ways of cutting bytes into reads."""

import streamviz as sv
from support import reads


def pieces(data, cuts):
    """Cut ``data`` at those of the offsets ``cuts`` that it has."""
    return reads.pieces(data, [cut for cut in cuts if 0 < cut < len(data)])


def everything(run):
    """What must not depend on how the bytes were cut."""
    return (run.dialect, run.framing, run.frames, run.chunks, run.state.to_dict(), run.payloads, list(run.frame_ends))


def read_cut(data, cuts, **options):
    return sv.read(pieces(data, cuts), **options)


def assert_tiled(run, data):
    """The frames' ranges tile the recording, and agree with the run's columns."""
    assert [frame.start for frame in run.frames] == [0, *run.frame_ends][: len(run.frames)]
    assert [frame.end for frame in run.frames] == list(run.frame_ends)
    assert (run.frame_ends[-1] if run.frame_ends else 0) == len(data)
