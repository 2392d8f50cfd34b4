"""The folder of recorded streams and case suites, named by ``STREAMVIZ_MATERIAL``."""

import json
import os
from functools import cache
from pathlib import Path

import pytest

MATERIAL = Path(os.environ.get("STREAMVIZ_MATERIAL", Path(__file__).parents[2].parent / "shared"))
ABSENT = f"no test material in {MATERIAL.name!r}: set STREAMVIZ_MATERIAL to run these"


def need(path):
    """Return a path of the material; where it is absent the test is skipped, and in CI it fails."""
    if not path.exists():
        if os.environ.get("CI"):
            pytest.fail(ABSENT)
        pytest.skip(ABSENT)
    return path


@cache
def index():
    """The rows of the recordings' index, none where the material is absent."""
    path = MATERIAL / "recordings" / "index.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@cache
def recordings(api=None, largest=None):
    """Paths of the recordings of one API, or of all, up to a size."""
    need(MATERIAL / "recordings" / "index.jsonl")
    return [
        MATERIAL / "recordings" / row["file"]
        for row in index()
        if (api is None or row["api"] == api) and (largest is None or row["bytes"] <= largest)
    ]


@cache
def cases(name):
    """The cases of one suite, an empty list where the material is absent."""
    path = MATERIAL / "suites" / f"{name}-cases.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_bytes().splitlines()]
