"""Who sent a stream, where the dialect alone does not tell."""

from __future__ import annotations

_OF_DIALECT = {
    "anthropic": "anthropic",
    "google": "google",
    "bedrock-converse": "bedrock",
    "bedrock-invoke": "bedrock",
    "mistral": "mistral",
    "cohere": "cohere",
    "ollama": "ollama",
    "google-interactions": "google",
}
OF_APPLICATIONS = {"unknown", "ai-sdk-ui", "ag-ui", "langgraph"}
"""Dialects of applications: whose model answers behind them cannot be seen."""
_GENERIC = {
    *("openai", "chat", "openai-compatible", "openai-chat", "openai-responses", "openai-completions", "litellm"),
    *("responses", "completions"),
    *OF_APPLICATIONS,
    *_OF_DIALECT,
}
_SIGNS: dict[bytes, str] = {
    b'"x_groq"': "groq",
    b": OPENROUTER PROCESSING": "openrouter",
    b'"id":"gen-': "openrouter",
    b'"prompt_filter_results"': "azure",
    b'"content_filter_results"': "azure",
    b'"cost_in_usd_ticks"': "xai",
    b'"model":"deepseek-': "deepseek",
    b'"model":"grok-': "xai",
    b'"model":"sonar': "perplexity",
    b'"model":"mistral-': "mistral",
    b'"model":"gpt-': "openai",
    b'"model":"o1': "openai",
    b'"model":"o3': "openai",
}
"""Byte strings that give a vendor away, the surer first."""


def guess_vendor(provider: str | None, dialect: str, head: bytes) -> str | None:
    """Return who sent a stream: what the caller said, the dialect's only vendor, or a sign in the first bytes."""
    if provider is not None and provider.lower() not in _GENERIC:
        return provider.lower()
    if dialect in _OF_DIALECT:
        return _OF_DIALECT[dialect]
    if dialect in OF_APPLICATIONS:
        return None
    return next((vendor for sign, vendor in _SIGNS.items() if sign in head), None)
