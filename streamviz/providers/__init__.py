"""Stream wrappers: what each vendor's frames mean. One dialect a module; the registry is here.

Others can add their own::

    register_stream_wrapper(MyWrapper, aliases=["my-vendor"])
"""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import UnknownProviderError
from .ag_ui import AGUIWrapper
from .ai_sdk_ui import AISDKUIWrapper
from .anthropic import AnthropicWrapper
from .bedrock import BedrockConverseWrapper, BedrockInvokeWrapper
from .cohere import CohereWrapper
from .detect import detect_dialect
from .google import GoogleWrapper
from .google_interactions import GoogleInteractionsWrapper
from .langgraph import LangGraphWrapper
from .ollama import OllamaWrapper
from .openai_chat import MistralWrapper, OpenAIChatWrapper
from .openai_completions import OpenAICompletionsWrapper
from .openai_responses import OpenAIResponsesWrapper
from .unknown import UnknownWrapper
from .wrapper import JSONWrapper, StreamWrapper

_WRAPPERS: dict[str, type[StreamWrapper]] = {}
_ALIASES: dict[str, str] = {}


def register_stream_wrapper(wrapper: type[StreamWrapper], aliases: Iterable[str] = ()) -> None:
    """Make a dialect known under its name and further names for ``provider=``.

    Parameters
    ----------
    wrapper : type
        A subclass of `StreamWrapper`; registering a name again replaces it.
    aliases : iterable of str
        Other names, such as vendors who speak the dialect.
    """
    _WRAPPERS[wrapper.dialect] = wrapper
    for alias in aliases:
        _ALIASES[alias.lower()] = wrapper.dialect


def stream_wrapper_names() -> list[str]:
    """Return every name that ``provider=`` takes, sorted."""
    return sorted({*_WRAPPERS, *_ALIASES, "bedrock"})


def resolve_dialect(provider: str) -> str:
    """Return the dialect for a provider's name; ``bedrock`` stays open until the first frame tells which of two.

    Raises
    ------
    UnknownProviderError
        No wrapper has that name.
    """
    name = provider.lower().replace("_", "-")
    if name == "bedrock":
        return name
    dialect = _ALIASES.get(name, name)
    if dialect not in _WRAPPERS:
        import difflib

        known = stream_wrapper_names()
        close = difflib.get_close_matches(provider.lower(), known, n=4, cutoff=0.5)
        advice = f"did you mean {' or '.join(close)}?" if close else f"known: {', '.join(known)}"
        raise UnknownProviderError(f"no stream wrapper for {provider!r}; {advice}")
    return dialect


def get_stream_wrapper(provider: str) -> StreamWrapper:
    """Return a new wrapper for a provider or dialect.

    Parameters
    ----------
    provider : str
        A dialect (``openai-chat``) or an alias (``openai``, ``azure``, ``groq`` …).

    Raises
    ------
    UnknownProviderError
        No wrapper has that name.

    Examples
    --------
    >>> get_stream_wrapper("vertex").dialect
    'google'
    """
    dialect = resolve_dialect(provider)
    return _WRAPPERS["bedrock-converse" if dialect == "bedrock" else dialect]()


register_stream_wrapper(
    OpenAIChatWrapper,
    [
        "openai",
        "azure",
        "azure-openai",
        "openrouter",
        "deepseek",
        "groq",
        "xai",
        "together",
        "perplexity",
        "vllm",
        "sglang",
        "llamacpp",
        "llama.cpp",
        "lmstudio",
        "fireworks",
        "cerebras",
        "moonshot",
        "moonshotai",
        "kimi",
        "zai",
        "zhipu",
        "alibaba",
        "qwen",
        "dashscope",
        "databricks",
        "huggingface",
        "copilot",
        "writer",
        "venice",
        "snowflake",
        "nvidia",
        "baseten",
        "cloudflare",
        "litellm",
        "openai-compatible",
        "chat",
    ],
)
register_stream_wrapper(
    OpenAIResponsesWrapper,
    ["responses", "codex", "azure-responses", "openrouter-responses", "xai-responses", "chatgpt"],
)
register_stream_wrapper(MistralWrapper)
register_stream_wrapper(AnthropicWrapper, ["claude"])
register_stream_wrapper(GoogleWrapper, ["gemini", "vertex", "google-ai", "google-vertex"])
register_stream_wrapper(BedrockConverseWrapper)
register_stream_wrapper(BedrockInvokeWrapper)
register_stream_wrapper(GoogleInteractionsWrapper, ["interactions", "gemini-interactions"])
register_stream_wrapper(CohereWrapper)
register_stream_wrapper(OllamaWrapper)
register_stream_wrapper(OpenAICompletionsWrapper, ["completions"])
register_stream_wrapper(AISDKUIWrapper, ["ai-sdk", "vercel-ai", "vercel"])
register_stream_wrapper(AGUIWrapper, ["agui"])
register_stream_wrapper(LangGraphWrapper, ["langchain"])
register_stream_wrapper(UnknownWrapper)

__all__ = [
    "AGUIWrapper",
    "AISDKUIWrapper",
    "AnthropicWrapper",
    "BedrockConverseWrapper",
    "BedrockInvokeWrapper",
    "CohereWrapper",
    "GoogleInteractionsWrapper",
    "GoogleWrapper",
    "JSONWrapper",
    "LangGraphWrapper",
    "MistralWrapper",
    "OllamaWrapper",
    "OpenAIChatWrapper",
    "OpenAICompletionsWrapper",
    "OpenAIResponsesWrapper",
    "StreamWrapper",
    "UnknownWrapper",
    "detect_dialect",
    "get_stream_wrapper",
    "register_stream_wrapper",
    "resolve_dialect",
    "stream_wrapper_names",
]
