"""Data frames of a run. Each table is a `Schema`, whose columns are documented data, and a function that fills it."""

from .answer import BLOCKS, DIAGNOSTICS, USAGE, blocks_table, diagnostics_table, usage_table
from .calls import CALLS, FRAGMENTS, REPAIRS, calls_table, fragments_table, repairs_table
from .chunks import CHUNKS, DELTAS, chunks_table, deltas_table
from .frames import FRAMES, frames_table
from .schema import Column, Schema

SCHEMAS: tuple[Schema, ...] = (FRAMES, CHUNKS, DELTAS, BLOCKS, CALLS, FRAGMENTS, REPAIRS, USAGE, DIAGNOSTICS)
"""All tables, in the order of the pipeline."""

__all__ = [
    "SCHEMAS",
    "Column",
    "Schema",
    "blocks_table",
    "calls_table",
    "chunks_table",
    "deltas_table",
    "diagnostics_table",
    "fragments_table",
    "frames_table",
    "repairs_table",
    "usage_table",
]
