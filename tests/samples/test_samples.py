"""The sample streams: they are what their maker writes, and they come out as their stories say."""

import pytest

import streamviz as sv
from streamviz.samples import DATA, SAMPLES, load_sample, sample_path
from streamviz.samples.make import STREAMS

# Usage is (input, output, total, of the input from the cache, of the output reasoning); what nobody sent is None.
STORIES = {
    "openai-text": {
        "dialect": "openai-chat",
        "text": "The night train leaves Vienna at 19:42 and reaches Venice at 8:34. Take the upper berth: it is "
        "quieter, and the window is yours when the lagoon appears. ☕ Breakfast comes at seven.",
        "usage": (31, 44, 75, 0, 0),
        "finish": "stop",
        "ended": "done",
    },
    "openai-parallel-calls": {
        "dialect": "openai-chat",
        "calls": [
            ("get_forecast", {"city": "Reykjavík", "days": 3, "units": "metric"}, "exact"),
            ("find_flights", {"from": "KEF", "to": "OSL", "date": "2026-07-14"}, "exact"),
        ],
        "usage": (126, 57, 183, 64, 0),
        "finish": "tool_calls",
        "ended": "done",
    },
    "openai-broken-arguments": {
        "dialect": "openai-chat",
        "text": "I will look at your notes first.",
        "calls": [
            ("list_files", {"folder": "notes"}, "exact"),
            ("read_file", {"path": "notes/todo.md", "lines": [1, 40]}, "repaired"),
            ("delete_file", {"path": "a.tmp"}, "repaired"),
        ],
        "raw": [
            '{"folder": "notes"}',
            '{"path" "notes/todo.md", "lines": [1, 40]}',
            '{"path": "a.tmp"}{"path": "a.tmp"}',
        ],
        "diagnostics": ["call-repaired", "call-repaired"],
        "usage": (212, 71, 283, None, None),
        "finish": "tool_calls",
        "ended": "done",
    },
    "openai-torn": {
        "dialect": "openai-chat",
        "text": "Four names for the boat, each easy to call across a harbour: Petrel, for a bird that walks on water; "
        "Morgenröte, for the hour you like to sail; and",
        "diagnostics": ["torn-tail"],
        "usage": None,
        "finish": None,
        "ended": "torn",
    },
    "openai-hostile": {
        "dialect": "openai-chat",
        "text": "<script>alert(1)</script><img src=x onerror=alert(2)> costs $5 or $x^2$, \x1b[31mred\x1b[0m, "
        "[bold]marked[/bold], \u202edesrever\u202c, invisible:\u200b\U000e0041, end.",
        "calls": [("<b>shell</b>", {"</pre><script>alert(3)</script>": "`rm -rf ~`"}, "exact")],
        "usage": (18, 66, 84, 0, 0),
        "finish": "tool_calls",
        "ended": "done",
    },
    "deepseek-reasoning": {
        "dialect": "openai-chat",
        "thinking": "A leap year has 366 days. 366 divided by 7 leaves 2. So the weekday moves on by two.",
        "text": "It falls two weekdays later: after a Monday comes a Wednesday.",
        "usage": (22, 47, 69, 16, 29),
        "finish": "stop",
        "ended": "done",
    },
    "mistral-thinking": {
        "dialect": "mistral",
        "thinking": "The user asks for a rhyme on 'month'. There is no perfect one. Say so, and offer 'once'.",
        "text": "Nothing in English rhymes with month; 'once' comes near, if said with a smile.",
        "usage": (14, 55, 69, 0, None),
        "finish": "stop",
        "ended": "done",
    },
    "responses-reasoning-call": {
        "dialect": "openai-responses",
        "text": "High water at Aveiro is at 15:20, 3.1 m. I ask the harbour for a berth.",
        "thinking": "**Checking the tide** The harbour bar needs two metres; I look up today's table first.",
        "calls": [
            ("reserve_berth", {"harbour": "Aveiro", "arrival": "2026-07-14T15:00", "length_m": 9.5}, "exact"),
        ],
        "usage": (318, 139, 457, 128, 64),
        "finish": "stop",
        "ended": "terminal",
    },
    "anthropic-text": {
        "dialect": "anthropic",
        "text": "Bread needs four things: flour, water, salt and time. Time is the one that people leave out, and the "
        "one that you can taste.",
        "usage": (24, 33, 57, 0, None),
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
        "usage": (1095, 143, 1238, 1024, None),
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
        "raw": ['{"path": "garden/plan.md", "mode": "create", "content": "# Beds\\n\\n1. beans\\n2. caf\\u00'],
        "diagnostics": ["call-incomplete"],
        "usage": (388, 64, 452, 0, None),
        "finish": "length",
        "ended": "terminal",
    },
    "anthropic-overloaded": {
        "dialect": "anthropic",
        "text": "Saturn has more moons than any other planet. The three largest are Titan, which has rain and rivers "
        "of methane, Rhea and",
        "diagnostics": ["error-in-stream"],
        "usage": (45, 1, 46, 0, None),
        "finish": None,
        "ended": "error",
        "error": ("overloaded_error", "Overloaded"),
    },
    "gemini-thoughts-call": {
        "dialect": "google",
        "thinking": "**Finding a table**\n\nThe user wants dinner for four near the harbour, at eight.\n\n\n"
        "**Weighing the terrace**\n\nIt may rain, but they asked to sit outside.\n\n\n"
        "**Searching first**\n\nI should not promise a table before I have searched.\n\n\n",
        "text": "A table for four by the harbour, outside, at eight: that is the hour when everybody wants one. I will "
        "ask the places whose terrace has a roof, in case the rain comes early, and leave out the one that is closed "
        "on Tuesdays. If they are full, a quarter past nine is usually easy, and the light is better. Let me look now.",
        "diagnostics": ["call-id-missing"],
        "calls": [("find_tables", {"near": "harbour", "guests": 4, "time": "20:00", "terrace": True}, "exact")],
        "usage": (58, 149, 207, None, 42),
        "finish": "stop",  # Gemini has no other word; beside text it is left standing
        "ended": "clean",
    },
    "vertex-array": {
        "dialect": "google",
        "text": "Slate roofs last a hundred years if the nails do; copper nails do. Start at the eaves and work up, so "
        "that every course covers the holes of the one below it. A slate that rings when you knock on it is sound; one "
        "that sounds dull has a crack that you cannot see yet. Keep a dozen spare ones from the same quarry in the "
        "cellar, because in fifty years nobody will know where it was.",
        "usage": (19, 93, 112, None, None),
        "finish": "stop",
        "ended": "clean",
    },
    "vertex-partial-args": {
        "dialect": "google",
        "text": "I'll draft the invitation for your three neighbours.",
        "diagnostics": ["call-id-missing"],
        "calls": [
            (
                "send_invitation",
                {
                    "subject": "Garden party on Saturday",
                    "guests": [
                        {"name": "Ada", "adults": 2},
                        {"name": "Blaise", "adults": 1},
                        {"name": "Émilie", "adults": 2},
                    ],
                    "outdoors": True,
                    "note": None,
                },
                "exact",
            )
        ],
        "usage": (64, 52, 116, None, None),
        "finish": "stop",
        "ended": "clean",
    },
    "interactions-thoughts-call": {
        "dialect": "google-interactions",
        "text": "The west is clouding over. I tell the dome to stay shut until four.",
        "thinking": "**Reading the sky** Clouds from the west by noon; the observatory needs to know before it opens "
        "the dome.",
        "calls": [("set_dome", {"state": "shut", "until": "16:00"}, "exact")],
        "usage": (41, 91, 132, 0, 58),
        "finish": "tool_calls",
        "ended": "done",
    },
    "completions-text": {
        "dialect": "openai-completions",
        "text": " a lighthouse keeper who collected the names of ships, and one night a ship answered.",
        "usage": (6, 38, 44, None, None),
        "finish": "length",
        "ended": "done",
    },
    "cohere-plan-calls": {
        "dialect": "cohere",
        "calls": [
            ("find_ferries", {"from": "Kirkwall", "to": "Stromness", "day": "2026-07-14"}, "exact"),
            ("sea_weather", {"area": "Fair Isle"}, "exact"),
        ],
        "usage": (1549, 95, 1644, 1504, None),
        "finish": "tool_calls",
        "ended": "done",
    },
    "ollama-thinking-call": {
        "dialect": "ollama",
        "thinking": "The user wants to know whether the kettle is on. I have a tool for that: read_sensor.",
        "calls": [("read_sensor", {"place": "kitchen", "kind": "kettle"}, "exact")],
        "usage": (187, 52, 239, None, None),
        "diagnostics": ["stop-but-calls"],
        "finish": "tool_calls",
        "ended": "terminal",
    },
    "ai-sdk-call": {
        "dialect": "ai-sdk-ui",
        "text": "For twelve you need 1.8 kg of potatoes and 750 g of kale.",
        "thinking": "A recipe for twelve: scale the one for four.",
        "calls": [("scale_recipe", {"recipe": "caldo verde", "servings": 12}, "exact")],
        "usage": None,
        "diagnostics": ["app-data", "usage-missing"],
        "finish": "stop",
        "ended": "done",
    },
    "ag-ui-run": {
        "dialect": "ag-ui",
        "text": "I archived 17 cards; three that were closed this week are still there.",
        "thinking": "The board is full of old cards. I archive those that are done.",
        "calls": [("archive_cards", {"column": "done", "before": "2026-06-01"}, "exact")],
        "usage": None,
        "diagnostics": ["app-data", "usage-missing"],
        "finish": "stop",
        "ended": "terminal",
    },
    "langgraph-messages": {
        "dialect": "langgraph",
        "text": "I check the entries of March.",
        "thinking": "Three rows do not add up; ask the ledger for the entries of March.",
        "calls": [("read_ledger", {"month": "2026-03", "columns": ["date", "amount"]}, "exact")],
        "usage": (412, 71, 483, None, None),
        "diagnostics": ["app-data"],
        "finish": "tool_calls",
        "ended": "clean",
    },
    "bedrock-converse": {
        "dialect": "bedrock-converse",
        "thinking": "A museum on a Monday: many are closed. Check the hours first.",
        "text": "Let me check whether it is open on Monday.",
        "calls": [("opening_hours", {"museum": "Mauritshuis", "date": "2026-05-04"}, "exact")],
        "usage": (368, 61, 429, 256, None),
        "finish": "tool_calls",
        "ended": "clean",
    },
    "bedrock-throttled": {
        "dialect": "bedrock-converse",
        "text": "Ten kilometres east of the pass, the road forks at a chapel. Keep left, even though the sign points "
        "right: it",
        "diagnostics": ["error-in-stream"],
        "usage": None,
        "finish": None,
        "ended": "error",
        "error": ("throttlingException", "Too many tokens, please wait before trying again."),
    },
    "bedrock-invoke-claude": {
        "dialect": "bedrock-invoke",
        "text": "Adding the receipt to your expenses.",
        "calls": [("add_expense", {"amount": 41.5, "currency": "CHF", "tags": ["lunch", "client"]}, "exact")],
        "usage": (40, 58, 98, 0, None),
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
    assert payload.assistant_text == story.get("text", "")
    assert payload.thinking == story.get("thinking", "")
    assert [(c.name, c.arguments, c.status) for c in payload.calls] == story.get("calls", [])
    assert usage_of(payload) == story["usage"]
    assert (payload.finish and payload.finish.unified) == story["finish"]
    assert payload.ended == story["ended"]
    assert (payload.error and (payload.error.type, payload.error.message)) == story.get("error")
    assert [diagnostic.code for diagnostic in payload.diagnostics] == story.get("diagnostics", [])


def usage_of(payload):
    usage = payload.usage
    return usage and (
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
        usage.cache_read_input_tokens,
        usage.reasoning_output_tokens,
    )


@pytest.mark.parametrize("name", [name for name, story in STORIES.items() if "raw" in story])
def test_the_text_of_a_broken_call_is_kept_as_it_was_sent(name):
    assert [call.raw_arguments for call in load_sample(name).payload.calls] == STORIES[name]["raw"]


@pytest.mark.parametrize("name", SAMPLES)
def test_naming_the_provider_changes_nothing(name):
    assert sv.read(sample_path(name), SAMPLES[name].provider).payload == load_sample(name).payload


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_long_enough_to_step_through_and_short_enough_to_read(name):
    assert 20 <= len(load_sample(name).frames) <= 200


def test_an_unknown_name_is_answered_with_those_that_come_close():
    with pytest.raises(KeyError, match="openai-text"):
        load_sample("openai-txt")
