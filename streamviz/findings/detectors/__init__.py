"""The detectors, in the order in which they run."""

from . import ends, calls, usage, text, times, capture, rest  # noqa: F401, I001 - the order counts
