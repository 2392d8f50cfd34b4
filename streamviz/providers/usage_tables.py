"""Where each vendor's usage report keeps what. One table a vendor; `streamviz.assembly.usage` reads them."""

from __future__ import annotations

from ..chunks import UsageFields

OPENAI_CHAT = UsageFields(
    name="openai-chat",
    # https://platform.openai.com/docs/api-reference/chat-streaming; the aliases are those of compatible vendors
    input_tokens=("prompt_tokens", "input_tokens"),
    output_tokens=("completion_tokens", "output_tokens"),
    total_tokens=("total_tokens",),
    cache_read_input_tokens=(
        "prompt_tokens_details.cached_tokens",
        "input_tokens_details.cached_tokens",
        "cache_read_input_tokens",
        "prompt_cache_hit_tokens",  # DeepSeek
        "cached_tokens",  # Moonshot
        "num_cached_tokens",  # Mistral
    ),
    cache_creation_input_tokens=("prompt_tokens_details.cache_write_tokens", "cache_creation_input_tokens"),
    cache_creation_5m_input_tokens=("cache_creation.ephemeral_5m_input_tokens",),
    cache_creation_1h_input_tokens=("cache_creation.ephemeral_1h_input_tokens",),
    reasoning_output_tokens=(
        "completion_tokens_details.reasoning_tokens",
        "output_tokens_details.reasoning_tokens",
        "reasoning_tokens",
    ),
    audio_input_tokens=("prompt_tokens_details.audio_tokens",),
    image_input_tokens=("prompt_tokens_details.image_tokens",),
    video_input_tokens=("prompt_tokens_details.video_tokens",),
    audio_output_tokens=("completion_tokens_details.audio_tokens",),
    image_output_tokens=("completion_tokens_details.image_tokens",),
    accepted_prediction_tokens=("completion_tokens_details.accepted_prediction_tokens",),
    rejected_prediction_tokens=("completion_tokens_details.rejected_prediction_tokens",),
    server_tools=("server_tool_use", "num_sources_used", "num_search_queries"),
    service_tier=("service_tier",),
    billed=(
        ("cost", "USD", 1.0),  # OpenRouter, in credits of one dollar
        ("cost.total_cost", "USD", 1.0),  # Perplexity
        ("cost_in_usd_ticks", "USD", 1e-10),  # xAI
    ),
    server_timing=(
        ("queue_time", "queue", 1.0),  # Groq
        ("prompt_time", "prompt", 1.0),
        ("completion_time", "generation", 1.0),
        ("total_time", "total", 1.0),
        ("total_prompt_time_sec", "prompt", 1.0),  # mistral.rs
        ("total_completion_time_sec", "generation", 1.0),
        ("total_time_sec", "total", 1.0),
    ),
    decide_by_total=True,
    raw_keys=(
        "prompt_cache_miss_tokens",
        "cache_creation.ephemeral_24h_input_tokens",
        "avg_compl_tok_per_sec",
        "avg_prompt_tok_per_sec",
        "avg_tok_per_sec",
        "cost_details",
        "is_byok",
        "cost.input_tokens_cost",
        "cost.output_tokens_cost",
        "cost.request_cost",
        "search_context_size",
        "prompt_token_details",
        "prompt_tokens_details.text_tokens",
        "prompt_audio_seconds",
    ),
)

OPENAI_RESPONSES = UsageFields(
    name="openai-responses",
    # https://platform.openai.com/docs/api-reference/responses/object
    input_tokens=("input_tokens", "prompt_tokens"),
    output_tokens=("output_tokens", "completion_tokens"),
    total_tokens=("total_tokens",),
    cache_read_input_tokens=("input_tokens_details.cached_tokens", "prompt_tokens_details.cached_tokens"),
    cache_creation_input_tokens=("input_tokens_details.cache_write_tokens",),
    reasoning_output_tokens=(
        "output_tokens_details.reasoning_tokens",
        "completion_tokens_details.reasoning_tokens",
    ),
    audio_input_tokens=("input_tokens_details.audio_tokens",),
    image_input_tokens=("input_tokens_details.image_tokens",),
    audio_output_tokens=("output_tokens_details.audio_tokens",),
    image_output_tokens=("output_tokens_details.image_tokens",),
    server_tools=("tool_usage.web_search", "server_side_tool_usage_details", "num_sources_used"),
    service_tier=("service_tier",),
    billed=(
        ("cost", "USD", 1.0),  # OpenRouter
        ("cost_in_usd_ticks", "USD", 1e-10),  # xAI
    ),
    decide_by_total=True,
    raw_keys=(
        "tool_usage",
        "context_details",
        "num_server_side_tools_used",
        "cost_details",
        "is_byok",
        "input_tokens_details.text_tokens",
        "output_tokens_details.text_tokens",
    ),
)

ANTHROPIC = UsageFields(
    name="anthropic",
    # https://docs.anthropic.com/en/api/messages-streaming: counts in message_delta are cumulative
    input_tokens=("input_tokens",),
    output_tokens=("output_tokens",),
    cache_read_input_tokens=("cache_read_input_tokens",),
    cache_creation_input_tokens=("cache_creation_input_tokens",),
    cache_creation_5m_input_tokens=("cache_creation.ephemeral_5m_input_tokens",),
    cache_creation_1h_input_tokens=("cache_creation.ephemeral_1h_input_tokens",),
    reasoning_output_tokens=("output_tokens_details.thinking_tokens",),
    server_tools=("server_tool_use",),
    service_tier=("service_tier",),
    speed=("speed",),
    inference_geo=("inference_geo",),
    iterations=("iterations",),
    billed=(("cost", "USD", 1.0),),
    input_excludes_cache=True,
    raw_keys=("cost_details", "is_byok"),
)

GOOGLE = UsageFields(
    name="google",
    # https://ai.google.dev/api/generate-content#UsageMetadata
    input_tokens=("promptTokenCount",),
    output_tokens=("candidatesTokenCount", "responseTokenCount"),
    total_tokens=("totalTokenCount",),
    cache_read_input_tokens=("cachedContentTokenCount",),
    reasoning_output_tokens=("thoughtsTokenCount",),
    tool_input_tokens=("toolUsePromptTokenCount",),
    service_tier=("serviceTier", "trafficType"),
    modalities=(("promptTokensDetails", "input"), ("candidatesTokensDetails", "output")),
    output_excludes_reasoning=True,
    adds_tool_input=True,
    raw_keys=("cacheTokensDetails", "toolUsePromptTokensDetails"),
)

GOOGLE_INTERACTIONS = UsageFields(
    name="google-interactions",
    # https://ai.google.dev/api/interactions-api
    input_tokens=("total_input_tokens",),
    output_tokens=("total_output_tokens",),
    total_tokens=("total_tokens",),
    cache_read_input_tokens=("total_cached_tokens",),
    reasoning_output_tokens=("total_thought_tokens", "total_reasoning_tokens"),
    tool_input_tokens=("total_tool_use_tokens",),
    service_tier=("service_tier",),
    modalities=(("input_tokens_by_modality", "input"), ("output_tokens_by_modality", "output")),
    output_excludes_reasoning=True,
    adds_tool_input=True,
    raw_keys=("raw_prompt_token", "cached_tokens_by_modality", "tool_use_tokens_by_modality", "grounding_tool_count"),
)

BEDROCK_CONVERSE = UsageFields(
    name="bedrock-converse",
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
    input_tokens=("inputTokens",),
    output_tokens=("outputTokens",),
    total_tokens=("totalTokens",),
    cache_read_input_tokens=("cacheReadInputTokens", "cacheReadInputTokenCount"),
    cache_creation_input_tokens=("cacheWriteInputTokens", "cacheWriteInputTokenCount"),
    server_tools=("serverToolUsage",),
    server_timing=(("metrics.latencyMs", "total", 1e-3),),
    input_excludes_cache=True,
    raw_keys=("cacheDetails",),
)

_METRICS = "amazon-bedrock-invocationMetrics."
BEDROCK_INVOKE = UsageFields(
    name="bedrock-invoke",
    # The inner vendor's report, and AWS's own of the same numbers in the last chunk: the inner one comes first.
    input_tokens=(
        "input_tokens",
        "inputTokens",
        "prompt_token_count",
        "inputTextTokenCount",
        "prompt_tokens",
        _METRICS + "inputTokenCount",
    ),
    output_tokens=(
        "output_tokens",
        "outputTokens",
        "generation_token_count",
        "totalOutputTextTokenCount",
        "completion_tokens",
        _METRICS + "outputTokenCount",
    ),
    total_tokens=("totalTokens", "total_tokens"),
    cache_read_input_tokens=(
        "cache_read_input_tokens",
        "cacheReadInputTokens",
        "cacheReadInputTokenCount",
        _METRICS + "cacheReadInputTokenCount",
    ),
    cache_creation_input_tokens=(
        "cache_creation_input_tokens",
        "cacheWriteInputTokens",
        "cacheWriteInputTokenCount",
        _METRICS + "cacheWriteInputTokenCount",
    ),
    cache_creation_5m_input_tokens=ANTHROPIC.cache_creation_5m_input_tokens,
    cache_creation_1h_input_tokens=ANTHROPIC.cache_creation_1h_input_tokens,
    reasoning_output_tokens=ANTHROPIC.reasoning_output_tokens,
    server_tools=("server_tool_use", "serverToolUsage"),
    service_tier=("service_tier",),
    speed=("speed",),
    inference_geo=("inference_geo",),
    iterations=("iterations",),
    server_timing=(
        (_METRICS + "firstByteLatency", "first_byte", 1e-3),
        (_METRICS + "invocationLatency", "total", 1e-3),
    ),
    input_excludes_cache=True,
)

USAGE_TABLES: dict[str, UsageFields] = {
    table.name: table for table in (OPENAI_CHAT, ANTHROPIC, GOOGLE, BEDROCK_CONVERSE, BEDROCK_INVOKE)
}

COHERE = UsageFields(
    name="cohere",
    # https://docs.cohere.com/v2/reference/chat-stream: billed_units is what is charged, tokens what was processed
    input_tokens=("tokens.input_tokens", "billed_units.input_tokens"),
    output_tokens=("tokens.output_tokens", "billed_units.output_tokens"),
    cache_read_input_tokens=("cached_tokens",),
    server_tools=("billed_units.search_units",),
    raw_keys=("billed_units", "tokens", "api_version", "warnings"),
)

OLLAMA = UsageFields(
    name="ollama",
    # https://github.com/ollama/ollama/blob/main/docs/api.md: durations are in nanoseconds
    input_tokens=("prompt_eval_count",),
    output_tokens=("eval_count",),
    server_timing=(
        ("total_duration", "total", 1e-9),
        ("load_duration", "load", 1e-9),
        ("prompt_eval_duration", "prompt", 1e-9),
        ("eval_duration", "generation", 1e-9),
    ),
)

AI_SDK = UsageFields(
    name="ai-sdk",
    # https://v4.ai-sdk.dev/docs/ai-sdk-ui/stream-protocol#finish-message-part
    input_tokens=("promptTokens", "inputTokens"),
    output_tokens=("completionTokens", "outputTokens"),
    total_tokens=("totalTokens",),
    cache_read_input_tokens=("cachedInputTokens",),
    reasoning_output_tokens=("reasoningTokens",),
)

AG_UI = UsageFields(
    name="ag-ui",
    # https://docs.ag-ui.com/sdk/js/core/events#runfinished
    input_tokens=("inputTokens", "input_tokens"),
    output_tokens=("outputTokens", "output_tokens"),
    total_tokens=("totalTokens", "total_tokens"),
    cache_read_input_tokens=("cacheReadTokens", "cachedInputTokens"),
    reasoning_output_tokens=("reasoningTokens",),
)

LANGCHAIN = UsageFields(
    name="langchain",
    # https://reference.langchain.com/python/langchain_core/messages/#langchain_core.messages.ai.UsageMetadata
    input_tokens=("input_tokens",),
    output_tokens=("output_tokens",),
    total_tokens=("total_tokens",),
    cache_read_input_tokens=("input_token_details.cache_read",),
    cache_creation_input_tokens=("input_token_details.cache_creation",),
    reasoning_output_tokens=("output_token_details.reasoning",),
    audio_input_tokens=("input_token_details.audio",),
    audio_output_tokens=("output_token_details.audio",),
)
