r"""See how a language model's streamed response is put together.

>>> import streamviz as sv
>>> run = sv.read(b'data: {"choices":[{"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n')
>>> run.payload.assistant_text
'Hi'

`read` reads a recorded stream; `process_stream` assembles one while it arrives. Both give chunks (what each frame
means), a state (what the chunks so far amount to) and a payload (what the whole response amounts to).
"""

from .assembly import (
    AssemblyState,
    Block,
    CallOptions,
    CallPreview,
    EmbeddedRunPayload,
    Finish,
    ToolCall,
    build_embedded_run_payloads,
    route_chunk,
)
from .chunks import (
    BlockStop,
    CitationDelta,
    Delta,
    FinishReason,
    MediaDelta,
    ModerationDelta,
    NormalizedChunk,
    PlanDelta,
    RefusalDelta,
    ResponseInfo,
    SignatureDelta,
    StreamError,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolResultDelta,
    UnknownDelta,
    Usage,
)
from .comparing import Comparison, HopComparison, Loss, SDKComparison, compare, compare_sdk
from .controller import AsyncChunkStream, ChunkStream, aprocess_stream, process_stream
from .detection import Detection, detect
from .diagnostics import Diagnostic
from .errors import (
    ChunkError,
    FramingError,
    MissingLibraryError,
    ProviderError,
    StreamFaultError,
    StreamvizError,
    ToolCallError,
    UnknownProviderError,
)
from .events import from_events
from .findings import Finding, Findings
from .fixtures import fixture
from .framing import Frame
from .limits import Limits
from .plots import plot_outcomes
from .providers import StreamWrapper, get_stream_wrapper, register_stream_wrapper, stream_wrapper_names
from .recording import Recording
from .repair import Edit, IncrementalReader, RepairReport, repair_json, repair_tool_call_arguments
from .run import StreamRun, read
from .timing import Timing, Transport

__version__ = "0.1.0"

__all__ = [
    "AssemblyState",
    "AsyncChunkStream",
    "Block",
    "BlockStop",
    "CallOptions",
    "CallPreview",
    "ChunkError",
    "ChunkStream",
    "CitationDelta",
    "Comparison",
    "Delta",
    "Detection",
    "Diagnostic",
    "Edit",
    "EmbeddedRunPayload",
    "Finding",
    "Findings",
    "Finish",
    "FinishReason",
    "Frame",
    "FramingError",
    "HopComparison",
    "IncrementalReader",
    "Limits",
    "Loss",
    "MediaDelta",
    "MissingLibraryError",
    "ModerationDelta",
    "NormalizedChunk",
    "PlanDelta",
    "ProviderError",
    "Recording",
    "RefusalDelta",
    "RepairReport",
    "ResponseInfo",
    "SDKComparison",
    "SignatureDelta",
    "StreamError",
    "StreamFaultError",
    "StreamRun",
    "StreamWrapper",
    "StreamvizError",
    "TextDelta",
    "ThinkingDelta",
    "Timing",
    "ToolCall",
    "ToolCallDelta",
    "ToolCallError",
    "ToolResultDelta",
    "Transport",
    "UnknownDelta",
    "UnknownProviderError",
    "Usage",
    "__version__",
    "aprocess_stream",
    "build_embedded_run_payloads",
    "compare",
    "compare_sdk",
    "detect",
    "fixture",
    "from_events",
    "get_stream_wrapper",
    "plot_outcomes",
    "process_stream",
    "read",
    "register_stream_wrapper",
    "repair_json",
    "repair_tool_call_arguments",
    "route_chunk",
    "stream_wrapper_names",
]
