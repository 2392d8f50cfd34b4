"""Tool calls: which fragment belongs to which call, and what the joined text amounts to.

Vendors tell calls apart by id, by index, by both or by neither, repeat names, leave out ids, and use one index for
several calls. One table a choice answers every question of identity; see `CallBook.find`.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..chunks import BlockIndex, PathArgument, ToolCallDelta
from ..diagnostics import Note
from ..limits import Limits
from ..repair import RepairLevel, RepairReport, repair_tool_call_arguments
from .json_path import PathBuilder
from .text import Pieces, join_surrogates
from .tool_names import resolve_tool_name

CallStatus = Literal["exact", "empty", "repaired", "incomplete", "text", "invalid"]


class CallOptions(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """How the calls of a response are read."""

    repair: RepairLevel = "safe"
    """What may be done to arguments that are no valid JSON."""
    decode_entities: bool = False
    """Decode HTML entities in the strings of the arguments, once."""
    tools: tuple[str, ...] = ()
    """The tools that the request offered; empty where that is not known."""
    schemas: dict[str, Mapping[str, Any]] = {}
    """The JSON Schemas of their arguments, where they are known."""


DEFAULT_OPTIONS = CallOptions()


class ToolCall(Struct, frozen=True, repr_omit_defaults=True, kw_only=True):
    """One tool call of the answer.

    Only ``exact`` and ``empty`` calls are `executable` without the caller's consent.
    """

    name: str
    """The tool's name; empty where none was sent. Where the tools are known, the one that is meant."""
    name_as_sent: str
    is_offered: bool | None = None
    """Whether a tool of this name was offered; None where the tools are not known."""
    id: str
    item_id: str | None = None
    """A second name of the call (OpenAI Responses)."""
    id_is_made_up: bool = False
    """True: no id was sent, or one that another call owns; this one is made from the call's position."""
    index: int | str | None = None
    """The vendor's own number of the call."""
    raw_arguments: str
    """The argument text as sent. Where the wire carries an object, its JSON text."""
    arguments: dict[str, Any] | None
    """The arguments; None where they cannot be read."""
    status: CallStatus
    """``exact``: valid JSON as sent. ``empty``: none were sent. ``repaired``. ``incomplete``: the text ends inside the
    value, and ``arguments`` holds what had arrived. ``text``: a custom tool's free text. ``invalid``."""
    repair: RepairReport | None = None
    """How the arguments were read, with every edit."""
    server: bool = False
    """True: the vendor ran this call itself."""
    choice: int = 0
    block: int = 0
    """Number of the call's block among the payload's blocks."""
    signature: str | None = None
    gap: bool = False
    """True: something could not be read while the call was open, and may have been its own."""
    whole: bool = False
    """True: the arguments came in one piece, as an object."""
    fragments: int = 0
    """How many pieces the argument text came in."""
    first_chunk: int = 0
    last_chunk: int = 0

    @property
    def executable(self) -> bool:
        """Whether the call may be run as it is.

        Nothing was repaired, guessed, lost or cut off; the tool is offered and its schema allows the arguments, where
        these are known.
        """
        allowed = self.repair is None or not self.repair.schema_violations
        known = bool(self.name) and self.is_offered is not False
        return self.status in ("exact", "empty") and known and allowed and not self.gap

    @property
    def preview(self) -> dict[str, Any] | None:
        """The arguments so far: of a call that is cut off, what had arrived."""
        return self.arguments

    def __repr__(self) -> str:
        return f"<ToolCall {self.name!r} {self.id!r}: {self.status}, {self.raw_arguments!r:.120}>"

    def _repr_html_(self) -> str:
        from ..display import tool_call_html

        return tool_call_html(self)


class ToolCalls(tuple[ToolCall, ...]):
    """Tool calls, which a notebook shows as a table."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from ..display import calls_html

        return calls_html(self)


class ToolCallBlock:
    """The fragments of one call."""

    __slots__ = (
        "choice",
        "closed",
        "custom",
        "first_chunk",
        "id",
        "index",
        "item_id",
        "key",
        "kind",
        "last_chunk",
        "name",
        "named_again",
        "overflow",
        "paths",
        "pieces",
        "seed",
        "server",
        "signature",
        "size",
        "stopped",
        "told",
        "unread",
        "whole",
    )

    def __init__(self, delta: ToolCallDelta, chunk: int) -> None:
        self.kind: Literal["tool_call", "server_tool"] = "server_tool" if delta.server else "tool_call"
        self.choice = delta.choice
        self.key: BlockIndex = delta.block
        self.index = delta.index
        self.id: str | None = None
        self.item_id = delta.item_id
        self.name = ""
        self.named_again: list[int] = []
        """Numbers of the fragments that came with the name again, and no id."""
        self.pieces = Pieces()
        self.size = 0
        self.overflow = False
        self.seed: str | None = None
        self.paths: PathBuilder | None = None
        self.whole = False
        self.server = delta.server
        self.custom = delta.custom
        self.signature: str | None = None
        self.closed = False
        self.first_chunk = self.last_chunk = chunk
        self.told: int | None = None
        """The chunk in which the vendor told the whole text."""
        self.stopped: int | None = None
        """The chunk in which the vendor said that the call is complete."""
        self.unread: int | None = None
        """The latest chunk with a piece of it that could not be read."""

    def stop(self, chunk: int) -> None:
        """Take the vendor's word that the call is complete."""
        self.closed = True
        self.stopped = chunk

    def go_on(self, delta: ToolCallDelta, chunk: int, limits: Limits) -> bool:
        """Take a fragment that is nothing but the next piece of text, and in no way odd; return False for any other."""
        text = delta.arguments
        if not text or delta.whole or delta.snapshot or delta.seed or delta.paths or delta.last or delta.signature:
            return False
        size = self.size + len(text)
        if size > limits.argument_bytes or self.seed is not None:
            return False
        self.size = size
        self.last_chunk = chunk
        self.pieces.fragments.append(text)
        self.pieces.chunks.append(chunk)
        return True

    def add(self, delta: ToolCallDelta, chunk: int, limits: Limits) -> Note | None:
        """Take a fragment; return what is odd about it."""
        note = None
        self.last_chunk = chunk
        if delta.name:
            note = self._add_name(delta.name)
            if self.pieces.fragments and not delta.id and delta.name == self.name:
                self.named_again.append(len(self.pieces.fragments))
        if delta.id and (self.id is None or delta.last):
            self.id = delta.id
        if delta.signature:
            self.signature = delta.signature
        self.item_id = self.item_id or delta.item_id
        if delta.last:
            self.stop(chunk)
        if delta.paths:
            note = self._add_paths(delta.paths, chunk, limits) or note
        arguments = delta.arguments
        if arguments is None:
            return note
        if delta.whole or delta.snapshot:
            self.whole = self.whole or delta.whole
            if self.paths is not None:
                self.paths, self.pieces = None, Pieces()  # the leaves have chunks, but are no pieces of this text
            self.told = chunk
            self.named_again = []
            if self.pieces.fragments and self.pieces.replace(arguments, chunk):
                return Note("snapshot-differs", "the whole arguments differ from what was sent before")
            if not self.pieces.fragments:
                self.pieces.append(arguments, chunk)
        elif delta.seed:
            self.seed = arguments
        elif arguments:
            if self.seed is not None and not self.size:
                note = Note("call-input-sent-twice", "the arguments came whole, and then in fragments")
            self.size += len(arguments)
            if self.size > limits.argument_bytes:
                first, self.overflow = not self.overflow, True
                return Note("arguments-too-large", f"more than {limits.argument_bytes} characters") if first else None
            self.pieces.append(arguments, chunk)
        return note

    def _add_name(self, name: str) -> Note | None:
        if not self.name:
            self.name = name
        elif name != self.name:
            if self.pieces.fragments or self.whole:
                return Note("call-name-changed", f"{self.name!r:.80} is called {name!r:.80} after its arguments began")
            self.name += name
        return None

    def _add_paths(self, paths: tuple[PathArgument, ...], chunk: int, limits: Limits) -> Note | None:
        if self.paths is None:
            self.paths = PathBuilder(limits)
        refused = [path.path for path in paths if not self.paths.set(path)]
        self.pieces.chunks.append(chunk)
        return Note("unexpected-json", f"no place for {', '.join(refused):.200}") if refused else None

    @property
    def raw_arguments(self) -> str:
        """The argument text as sent."""
        return join_surrogates(self._text)

    @property
    def _text(self) -> str:
        """The argument text, halves of characters as they came."""
        if self.paths is not None:
            return json.dumps(self.paths.value, ensure_ascii=False, separators=(",", ":"))
        return "".join(self.pieces.fragments) if self.pieces.fragments else self.seed or ""

    @property
    def _is_damaged(self) -> bool:
        """Whether the name or the arguments hold what is no character, or leaves that nobody sent."""
        if "\ufffd" in join_surrogates(self.name) or (self.paths is not None and self.paths.is_doubtful):
            return True
        text = self._text
        return not text.isascii() and text.count("\ufffd") < join_surrogates(text).count("\ufffd")

    def parts(self, limits: Limits, options: CallOptions) -> list[ToolCallBlock]:
        """Return the calls that were glued into this one, where their identity is certain; else the call itself.

        Different values stand in a row, and each after the first begins with a fragment that named the tool again.
        """
        if not self.named_again or self.custom or self.overflow:
            return [self]
        roots = repair_tool_call_arguments(self.pieces.text, repair=options.repair, limits=limits).roots
        offsets = list(accumulate(map(len, self.pieces.fragments), initial=0))
        named = {offsets[fragment]: fragment for fragment in self.named_again}
        begins = [named.get(root.start, named.get(before.end)) for before, root in pairwise(roots)]
        edges = [0, *(fragment for fragment in begins if fragment is not None), len(self.pieces.fragments)]
        return [self._part(*edge) for edge in pairwise(edges)] if roots and None not in begins else [self]

    def _part(self, start: int, end: int) -> ToolCallBlock:
        """Return the fragments from ``start`` to ``end`` as a call of its own; only the first one has the id."""
        chunks = self.pieces.chunks[start:end]
        part = ToolCallBlock(
            ToolCallDelta(choice=self.choice, block=self.key, index=self.index, server=self.server), chunks[0]
        )
        part.name, part.closed, part.stopped, part.last_chunk = self.name, self.closed, self.stopped, chunks[-1]
        part.unread = self.unread
        part.id, part.first_chunk = (None, chunks[0]) if start else (self.id, self.first_chunk)
        edges = [0, *self.pieces.ends()]
        (part.pieces,) = self.pieces.parts([(edges[start], edges[end])])
        return part

    def value(
        self,
        ident: str,
        limits: Limits,
        block: int,
        options: CallOptions,
        *,
        made_up: bool,
        is_over: bool = True,
        gap: bool = False,
    ) -> ToolCall:
        """Read the arguments as they stand.

        Where the call is not known to be over, one without arguments may have lost them, and one that came leaf by leaf
        others. ``gap`` says that something of it may be lost.
        """
        raw = self.raw_arguments
        status: CallStatus = "text"
        report = arguments = None
        tools = () if self.server else options.tools
        sent = join_surrogates(self.name)
        name = resolve_tool_name(sent, self.id, tools)
        if not self.custom:
            schema = options.schemas.get(name) if tools else None
            report = repair_tool_call_arguments(raw, repair=options.repair, schema=schema, limits=limits)
            report = self._located(report)
            status, arguments = report.status, report.value
            open_leaf = self.paths.open_path if self.paths is not None and not self.closed else None
            may_go_on = not is_over and (self.paths is not None or not raw.strip())
            if status in ("exact", "empty") and (open_leaf is not None or may_go_on):
                status = "incomplete"
                report = replace(report, status=status, complete=False, open_path=open_leaf or "$")
            if self.overflow:
                status, arguments = "invalid", None
            if arguments and options.decode_entities:
                arguments = unescape_entities(arguments)
        return ToolCall(
            name=name,
            name_as_sent=sent,
            is_offered=name in tools if tools else None,
            id=ident,
            item_id=self.item_id,
            id_is_made_up=made_up,
            index=self.index,
            raw_arguments=raw,
            arguments=arguments,
            status=status,
            repair=report,
            server=self.server,
            choice=self.choice,
            block=block,
            signature=self.signature,
            gap=gap or self._is_damaged,
            whole=self.whole or (self.seed is not None and not self.pieces.fragments and bool(self.seed)),
            fragments=len(self.pieces.chunks) or int(bool(raw)),
            first_chunk=self.first_chunk,
            last_chunk=self.last_chunk,
        )

    def _located(self, report: RepairReport) -> RepairReport:
        """Say of each edit which fragment and which chunk it falls in."""
        if not report.edits or not self.pieces.fragments:
            return report
        edits = []
        for edit in report.edits:
            fragment, chunk = self.pieces.locate(edit.position)
            edits.append(replace(edit, fragment=fragment, chunk=chunk))
        return replace(report, edits=tuple(edits))


class CallBook:
    """Which call a fragment belongs to, in one choice of a response.

    The rules, in order: a non-empty id that was seen names its call; else the call at the fragment's index, unless
    another id was seen there, which makes a new call; else, without an index, the call of its second name or of its
    place in the list, if it has one, or the latest open call; else a new call.
    """

    __slots__ = ("by_id", "by_index", "by_item", "by_position", "latest")

    def __init__(self) -> None:
        self.by_id: dict[str, ToolCallBlock] = {}
        self.by_index: dict[int | str, ToolCallBlock] = {}
        self.by_item: dict[str, ToolCallBlock] = {}
        self.by_position: dict[int, ToolCallBlock] = {}
        self.latest: ToolCallBlock | None = None

    def find(self, delta: ToolCallDelta) -> tuple[ToolCallBlock | None, Note | None]:
        """Return the call of a fragment, None where it opens a new one, and what is uncertain about it."""
        ident, index = delta.id, delta.index
        if ident:
            known = self.by_id.get(ident)
            if known is not None:
                if delta.whole and known.whole and known.raw_arguments != delta.arguments:
                    return None, Note("call-id-reused", f"{ident!r:.80} came before, with other arguments")
                return known, None
            if index is None:
                known = self.by_item.get(delta.item_id) if delta.item_id else None
                return known, None if known is None or known.id is None else _id_changed(known, ident)
        elif index is None:
            known = self.by_item.get(delta.item_id) if delta.item_id else None
            if known is not None:
                return known, None
            if delta.position is not None:
                return self._go_on(self.by_position.get(delta.position), delta)
            return self._without_final_text() if delta.snapshot else self._go_on(self.latest, delta)
        call = self.by_index.get(index)
        if call is None and index == delta.item_id:  # no number was sent: the second name stands in its place
            call = self.by_item.get(delta.item_id)
        if call is None or not ident or call.id is None:
            return call, None
        if delta.item_id and call.item_id == delta.item_id:
            return call, _id_changed(call, ident)
        return None, Note(
            "call-index-reused", f"index {index!r:.40} belongs to {call.id!r:.80}, and now to {ident!r:.80}"
        )

    def _without_final_text(self) -> tuple[ToolCallBlock | None, Note | None]:
        """Place a whole text that names no call: it is that of the first call that still waits for one."""
        call = next((call for call in self.by_item.values() if call.told is None), None)
        return call, Note("item-id-missing", "the whole arguments of a call came without its id")

    @staticmethod
    def _go_on(call: ToolCallBlock | None, delta: ToolCallDelta) -> tuple[ToolCallBlock | None, Note | None]:
        """Place a fragment that has neither id nor index: it goes on with a call, or opens one."""
        if call is None or delta.whole or call.closed:
            return None, None
        if delta.name and (call.whole or call.paths is not None):
            return None, None
        if delta.name and call.name and delta.name != call.name and call.pieces.fragments:
            return None, Note(
                "call-identity-ambiguous", f"{delta.name!r:.80} has no id and no index: taken as a new call"
            )
        return call, None

    def add(self, call: ToolCallBlock, delta: ToolCallDelta) -> None:
        """Enter a call under the id and index of one of its fragments."""
        if delta.id:
            self.by_id.setdefault(delta.id, call)
        if delta.index is not None:
            self.by_index[delta.index] = call
        if delta.item_id:
            self.by_item.setdefault(delta.item_id, call)
        if delta.position is not None:
            self.by_position[delta.position] = call
        self.latest = call

    def restart(self) -> None:
        """Forget the indices: a second message starts in the same stream. Ids stay what they are."""
        self.by_index.clear()
        self.by_item.clear()
        self.by_position.clear()
        self.latest = None


def _id_changed(call: ToolCallBlock, ident: str) -> Note:
    return Note("call-id-changed", f"{call.id!r:.80} is {ident!r:.80} now")


def name_calls(calls: list[ToolCallBlock]) -> list[tuple[str, bool]]:
    """Return (id, made up?) for each call.

    A missing id, or one that a call before it has, is made from the position, never from clock or chance.
    """
    taken = {call.id for call in calls if call.id}
    owned: set[str] = set()
    out: list[tuple[str, bool]] = []
    for position, call in enumerate(calls, start=1):
        if call.id and call.id not in owned:
            owned.add(call.id)
            out.append((call.id, False))
            continue
        ident = f"call_{position}"
        while ident in taken:
            ident += "_"
        taken.add(ident)
        out.append((ident, True))
    return out


_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


def unescape_entities(value: Any) -> Any:
    """Decode HTML entities in the strings of a JSON value, once (xAI and Venice send them).

    Numbers that are no character become U+FFFD. Decoding twice would turn ``&amp;amp;`` into ``&``.

    Examples
    --------
    >>> unescape_entities({"c": ["a &amp;&amp; b", "&amp;amp;"]})
    {'c': ['a && b', '&amp;']}
    """
    match value:
        case str():
            return _ENTITY.sub(lambda entity: html.unescape(entity[0]), value)
        case dict():
            return {key: unescape_entities(item) for key, item in value.items()}
        case list():
            return [unescape_entities(item) for item in value]
        case _:
            return value
