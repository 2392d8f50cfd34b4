"""What can be found in a run, as data: code, severity, sentence, side, remedy.

A title is a template; what stands in its braces is filled in by the detector of the code. The codes below the line are
diagnostics that need no more than their own words.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from ..diagnostics import CODES, Severity

Side = Literal["request", "model", "provider", "gateway", "transport", "unknown"]
"""Where the cause lies, as far as the evidence decides it."""


class Rule(NamedTuple):
    """What a code means."""

    severity: Severity
    title: str
    """A sentence with places for the numbers."""
    remedy: str
    """What to do, in one sentence."""
    means: str = ""
    """What is behind it, for its page."""
    side: Side = "unknown"
    """Where the cause lies when nothing more is known; a detector that knows more says so."""
    at_end: bool = False
    """Whether it can only be said of a stream that is over."""
    decides: str = ""
    """What decides the side, where it is not always the same."""


RULES: dict[str, Rule] = {
    # -- the answer never began, or broke off --------------------------------------------------------------------------
    "http-error": Rule(
        "fault",
        "The server answered with HTTP status {status} instead of a stream: {message}.",
        "Read what the server says: mend the request for 4xx, wait and send it again for 429 and 5xx.",
        "An answer with an error status has no content. 4xx says that the request was at fault, 502 and 504 come from "
        "a gateway that got no proper answer itself (RFC 9110, section 15).",
        decides="The status: 4xx is the request, 502 and 504 the gateway, else a vendor's own error the provider.",
    ),
    "empty-body": Rule(
        "fault",
        "The body has no bytes.",
        "Look at the status and headers of the response, and whether the capture was started.",
        "Nothing came, or nothing was kept: some tools record the body of a stream only when it was read by somebody.",
    ),
    "not-a-stream": Rule(
        "fault",
        "The body of {size:,} bytes is {what}, not a stream.",
        "Look at the body and at the address that was asked: a proxy, a login page or a wrong path answers like this.",
        "The bytes are none that a model's interface sends: a web page, plain text, compressed or binary data. A body "
        "that is still compressed was captured before it was decoded.",
        decides="A web page under the name of a proxy in the response's headers is the gateway.",
    ),
    "unknown-dialect": Rule(
        "warning",
        "No known vendor speaks like this; {chunks:,} frames are kept as they are, and nothing is made of them.",
        "Name the provider, or register a wrapper for this dialect.",
        "The body can be cut into frames, but what is in them is of no shape that is known. Often it is an "
        "application's own protocol, not that of the model behind it.",
    ),
    "error-in-stream": Rule(
        "fault",
        "The stream reports an error in chunk {chunk}, after {characters:,} characters of the answer: {message}.",
        "Send the request again, later where the vendor is overloaded; what came before the error is no whole answer.",
        "The status was 200, because it is sent before the first token; an error after it can only come as an event. "
        "Clients that look for the status alone take the rest for a short answer.",
        decides="An error event of a vendor is the provider; what an application sends on may be anybody's.",
    ),
    "stream-cut": Rule(
        "fault",
        "The stream stops after chunk {chunk}, at byte {end:,}, between two frames: neither a finish reason nor an end "
        "mark came.",
        "Treat the answer as cut off; look for a timeout or a limit of length in whatever stands between.",
        "A connection that is closed cleanly in mid-answer looks like an end to most clients. Proxies do that at their "
        "timeout, and captures that were stopped by hand look the same.",
        at_end=True,
    ),
    "torn-tail": Rule(
        "fault",
        "The stream stops at byte {end:,} inside a frame, of which {bytes:,} bytes came, after {characters:,} "
        "characters of the answer.",
        "Treat the answer as cut off, and look for a timeout or a lost connection.",
        "No sender stops inside a frame of its own will: the connection was lost, or the capture was.",
        "transport",
        at_end=True,
    ),
    "message-restarted": Rule(
        "warning",
        "{messages} messages stand in one body: their texts and calls are joined, and later usage replaces earlier.",
        "Take the messages apart; look for a layer that goes on with the request and joins the answers.",
        "Each message has a finish reason and a usage report of its own. A loop on the server that runs tools, or a "
        "gateway that tries again, puts several into one body.",
    ),
    "finish-missing": Rule(
        "warning",
        "No finish reason was sent, although the stream ended in order after {chunks:,} chunks.",
        "Do not take the answer for complete by its end mark alone; ask whoever sent it why the reason is left out.",
        "The finish reason tells an answer that is whole from one that was cut by a limit or a filter. Gateways that "
        "translate between vendors lose it.",
        at_end=True,
    ),
    "finish-contradicts": Rule(
        "warning",
        "The reasons sent for the finish contradict each other: {reasons}.",
        "Act on what came (calls or text) rather than on the reason, and report it to whoever sent it.",
        "Some servers send `stop` after `tool_calls`, or the other way round. A client that keeps the first and one "
        "that keeps the last behave differently on the same stream.",
        at_end=True,
    ),
    "stop-but-calls": Rule(
        "note",
        "The finish reason is {reason}, yet the answer is {calls} and no text.",
        "Decide by the calls that came, not by the finish reason, whether tools are to be run.",
        "Several vendors say `stop` for an answer of tool calls. An agent that waits for `tool_calls` stops here, and "
        "the calls are lost.",
        at_end=True,
    ),
    "end-mark-missing": Rule(
        "warning",
        "The end mark of {dialect} never came; the stream stops after chunk {chunk} with the finish reason {reason}.",
        "The answer is whole by its finish reason; do not wait for the mark, and report it to whoever sent it.",
        "A client that waits for `[DONE]` or the vendor's own end event hangs until its timeout, or reports an error "
        "for an answer that is complete.",
        at_end=True,
    ),
    "frames-after-end": Rule(
        "warning",
        "{characters:,} characters of content come after the end mark, from chunk {chunk} on.",
        "Read on until the connection closes, or report it: a reader that stops at the mark loses this content.",
        "Clients stop reading at the end mark. Something that joins two answers in one body, or flushes late, puts "
        "content where nobody looks.",
    ),
    "refused": Rule(
        "warning",
        "The answer is a refusal: {message}.",
        "Show the refusal to the user, and do not send the same request again unchanged.",
        "A refusal comes in a channel of its own, or as a finish reason. Clients that know the text only show an empty "
        "answer.",
        decides="A refusal in words is the model; a finish reason alone is the provider's classifier.",
    ),
    "filtered": Rule(
        "warning",
        "A content filter of the vendor ended the answer after {characters:,} characters: {message}.",
        "Change the prompt or the filter's settings; what came before the filter struck is no whole answer.",
        "The vendor's filter is no part of the model: it stops the prompt or the answer, and says so by a reason.",
        "provider",
    ),
    # -- tool calls ----------------------------------------------------------------------------------------------------
    "call-truncated-by-limit": Rule(
        "fault",
        "The arguments of {call} end {where}: the output limit{limit} was reached.",
        "Raise the limit of output tokens in the request, and do not run the call.",
        "The finish reason says that the limit was reached, and the text of the arguments ends before the value does. "
        "Anthropic closes such a block as if it were whole.",
        at_end=True,
        decides="Where the request sets the limit, and that many tokens were made, it is the request.",
    ),
    "call-truncated-by-cut": Rule(
        "fault",
        "The arguments of {call} end {where}: {how}.",
        "Send the request again, and do not run the call.",
        "The stream was over before the arguments were. What had arrived can be shown, never run.",
        at_end=True,
        decides="A stream that stops inside a frame is the transport.",
    ),
    "call-incomplete": Rule(
        "fault",
        "The arguments of {call} end {where}, although the finish reason is {reason}.",
        "Do not run the call; ask for it again, and report it: nothing in the stream says why it ends there.",
        "The sender says that the answer is whole, and yet the text of the arguments is not: a parser of the server "
        "dropped the end, or the model stopped early.",
        at_end=True,
    ),
    "call-invalid-json": Rule(
        "fault",
        "The arguments of {call} are no JSON at character {position} of {characters:,}: {message}.",
        "Do not run the call: ask the model again, or let repair='guess' try and check what it makes of it.",
        "What is wrong cannot be mended without guessing. The place is that of the first character that cannot stand "
        "there.",
        at_end=True,
    ),
    "call-repaired": Rule(
        "warning",
        "The arguments of {call} are no valid JSON; they were read with {edits}: {rules}.",
        "Look at the edits (call.repair.diff()) before the call is run.",
        "What was wrong could be mended in one way only. A strict reader raises an exception here, and a lenient one "
        "may read something else.",
        at_end=True,
    ),
    "call-empty-arguments": Rule(
        "note",
        "No arguments were sent for {call}{why}.",
        "Run it only if the tool takes none; if it does take some, look for the fragments under another index or id.",
        "An empty text stands for a call without arguments with some vendors. With others it is what is left when the "
        "fragments were sent under an index or in a field that the reader does not know.",
        at_end=True,
    ),
    "call-identity-ambiguous": Rule(
        "warning",
        "A fragment in chunk {chunk} could belong to more than one tool call: {message}.",
        "Compare the arguments of the calls before they are run, and ask the sender for ids or indices.",
        "The fragment has neither id nor index. It was taken as a new call because it names another tool; some other "
        "reader may add it to the call before.",
    ),
    "call-name-not-in-request": Rule(
        "warning",
        "{call} is of a tool that is not offered; offered are {offered}.",
        "Answer the call with an error that names the tools there are, and do not run anything in its place.",
        "The model made the name up, or something on the way renamed the tools of the request and did not name them "
        "back.",
        at_end=True,
    ),
    "call-breaks-schema": Rule(
        "warning",
        "The arguments of {call} break the tool's schema in {places}: {message}.",
        "Answer the call with the violation, so that the model can mend it; strict modes of vendors prevent most.",
        "The arguments are JSON, but not what the schema of the tool allows.",
        "model",
        at_end=True,
    ),
    # -- usage ---------------------------------------------------------------------------------------------------------
    "usage-not-requested": Rule(
        "note",
        "No token usage was reported, and the request did not ask for it: {option} is not set.",
        "Set {option} to true in the request.",
        "Chat Completions servers report usage on a stream only when they are asked to.",
        "request",
        at_end=True,
    ),
    "usage-missing": Rule(
        "note",
        "No token usage was reported in {chunks:,} chunks.",
        "Ask for it where the interface has an option (stream_options.include_usage); else count it as unknown, "
        "never as 0.",
        "Nobody said how many tokens the answer took. A total that counts it as 0 is too low.",
        at_end=True,
    ),
    "usage-zero-beside-content": Rule(
        "warning",
        "0 output tokens were reported for an answer of {content}.",
        "Count this answer as unknown, not as free, and report it to whoever sent it.",
        "The report is there, and it cannot be right: servers send zeros for what they did not measure.",
    ),
    "usage-preliminary-only": Rule(
        "warning",
        "The final token usage never came: {input} input and {output} output tokens are what was known {when}.",
        "Take the counts as a lower bound; the vendor's own records have the final ones.",
        "The report at the start counts the input and a token or so of output. Taken for the final one it is many "
        "times too low.",
        at_end=True,
        decides="A stream that stops inside a frame is the transport.",
    ),
    "usage-reported-twice": Rule(
        "note",
        "Token usage was reported {times} times; the last one says {last:,} output tokens, their sum is {added:,}.",
        "Let a later report replace the earlier ones; never add them.",
        "Most servers that speak this dialect send one report a response. Clients that add up what they see count the "
        "tokens again.",
    ),
    "usage-total-mismatch": Rule(
        "warning",
        "The total of the usage report is not the sum of its parts: {message}.",
        "Price by the parts, not by the total, and look into the raw report for a bucket that has no name here.",
        "Either a bucket is left out of one of the numbers, or something on the way changed one of them.",
    ),
    # -- what the text says --------------------------------------------------------------------------------------------
    "text-doubled": Rule(
        "warning",
        "The same {characters:,} characters were sent twice: {how}.",
        "Take one of the two, and look for a layer that sends the pieces and then the whole text again as a piece.",
        "A gateway that passes on the pieces and then the whole answer doubles the text on every screen.",
    ),
    "replacement-characters": Rule(
        "warning",
        "{count:,} U+FFFD {stand} in the {kind}: bytes of characters were lost.",
        "Look for code that decodes each read by itself: characters that lie across two reads must be joined first.",
        "U+FFFD is what a decoder writes for bytes that it cannot read. Where the bytes of the frame hold it already, "
        "it happened before they were sent on.",
    ),
    "wrong-charset": Rule(
        "warning",
        "{count:,} runs of characters in the {kind} are UTF-8 that was read as {charset}: {sample} should be {meant}.",
        "Decode the body as UTF-8, whatever the header says or leaves out: server-sent events are always UTF-8.",
        "Event streams are UTF-8 (WHATWG HTML, section 9.2.6). HTTP libraries fall back on Latin-1 where the header "
        "names no charset.",
    ),
    "reasoning-tags-in-text": Rule(
        "warning",
        "The text holds {characters:,} characters of reasoning between {tag} tags.",
        "Read it with reasoning_tags=True, or switch on the server's reasoning parser.",
        "The model writes its reasoning into the text; a server without the right parser for the model passes it on "
        "as the answer.",
    ),
    # -- time ----------------------------------------------------------------------------------------------------------
    "stalled": Rule(
        "warning",
        "{what} for {length} after chunk {chunk}{others}.",
        "Set a timeout for the time between two reads, not for the whole; send the request again when it strikes.",
        "Nothing at all arrived: no content, no comment, no ping. Whether the sender was silent or the connection was "
        "dead cannot be told from this end; the keep-alive of others would tell.",
    ),
    "alive-without-content": Rule(
        "warning",
        "For {length} after {after} only {frames} without content came{others}.",
        "Time out on content, not on bytes: a client that waits for any byte waits for ever here.",
        "The connection is alive, and nothing is said on it. Comments and pings keep timeouts from striking.",
        decides="Where all of these frames are events of the vendor's own, it is the provider; a comment may be of "
        "anybody on the way.",
    ),
    "buffered": Rule(
        "warning",
        "The stream was held back and came in portions: {reason}.",
        "Switch off buffering and compression for event streams in whatever stands between (X-Accel-Buffering: no, "
        "proxy_buffering off).",
        "No model makes many frames at one time. Something collected them: a proxy, a compressor, a server that waits "
        "for the whole answer. Times inside such a stream tell nothing of the model.",
        decides="A header of the response that names a proxy is the gateway.",
    ),
    "slow-first-token": Rule(
        "note",
        "The first token came after {first}; the first byte after {byte}{between}.",
        "Compare the time of the first byte: what comes before it is network and queue, what comes after it the model.",
        "Text, reasoning, a refusal or arguments count; a role, an empty string, a ping do not.",
        decides="Where the vendor reports that the time went into its own queue, it is the provider.",
    ),
    # -- the recording -------------------------------------------------------------------------------------------------
    "capture-lossy": Rule(
        "fault",
        "The recording is not what was sent: {message}.",
        "Record again, with the bytes of the body as they come; do not draw conclusions from what is missing.",
        "What is wrong here is wrong with the recording, and nothing can be said about the stream at that place.",
    ),
}
"""What each code means; the order is that in which equally grave findings are listed."""

# code: (what to do, on whose side it is)
_DIAGNOSTICS: dict[str, tuple[str, Side]] = {
    "finish-error": ("Send the request again; what came is no whole answer.", "provider"),
    "unexpected-dialect": ("Leave the provider out, or name the one that the bytes speak like.", "unknown"),
    "recording-version": ("Read the file with the version of the library that wrote it.", "unknown"),
    "chunked-coding": ("Capture the body after HTTP's chunked coding is taken out: curl without --raw.", "unknown"),
    "unexpected-framing": ("See whether a proxy or a capture tool wrote the body anew.", "unknown"),
    "bad-frame": ("Look at the frame's bytes: something that is no frame was written into the stream.", "unknown"),
    "prelude-crc-mismatch": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "message-crc-mismatch": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "length-too-small": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "headers-length": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "header-truncated": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "header-type": ("See that the body is kept as bytes: decoding it as text destroys it.", "unknown"),
    "header-name-empty": ("Report it to whoever encodes these messages.", "unknown"),
    "header-utf8": ("Report it to whoever encodes these messages.", "unknown"),
    "duplicate-header": ("Report it to whoever encodes these messages.", "unknown"),
    "unread": ("Mend the fault before it: what is behind it can be read then.", "unknown"),
    "not-a-field": ("Take the lines out that a log or another program wrote into the stream.", "unknown"),
    "event-without-data": (
        "Look for a layer that takes data lines out: browsers drop such an event without a word.",
        "unknown",
    ),
    "frame-too-large": ("Raise limits.frame_bytes if a frame of this size is meant.", "unknown"),
    "bad-utf8": ("See that nothing decodes, cuts or recodes the bytes on their way.", "unknown"),
    "unterminated-tail": ("End the last event with a blank line: browsers drop one that has none.", "unknown"),
    "trailing-data": ("Look at the bytes behind the end: a second body, or a log, was joined to this one.", "unknown"),
    "aborted": ("Read on to the end if the rest is wanted.", "unknown"),
    "bad-json": ("Look at the frame's bytes: its content is lost, and the answer may lack a piece.", "unknown"),
    "too-deep": ("Read the frame by hand if such JSON is meant.", "unknown"),
    "unexpected-json": (
        "See whether the stream is of another vendor, or of a newer version of the interface.",
        "unknown",
    ),
    "ill-typed": ("Report it to whoever sent it; other readers may raise an exception here.", "unknown"),
    "lone-surrogate": ("See that nothing cuts escaped characters in two on their way.", "unknown"),
    "snapshot-differs": ("Take the whole text, which the vendor sends as the true one.", "unknown"),
    "finish-unknown": ("Look up the reason in the vendor's documentation before the answer is used.", "unknown"),
    "calls-missing": (
        "Look for the calls in the text: a server that does not parse them leaves them there.",
        "unknown",
    ),
    "stream-aborted": ("Ask the application why it stopped the answer.", "unknown"),
    "sequence-gap": ("Look for a layer that drops events: the vendor numbered some that did not arrive.", "unknown"),
    "sequence-repeated": ("Look for a layer that sends events again.", "unknown"),
    "call-id-changed": ("Answer the call under its last id.", "unknown"),
    "call-id-reused": ("Answer both calls, each by its position.", "unknown"),
    "call-index-reused": ("Tell calls apart by id, not by index.", "unknown"),
    "call-name-missing": ("Do not run the call: what it calls is not known.", "unknown"),
    "call-name-changed": ("Compare the names before the call is run.", "unknown"),
    "call-input-sent-twice": ("Take the fragments; do not join them to the whole arguments.", "unknown"),
    "call-gap": ("Do not run the call: a part of its arguments may be lost.", "unknown"),
    "calls-glued": ("Tell the calls apart by hand, or ask the model again: several came as one.", "unknown"),
    "calls-told-apart": ("Check the calls before they are run: the sender put several under one index.", "unknown"),
    "duplicate-key": ("Check which of the values is meant: the last one counts.", "unknown"),
    "arguments-too-large": ("Raise limits.argument_bytes if arguments of this size are meant.", "unknown"),
    "usage-malformed": ("Look at the raw report: one of its counts is no number.", "unknown"),
}

RULES |= {
    code: Rule(CODES[code][0], "{sentence}.", remedy, CODES[code][1], side)
    for code, (remedy, side) in _DIAGNOSTICS.items()
}

OWN_PAGES = tuple(code for code in RULES if code not in _DIAGNOSTICS)
"""Codes that are more than a diagnostic: each has a page of its own."""
