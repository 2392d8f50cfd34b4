"""Reasoning between tags in the text: what is said and what is thought, however the text was cut."""

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import streamviz as sv
from streamviz.assembly.reasoning_tags import DEFAULT_TAGS, split_reasoning


def split(text, **options):
    return [(s.kind, text[s.start : s.end]) for s in split_reasoning(text, DEFAULT_TAGS, **options)]


@pytest.mark.parametrize(
    ("text", "said", "thought"),
    [
        ("preface <think>weighing</think>answer", "preface answer", "weighing"),
        ("Hi <think>a</think> there", "Hi  there", "a"),
        ("<THINK>a</Think>b", "b", "a"),
        ("<thinking>a</think>b</thinking>c", "c", "a</think>b"),
        ("<think>a<think>b</think>c</think>d", "d", "a<think>b</think>c"),
        ("<think a=\">\" b='</think>'>x</think >y", "y", "x"),
        ("<think\u00a0a=1>x</think>y", "y", "x"),
        ("<think/>a<think />b", "<think/>a<think />b", ""),
        ("x </think> y", "x </think> y", ""),
        ("a</think></think>b", "a</think></think>b", ""),
        ("<think>a</think></think>b", "</think>b", "a"),
        ("<thinker>a</thinker> <think", "<thinker>a</thinker> <think", ""),
        ("use `<think>` here", "use `<think>` here", ""),
        ("`` a ` <think> `` <think>z</think>", "`` a ` <think> `` ", "z"),
        ("a lone ` and\n<think>z</think>", "a lone ` and\n", "z"),
        ("<think>the tag `</think>` ends it</think>ok", "ok", "the tag `</think>` ends it"),
        ("```\n<think>\n```\n<think>a</think>b", "```\n<think>\n```\nb", "a"),
        ("~~~x\r\n<think>\r\n~~~~\r\n<think>q</think>", "~~~x\r\n<think>\r\n~~~~\r\n", "q"),
        ("   ````\n```\n<think>\n````  \n<think>q</think>", "   ````\n```\n<think>\n````  \n", "q"),
        ("``` no fence ``` <think>q</think>", "``` no fence ``` ", "q"),
        ("<think>```\nunfinished code</think>x", "x", "```\nunfinished code"),
        ("", "", ""),
    ],
)
def test_what_is_said_and_what_is_thought(text, said, thought):
    found = split(text)
    assert "".join(piece for kind, piece in found if kind == "text") == said
    assert "".join(piece for kind, piece in found if kind == "thinking") == thought


PIECES = [
    "<think>",
    "</think>",
    "<thinking",
    ">",
    "`",
    "``",
    "```",
    "~~~",
    "\n",
    "\r\n",
    " ",
    "a",
    "é",
    "<",
    "</",
    "think",
    '"',
    "<think/>",
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)


@given(texts)
def test_while_it_arrives_nothing_is_shown_that_is_taken_back(text):
    whole = split(text, final=False)
    for cut in range(len(text) + 1):
        part = split(text[:cut], final=False)
        if part:
            assert [kind for kind, _ in part] == [kind for kind, _ in whole[: len(part)]]
            assert part[:-1] == whole[: len(part) - 1]
            assert whole[len(part) - 1][1].startswith(part[-1][1])


@given(texts)
def test_only_what_may_become_a_tag_is_held_back(text):
    shown = "".join(piece for _, piece in split(text, final=False))
    if not re.search(r"<think(ing)?[\s>]", text):  # with no tag in it, all is text
        assert "".join(piece for _, piece in split(text)) == text
        assert text.startswith(shown)
        held = text[len(shown) :]
        assert (
            not held
            or any(f"<{slash}{name}".startswith(held) for slash in ("", "/") for name in DEFAULT_TAGS)
            or (held.startswith(("<think", "</think")))
        )


def test_prose_is_shown_at_once():
    for text in ("a", "a b", "a < b", "1 <2", "`code", "x<y>", "<b"):
        assert "".join(piece for _, piece in split(text, final=False)) == text
    for text in ("<", "</", "<t", "</thinki", "<think a='x>", "<reasoning "):
        assert split(text, final=False) == []


def test_a_hundred_thousand_marks_take_no_time():
    for unit in ("<think ", "a`", "<", "<think>", "```\n", "<think a='", "`\n<think>"):
        split(unit * 100_000, final=False)


def body(*texts, finish="stop"):
    events = [{"choices": [{"delta": {"content": text}}]} for text in texts]
    events.append({"choices": [{"delta": {}, "finish_reason": finish}]})
    return b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"


def test_the_payload_tells_them_apart_with_their_chunks():
    run = sv.read(body("Hi <th", "ink>we", "igh</thi", "nk> there"), reasoning_tags=True)
    payload = run.payload
    assert (payload.assistant_text, payload.thinking) == ("Hi  there", "weigh")
    assert [(b.kind, b.text, b.first_chunk, b.last_chunk) for b in payload.blocks] == [
        ("text", "Hi ", 0, 0),
        ("thinking", "weigh", 1, 2),
        ("text", " there", 3, 3),
    ]
    assert [run.state_at(k).text for k in range(5)] == ["", "Hi ", "Hi ", "Hi ", "Hi  there"]
    assert [run.state_at(k).thinking for k in range(5)] == ["", "", "we", "weigh", "weigh"]
    plain = sv.read(body("Hi <th", "ink>we", "igh</thi", "nk> there")).payload
    assert (plain.assistant_text, plain.thinking) == ("Hi <think>weigh</think> there", "")


@pytest.mark.parametrize(
    ("finish", "said", "thought"), [("stop", "<think>abc", ""), ("length", "", "abc"), ("content_filter", "", "abc")]
)
def test_a_tag_that_is_never_closed_was_none_unless_the_answer_was_cut(finish, said, thought):
    payload = sv.read(body("<think>abc", finish=finish), reasoning_tags=True).payload
    assert (payload.assistant_text, payload.thinking) == (said, thought)
    torn = sv.read(body("<think>abc", "d")[:-120], reasoning_tags=True).payload
    assert torn.thinking.startswith("abc")


def test_names_are_names():
    assert sv.read(body("<plan>x</plan>y<think>z"), reasoning_tags=["plan"]).payload.thinking == "x"
    assert sv.read(body("<plan>x</plan>y"), reasoning_tags="plan").payload.thinking == "x"
    with pytest.raises(ValueError, match="give 'think'"):
        sv.read(b"", reasoning_tags=["<think>"])
