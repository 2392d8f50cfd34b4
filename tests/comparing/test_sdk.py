"""Other libraries over the same bytes: known divergences are found, at the chunk that brings them."""

import base64
import builtins
import importlib.util

import pytest
from support.material import cases
from support.wire import chat, sse

import streamviz as sv
from streamviz.comparing.transport import http_client
from streamviz.samples import load_sample

CASES = {case["id"]: case for case in cases("bug")}


def bug(name):
    if name not in CASES:
        pytest.skip("no test material: set STREAMVIZ_MATERIAL to run these")
    case = CASES[name]
    provider = {"gemini": "google"}.get(case["provider"], case["provider"])
    return sv.read(case["input"].encode("utf-8", "surrogatepass"), provider)


AGREE = [
    ("openai", "openai-text"),
    ("openai", "openai-parallel-calls"),
    ("openai", "openai-hostile"),
    ("openai", "deepseek-reasoning"),
    ("openai", "responses-reasoning-call"),
    ("anthropic", "anthropic-text"),
    ("anthropic", "anthropic-thinking-calls"),
    ("anthropic", "bedrock-invoke-claude"),
    ("google.genai", "gemini-thoughts-call"),
    ("boto3", "bedrock-converse"),
    ("langchain_core", "openai-parallel-calls"),
    ("langchain_core", "anthropic-thinking-calls"),
]
NAMES = {"google.genai": "google-genai", "langchain_core": "langchain"}


@pytest.mark.parametrize(("module", "sample"), AGREE)
def test_a_library_reads_a_clean_stream_as_we_do(module, sample):
    pytest.importorskip(module)
    found = sv.compare_sdk(load_sample(sample), NAMES.get(module, module))
    assert (found.differences, found.first_chunk, found.outcome) == ((), None, "value")
    assert found.version[0].isdigit()
    assert {"text", "calls", "exception"} <= {*found.fields, "exception"}


@pytest.mark.parametrize(
    ("module", "sample"),
    [("anthropic", "anthropic-overloaded"), ("boto3", "bedrock-throttled")],
)
def test_an_error_in_the_stream_is_an_exception_there_and_no_difference(module, sample):
    pytest.importorskip(module)
    found = sv.compare_sdk(load_sample(sample), module)
    assert (found.differences, found.outcome) == ((), "exception")


# What the trackers report of these inputs, and what the chunks of each say: the first one that a library takes wrongly.
KNOWN = [
    # chunk 0 opens call c1 at index 0, chunk 1 call c2 at the same index: names run together
    ("openai", "oai-index-reused-new-id", "call 1 name", 1, "readread"),
    # every chunk repeats the name
    ("openai", "oai-name-repeated", "call 1 name", 1, "searchsearch"),
    ("langchain_core", "oai-name-repeated", "call 1 name", 1, "searchsearch"),
    # chunk 1 has the finish reason and a null in the place of the usage that chunk 0 had
    ("openai", "oai-usage-then-null", "prompt_tokens", 1, None),
    # the same finish reason in chunks 1 and 2
    ("langchain_core", "oai-finish-twice-same", "finish", 2, "tool_callstool_calls"),
    # running totals, which are added
    ("langchain_core", "oai-usage-cumulative", "prompt_tokens", 1, "40"),
    # the pieces of one call's arguments, each taken as a call
    ("google.genai", "gem-partial-args", "calls", 1, "5"),
]


@pytest.mark.parametrize(("module", "case", "field", "chunk", "theirs"), KNOWN)
def test_a_known_divergence_is_found_at_its_chunk(module, case, field, chunk, theirs):
    pytest.importorskip(module)
    found = sv.compare_sdk(bug(case), NAMES.get(module, module))
    assert field in found.differences
    assert found.first_chunks[field] == chunk
    assert found.facts(field)[1].shown == theirs


def test_an_exception_is_found_at_the_chunk_that_raises_it():
    pytest.importorskip("anthropic")
    found = sv.compare_sdk(bug("ant-malformed-bareword"), "anthropic")
    run = bug("ant-malformed-bareword")
    assert isinstance(found.exception, ValueError)
    # the fragment from which on the joined text is no beginning of JSON
    texts = ["".join(d.arguments or "" for c in run.chunks[:k] for d in c.tool_calls if not d.seed) for k in range(9)]
    assert "cro" in texts[found.first_chunks["exception"] + 1]
    assert "cro" not in texts[found.first_chunks["exception"]]


def test_an_empty_choice_list_of_azure():
    pytest.importorskip("openai")
    found = sv.compare_sdk(bug("oai-azure-annotations"), "openai")
    assert found.outcome == "exception"
    assert found.first_chunks["exception"] == 2
    rows = found.table().set_index("field")
    assert rows.loc["text"].tolist()[:2] == ["Hello", "Hel"]
    assert rows.loc["exception", "first_chunk"] == 2
    assert str(rows["first_chunk"].dtype) == "Int64"


def test_a_torn_stream():
    pytest.importorskip("openai")
    run = load_sample("openai-torn")
    found = sv.compare_sdk(run, "openai")
    assert (found.differences, found.first_chunk) == (("exception",), len(run.chunks) - 1)


# -- a function -------------------------------------------------------------------------------------------------------


def lines_only(reads):
    """A parser as tutorials have it: each read is split by itself."""
    import json

    text = ""
    for read in reads:
        for line in read.decode().split("\n"):
            if line.startswith("data: ") and line.endswith("}"):
                text += json.loads(line[6:])["choices"][0]["delta"].get("content", "")
    return {"text": text}


def test_a_function_of_the_callers():
    run = sv.read([chat({"content": letter}, done=False) for letter in "abcdef"])
    assert sv.compare_sdk(run, lines_only).same
    cut = run.resplit([len(run.bytes_of(0)), 60])  # inside frame 1
    found = sv.compare_sdk(cut, lines_only)
    assert found.names == ["streamviz", "lines_only"]
    assert found.version is None
    assert (found.differences, found.first_chunk) == (("text",), 1)
    assert found.facts("text")[1].shown == "acdef"


def test_the_card_and_the_text_say_from_which_chunk_on():
    run = sv.read(chat({"content": "a"}, {"content": "b"}))
    found = sv.compare_sdk(run, lambda reads: {"text": b"".join(reads).decode()[:0] + "a"})
    assert repr(found).splitlines()[-1] == "text differs from chunk 1 on"
    assert "text differs from chunk 1 on" in found._repr_html_()


def test_calls_finish_and_usage_of_a_function():
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a":1}'}}
    run = sv.read(chat({"tool_calls": [call]}, ({}, "tool_calls"), {"choices": [], "usage": {"prompt_tokens": 3}}))

    def right(reads):
        calls = [{"name": "f", "id": "c", "arguments": {"a": 1}}]
        return {"tool_calls": calls, "finish_reason": "tool_calls", "usage": {"prompt_tokens": 3}}

    def wrong(reads):
        return {"calls": [{"name": "f", "id": "c", "arguments": '{"a":2}'}], "finish": "stop", "usage": {}}

    assert sv.compare_sdk(run, right).same
    found = sv.compare_sdk(run, wrong)
    assert found.differences == ("call 1 arguments", "finish", "prompt_tokens")
    assert found.first_chunks == {"call 1 arguments": 0, "finish": 0, "prompt_tokens": 2}


def test_a_function_that_raises_or_returns_nothing():
    run = sv.read(chat({"content": "a"}))

    def raises(reads):
        raise RuntimeError("<b>no</b>")

    found = sv.compare_sdk(run, raises)
    assert str(found.exception) == "<b>no</b>"
    assert "exception" in found.differences
    assert "<b>no" not in found._repr_html_()
    assert isinstance(sv.compare_sdk(run, lambda reads: None).exception, TypeError)


def test_an_empty_stream_has_no_first_chunk():
    assert sv.compare_sdk(sv.read(b""), lambda reads: {"text": "a"}).first_chunk is None


# -- what cannot be done ----------------------------------------------------------------------------------------------


def test_a_library_that_is_not_there(monkeypatch):
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        "streamviz.comparing.sdk.find_spec", lambda name: None if name == "litellm" else find_spec(name)
    )
    with pytest.raises(sv.MissingLibraryError, match=r"^litellm is not installed: pip install litellm$"):
        sv.compare_sdk(load_sample("openai-text"), "litellm")
    assert issubclass(sv.MissingLibraryError, builtins.ImportError)


def test_a_library_that_nobody_knows_or_that_reads_something_else():
    run = load_sample("openai-text")
    with pytest.raises(ValueError, match="one of openai, anthropic, google-genai, boto3, litellm, langchain"):
        sv.compare_sdk(run, "curl")
    with pytest.raises(ValueError, match="anthropic does not read openai-chat: it reads anthropic, bedrock-invoke"):
        sv.compare_sdk(run, "anthropic")


def test_nothing_goes_to_a_network():
    httpx = pytest.importorskip("httpx")
    with http_client(httpx, [b"a", b"b"], "text/plain", 418) as client:
        answer = client.get("https://example.invalid/")
    assert (answer.status_code, answer.text) == (418, "ab")


def test_the_status_of_the_recording_is_kept():
    openai = pytest.importorskip("openai")
    run = sv.read(sse({"error": {"message": "slow down", "type": "rate_limit"}}), "openai")
    run.recording.status = 429
    found = sv.compare_sdk(run, "openai")
    assert isinstance(found.exception, openai.RateLimitError)
    assert found.same


def test_litellm_where_it_is_installed():
    pytest.importorskip("litellm")
    assert sv.compare_sdk(load_sample("openai-parallel-calls"), "litellm").same


def test_another_vendor_inside_bedrock():
    from streamviz.framing.encode import bedrock_event

    titan = {"bytes": base64.b64encode(b'{"outputText":"Hi","completionReason":"FINISH"}').decode()}
    run = sv.read(bedrock_event("chunk", titan))
    assert run.dialect == "bedrock-invoke"
    with pytest.raises(ValueError, match="another vendor's events"):
        sv.compare_sdk(run, "anthropic")
    pytest.importorskip("boto3")
    assert sv.compare_sdk(run, "boto3").same


def test_a_blocked_prompt_has_no_finish_reason():
    pytest.importorskip("google.genai")
    run = sv.read(sse({"promptFeedback": {"blockReason": "SAFETY"}}), "google")
    assert sv.compare_sdk(run, "google-genai").is_same("finish")
