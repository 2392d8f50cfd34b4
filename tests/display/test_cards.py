"""What the cards of a run say, in HTML and in the terminal."""

import io
import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console
from support.html import ALLOWED_ATTRIBUTES, ALLOWED_TAGS, HOSTILE, Reader
from support.wire import anthropic, chat, sse

import streamviz as sv
from streamviz.display import payload_html, repair_html, run_card_html, run_card_text, run_line, usage_html
from streamviz.display.html_parts import LEFT_OUT


def words(run):
    return Reader(run_card_html(run)).words


def terminal(run, *, short=False, color=False):
    out = io.StringIO()
    console = Console(file=out, width=100, force_terminal=color, color_system="truecolor" if color else None)
    console.print(run_card_text(run, short=short))
    return out.getvalue()


def terminal_words(run):
    return " ".join(terminal(run).replace("▎", " ").split())


def call(arguments, name="get_weather", **fields):
    return {"tool_calls": [{"index": 0, "id": "call_a", "function": {"name": name, "arguments": arguments}, **fields}]}


def test_a_whole_answer_is_told_in_order():
    run = sv.read(
        anthropic(
            {
                "type": "message_start",
                "message": {"id": "msg_1", "model": "claude-x", "usage": {"input_tokens": 7, "output_tokens": 1}},
            },
            {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me see."}},
            {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": "I look it up."}},
            {
                "type": "content_block_start",
                "index": 2,
                "content_block": {"type": "tool_use", "id": "t1", "name": "look_up", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 2,
                "delta": {"type": "input_json_delta", "partial_json": '{"x": 12345678901234567890}'},
            },
            {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 30}},
            {"type": "message_stop"},
        )
    )
    for text in (words(run), terminal_words(run)):
        told = [
            *("✓ complete", "1 thinking", "Let me see.", "2 text", "I look it up.", "3 tool call look_up"),
            *("exact", "executable", '"x": 12345678901234567890'),
        ]
        positions = [text.index(word) for word in told]
        assert positions == sorted(positions)
        for fact in ("finish tool_calls", "as sent tool_use", "ended terminal", "model claude-x", "id msg_1"):
            assert fact in text
        for fact in ("input 7", "output 30", "read from cache —", "total 37 input + output"):
            assert fact in text


def test_unknown_is_a_dash_and_zero_is_zero():
    html = Reader(usage_html(sv.Usage(input_tokens=0, output_tokens=None))).words
    assert "input 0" in html
    assert "output —" in html


def test_an_empty_stream_has_a_card():
    run = sv.read(b"")
    assert "✗ fault" in words(run)
    assert "empty-body" in words(run)
    assert "none was sent" in words(run)
    assert "empty-body" in terminal(run)


def test_a_run_that_is_still_arriving_says_so():
    run = sv.StreamRun("openai")
    assert "still arriving" in run_line(run)
    run.feed(chat({"content": "Hel"}, done=False), 0.25)
    assert "… still arriving" in words(run)
    assert "first read after 0.250 s" in words(run)
    assert "still arriving" in terminal(run)


def test_an_error_in_the_stream_comes_with_what_arrived_before():
    run = sv.read(chat({"content": "Hel"}, {"error": {"message": "Overloaded", "type": "server_error", "code": 529}}))
    for text in (words(run), terminal_words(run)):
        assert "✗ error" in text
        assert "error Overloaded" in text
        assert "server_error, 529" in text
        assert "Hel" in text


def test_a_torn_stream_says_how_much_is_left_over():
    run = sv.read(chat({"content": "Hel"}, done=False) + b'data: {"cho', provider="openai")
    assert "ended torn the bytes stop inside a frame" in words(run)
    assert "pending 11 bytes" in words(run)
    assert "torn-tail" in words(run)


def test_a_call_that_was_cut_off_shows_what_arrived_and_every_edit():
    run = sv.read(chat(call('{"city": "Pa'), (call("ri"), "length")))
    html = run_card_html(run)
    for text in (words(run), terminal_words(run)):
        assert "incomplete, not executable" in text
        assert '{ "city": "Pari" }' in text
        assert "the text ends inside $.city" in text
        assert "close-string" in text
        assert "close-container" in text
    assert re.search(r"<td>close-string</td><td>lossless</td><td>14</td><td>1</td><td>1</td>", html)
    assert '{"city": "Pari' in Reader(html).words.split("as sent")[-1]


def test_arguments_that_cannot_be_read_are_shown_as_they_were_sent():
    run = sv.read(chat((call("{city: Paris}"), "tool_calls")))
    for text in (words(run), terminal(run)):
        assert "invalid" in text
        assert "{city: Paris}" in text


def test_each_choice_has_its_part_and_a_finding_they_share_is_told_once():
    choice = [
        {"id": "c", "choices": [{"index": i, "delta": {"content": f"answer {i}"}, "finish_reason": "stop"}]}
        for i in range(3)
    ]
    run = sv.read(sse(*choice, "[DONE]"))
    for text in (words(run), terminal(run)):
        assert all(f"answer {i}" in text and re.search(f"choice {i}", text, re.IGNORECASE) for i in range(3))
        assert text.count("usage-missing") == 1


def test_a_diagnostic_that_comes_often_is_counted():
    run = sv.read(sse(*[{"type": "weird", "n": i} for i in range(50)]), provider="anthropic")
    assert words(run).count("unknown-event") == 5 + 1
    assert "45 more unknown-event" in words(run)


def test_a_leading_line_feed_survives_html():
    run = sv.read(chat(({"content": "\n\nx"}, "stop")))
    assert '<pre dir="auto">\n\n\nx</pre>' in run_card_html(run)  # HTML drops the first one


def test_base64_is_counted_and_not_shown():
    part = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo" * 100}}
    run = sv.read(sse({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]}), provider="google")
    for text in (words(run), terminal(run)):
        assert "image/png" in text
        assert "1,100 characters of base64 in 1 piece" in text
        assert "iVBORw0KGgo" not in text


# -- text that does not mean well -------------------------------------------------------------------------------------


def hostile_stream(text):
    """Put a text into every place of a stream."""
    arguments = json.dumps({text: [text, {text: text}]})
    delta = {"tool_calls": [{"index": 0, "id": text, "function": {"name": text, "arguments": arguments[:-4]}}]}
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "service_tier": text}
    return chat(
        {"id": text, "model": text, "choices": [{"index": 0, "delta": {"role": text, "reasoning_content": text}}]},
        {"content": text},
        {"refusal": text},
        {"annotations": [{text: text}]},
        {"something": {text: text}},
        (delta, text),
        {"choices": [], "usage": usage, "service_tier": text},
        {"error": {"message": text, "type": text, "code": text}},
    )


def hostile_run(text):
    run = sv.read(hostile_stream(text))
    run.recording.source = text
    return run


def every_view(run):
    html = [run_card_html(run), payload_html(run.payload), *(call._repr_html_() for call in run.payload.calls)]
    html += [repair_html(call.repair) for call in run.payload.calls]
    if run.payload.usage is not None:
        html.append(usage_html(run.payload.usage))
    return html, [run_line(run), terminal(run), terminal(run, short=True)]


def check_safe(run):
    html, texts = every_view(run)
    for card in html:
        reader = Reader(card)
        assert reader.tags <= ALLOWED_TAGS
        assert reader.attributes <= ALLOWED_ATTRIBUTES
        assert reader.open == []
        for style in re.findall(r'style="([^"]*)"', card):
            assert re.fullmatch(r"[-a-z0-9.# :;]*", style, re.IGNORECASE)
        card.encode()
    for text in [*html, *texts]:
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]", text)
        assert not re.search("[\u2028\u2029\U000e0000-\U000e0fff\ud800-\udfff]", text)
    assert "\n" not in texts[0]


def test_hostile_text_is_shown_and_does_nothing():
    run = hostile_run(HOSTILE)
    check_safe(run)
    shown = "<script>alert(1)</script>␛[31m<U+202E>x $\\frac{a}{b}$ [red]y[/red] <U+E0041> &amp; \"'"
    text = words(run)
    assert text.count(shown) >= 6  # id, model, thinking, text, refusal, name …
    assert terminal_words(run).count("[red]y[/red] <U+E0041> &amp;") >= 6


def test_nothing_of_a_stream_stands_where_mathematics_is_typeset():
    """A notebook typesets ``$…$`` outside of ``code`` and ``pre``, unless the classes keep it out."""
    html = run_card_html(hostile_run("$math$"))
    assert "mathjax_ignore" in html
    outside = re.sub(r"<(code|pre)\b.*?</\1>", "", html, flags=re.DOTALL)
    assert "$math$" not in outside


def test_the_terminal_gets_colours_of_ours_only():
    colored = terminal(sv.read(hostile_stream("\x1b[31m\x1b]0;title\x07[bold red]x")), color=True)
    codes = set(re.findall("\x1b(?!\\[[0-9;]*m)", colored))
    assert codes == set()
    assert "\x1b[31m" not in colored
    assert "[bold red]x" in colored


@settings(max_examples=60, deadline=None)
@given(
    st.one_of(
        st.text(min_size=1),
        st.text("<>&\"'$`[]/\x1b\u202e\r\n\t\ud83c\udf78\u2028 a", min_size=1),
        st.text(min_size=1).map(lambda text: f"</pre></code><script>{text}"),
    )
)
def test_no_text_in_any_place_gets_out(text):
    check_safe(hostile_run(text))


# -- the same again, and never too much -------------------------------------------------------------------------------


def test_the_same_stream_gives_the_same_card_whatever_the_cut_of_the_bytes():
    data = hostile_stream(HOSTILE)
    cards = set()
    for size in (1, 7, 1000):
        run = sv.read([data[i : i + size] for i in range(0, len(data), size)])
        cards.add(re.sub(r"in [\d,]+ reads?", "", run_card_html(run) + terminal_words(run) + run_line(run)))
    assert len(cards) == 1


def test_a_card_stands_alone():
    html = run_card_html(sv.read(hostile_stream("x")))
    for reference in ("http:", "https:", "url(", "@import", "src=", "href=", " id="):
        assert reference not in html


def broken_calls(calls, edits):
    deltas = [
        {"tool_calls": [{"index": i, "id": f"i{i}", "function": {"name": "f" * 300, "arguments": "[" * edits}}]}
        for i in range(calls)
    ]
    return chat(*deltas)


@pytest.mark.parametrize(
    "data",
    [
        chat({"content": "\x1ba" * 500_000}),
        chat(
            {"tool_calls": [{"index": 0, "id": "i", "function": {"name": "f", "arguments": '{"a":"' + "<&" * 500_000}}]}
        ),
        chat(*[{"content": "<"} if i % 2 else {"reasoning_content": "&" * 3000} for i in range(2000)]),
        chat({"content": "x\n" * 300_000}, {"id": "\x1b" * 100_000, "model": "<" * 100_000, "choices": []}),
        broken_calls(500, 400),
        sse(
            *[
                {"choices": [{"index": i, "delta": {"content": '"' * 9999}, "finish_reason": "s" * i}]}
                for i in range(400)
            ]
        ),
    ],
    ids=["hidden", "argument", "blocks", "names", "calls", "choices"],
)
def test_a_huge_stream_makes_no_huge_card(data):
    run = sv.read(data)
    assert len(run_card_html(run)) < 600_000
    assert len(terminal(run)) < 600_000
    assert len(terminal(run, short=True)) < 20_000
    assert len(run_line(run)) < 600


def test_what_is_left_out_is_said():
    run = sv.read(chat(({"content": "x" * 50_000}, "stop")))
    html = run_card_html(run)
    assert f"30,000 of 50,000 characters {LEFT_OUT}" in html
    assert "44,000 more characters" in terminal(run)
