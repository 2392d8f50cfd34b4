"""The vendors' SDKs as judges of every recording: what they make of the same bytes is what we make of it.

Where the expected file says that an SDK is wrong or gives up, it may differ.
"""

import json
import warnings

import pytest
from support.material import MATERIAL, index, need
from support.sdks import http_client

import streamviz as sv

pytestmark = pytest.mark.filterwarnings("ignore")
QUESTION = {"model": "m", "messages": [{"role": "user", "content": "q"}]}


class Whole:
    """What an SDK makes of a stream."""

    def __init__(self):
        self.text = ""
        self.calls = {}  # by whatever tells them apart: [name, argument text]
        self.error = None

    def call(self, key, name=None, arguments=None):
        found = self.calls.setdefault(key, ["", ""])
        found[0] = found[0] or name or ""
        found[1] += arguments or ""


def openai_chat(data):
    openai = pytest.importorskip("openai")
    streaming = pytest.importorskip("openai.lib.streaming.chat")
    whole, state = Whole(), streaming.ChatCompletionStreamState()
    with openai.OpenAI(api_key="none", max_retries=0, http_client=http_client(data)) as client:
        for chunk in client.chat.completions.create(**QUESTION, stream=True):
            if chunk.choices or chunk.usage:
                state.handle_chunk(chunk)
    completion = state.current_completion_snapshot
    choice = next((choice for choice in completion.choices if choice.index == 0), None)
    message = choice and choice.message
    if isinstance(message and message.content, str):
        whole.text = message.content
    for number, call in enumerate((message and message.tool_calls) or ()):
        whole.call(number, call.function.name, call.function.arguments)
    return whole


def anthropic_messages(data):
    anthropic = pytest.importorskip("anthropic")
    whole = Whole()
    texts = {}
    client = anthropic.Anthropic(api_key="none", max_retries=0, http_client=http_client(data))
    with client, client.messages.stream(**QUESTION, max_tokens=9) as stream:
        for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "input_json_delta":
                texts[event.index] = texts.get(event.index, "") + event.delta.partial_json
        message = stream.get_final_message()
    for number, block in enumerate(message.content):
        if block.type == "text":
            whole.text += block.text
        elif block.type == "tool_use":
            whole.call(number, block.name, texts.get(number) or json.dumps(block.input))
    return whole


def google_genai(data):
    genai = pytest.importorskip("google.genai")
    whole = Whole()
    frames = [frame.data for frame in sv.read(data).frames if frame.kind in ("event", "tail")]
    events = b"".join(b"data: " + b"".join(frame.splitlines()) + b"\n\n" for frame in frames)  # arrays as well
    client = genai.Client(api_key="none", http_options=genai.types.HttpOptions(httpx_client=http_client(events)))
    try:
        for answer in client.models.generate_content_stream(model="m", contents="q"):
            for candidate in answer.candidates or ():
                if candidate.index not in (None, 0):
                    continue
                for part in (candidate.content and candidate.content.parts) or ():
                    if part.function_call is not None:
                        whole.call(len(whole.calls), part.function_call.name, json.dumps(part.function_call.args or {}))
                    elif part.text is not None and not part.thought:
                        whole.text += part.text
    except genai.errors.APIError as error:
        whole.error = error
    finally:
        client.close()
    return whole


def mistral_chat(data):
    mistralai = pytest.importorskip("mistralai.client")
    whole = Whole()
    client = mistralai.Mistral(api_key="none", client=http_client(data, module="httpx"))
    with client.chat.stream(**QUESTION) as stream:
        for event in stream:
            for choice in event.data.choices:
                if choice.index:
                    continue
                content = choice.delta.content
                parts = (
                    [content]
                    if isinstance(content, str)
                    else [part.text for part in content or () if part.type == "text"]
                )
                whole.text += "".join(parts)
                for call in choice.delta.tool_calls or ():
                    arguments = call.function.arguments
                    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
                    whole.call(call.index if call.index is not None else call.id, call.function.name, text)
    return whole


def botocore_events(data, operation):
    eventstream = pytest.importorskip("botocore.eventstream")
    parsers = pytest.importorskip("botocore.parsers")
    session = pytest.importorskip("botocore.session")
    members = session.get_session().get_service_model("bedrock-runtime").operation_model(operation).output_shape.members
    shape = members["stream" if "stream" in members else "body"]

    class Raw:
        def stream(self):
            yield from (data[start : start + 1000] for start in range(0, len(data), 1000))

        def close(self):
            pass

    return eventstream.EventStream(Raw(), shape, parsers.EventStreamJSONParser(), operation)


def bedrock_converse(data):
    whole = Whole()
    for event in botocore_events(data, "ConverseStream"):
        key = next(iter(event.values())).get("contentBlockIndex")
        delta = event.get("contentBlockDelta", {}).get("delta", {})
        whole.text += delta.get("text", "")
        use = event.get("contentBlockStart", {}).get("start", {}).get("toolUse")
        if use and use.get("type") != "server_tool_use":
            whole.call(key, use["name"])
        if "toolUse" in delta and key in whole.calls:
            whole.call(key, None, delta["toolUse"]["input"])
    return whole


def bedrock_invoke(data):
    """botocore takes the frames apart; what is inside is judged where it is Anthropic's, by Anthropic's SDK."""
    exceptions = pytest.importorskip("botocore.exceptions")
    try:
        events = list(botocore_events(data, "InvokeModelWithResponseStream"))
    except exceptions.EventStreamError:
        return None  # botocore raises what the vendor reports
    inner = [json.loads(event["chunk"]["bytes"]) for event in events]
    if not inner or inner[0].get("type") != "message_start":
        return None
    return anthropic_messages(
        b"".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n".encode() for e in inner if "type" in e)
    )


def cohere_chat(data):
    cohere = pytest.importorskip("cohere")
    pydantic = pytest.importorskip("pydantic")
    adapter = pydantic.TypeAdapter(cohere.V2ChatStreamResponse)
    whole = Whole()
    for frame in sv.read(data).frames:
        if frame.kind != "event" or not frame.data.startswith(b"{"):
            continue
        if b'"event_type"' in frame.data:
            return None  # the first version of the API
        event = adapter.validate_python(json.loads(frame.data))
        match event.type:
            case "content-start" | "content-delta":
                content = event.delta and event.delta.message and event.delta.message.content
                whole.text += (content and content.text) or ""
            case "tool-call-start" | "tool-call-delta":
                call = event.delta.message.tool_calls
                function = call and call.function
                whole.call(event.index, getattr(function, "name", None), function and function.arguments)
    return whole


def ollama_chat(data):
    ollama = pytest.importorskip("ollama")
    whole = Whole()
    for line in data.splitlines():
        value = json.loads(line)
        if "message" not in value:
            whole.text += ollama.GenerateResponse.model_validate(value).response or ""
            continue
        message = ollama.ChatResponse.model_validate(value).message
        whole.text += message.content or ""
        for call in message.tool_calls or ():
            whole.call(len(whole.calls), call.function.name, json.dumps(dict(call.function.arguments)))
    return whole


JUDGES = {
    "openai-chat": openai_chat,
    "openai-compatible": openai_chat,
    "mistral": mistral_chat,
    "anthropic": anthropic_messages,
    "google": google_genai,
    "bedrock-converse": bedrock_converse,
    "bedrock-invoke": bedrock_invoke,
    "cohere": cohere_chat,
    "ollama": ollama_chat,
}
ROWS = [row for row in index() if row["api"] in JUDGES and row.get("expected")]


def test_the_recordings_are_there():
    need(MATERIAL / "recordings" / "index.jsonl")
    assert {row["api"] for row in ROWS} == set(JUDGES)


def as_value(text):
    """Return an argument text as its value, if it is one: SDKs write objects again in their own way."""
    try:
        return json.loads(text or "{}")
    except ValueError:
        return text


@pytest.mark.parametrize("row", [pytest.param(row, id=row["file"]) for row in ROWS])
def test_what_the_sdk_makes_of_it(row):
    expected = json.loads((MATERIAL / "recordings" / row["expected"]).read_text(encoding="utf-8"))
    if not expected["confidence"].startswith("agree"):
        return  # the SDK is known to be wrong here, or to give up
    data = (MATERIAL / "recordings" / row["file"]).read_bytes()
    payload = sv.read(data).payload
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole = JUDGES[row["api"]](data)
    if whole is None:
        return
    assert (whole.error is None) or payload.error is not None
    assert whole.text == payload.assistant_text
    ours = [[call.name, as_value(call.raw_arguments)] for call in payload.calls]
    assert [[name, as_value(arguments)] for name, arguments in whole.calls.values()] == ours
