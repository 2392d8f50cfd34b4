"""The drivers: chunks while the bytes arrive, sources released, faults raised when asked for."""

import asyncio

import pytest
from support.wire import anthropic, chat, converse, sse

import streamviz as sv

HELLO = chat({"content": "Hel"}, ({"content": "lo"}, "stop"))


class Source:
    """An iterable of reads that knows whether it was closed."""

    def __init__(self, *reads):
        self.reads = iter(reads)
        self.closed = False

    def __iter__(self):
        return self

    def __next__(self):
        read = next(self.reads)
        if isinstance(read, Exception):
            raise read
        return read

    def close(self):
        self.closed = True


class AsyncSource(Source):
    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return next(self)
        except StopIteration:
            raise StopAsyncIteration from None

    async def aclose(self):
        self.closed = True


def test_chunks_come_as_soon_as_their_bytes_do():
    source = Source(HELLO[:130], HELLO[130:])
    stream = sv.process_stream("openai", source)
    assert next(stream).content == "Hel"
    assert (stream.state.text, stream.payload.finish) == ("Hel", None)
    assert [chunk.content for chunk in stream] == ["lo", ""]
    assert stream.payload.assistant_text == "Hello"
    assert source.closed


def test_stopping_early_releases_the_source_and_keeps_what_came():
    source = Source(HELLO, b"never read")
    with sv.process_stream("openai", source) as stream:
        next(stream)
    assert source.closed
    assert (stream.payload.assistant_text, stream.payload.ended) == ("Hello", "done")


def test_closing_before_the_first_chunk_releases_the_source():
    source = Source(HELLO)
    sv.process_stream("openai", source).close()
    assert source.closed


def test_a_source_that_fails_is_released_and_its_exception_is_passed_on():
    source = Source(chat({"content": "Hel"}, done=False), ConnectionError("reset"))
    stream = sv.process_stream("openai", source)
    with pytest.raises(ConnectionError, match="reset"):
        list(stream)
    assert source.closed
    assert (stream.payload.assistant_text, stream.payload.ended) == ("Hel", "aborted")


def test_the_asynchronous_stream_gives_the_same_and_releases_its_source():
    async def main():
        source = AsyncSource(HELLO[:50], HELLO[50:])
        async with sv.aprocess_stream("openai", source) as stream:
            chunks = [chunk.content async for chunk in stream]
        early = AsyncSource(HELLO)
        async with sv.aprocess_stream("openai", early) as half:
            await anext(half)
        return chunks, stream.payload, source.closed, early.closed

    chunks, payload, closed, early = asyncio.run(main())
    assert (chunks, payload.assistant_text, closed, early) == (["Hel", "lo", ""], "Hello", True, True)


def test_an_unknown_provider_is_named_with_those_that_come_close():
    with pytest.raises(sv.UnknownProviderError, match="'opnai'; did you mean openai"):
        sv.process_stream("opnai", [])
    with pytest.raises(sv.UnknownProviderError, match="known: ag-ui, agui, ai-sdk"):
        sv.get_stream_wrapper("42")


@pytest.mark.parametrize(
    ("data", "error", "code"),
    [
        (chat({"content": "a"}) + b"data: {nope\n\n", sv.ChunkError, "bad-json"),
        (chat({"content": "a"}, {"error": {"message": "m", "type": "t"}}), sv.ProviderError, "error-in-stream"),
        (chat({"content": "a"}, done=False) + b'data: {"choi', sv.FramingError, "torn-tail"),
        (
            chat({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a'}}]}),
            sv.ToolCallError,
            "call-incomplete",
        ),
        (b"\x1f\x8b\x08\x00" + bytes(30), sv.FramingError, "not-a-stream"),
        (b"", sv.FramingError, "empty-body"),
    ],
)
def test_strict_raises_a_typed_error_with_its_place(data, error, code):
    sv.read(data, provider="openai")
    with pytest.raises(error) as caught:
        sv.read(data, provider="openai", strict=True)
    assert caught.value.diagnostic.code == code
    if caught.value.chunk is not None and caught.value.offset is not None:
        run = sv.read(data, provider="openai")
        assert run.frames[caught.value.frame].start == caught.value.offset
        assert f"byte {caught.value.offset}" in str(caught.value)


def test_strict_says_nothing_about_a_sound_stream():
    assert sv.read(HELLO, strict=True).payload.assistant_text == "Hello"


@pytest.mark.parametrize(
    ("data", "ended", "complete"),
    [
        (HELLO, "done", True),
        (chat(({"content": "a"}, "stop"), done=False), "clean", True),
        (chat({"content": "a"}, done=False), "clean", False),
        (chat({"content": "a"}, done=False) + b"data: {", "torn", False),
        (chat({"content": "a"}, {"error": {"message": "m"}}), "error", False),
        (anthropic({"type": "message_start", "message": {}}, {"type": "message_stop"}), "terminal", True),
        (converse(("messageStart", {"role": "assistant"}), ("messageStop", {"stopReason": "end_turn"})), "clean", True),
        (converse(("messageStart", {"role": "assistant"}))[:-3], "torn", False),
    ],
)
def test_how_the_transport_ended_is_a_fact_of_its_own(data, ended, complete):
    payload = sv.read(data).payload
    assert (payload.ended, payload.complete) == (ended, complete)


def test_an_unterminated_last_event_is_read_where_its_data_is_whole():
    run = sv.read(HELLO.rstrip(b"\n"))
    assert (run.payload.ended, run.frames[-1].kind) == ("done", "tail")
    assert "unterminated-tail" in {d.code for d in run.payload.diagnostics}


def test_a_forced_provider_with_another_framing_is_read_and_noted():
    run = sv.read(sse({"type": "ping"}), provider="bedrock-converse")
    assert run.framing == "sse"
    assert "unexpected-framing" in {d.code for d in run.payload.diagnostics}


def test_bedrock_is_told_apart_from_the_frames():
    assert sv.read(converse(("messageStart", {"role": "assistant"})), provider="bedrock").dialect == "bedrock-converse"


def test_an_unknown_dialect_keeps_every_frame():
    run = sv.read(sse({"foo": 1}, {"bar": 2}))
    assert run.dialect == "unknown"
    assert [block.value for block in run.payload.blocks] == [{"foo": 1}, {"bar": 2}]
    assert "unknown-dialect" in {d.code for d in run.payload.diagnostics}


class ShoutWrapper(sv.providers.JSONWrapper):
    dialect = "shout"

    class event_type(sv.providers.wrapper.msgspec.Struct):  # noqa: N801
        say: str = ""

    def read(self, event, frame):
        return sv.NormalizedChunk((sv.TextDelta(event.say.upper()),))


def test_others_can_add_a_wrapper_of_their_own(monkeypatch):
    monkeypatch.setattr(sv.providers, "_WRAPPERS", dict(sv.providers._WRAPPERS))
    monkeypatch.setattr(sv.providers, "_ALIASES", dict(sv.providers._ALIASES))
    sv.register_stream_wrapper(ShoutWrapper, aliases=["loud"])
    assert sv.read(sse({"say": "hi"}), provider="loud").payload.assistant_text == "HI"
    assert "loud" in sv.stream_wrapper_names()
