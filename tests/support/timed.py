"""Runs whose reads came at given times."""

import streamviz as sv


def timed(*reads, provider=None, headers=None, finish=True, **options):
    """Return a run of (seconds, bytes) reads."""
    run = sv.StreamRun(provider, **options)
    run.recording.headers = headers
    for time_s, data in reads:
        run.feed(data, time_s)
    return run.finish() if finish else run


def marks(run):
    """The measured times of a run that are known."""
    names = [name for name in sv.Timing.__struct_fields__ if name.endswith("_s") and "per_s" not in name]
    return {name: value for name in names if (value := getattr(run.timing, name)) is not None}
