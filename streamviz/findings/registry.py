"""The list of detectors: small functions from the evidence to findings, one concept each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .evidence import Evidence
from .finding import Finding

Detector = Callable[[Evidence], Iterable[Finding]]
DETECTORS: list[Detector] = []
"""In the order in which they run: a diagnostic is explained by the first that takes it."""


def detector(function: Detector) -> Detector:
    """Add a detector to the list."""
    DETECTORS.append(function)
    return function
