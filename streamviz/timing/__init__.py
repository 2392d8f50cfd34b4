"""When what came: marks and rates, gaps, and whether somebody on the way held the stream back.

Everything here is had from the times of the reads alone; where none were recorded, nothing is guessed.
"""

from .gaps import GAPS, gaps_table
from .marks import TIMING, Timing, timing, timing_table
from .transport import Transport, transport

SCHEMAS = (TIMING, GAPS)
"""The tables."""

__all__ = ["GAPS", "SCHEMAS", "TIMING", "Timing", "Transport", "gaps_table", "timing", "timing_table", "transport"]
