"""How a run and its parts look: a line of text, a card in the terminal or a notebook. All of it escapes the stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .findings_html import findings_html
from .findings_text import findings_text
from .hexdump_html import hexdump_html
from .html_card import payload_html, repair_html, run_card_html, tool_call_html, usage_html
from .html_values import (
    calls_html,
    chunk_html,
    diagnostic_html,
    diagnostics_html,
    frame_html,
    state_html,
    step_html,
    steps_html,
)
from .lines import run_line, state_line, usage_line
from .timing_card import timing_html, timing_line, transport_html, transport_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from ..repair import RepairReport
    from ..run import StreamRun

__all__ = [
    "calls_html",
    "chunk_html",
    "diagnostic_html",
    "diagnostics_html",
    "findings_html",
    "findings_text",
    "frame_html",
    "hexdump_html",
    "payload_html",
    "repair_html",
    "repair_text",
    "run_card_html",
    "run_card_text",
    "run_line",
    "state_html",
    "state_line",
    "step_html",
    "steps_html",
    "timing_html",
    "timing_line",
    "tool_call_html",
    "transport_html",
    "transport_line",
    "usage_html",
    "usage_line",
]


def run_card_text(run: StreamRun, *, short: bool = False) -> RenderableType:
    """Return a run as a card for the terminal, which `rich` prints.

    Parameters
    ----------
    run : StreamRun
        The run.
    short : bool
        Show the beginning of each part only.
    """
    from .text_card import run_card  # rich is slow to load

    return run_card(run, short=short)


def repair_text(report: RepairReport) -> RenderableType:
    """Return how a text that should be JSON was read, for the terminal."""
    from .text_card import repair_card

    return repair_card(report)
