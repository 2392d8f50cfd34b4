"""Findings as text, as HTML, as a table; what comes from the stream is escaped."""

import re

import msgspec
import pandas as pd
import pytest
from display.test_cards import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, HOSTILE, Reader
from hypothesis import given
from hypothesis import strategies as st
from support.wire import chat

import streamviz as sv
from streamviz.findings import FINDINGS, Finding, Findings, Lost, Place
from streamviz.samples.findings import FINDING_SAMPLES, clean

EVIL = HOSTILE + "\0\ud83c</style><!--"


def hostile_run():
    """A run whose every name and message is hostile."""
    run = sv.read(
        chat(
            {"content": f"<think>{EVIL}</think>{EVIL}\ufffd"},
            {"tool_calls": [{"index": 0, "id": EVIL, "function": {"name": EVIL, "arguments": '{"' + EVIL}}]},
            ({}, EVIL),
            ({}, f"{EVIL}2"),
            {"error": {"message": EVIL, "type": EVIL}},
        )
    )
    run.recording.source = EVIL
    run.recording.request = {"body": {"tools": [EVIL, {"name": EVIL}], "model": "m"}}
    return run


def hostile():
    made = Finding(
        code="bad-json",
        severity="fault",
        title=EVIL,
        evidence=(Place(start=0, end=1, shows=EVIL),) * 5,
        side="unknown",
        remedy=EVIL,
    )
    return [hostile_run().explain(), Findings(EVIL, [made])]


@pytest.mark.parametrize("found", hostile(), ids=["run", "made"])
def test_what_is_hostile_is_escaped_everywhere(found):
    assert len(found) > 0
    for text in (str(found), repr(found), found.to_html()):
        assert not re.search("[\x00-\x08\x0b-\x1f\u202e\ud800-\udfff\U000e0041]", text)
        text.encode()
    html = Reader(found.to_html())
    assert html.tags <= ALLOWED_TAGS | {"ul", "li"}
    assert html.attributes <= ALLOWED_ATTRIBUTES
    assert "<script>" in html.words
    assert "$" not in re.sub(r"<code.*?</code>", "", found.to_html(), flags=re.DOTALL)  # no formula for a notebook
    assert len(found.to_frame()) == len(found)
    assert found.to_dict()["findings"]


def test_a_text_names_severity_code_side_places_and_remedy():
    found = FINDING_SAMPLES["call-truncated-by-limit"]().explain()
    assert str(found).splitlines()[:5] == [
        "sample: 1 fault.",
        "✗ fault call-truncated-by-limit (request)",
        f"    {found[0].title}",
        f"    at {found[0].evidence[0]}",
        f"    at {found[0].evidence[1]}",
    ]


def test_html_says_the_same():
    found = FINDING_SAMPLES["call-truncated-by-limit"]().explain()
    words = Reader(found.to_html()).words
    for part in ("1 fault", found[0].code, found[0].title, found[0].remedy, "on the side of the request"):
        assert part in words
    assert found.to_html() == found._repr_html_() == FINDING_SAMPLES["call-truncated-by-limit"]().explain().to_html()


def test_many_findings_and_places_are_counted_not_shown():
    place = Place(start=0, end=1)
    one = Finding(code="bad-json", severity="fault", title="X.", evidence=(place,) * 9, side="unknown", remedy="Y.")
    found = Findings("many", [one] * 1000)
    assert "1,000 faults" in str(found)
    assert "and at 6 more places" in str(found)
    assert "800 more" in str(found)
    assert "800 more findings" in Reader(found.to_html()).words
    long = Findings("long", [msgspec.structs.replace(one, title="z" * 10**6)])
    assert len(str(long)) < 5000
    assert len(long.to_html()) < 50_000


def test_the_table_has_documented_columns_and_an_empty_one_has_the_same():
    full = FINDING_SAMPLES["usage-reported-twice"]().explain().to_frame()
    empty = clean().explain().to_frame()
    assert list(full.columns) == list(empty.columns) == [column.name for column in FINDINGS.columns]
    assert full.dtypes.astype(str).to_dict() == empty.dtypes.astype(str).to_dict()
    assert full.dtypes.astype(str).to_dict() == {column.name: column.dtype for column in FINDINGS.columns}
    row = full.iloc[0]
    assert (row.code, row.places, row.chunk, row.tokens_lost) == ("usage-reported-twice", 2, 8, 11)
    assert pd.isna(row.time_s)
    assert len(empty) == 0


def test_the_table_is_clean_for_parquet(tmp_path):
    frame = pd.concat([hostile_run().explain().to_frame(), clean().explain().to_frame()])
    frame.to_parquet(tmp_path / "f.parquet")
    assert len(pd.read_parquet(tmp_path / "f.parquet")) == len(frame)


def test_times_stand_in_the_evidence_where_they_were_recorded():
    run = sv.StreamRun()
    run.feed(chat({"content": "Hi"}, done=False), 0.5)
    run.feed(chat({"content": "Ho"}, done=False), 1.25)
    found = run.finish().explain()
    assert found.codes == ("stream-cut",)
    assert found[0].evidence[0].time_s == 1.25
    assert "1.250 s" in str(found)
    assert not any("No times" in sentence for sentence in found.unseen)


@given(st.lists(st.tuples(st.sampled_from(["fault", "warning", "note"]), *[st.integers(0, 3)] * 3), max_size=8))
def test_the_order_is_severity_then_calls_characters_tokens(kinds):
    found = Findings(
        "x",
        [
            Finding(
                code="bad-json", severity=severity, title="t", evidence=(Place(start=0, end=0),),
                side="unknown", remedy="r", lost=Lost(calls=a, characters=b, tokens=c),
            )
            for severity, a, b, c in kinds
        ],
    )  # fmt: skip
    rank = {"fault": 0, "warning": 1, "note": 2}
    assert [(f.severity, f.lost.calls, f.lost.characters, f.lost.tokens) for f in found] == sorted(
        kinds, key=lambda kind: (rank[kind[0]], -kind[1], -kind[2], -kind[3])
    )
