"""Chunks to states to payload: the router, the accumulators, the payload builder."""

from .payload import Block, EmbeddedRunPayload, Finish, build_embedded_run_payloads
from .previews import CallPreview
from .router import route_chunk
from .state import AssemblyState
from .tool_calls import CallOptions, ToolCall

__all__ = [
    "AssemblyState",
    "Block",
    "CallOptions",
    "CallPreview",
    "EmbeddedRunPayload",
    "Finish",
    "ToolCall",
    "build_embedded_run_payloads",
    "route_chunk",
]
