"""The sample streams: they are what their maker writes, and they come out as their stories say."""

import pytest

import streamviz as sv
from streamviz.samples import DATA, SAMPLES, load_sample, sample_path
from streamviz.samples.make import STREAMS

STORIES = {
    "openai-text": {
        "dialect": "openai-chat",
        "text": "The night train leaves Vienna at 19:42 and reaches Venice at 8:34. Take the upper berth: it is "
        "quieter, and the window is yours when the lagoon appears. ☕ Breakfast comes at seven.",
        "usage": (31, 44, 75),
        "finish": "stop",
        "ended": "done",
    },
    "openai-parallel-calls": {
        "dialect": "openai-chat",
        "calls": [
            ("get_forecast", {"city": "Reykjavík", "days": 3, "units": "metric"}, "exact"),
            ("find_flights", {"from": "KEF", "to": "OSL", "date": "2026-07-14"}, "exact"),
        ],
        "usage": (126, 57, 183),
        "cached": 64,
        "finish": "tool_calls",
        "ended": "done",
    },
    "openai-broken-arguments": {
        "dialect": "openai-chat",
        "text": "I will look at your notes first.",
        "calls": [
            ("list_files", {"folder": "notes"}, "exact"),
            ("read_file", None, "invalid"),
            ("delete_file", None, "invalid"),
        ],
        "usage": (212, 71, 283),
        "finish": "tool_calls",
        "ended": "done",
    },
    "openai-torn": {
        "dialect": "openai-chat",
        "text": "Three names for the boat: Morgenröte, Petrel, and",
        "usage": None,
        "finish": None,
        "ended": "torn",
    },
    "openai-hostile": {
        "dialect": "openai-chat",
        "calls": [("<b>shell</b>", {"</pre><script>alert(3)</script>": "`rm -rf ~`"}, "exact")],
        "usage": (18, 66, 84),
        "finish": "tool_calls",
        "ended": "done",
    },
    "deepseek-reasoning": {
        "dialect": "openai-chat",
        "thinking": "A leap year has 366 days. 366 divided by 7 leaves 2. So the weekday moves on by two.",
        "text": "It falls two weekdays later: after a Monday comes a Wednesday.",
        "usage": (22, 47, 69),
        "cached": 16,
        "reasoning": 29,
        "finish": "stop",
        "ended": "done",
    },
    "mistral-thinking": {
        "dialect": "mistral",
        "thinking": "The user asks for a rhyme on 'month'. There is no perfect one. Say so, and offer 'once'.",
        "text": "Nothing in English rhymes with month; 'once' comes near, if said with a smile.",
        "usage": (14, 55, 69),
        "finish": "stop",
        "ended": "done",
    },
    "anthropic-text": {
        "dialect": "anthropic",
        "text": "Bread needs four things: flour, water, salt and time. Time is the one that people leave out, and the "
        "one that you can taste.",
        "usage": (24, 33, 57),
        "finish": "stop",
        "ended": "terminal",
    },
    "anthropic-thinking-calls": {
        "dialect": "anthropic",
        "thinking": "They want to compare two cities. I can ask for both forecasts at once instead of one after the "
        "other.",
        "text": "I will look up both forecasts.",
        "calls": [
            ("get_forecast", {"city": "Paris", "days": 3}, "exact"),
            ("get_forecast", {"city": "Reykjavík", "days": 3}, "exact"),
        ],
        "usage": (1095, 143, 1238),
        "cached": 1024,
        "finish": "tool_calls",
        "ended": "terminal",
    },
    "anthropic-cut-call": {
        "dialect": "anthropic",
        "text": "Here is the plan.",
        "calls": [
            (
                "write_file",
                {"path": "garden/plan.md", "mode": "create", "content": "# Beds\n\n1. beans\n2. caf"},
                "incomplete",
            )
        ],
        "usage": (388, 64, 452),
        "finish": "length",
        "ended": "terminal",
    },
    "anthropic-overloaded": {
        "dialect": "anthropic",
        "text": "The three largest moons of Saturn are Titan, Rhea and",
        "usage": (45, 1, 46),
        "finish": None,
        "ended": "error",
        "error": ("overloaded_error", "Overloaded"),
    },
    "gemini-thoughts-call": {
        "dialect": "google",
        "thinking": "**Finding a table**\n\nThe user wants dinner for four near the harbour. I should search before I "
        "promise.",
        "text": "Let me see which places near the harbour have a table for four at eight.",
        "calls": [("find_tables", {"near": "harbour", "guests": 4, "time": "20:00", "terrace": True}, "exact")],
        "usage": (58, 85, 143),
        "reasoning": 41,
        "finish": "stop",  # Gemini has no other word; beside text it is left standing
        "ended": "clean",
    },
    "vertex-array": {
        "dialect": "google",
        "text": "Slate roofs last a hundred years if the nails do; copper nails do.",
        "usage": (19, 15, 34),
        "finish": "stop",
        "ended": "clean",
    },
    "vertex-partial-args": {
        "dialect": "google",
        "text": "I'll draft the invitation.",
        "calls": [
            (
                "send_invitation",
                {
                    "subject": "Garden party on Saturday",
                    "guests": [{"name": "Ada", "adults": 2}, {"name": "Blaise", "adults": 1}],
                    "outdoors": True,
                    "note": None,
                },
                "exact",
            )
        ],
        "usage": (64, 38, 102),
        "finish": "stop",
        "ended": "clean",
    },
    "bedrock-converse": {
        "dialect": "bedrock-converse",
        "thinking": "A museum on a Monday: many are closed. Check the hours first.",
        "text": "Let me check whether it is open on Monday.",
        "calls": [("opening_hours", {"museum": "Mauritshuis", "date": "2026-05-04"}, "exact")],
        "usage": (368, 61, 429),
        "cached": 256,
        "finish": "tool_calls",
        "ended": "clean",
    },
    "bedrock-throttled": {
        "dialect": "bedrock-converse",
        "text": "Ten kilometres east of the pass, the road",
        "usage": None,
        "finish": None,
        "ended": "error",
        "error": ("throttlingException", "Too many tokens, please wait before trying again."),
    },
    "bedrock-invoke-claude": {
        "dialect": "bedrock-invoke",
        "text": "Adding the receipt to your expenses.",
        "calls": [("add_expense", {"amount": 41.5, "currency": "CHF", "tags": ["lunch", "client"]}, "exact")],
        "usage": (40, 58, 98),
        "finish": "tool_calls",
        "ended": "terminal",
    },
}


def test_there_is_a_story_for_every_sample_and_a_sample_for_every_stream():
    assert set(STORIES) == set(SAMPLES)
    assert {sample.file for sample in SAMPLES.values()} == set(STREAMS) == {path.name for path in DATA.iterdir()}


@pytest.mark.parametrize("file", STREAMS)
def test_the_files_are_what_their_maker_writes(file):
    assert (DATA / file).read_bytes() == b"".join(STREAMS[file]())


@pytest.mark.parametrize("name", STORIES)
def test_a_sample_comes_out_as_its_story_says(name):
    story = STORIES[name]
    run = load_sample(name)
    payload = run.payload
    assert run.dialect == story["dialect"]
    assert sv.read(sample_path(name), SAMPLES[name].provider).payload == payload
    if name != "openai-hostile":
        assert payload.assistant_text == story.get("text", "")
    assert payload.thinking == story.get("thinking", "")
    assert [(c.name, c.arguments, c.status) for c in payload.calls] == story.get("calls", [])
    usage = payload.usage
    assert (usage and (usage.input_tokens, usage.output_tokens, usage.total_tokens)) == story["usage"]
    if usage is not None:
        assert usage.cache_read_input_tokens in (story.get("cached"), 0)
        assert usage.reasoning_output_tokens in (story.get("reasoning"), 0)
    assert (payload.finish and payload.finish.unified) == story["finish"]
    assert payload.ended == story["ended"]
    assert (payload.error and (payload.error.type, payload.error.message)) == story.get("error")


def test_an_unknown_name_is_answered_with_those_that_come_close():
    with pytest.raises(KeyError, match="openai-text"):
        load_sample("openai-txt")
