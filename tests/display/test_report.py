"""What the report of a run says, and how large it may become."""

import json
import re

import pytest
from support.html import Reader
from support.wire import anthropic, chat

import streamviz as sv
from streamviz.samples import SAMPLES, sample_path

CALL = {"tool_calls": [{"index": 0, "id": "call_a", "function": {"name": "get_weather", "arguments": "{'city': "}}]}
REST = {"tool_calls": [{"index": 0, "function": {"arguments": "'Paris',}"}}]}


class Page(Reader):
    """A report: its words, and its ids and links."""

    def __init__(self, html):
        self.ids, self.links = [], []
        super().__init__(html.partition("</head>")[2].replace('<img src="data', '<img data-src="data'))

    def handle_starttag(self, tag, attrs):
        if tag in ("img", "source", "meta"):
            return
        super().handle_starttag(tag, attrs)
        attributes = dict(attrs)
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.links += [attributes["href"]] if "href" in attributes else []

    def handle_endtag(self, tag):
        if tag not in ("body", "html") or tag in self.open:
            super().handle_endtag(tag) if tag != "html" else None


def page(run, **options):
    return Page(run.to_html(charts=False, **options))


def timed(*reads):
    run = sv.StreamRun("openai", source="dir/weather.sse")
    for time_s, data in reads:
        run.feed(data, time_s)
    return run.finish()


def weather():
    return timed(
        (0.5, chat({"content": "I look it up."}, done=False)),
        (0.75, chat(CALL, done=False)),
        (1.5, chat((REST, "tool_calls"), {"choices": [], "usage": {"prompt_tokens": 31, "completion_tokens": 7}})),
    )


def test_a_report_tells_the_whole_run_in_order():
    words = page(weather()).words
    told = [
        *("weather.sse", "! complete, with warnings", "Summary", "finish tool_calls", "input 31", "output 7"),
        *("Findings", "call-repaired", "Answer", "I look it up.", "get_weather", "Tool calls", "repaired"),
        *('"city": "Paris"', "the edits in the text", "2 fragments", "chunk 1", "0.750 s", "{'city':"),
        *("Usage", "chunk 3", "1.500 s", "31", "38", "Timing", "first byte 0.500 s", "Transport"),
        *("Diagnostics", "warning call-repaired", "Chunks", "0:", "0.500 s", "text 'I look it up.'", "tool call"),
        *("finish tool_calls", "usage", "end mark done", "Made by streamviz"),
    ]
    position = 0
    for word in told:
        position = words.index(word, position)


def test_every_link_leads_somewhere_and_no_place_has_two_names():
    for name in SAMPLES:
        found = page(sv.read(sample_path(name)))
        assert len(found.ids) == len(set(found.ids))
        assert {link[0] for link in found.links} == {"#"}
        assert {link[1:] for link in found.links} <= set(found.ids)


def test_the_policy_forbids_scripts_and_the_network():
    html = weather().to_html(charts=False)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    assert policy.split("; ")[:3] == ["default-src 'none'", "style-src 'unsafe-inline'", "img-src data:"]
    assert not re.search(r"<script|javascript:|https?://|@import|url\(", html)


def test_edits_are_marked_where_they_are():
    html = weather().to_html(charts=False)
    assert "{<del>&#x27;</del><ins>&quot;</ins>city<del>&#x27;</del><ins>&quot;</ins>: " in html
    assert "<del>,</del>}" in html


def long_run(count):
    frame = 'data: {"choices":[{"index":0,"delta":{"content":%s}}]}\n\n'
    return sv.read("".join(frame % json.dumps(f"word{k} ") for k in range(count)).encode())


def test_a_long_run_lists_its_beginning_and_its_end_and_says_so():
    run = long_run(50_000)
    html = run.to_html(charts=False)
    found = Page(html)
    rows = [int(name.removeprefix("chunk-")) for name in found.ids if name.startswith("chunk-")]
    assert rows == [*range(1_500), *range(49_500, 50_000)]
    assert "48,000 of 50,000 chunks are not listed" in found.words
    assert "to_html(chunks=None)" in found.words
    assert len(html.encode()) < 5_000_000


@pytest.mark.parametrize(
    ("most", "rows"), [(None, [0, 1, 2, 3, 4]), (5, [0, 1, 2, 3, 4]), (4, [0, 1, 2, 4]), (1, [0]), (0, [])]
)
def test_how_many_chunks_are_listed(most, rows):
    found = page(long_run(5), chunks=most)
    assert [name for name in found.ids if name.startswith("chunk-")] == [f"chunk-{k}" for k in rows]


def test_huge_texts_and_many_parts_do_not_make_a_huge_report():
    calls = [
        {"tool_calls": [{"index": n, "id": f"c{n}", "function": {"name": "f", "arguments": '{"a": "' + "<" * 9_000}}]}
        for n in range(300)
    ]
    usage = [{"choices": [], "usage": {"prompt_tokens": n, "completion_tokens": n}} for n in range(300)]
    html = sv.read(chat({"content": "&" * 2_000_000}, *calls, *usage)).to_html()
    assert len(html) < 5_000_000
    words = Page(html).words
    for said in ("1,750,000 of 2,000,000 characters left out here", "100 more calls", "240 reports between"):
        assert said in words


def test_a_run_without_anything_and_one_that_still_arrives():
    words = page(sv.read(b"")).words
    for said in ("✗ fault", "no content came", "no token usage was reported", "No arrival times", "empty-body"):
        assert said in words
    run = sv.StreamRun("openai")
    run.feed(chat({"content": "Hi"}, done=False), 0.2)
    assert "… still arriving" in page(run).words


def test_all_choices_are_told():
    choices = [{"index": n, "delta": {"content": f"answer {n}"}, "finish_reason": "stop"} for n in (0, 1)]
    words = page(sv.read(chat({"choices": choices}))).words
    assert words.index("Choice 0") < words.index("answer 0") < words.index("Choice 1") < words.index("answer 1")


def test_credentials_of_the_exchange_are_not_shown():
    run = weather()
    run.recording.request = {
        "method": "POST",
        "url": "https://me:pass-1@api.example.com:8443/v1/chat?key=key-2",
        "headers": {"Authorization": "Bearer key-3", "Accept": "text/event-stream"},
        "body": {"model": "m-1", "api_key": "key-4"},
    }
    run.recording.status, run.recording.headers = 200, {"set-cookie": "key-5", "x-request-id": "req-1"}
    html = run.to_html(charts=False)
    for shown in ("https://api.example.com:8443/v1/chat", "text/event-stream", "req-1", "m-1"):
        assert shown in html
    for secret in ("pass-1", "key-2", "key-3", "key-4", "key-5"):
        assert secret not in html


def test_server_tools_and_citations_have_their_place():
    run = sv.read(
        anthropic(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}},
            },
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": "Found."}},
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "citations_delta", "citation": {"url": "u"}},
            },
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
            {"type": "message_stop"},
        )
    )
    words = page(run).words
    assert "1 server tool call web_search" in words
    assert "the vendor ran it itself" in words
    assert "1 citation" in words


def test_charts_are_pictures_for_light_and_dark_with_words_for_each():
    html = weather().to_html()
    pictures = re.findall(r"<figure>.*?</figure>", html, re.DOTALL)
    assert len(pictures) == 2  # one usage report is no line
    for figure in pictures:
        assert re.search(
            r'<source media="\(prefers-color-scheme: dark\)" srcset="data:image/png;base64,[\w+/=]+">', figure
        )
        assert re.search(r'<img src="data:image/png;base64,[\w+/=]+" width="\d+" height="\d+" alt="', figure)
        assert "<figcaption>" in figure
    [growth, timeline] = (re.search(r'alt="([^"]*)"', figure)[1] for figure in pictures)
    assert growth == "Characters of text, thinking and arguments over time. At the end: 13 of text, 18 of arguments."
    assert timeline.startswith("5 chunks over time, one lane a kind: 2 tool call, ")
    assert weather().to_html() == html
    assert "<figure>" not in sv.read(b"").to_html()
