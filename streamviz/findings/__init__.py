"""What is wrong with a run, in words: `explain`, and the table of what can be found."""

from .finding import Finding, Lost, Place
from .findings import FINDINGS, Findings, explain, findings_table
from .rules import OWN_PAGES, RULES, Rule, Side

SCHEMAS = (FINDINGS,)
"""The tables."""

__all__ = [
    "FINDINGS",
    "OWN_PAGES",
    "RULES",
    "SCHEMAS",
    "Finding",
    "Findings",
    "Lost",
    "Place",
    "Rule",
    "Side",
    "explain",
    "findings_table",
]
