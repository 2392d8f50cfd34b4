"""What is found, with the places and numbers worked out by hand."""

import pytest
from support.wire import anthropic, chat, compact, sse

import streamviz as sv

USAGE = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}}
STOP = {}, "stop"
CALLS = {}, "tool_calls"
TOOLS = [
    {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}},
    {"type": "function", "function": {"name": "g", "parameters": {"type": "object", "required": ["city"]}}},
]


def explain(data, *, request=None, status=None, headers=None, **options):
    run = sv.read(data, **options)
    run.recording.request, run.recording.status, run.recording.headers = request, status, headers
    return run.explain()


def only(data, **known):
    found = explain(data, **known)
    assert len(found) == 1, found
    return found[0]


def a_call(arguments, name="f", index=0, **more):
    return {
        "tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": name, "arguments": arguments}}]
    } | more


def more(arguments, index=0):
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}


# -- calls ------------------------------------------------------------------------------------------------------------


def test_a_call_cut_by_the_limit_names_limit_path_and_both_places():
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 1200, "total_tokens": 1209}}
    frames = [chat(event, done=False) for event in (a_call('{"a": '), more('"b'), ({}, "length"), usage)]
    data = b"".join([*frames, b"data: [DONE]\n\n"])
    found = only(data, request={"model": "m", "max_completion_tokens": 1200})
    assert found.code == "call-truncated-by-limit"
    assert found.title == (
        "The arguments of call 1 ('f') end inside $.a after 8 characters: the output limit of 1,200 tokens "
        "(max_completion_tokens) was reached."
    )
    ends = [len(b"".join(frames[: n + 1])) for n in range(4)]
    assert [(place.chunk, place.start, place.end) for place in found.evidence] == [
        (1, ends[0], ends[1]),
        (2, ends[1], ends[2]),
    ]
    assert (found.side, found.lost.calls, found.lost.characters) == ("request", 1, 8)
    assert only(data).side == "unknown"  # the limit may be the model's own
    found = only(data, request={"model": "m", "max_tokens": 8000})  # and it is: no 8,000 tokens were made
    assert (found.side, "8,000" in found.title) == ("unknown", False)


@pytest.mark.parametrize(
    "request_known",
    [
        {"body": {"generationConfig": {"maxOutputTokens": 4}}},
        {"body": '{"inferenceConfig": {"maxTokens": 4}}'},
        {"json": {"options": {"num_predict": 4}}},
        {"input": "q", "max_output_tokens": 4},
    ],
)
def test_the_limit_is_found_wherever_vendors_take_it(request_known):
    data = chat((a_call('{"a": '), "length"), USAGE)
    assert "the output limit of 4 tokens" in only(data, request=request_known).title


def test_a_call_cut_by_a_lost_connection_is_the_transport():
    data = chat(a_call('{"a": "b'), done=False)
    torn = explain(data + b'data: {"choi')
    assert torn.codes == ("call-truncated-by-cut", "torn-tail")
    assert [finding.side for finding in torn] == ["transport", "transport"]
    stopped = explain(data)
    assert stopped.codes == ("call-truncated-by-cut", "stream-cut")
    assert [finding.side for finding in stopped] == ["unknown", "unknown"]


def test_a_call_that_never_began_says_so():
    found = only(chat((a_call(""), "length"), USAGE))
    assert "end before they begin: the output limit was reached" in found.title


def test_invalid_arguments_name_the_chunk_of_the_bad_character():
    # `{"a": Oslo or}`: the O is character 6, in the second fragment
    found = only(chat(a_call('{"a"'), more(": Os"), more("lo or}"), CALLS, USAGE))
    assert found.code == "call-invalid-json"
    assert found.evidence[0].chunk == 1
    assert "at character 6 of 14" in found.title


def test_several_calls_are_told_apart_and_the_longest_comes_first():
    data = chat(a_call('{"a": "', "f", 0), (a_call('{"b": "longer text', "g", 1), "length"), USAGE)
    found = explain(data)
    assert [finding.title.split(")")[0] for finding in found] == [
        "The arguments of call 2 ('g'",
        "The arguments of call 1 ('f'",
    ]


def test_no_arguments_are_a_note_a_warning_or_nothing_by_what_the_tool_takes():
    def of(name, request):
        return explain(chat(a_call("", name), CALLS, USAGE), request=request)

    assert [(f.code, f.severity) for f in of("f", None)] == [("call-empty-arguments", "note")]
    assert of("f", {"body": {"tools": TOOLS}}).codes == ()
    found = of("g", {"body": {"tools": TOOLS}})
    assert [(f.code, f.severity, f.lost.calls) for f in found] == [("call-empty-arguments", "warning", 1)]
    assert "although the tool requires 'city'" in found[0].title


def test_a_call_is_held_against_the_tools_of_the_request():
    data = chat(a_call('{"a": 1}', "h"), CALLS, USAGE)
    assert explain(data).codes == ()
    assert "offered are 'f', 'g'" in only(data, request={"body": {"tools": TOOLS}}).title
    gemini = {"contents": [], "tools": [{"functionDeclarations": [{"name": "h"}]}]}
    assert explain(data, request=gemini).codes == ()
    bedrock = {"body": {"toolConfig": {"tools": [{"toolSpec": {"name": "x"}}]}}}
    assert explain(data, request=bedrock).codes == ("call-name-not-in-request",)
    assert explain(data, tools=["x"]).codes == ("call-name-not-in-request",)


def test_a_name_that_is_only_spelled_otherwise_is_the_tool_that_is_meant():
    data = chat(a_call("{}", "functions.g:0"), CALLS, USAGE)
    found = only(data, request={"body": {"tools": TOOLS}})
    assert found.code == "call-breaks-schema"  # of g: the city is missing


def test_a_schema_is_used_without_being_asked():
    data = chat(a_call('{"town": "Oslo"}', "g"), CALLS, USAGE)
    found = only(data, request={"body": {"tools": TOOLS}})
    assert (found.code, found.side) == ("call-breaks-schema", "model")
    assert "'city' is a required property" in found.title
    assert explain(data, tools=TOOLS).codes == ("call-breaks-schema",)


def test_a_broken_request_breaks_nothing():
    data = chat(a_call("{}", "g"), CALLS, USAGE)
    for request in ({"body": "{"}, {"body": [1]}, {"body": {"tools": [5, {"name": 7}, None]}}, {}, {"tools": "x"}):
        assert explain(data, request=request).codes == ()
    odd = [{"type": "function", "function": {"name": "g", "parameters": {"type": 5}}}]
    assert explain(data, request={"body": {"tools": odd}}).codes == ()


# -- usage ------------------------------------------------------------------------------------------------------------


def test_usage_that_nobody_asked_for_is_the_requests_fault():
    data = chat({"content": "Hi"}, STOP)
    assert only(data).code == "usage-missing"
    asked = {"model": "m", "stream_options": {"include_usage": True}}
    assert only(data, request=asked).code == "usage-missing"
    for options in (None, {}, {"include_usage": False}):
        found = only(data, request={"model": "m", "stream_options": options})
        assert (found.code, found.side) == ("usage-not-requested", "request")
    other = anthropic({"type": "message_start", "message": {}}, {"type": "message_stop"})
    assert "usage-not-requested" not in explain(other, request={"model": "m"}).codes


def test_reports_that_would_be_added_up_say_what_that_gives():
    reports = [{"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": n}} for n in (10, 20, 30)]
    found = only(chat({"content": "Hi"}, STOP, *reports))
    assert found.code == "usage-reported-twice"
    assert "3 times" in found.title
    assert "30 output tokens, their sum is 60" in found.title
    assert [place.chunk for place in found.evidence] == [2, 3, 4]
    assert found.lost.tokens == 30


def test_vendors_that_report_again_and_again_do_nothing_wrong():
    def event(n, finish=None):
        candidate = {"content": {"parts": [{"text": "a"}], "role": "model"}, "index": 0}
        counts = {"promptTokenCount": 3, "candidatesTokenCount": n, "totalTokenCount": 3 + n}
        return {"candidates": [candidate | ({"finishReason": finish} if finish else {})], "usageMetadata": counts}

    assert explain(sse(event(1), event(2), event(3, "STOP"))).codes == ()


def test_a_total_that_does_not_add_up_says_by_how_much():
    wrong = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 20}}
    found = only(chat({"content": "Hi"}, STOP, wrong))
    assert (found.code, found.lost.tokens) == ("usage-total-mismatch", 7)


def test_zero_tokens_beside_content():
    zero = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}}
    assert only(chat({"content": "Hello"}, STOP, zero)).title.endswith("for an answer of 5 characters.")
    assert only(chat(a_call("{}"), CALLS, zero)).title.endswith("for an answer of 1 tool call.")


# -- ends -------------------------------------------------------------------------------------------------------------


def test_a_status_decides_whose_side_an_error_is_on():
    error = compact({"error": {"message": "no\x1b[31m", "type": "t"}}).encode()
    sides = {400: "request", 401: "request", 429: "request", 500: "provider", 529: "provider", 502: "gateway"}
    for status, side in sides.items():
        found = only(error, status=status)
        assert (found.code, found.side) == ("http-error", side)
        assert str(status) in found.title
    assert only(b"upstream connect error", status=503).side == "unknown"
    assert only(b"", status=500).title.endswith("the body is empty.")
    assert explain(chat({"content": "Hi"}, STOP, USAGE), status=200).codes == ()


def test_a_web_page_is_the_gateways_only_where_a_header_says_so():
    page = b"<!doctype html><html><body>Sign in</body></html>"
    assert only(page).side == "unknown"
    assert only(page, headers={"Server": "cloudflare"}).side == "gateway"
    assert only(page, headers={"via": "1.1 x"}).side == "gateway"
    assert only(b"\x1f\x8b\x08rest", headers={"via": "1.1 x"}).side == "unknown"


def test_an_error_of_an_application_may_be_anybodys():
    assert explain(sse({"type": "start"}, {"type": "error", "errorText": "no"}))[0].side == "unknown"
    assert explain(chat({"content": "Hi"}, {"error": {"message": "no"}}))[0].side == "provider"


def test_contradicting_reasons_are_named_once_each():
    found = only(chat({"content": "Hi"}, STOP, STOP, ({}, "length"), USAGE))
    assert found.title == "The reasons sent for the finish contradict each other: 'stop', then 'length'."
    assert [place.chunk for place in found.evidence] == [1, 3]


def test_content_behind_the_end_mark_is_counted():
    late = chat({"content": "four"}, {"content": "five5"}, a_call("{}"), done=False)
    found = only(chat({"content": "Hi"}, STOP, USAGE) + late)
    assert (found.code, found.lost.characters) == ("frames-after-end", 11)
    assert [place.chunk for place in found.evidence] == [4, 5, 6]


def test_refusals_and_filters_are_told_apart():
    words = only(chat({"refusal": "I can"}, {"refusal": "not."}, STOP, USAGE))
    assert (words.code, words.side) == ("refused", "model")
    classifier = anthropic(
        {"type": "message_start", "message": {"usage": {"input_tokens": 3, "output_tokens": 1}}},
        {"type": "message_delta", "delta": {"stop_reason": "refusal"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    )
    assert (only(classifier).code, only(classifier).side) == ("refused", "provider")
    filtered = only(chat({"content": "Hell"}, ({}, "content_filter"), USAGE))
    assert (filtered.code, filtered.side) == ("filtered", "provider")
    assert "after 4 characters" in filtered.title
    blocked = sse(
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3, "totalTokenCount": 3}}
    )
    found = explain(blocked)
    assert "filtered" in found.codes
    assert "SAFETY" in found.of("filtered")[0].title


def test_what_follows_from_a_second_message_is_not_found_again():
    def message(n, reason):
        start = {"type": "message_start", "message": {"id": f"m{n}", "usage": {"input_tokens": 3, "output_tokens": 1}}}
        delta = {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}
        block = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        end = {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 5}}
        return start, block, delta, {"type": "content_block_stop", "index": 0}, end, {"type": "message_stop"}

    found = only(anthropic(*message(1, "tool_use"), *message(2, "end_turn"), *message(3, "end_turn")))
    assert found.code == "message-restarted"
    assert found.title.startswith("3 messages stand in one body")


def test_each_choice_is_named_where_there_are_several():
    def chunk(choice, delta, finish=None):
        return {"choices": [{"index": choice, "delta": delta, "finish_reason": finish}]}

    data = chat(chunk(0, {"content": "Hi"}, "stop"), chunk(1, a_call('{"a": "')), chunk(1, {}, "length"), USAGE)
    assert "call 1 ('f') of choice 1" in only(data).title


# -- text -------------------------------------------------------------------------------------------------------------

LONG = "This sentence is long enough to be no coincidence."


@pytest.mark.parametrize(
    ("pieces", "characters", "chunk", "how"),
    [
        ([LONG[:20], LONG[20:], LONG], 50, 2, "from its middle on"),
        ([LONG[:20], LONG[20:], LONG[:7], LONG[7:]], 50, 2, "from its middle on"),
        ([piece for word in LONG.split() for piece in (word, word)], 42, 0, "twice in a row"),
    ],
)
def test_doubled_text_says_how_much_and_from_where(pieces, characters, chunk, how):
    found = only(chat(*({"content": piece} for piece in pieces), STOP, USAGE))
    assert (found.code, found.lost.characters, found.evidence[0].chunk) == ("text-doubled", characters, chunk)
    assert how in found.title


def test_reasoning_that_is_the_text_again():
    found = only(chat({"reasoning_content": LONG}, {"content": LONG}, STOP, USAGE))
    assert found.code == "text-doubled"
    assert "as text and as reasoning" in found.title


@pytest.mark.parametrize("pieces", [["ha", "ha"], ["ha"] * 40, [LONG, LONG[:-1]], ["a", "b"] * 30, []])
def test_what_merely_repeats_itself_is_not_doubled(pieces):
    found = explain(chat(*({"content": piece} for piece in [*pieces, "!"]), STOP, USAGE))
    assert found.codes == ()


@pytest.mark.parametrize("charset", ["latin-1", "cp1252"])
def test_utf8_read_as_another_charset_is_recognised(charset):
    text = "Café Müller, naïve – “ok”" if charset == "cp1252" else "Café Müller, naïve"
    wrong = text.encode().decode(charset, "ignore" if charset == "cp1252" else "strict")
    found = only(chat({"content": "At "}, {"content": wrong}, STOP, USAGE))
    assert found.code == "wrong-charset"
    assert found.evidence[0].chunk == 1
    assert "'Ã©' should be 'é'" in found.title


@pytest.mark.parametrize("text", ["Café Müller", "日本語 テスト", "Ã", "«Ça va?» ©2024 ®", "naïve façade 🚀", "a Ã© b"])
def test_text_that_is_right_is_left_alone(text):
    assert explain(chat({"content": text}, STOP, USAGE)).codes == ()


def test_lost_characters_are_counted_and_placed():
    found = only(chat({"content": "ab"}, {"content": "c\ufffdd\ufffd"}, STOP, USAGE))
    assert (found.code, found.lost.characters, found.evidence[0].chunk) == ("replacement-characters", 2, 1)
    assert found.evidence[0].shows == "character 3 of the text"
    assert "arguments of call 1" in only(chat(a_call('{"a": "\ufffd"}'), CALLS, USAGE)).title


def test_reasoning_in_tags_is_found_unless_it_is_read_as_such():
    data = chat({"content": "<thi"}, {"content": "nk>abc</think>Hi"}, STOP, USAGE)
    found = only(data)
    assert (found.code, found.lost.characters, found.evidence[0].chunk) == ("reasoning-tags-in-text", 3, 0)
    assert explain(data, reasoning_tags=True).codes == ()
    assert explain(chat({"content": "use `<think>` … `</think>`"}, STOP, USAGE)).codes == ()


# -- the recording ----------------------------------------------------------------------------------------------------


def test_a_body_shorter_than_announced():
    data = chat({"content": "Hi"}, STOP, USAGE)
    found = only(data, headers={"Content-Length": str(len(data) + 10)})
    assert (found.code, found.severity, found.lost.characters) == ("capture-lossy", "warning", 10)
    assert explain(data, headers={"content-length": str(len(data))}).codes == ()
    assert explain(data, headers={"content-length": "9999", "content-encoding": "gzip"}).codes == ()


def test_bytes_made_from_events_are_no_recording():
    run = sv.from_events([{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}, USAGE])
    assert [(f.code, f.severity) for f in run.explain()] == [("capture-lossy", "note")]


# -- the rest ---------------------------------------------------------------------------------------------------------


def test_a_diagnostic_that_nobody_explains_is_a_finding_in_its_own_words():
    bad = b'data: {"choices": \n\n'
    found = explain(bad + bad + chat({"content": "Hi"}, STOP, USAGE))
    assert found.codes == ("bad-json",)
    assert found[0].title.startswith("2 times: the data of a frame is not JSON: ")
    assert [(place.start, place.end) for place in found[0].evidence] == [(0, 20), (20, 40)]
    assert found[0].doc == "findings/index.md#bad-json"


def test_graver_comes_first():
    data = chat({"content": LONG + LONG}, (a_call('{"a": "'), "length"), done=False)
    assert explain(data).codes == ("call-truncated-by-limit", "text-doubled", "end-mark-missing", "usage-missing")


def test_an_unknown_code_is_no_question():
    with pytest.raises(KeyError, match="no code of a finding"):
        explain(b"").of("no-such-code")


def test_an_empty_body_is_a_fault_of_no_length():
    found = only(b"")
    assert (found.code, found.evidence[0].start, found.evidence[0].end) == ("empty-body", 0, 0)
