"""Streams drawn by Hypothesis: what four vendors send, and what becomes of it on a bad line."""

import json
from functools import cache

from hypothesis import strategies as st
from support.wire import compact, converse, message, sse

from streamviz.samples import SAMPLES, load_sample

texts = st.text(max_size=12)
fragments = st.one_of(texts, st.sampled_from(['{"a":', '"b\\', 'n"}', "{}", "{", "}", '"', "\\ud83d", "null", "]"]))
odd = st.one_of(st.none(), st.booleans(), st.integers(-3, 3), texts, st.lists(st.integers(), max_size=2), st.just({}))
indices = st.one_of(st.integers(0, 3), st.none(), odd)
ids = st.one_of(st.none(), st.sampled_from(["", "a", "b", "call_1"]), odd)
counts = st.one_of(st.integers(0, 10**6), st.none(), odd)


def sometimes(strategy):
    return st.one_of(st.none(), strategy)


calls = st.fixed_dictionaries(
    {},
    optional={
        "index": indices,
        "id": ids,
        "type": st.just("function"),
        "function": st.fixed_dictionaries({}, optional={"name": ids, "arguments": st.one_of(fragments, odd)}),
    },
)
chat_usage = st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": counts,
        "completion_tokens": counts,
        "total_tokens": counts,
        "prompt_tokens_details": st.one_of(odd, st.fixed_dictionaries({"cached_tokens": counts})),
    },
)
chat_deltas = st.fixed_dictionaries(
    {},
    optional={
        "role": st.just("assistant"),
        "content": st.one_of(texts, odd, st.lists(st.fixed_dictionaries({"type": st.just("text"), "text": texts}))),
        "reasoning_content": st.one_of(texts, odd),
        "reasoning": texts,
        "refusal": texts,
        "tool_calls": st.one_of(st.lists(calls, max_size=3), odd),
        "function_call": st.fixed_dictionaries({"name": texts, "arguments": fragments}),
    },
)
chat_chunks = st.one_of(
    st.fixed_dictionaries(
        {
            "choices": st.lists(
                st.fixed_dictionaries(
                    {"delta": st.one_of(chat_deltas, odd)},
                    optional={"index": indices, "finish_reason": st.one_of(st.just("stop"), ids)},
                ),
                max_size=2,
            )
        },
        optional={"id": ids, "model": ids, "usage": st.one_of(chat_usage, odd), "obfuscation": texts},
    ),
    st.fixed_dictionaries({"error": st.one_of(odd, st.fixed_dictionaries({"message": texts, "code": odd}))}),
    odd,
)
blocks = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": texts}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": texts}, optional={"signature": texts}),
    st.fixed_dictionaries({"type": st.just("tool_use"), "id": ids, "name": ids, "input": odd}),
    st.fixed_dictionaries({"type": st.just("web_search_tool_result"), "content": odd}),
    st.fixed_dictionaries({"type": texts}),
    odd,
)
anthropic_deltas = st.one_of(
    st.fixed_dictionaries({"type": st.just("text_delta"), "text": st.one_of(texts, odd)}),
    st.fixed_dictionaries({"type": st.just("thinking_delta"), "thinking": texts}),
    st.fixed_dictionaries({"type": st.just("signature_delta"), "signature": texts}),
    st.fixed_dictionaries({"type": st.just("input_json_delta"), "partial_json": fragments}),
    st.fixed_dictionaries({"type": st.just("citations_delta"), "citation": odd}),
    odd,
)
anthropic_events = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("message_start"),
            "message": st.one_of(
                odd,
                st.fixed_dictionaries(
                    {"id": ids, "model": ids, "usage": st.fixed_dictionaries({"input_tokens": counts})}
                ),
            ),
        }
    ),
    st.fixed_dictionaries({"type": st.just("content_block_start"), "index": indices, "content_block": blocks}),
    st.fixed_dictionaries({"type": st.just("content_block_delta"), "index": indices, "delta": anthropic_deltas}),
    st.fixed_dictionaries({"type": st.just("content_block_stop"), "index": indices}),
    st.fixed_dictionaries(
        {
            "type": st.just("message_delta"),
            "delta": st.one_of(odd, st.fixed_dictionaries({"stop_reason": ids})),
            "usage": st.one_of(odd, st.fixed_dictionaries({"output_tokens": counts})),
        }
    ),
    st.sampled_from(
        [{"type": "message_stop"}, {"type": "ping"}, {"type": "error", "error": {"type": "x", "message": "y"}}]
    ),
)
parts = st.fixed_dictionaries(
    {},
    optional={
        "text": st.one_of(texts, odd),
        "thought": st.booleans(),
        "thoughtSignature": texts,
        "functionCall": st.one_of(
            odd,
            st.fixed_dictionaries(
                {},
                optional={
                    "name": ids,
                    "id": ids,
                    "args": odd,
                    "willContinue": st.booleans(),
                    "partialArgs": st.lists(
                        st.fixed_dictionaries(
                            {
                                "jsonPath": st.sampled_from(
                                    ["$.a", "$.a.b", "$.c[0]", "$.c[1].d", "$", "x", "$.c[99999999]"]
                                )
                            },
                            optional={"stringValue": texts, "numberValue": odd, "willContinue": st.booleans()},
                        ),
                        max_size=3,
                    ),
                },
            ),
        ),
    },
)
google_events = st.fixed_dictionaries(
    {},
    optional={
        "candidates": st.one_of(
            odd,
            st.lists(
                st.fixed_dictionaries(
                    {},
                    optional={
                        "content": st.one_of(odd, st.fixed_dictionaries({"parts": st.lists(parts, max_size=3)})),
                        "finishReason": st.one_of(st.just("STOP"), odd),
                        "index": indices,
                    },
                ),
                max_size=2,
            ),
        ),
        "usageMetadata": st.one_of(odd, st.fixed_dictionaries({"promptTokenCount": counts, "totalTokenCount": counts})),
        "promptFeedback": st.one_of(odd, st.just({"blockReason": "SAFETY"})),
        "responseId": ids,
        "error": odd,
    },
)
converse_events = st.one_of(
    st.tuples(st.just("messageStart"), st.fixed_dictionaries({"role": odd})),
    st.tuples(
        st.just("contentBlockStart"),
        st.fixed_dictionaries(
            {
                "contentBlockIndex": indices,
                "start": st.one_of(odd, st.just({"toolUse": {"toolUseId": "t", "name": "n"}})),
            }
        ),
    ),
    st.tuples(
        st.just("contentBlockDelta"),
        st.fixed_dictionaries(
            {
                "contentBlockIndex": indices,
                "delta": st.one_of(
                    odd,
                    st.fixed_dictionaries({"text": st.one_of(texts, odd)}),
                    st.fixed_dictionaries({"toolUse": st.fixed_dictionaries({"input": fragments})}),
                    st.fixed_dictionaries({"reasoningContent": st.fixed_dictionaries({"text": texts})}),
                ),
            }
        ),
    ),
    st.tuples(st.just("messageStop"), st.fixed_dictionaries({"stopReason": ids})),
    st.tuples(st.just("metadata"), st.fixed_dictionaries({"usage": st.one_of(odd, st.just({"inputTokens": 3}))})),
    st.tuples(texts, odd),
)
line_ends = st.sampled_from(["\n", "\r\n", "\r"])
between = st.sampled_from(["", ": ping{end}{end}", "{end}", "id: 7{end}", "retry: 10{end}", "nonsense{end}{end}"])


@st.composite
def sse_streams(draw, events, *, named):
    """A stream of events with comments, blank lines and fields between them, in any line end."""
    end = draw(line_ends)
    out = []
    for event in draw(st.lists(events, max_size=12)):
        out.append(draw(between).format(end=end))
        if named and isinstance(event, dict):
            out.append(f"event: {event.get('type')}{end}")
        out.append(f"data: {compact(event)}{end}{end}")
    out.append(draw(st.sampled_from(["", f"data: [DONE]{end}{end}", "data: {", f"data: [DONE]{end}", "data"])))
    return "".join(out).encode("utf-8", "replace")


@st.composite
def json_arrays(draw):
    events = draw(st.lists(google_events, max_size=6))
    comma = draw(st.sampled_from([",", ",\n", " ,\r\n"]))
    body = "[" + comma.join(compact(e) for e in events) + draw(st.sampled_from(["]", "]\n", "", "]x"]))
    return body.encode("utf-8", "replace")


@st.composite
def event_streams(draw):
    out = []
    for event in draw(st.lists(converse_events, max_size=10)):
        out.append(converse(event))
        if draw(st.integers(0, 9)) == 0:
            out.append(
                message({":message-type": "exception", ":exception-type": "throttlingException"}, {"message": "m"})
            )
    return b"".join(out)


streams = st.one_of(
    st.tuples(st.just("openai"), sse_streams(chat_chunks, named=False)),
    st.tuples(st.just("anthropic"), sse_streams(anthropic_events, named=True)),
    st.tuples(st.just("google"), sse_streams(google_events, named=False)),
    st.tuples(st.just("google"), json_arrays()),
    st.tuples(st.just("bedrock-converse"), event_streams()),
)
"""(provider, bytes)"""


@st.composite
def damaged(draw, data):
    """The bytes of a real stream after something went wrong on the way."""
    data = bytearray(data)
    for _ in range(draw(st.integers(1, 4))):
        if not data:
            break
        at = draw(st.integers(0, len(data) - 1))
        length = draw(st.integers(1, 400))
        match draw(st.sampled_from(["cut", "flip", "drop", "double", "swap", "insert"])):
            case "cut":
                del data[at:]
            case "flip":
                data[at] ^= 1 << draw(st.integers(0, 7))
            case "drop":
                del data[at : at + length]
            case "double":
                data[at:at] = data[at : at + length]
            case "swap":
                other = draw(st.integers(0, len(data) - 1))
                a, b = sorted((at, other))
                n = min(length, b - a)
                data[a : a + n], data[b : b + n] = data[b : b + n], data[a : a + n]
            case "insert":
                data[at:at] = draw(st.binary(max_size=8))
    return bytes(data)


def frames_shuffled(frames):
    """Whole frames dropped, doubled and swapped."""
    return st.lists(st.sampled_from(frames), max_size=len(frames) + 3).map(b"".join) if frames else st.just(b"")


__all__ = ["damaged", "frames_shuffled", "sse", "streams"]


# -- the samples, with values of the wrong form -----------------------------------------------------------------------

ODD = (
    None,
    True,
    0,
    -1,
    2**70,
    1.5,
    "",
    "x",
    "\ud800",
    [],
    [[]],
    {},
    [{}],
    [None],
    {"type": "x"},
    {"text": "t"},
    {"index": {}},
)
NAMES = [name for name, sample in SAMPLES.items() if sample.file.endswith(("sse", "jsonl"))]


@cache
def events_of(name):
    """The events of a sample: (event name, value)."""
    frames = [f for f in load_sample(name).frames if f.kind == "event" and f.data[:1] in (b"{", b"[")]
    return [(f.event, json.loads(f.data)) for f in frames if f.data != b"[DONE]"]


def mangle(value, random):
    """Put values of the wrong form into a value here and there, and leave members out."""
    if random.random() < 0.05:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {key: mangle(item, random) for key, item in value.items() if random.random() > 0.03}
    if isinstance(value, list):
        return [mangle(item, random) for item in value]
    return value


@st.composite
def mangled(draw):
    """A sample with values of the wrong form, its events left out or in another order, maybe under a wrong name."""
    name = draw(st.sampled_from(NAMES))
    random = draw(st.randoms(use_true_random=False))
    events = [(kind, mangle(value, random)) for kind, value in events_of(name) if random.random() > 0.1]
    if random.random() < 0.3:
        random.shuffle(events)
    if SAMPLES[name].file.endswith("jsonl"):
        data = "".join(json.dumps(value) + "\n" for _, value in events)
    else:
        data = "".join(
            (f"event: {kind}\n" if kind else "") + f"data: {json.dumps(value)}\n\n" for kind, value in events
        )
    provider = draw(st.sampled_from([None, SAMPLES[name].provider, *(s.provider for s in SAMPLES.values())]))
    return provider, data.encode()
