"""Hostile text in every place of a run, in the report and in every repr, as a browser sees it."""

import json

import pytest
from support.browser import chromium, opened
from support.wire import anthropic, chat, message, sse

import streamviz as sv

ATTACKS = (
    "\x00\x1b[31m\u202edesrever\u202c\u2066\u200b\U000e0041",
    "<script>window.hit=1;alert(1)</script>",
    "</style><script>window.hit=2</script>",
    "</details></table></pre></code></title><img src=x onerror='window.hit=3'>",
    "\"><svg onload=window.hit=4>' onmouseover='window.hit=5",
    "<a href='javascript:window.hit=6'>click</a> javascript:window.hit=7",
    "<iframe src='data:text/html,<script>parent.hit=8</script>'></iframe>",
    "<base href='https://evil.example/'><link rel=stylesheet href='https://evil.example/x.css'>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    "--><!-- ]]> &lt;script&gt; &#x3c;script&#x3e;",
    "$\\frac{a}{b}$ \\(x\\) $$\\require{html}\\href{javascript:window.hit=9}{x}$$",
    "\ud83d half a pair \udc00",
)
EVIL = " ".join(ATTACKS)


def call(index, name, arguments):
    return {
        "tool_calls": [{"index": index, "id": f"c{index}{name}", "function": {"name": name, "arguments": arguments}}]
    }


def deltas(text):
    """The text as reasoning, answer and refusal; as the name of a tool, as a key, in arguments cut off and broken."""
    yield from ({"reasoning_content": text}, {"content": text}, {"refusal": text})
    yield call(0, text, "{'a': 1,}")
    yield call(1, "f", json.dumps({text: [text]}))
    yield call(2, "g", f"{{'{text}': '")
    yield call(3, "h", text)


def chat_run(text):
    """A chat answer with the text in every field that is shown."""
    chunk = {"id": text, "model": text, "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 5, text: text, "service_tier": text}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": text}], "usage": usage, "service_tier": text}
    error = {"error": {"message": text, "type": text, "code": text}}
    data = chat(chunk, *deltas(text), {"choices": [{"index": 1, "delta": {"content": text}}]}, end, error)
    lines = text.encode("utf-8", "replace").replace(b"\r", b" ").replace(b"\n", b" ")
    data += b": " + lines + b"\n\nevent: " + lines + b"\nid: " + lines + b'\ndata: {"x": ' + lines + b"}\n\n"
    run = sv.StreamRun("openai", source=text)
    for number, part in enumerate(data.split(b"\n\n")):
        run.feed(part + b"\n\n", 0.1 * number)
    run.recording.request = {"method": text, "url": f"https://x.example/{text}", "headers": {text: text}, text: text}
    run.recording.status, run.recording.headers = 500, {text: text, "server": text, "via": text}
    return run.finish()


def anthropic_run(text):
    """Thinking, citations, server tools and results with the text in them, and an event of an unknown kind."""
    block = {"type": "server_tool_use", "id": text, "name": text, "input": {text: text}}
    return sv.read(
        anthropic(
            {
                "type": "message_start",
                "message": {"id": text, "model": text, "role": text, "usage": {"input_tokens": 1}},
            },
            {"type": "content_block_start", "index": 0, "content_block": block},
            {"type": "content_block_start", "index": 1, "content_block": {"type": text, "x": text}},
            {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": text}},
            {"type": "content_block_delta", "index": 2, "delta": {"type": "citations_delta", "citation": {text: text}}},
            {"type": "content_block_delta", "index": 2, "delta": {"type": text, text: text}},
        )
        + sse({"type": text, text: text})
    )


def bedrock_run(text):
    """Names of headers, events and exceptions with the text in them."""
    text = text.encode("utf-8", "replace").decode()
    pieces = [text[n : n + 60] for n in range(0, len(text), 60)]
    data = b"".join(message({":event-type": piece, piece: piece, ":message-type": "event"}, b"{}") for piece in pieces)
    failure = {":message-type": "exception", ":exception-type": pieces[0]}
    return sv.read(data + message(failure, {"message": text}))


def values(run):
    """Everything of a run that a notebook can show."""
    payload = run.payload
    yield from (run, payload, payload.calls, payload.server_tools, payload.diagnostics, run.state, run.steps())
    yield from (*payload.diagnostics, *payload.calls, *run.steps(), *run.frames, *run.chunks)
    yield from (call.repair for call in payload.calls if call.repair is not None)
    yield from (run.state_at(len(run.chunks) // 2), run.explain(), run.timing, run.transport())
    if payload.usage is not None:
        yield payload.usage


MAKERS = (chat_run, anthropic_run, bedrock_run)
INNOCENT = {
    *("HTML", "HEAD", "META", "TITLE", "STYLE", "BODY", "HEADER", "NAV", "MAIN", "SECTION", "ARTICLE", "FOOTER", "DIV"),
    *("H1", "H2", "H3", "P", "OL", "UL", "LI", "A", "STRONG", "SMALL", "SPAN", "CODE", "PRE", "DEL", "INS"),
    *("DETAILS", "SUMMARY", "TABLE", "CAPTION", "THEAD", "TBODY", "TR", "TH", "TD"),
    *("FIGURE", "FIGCAPTION", "PICTURE", "SOURCE", "IMG"),
}
LOOK = """() => {
  const all = [...document.querySelectorAll('*')]
  const links = ['href', 'src', 'srcset']
  return {
    hit: window.hit ?? null,
    tags: [...new Set(all.map(e => e.tagName))],
    links: all.flatMap(e => links.map(name => e.getAttribute(name))).filter(value => value !== null),
    handlers: all.flatMap(e => e.getAttributeNames()).filter(name => name.startsWith('on')),
    ids: all.map(e => e.id).filter(Boolean),
  }
}"""


def check(page):
    """See that nothing ran, nothing was fetched, nothing leads anywhere else, and everything was opened."""
    page.evaluate("() => document.querySelectorAll('details').forEach(e => e.open = true)")
    page.mouse.move(200, 200)
    found = page.evaluate(LOOK)
    assert found["hit"] is None
    assert page.alarms == []
    assert len([url for url in page.requests if not url.startswith("data:")]) == 1  # the file itself
    assert set(found["tags"]) <= INNOCENT
    assert found["handlers"] == []
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in found["links"]), found["links"]
    assert len(found["ids"]) == len(set(found["ids"]))
    assert {link[1:] for link in found["links"] if link.startswith("#")} <= set(found["ids"])


@pytest.fixture(scope="module")
def browser():
    with chromium() as started:
        yield started


@pytest.mark.parametrize("make", MAKERS)
def test_no_script_runs_in_a_report(browser, tmp_path, make):
    run = make(EVIL)
    with opened(browser, run.to_html(), tmp_path / "report.html") as page:
        check(page)
        assert page.locator("h1").count() == 1
        assert page.locator(".sv-hidden").count()


@pytest.mark.parametrize("make", MAKERS)
def test_no_script_runs_in_any_repr(browser, tmp_path, make):
    """On a page without a policy: in a notebook nothing but the escaping stands between text and script."""
    cards = [value._repr_html_() for value in values(make(EVIL))]
    page = f"<!DOCTYPE html><meta charset=utf-8><title>all</title>{''.join(cards)}"
    with opened(browser, page, tmp_path / "cards.html") as shown:
        check(shown)
        assert shown.locator("div.streamviz").count() == len(cards)


def test_the_report_works_without_scripts_on_a_phone_and_on_paper(browser, tmp_path):
    run = chat_run("plain text")
    options = {"java_script_enabled": False, "viewport": {"width": 360, "height": 640}, "color_scheme": "dark"}
    with opened(browser, run.to_html(), tmp_path / "report.html", **options) as page:
        page.get_by_role("link", name="Chunks").click()
        assert page.locator("#chunk-0").is_visible()
        page.emulate_media(media="print")
        assert page.pdf()[:5] == b"%PDF-"


def test_a_report_fits_the_width_of_the_window(browser, tmp_path):
    run = chat_run("W" * 3_000)
    with opened(browser, run.to_html(), tmp_path / "report.html", viewport={"width": 900, "height": 700}) as page:
        assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
