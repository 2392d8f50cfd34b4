"""What is wrong with a run, in words: `explain`, and the table of what can be found."""

from .finding import Finding, Lost, Place
from .findings import FINDINGS, Findings, explain
from .rules import OWN_PAGES, RULES, Rule, Side

__all__ = ["FINDINGS", "OWN_PAGES", "RULES", "Finding", "Findings", "Lost", "Place", "Rule", "Side", "explain"]
