"""Usage reports replace one another; buckets are inclusive; unknown is None."""

import pytest

import streamviz as sv
from streamviz.assembly.usage import derive_usage, merge_report
from streamviz.chunks import UsageReport
from streamviz.providers.usage_tables import ANTHROPIC, BEDROCK_CONVERSE, BEDROCK_INVOKE, GOOGLE, OPENAI_CHAT


def buckets(raw, fields, *names):
    usage, notes = derive_usage(raw, fields)
    return [getattr(usage, name) for name in names], [note.code for note in notes]


def accumulate(fields, *reports):
    state = sv.AssemblyState()
    for report in reports:
        sv.route_chunk(state, sv.NormalizedChunk(usage=UsageReport(report, fields)))
    return state.usage


IN_OUT_TOTAL = ("input_tokens", "output_tokens", "total_tokens")


@pytest.mark.parametrize(
    ("raw", "fields", "expected"),
    [
        ({"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60}, OPENAI_CHAT, [40, 20, 60]),
        (
            {"prompt_tokens": 40, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 30}},
            OPENAI_CHAT,
            [40, 20, 60],
        ),
        ({"input_tokens": 9, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 4},
         ANTHROPIC, [129, 4, 133]),
        ({"promptTokenCount": 10, "candidatesTokenCount": 5, "thoughtsTokenCount": 7, "totalTokenCount": 22},
         GOOGLE, [10, 12, 22]),
        ({"promptTokenCount": 10, "toolUsePromptTokenCount": 3, "candidatesTokenCount": 5, "totalTokenCount": 18},
         GOOGLE, [13, 5, 18]),
        ({"inputTokens": 10, "cacheReadInputTokens": 900, "cacheWriteInputTokens": 100, "outputTokens": 5,
          "totalTokens": 1015}, BEDROCK_CONVERSE, [1010, 5, 1015]),
        ({"input_tokens": 12, "output_tokens": 6, "amazon-bedrock-invocationMetrics":
          {"inputTokenCount": 12, "outputTokenCount": 6, "cacheReadInputTokenCount": 4,
           "cacheWriteInputTokenCount": 3}},
         BEDROCK_INVOKE, [19, 6, 25]),
    ],
)  # fmt: skip
def test_the_buckets_are_inclusive_whatever_the_vendor_means(raw, fields, expected):
    assert buckets(raw, fields, *IN_OUT_TOTAL) == (expected, [])


def test_reasoning_outside_the_completion_is_found_from_the_total():
    raw = {
        "prompt_tokens": 20,
        "completion_tokens": 5,
        "total_tokens": 120,
        "completion_tokens_details": {"reasoning_tokens": 95},
    }
    assert buckets(raw, OPENAI_CHAT, *IN_OUT_TOTAL) == ([20, 100, 120], ["reasoning-outside-completion"])


def test_reasoning_inside_the_completion_is_not_added_again():
    raw = {
        "prompt_tokens": 20,
        "completion_tokens": 20,
        "total_tokens": 40,
        "completion_tokens_details": {"reasoning_tokens": 7},
    }
    assert buckets(raw, OPENAI_CHAT, *IN_OUT_TOTAL) == ([20, 20, 40], [])


def test_a_total_that_is_no_sum_of_its_parts_is_kept_and_said():
    raw = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 50}
    assert buckets(raw, OPENAI_CHAT, *IN_OUT_TOTAL) == ([1, 2, 50], ["usage-total-mismatch"])


def test_a_later_report_replaces_what_it_names_and_keeps_the_rest():
    usage = accumulate(
        ANTHROPIC,
        {"input_tokens": 9, "cache_read_input_tokens": 100, "output_tokens": 1},
        {"output_tokens": 7, "cache_read_input_tokens": None},
    )
    assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (109, 7, 100)


def test_cumulative_reports_are_not_added():
    usage = accumulate(
        GOOGLE, *({"promptTokenCount": 5, "candidatesTokenCount": n, "totalTokenCount": 5 + n} for n in (1, 2, 3))
    )
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (5, 3, 8)


def test_a_report_without_counts_is_no_usage():
    assert accumulate(GOOGLE, {"trafficType": "ON_DEMAND"}) is None


def test_what_is_not_reported_is_none_and_never_zero():
    usage = accumulate(OPENAI_CHAT, {"completion_tokens": 3})
    assert (usage.input_tokens, usage.total_tokens, usage.cache_read_input_tokens) == (None, None, None)


@pytest.mark.parametrize("wrong", ["12", True, -1, 1.5, float("nan"), float("inf"), [], {}])
def test_a_count_that_is_no_number_is_left_out_and_said(wrong):
    found, codes = buckets(
        {"prompt_tokens": wrong, "completion_tokens": 2}, OPENAI_CHAT, "input_tokens", "output_tokens"
    )
    assert (found, codes) == ([None, 2], ["usage-malformed"])


def test_the_finer_buckets_are_read():
    raw = {
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_creation": {"ephemeral_5m_input_tokens": 30, "ephemeral_1h_input_tokens": 70},
        "server_tool_use": {"web_search_requests": 2},
        "service_tier": "standard",
    }
    usage, _ = derive_usage(raw, ANTHROPIC)
    assert usage.cache_creation_5m_input_tokens == 30
    assert usage.cache_creation_1h_input_tokens == 70
    assert usage.cache_creation_input_tokens == 100
    assert usage.server_tools == {"web_search_requests": 2}
    assert usage.service_tier == "standard"
    assert usage.uncached_input_tokens == 1


def test_what_the_vendor_bills_is_read_where_it_says_so():
    usage, _ = derive_usage({"prompt_tokens": 1, "completion_tokens": 1, "cost": 0.25}, OPENAI_CHAT)
    assert (usage.billed.amount, usage.billed.currency, usage.billed.field) == (0.25, "USD", "cost")
    usage, _ = derive_usage({"prompt_tokens": 1, "completion_tokens": 1, "cost": {"total_cost": 0}}, OPENAI_CHAT)
    assert usage.billed.amount == 0


def test_modalities_and_timing_are_read():
    raw = {
        "promptTokenCount": 9,
        "promptTokensDetails": [{"modality": "AUDIO", "tokenCount": 4}, {"modality": "TEXT"}, 3],
    }
    assert derive_usage(raw, GOOGLE)[0].audio_input_tokens == 4
    timing = derive_usage({"prompt_tokens": 1, "completion_tokens": 1, "queue_time": 0.5}, OPENAI_CHAT)[0].server_timing
    assert timing == {"queue": 0.5}


def test_merging_never_changes_the_report_itself():
    merged = {}
    first = {"details": {"a": 1, "b": 2}}
    merge_report(merged, first)
    merge_report(merged, {"details": {"b": 3, "c": None}})
    assert merged == {"details": {"a": 1, "b": 3, "c": None}}
    assert first == {"details": {"a": 1, "b": 2}}


def test_the_start_report_alone_is_preliminary_and_zeros_beside_content_are_suspect():
    state = sv.AssemblyState()
    sv.route_chunk(
        state, sv.NormalizedChunk(usage=UsageReport({"input_tokens": 3, "output_tokens": 1}, ANTHROPIC, True))
    )
    assert sv.build_embedded_run_payloads(state)[0].usage.state == "preliminary"
    state = sv.AssemblyState()
    report = UsageReport({"prompt_tokens": 0, "completion_tokens": 0}, OPENAI_CHAT)
    sv.route_chunk(state, sv.NormalizedChunk((sv.TextDelta("Hi"),), usage=report))
    assert sv.build_embedded_run_payloads(state)[0].usage.state == "suspect"
