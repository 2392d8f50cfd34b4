"""Ways to show runs in a terminal: the console, and one view for each form of the ``show`` command."""

from __future__ import annotations

import json
import os
import sys
from typing import IO, NoReturn

from rich.console import Console
from rich.style import Style
from rich.text import Text

from ..assembly.payload import json_safe
from ..chunks import NormalizedChunk, ResponseInfo
from ..run import StreamRun
from .chunk_lines import chunk_line
from .facts import has_fault, verdict
from .findings_text import findings_lines
from .runs_table import RunRow, run_row, runs_table, summary
from .text_card import STYLES, run_card
from .untrusted import json_escaped, visible_line

_PIPE_CLOSED = 141
"""The exit status that a shell reports of a program whose reader went away."""
_WIDTH_OF_NO_TERMINAL = 100
_WIDEST = 100_000


class Output(Console):
    """A console that reads no markup, and writes colours to terminals only."""

    def __init__(self, file: IO[str], *, color: bool = True) -> None:
        super().__init__(file=file, markup=False, highlight=False, emoji=False)
        self.styled = color and self.is_terminal and not os.environ.get("NO_COLOR")
        if not self.styled:
            self._color_system = None  # rich's own ``no_color`` still writes bold and dim
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = _WIDTH_OF_NO_TERMINAL

    def on_broken_pipe(self) -> NoReturn:
        # What is still buffered would raise again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(_PIPE_CLOSED)

    def long_line(self, text: str | Text) -> None:
        """Write one line as long as it is."""
        self.print(text, soft_wrap=True)

    def raw(self, text: str) -> None:
        """Write text that holds no control characters, without measuring it."""
        try:
            self.file.write(text + "\n")
            self.file.flush()
        except BrokenPipeError:
            self.on_broken_pipe()


def is_wrong(run: StreamRun) -> bool:
    """Return whether a run has a fault, or did not come to its end."""
    return has_fault(run.payloads) or verdict(run.payloads).word == "incomplete"


class View:
    """A way to show runs, one after the other. This one shows the full card of each."""

    def __init__(self, out: Output, *, many: bool) -> None:
        self.out = out
        self.many = many
        self.shown = 0

    def arriving(self, run: StreamRun, chunks: list[NormalizedChunk]) -> None:
        """Take note of chunks that have just come."""

    def show(self, run: StreamRun) -> None:
        """Show a finished run."""
        if self.many:
            self.out.long_line(Text(f"{chr(10) * bool(self.shown)}{visible_line(run.source)}", "bold"))
        self.out.print(run_card(run))
        self.shown += 1

    def is_wrong(self, run: StreamRun) -> bool:
        """Return whether something in a run that was just shown is wrong."""
        return is_wrong(run)

    def close(self) -> None:
        """Show what there is to say of all runs together."""


class TableView(View):
    """One row a run, and a summary."""

    def __init__(self, out: Output, *, many: bool) -> None:
        super().__init__(out, many=many)
        self.rows: list[RunRow] = []

    def show(self, run: StreamRun) -> None:
        """Take the run's row."""
        self.rows.append(run_row(run))

    def close(self) -> None:
        """Show the table."""
        if not self.rows:
            return
        if not self.out.is_terminal:
            self.out.width = _WIDEST  # a row is one line
        self.out.print(runs_table(self.rows, wrap=self.out.is_terminal))
        self.out.long_line(f"\n{summary(self.rows)}")


class JSONView(View):
    """One JSON object a run: what the stream is, and the payload. Of several runs, one a line."""

    def show(self, run: StreamRun) -> None:
        """Write the object. Further choices of the same response stand under ``other_choices``."""
        about = run.to_dict()
        payload, *others = about.pop("payloads")
        document = json_safe({**about, **payload, "other_choices": others})
        self.out.raw(json_escaped(json.dumps(document, ensure_ascii=False, indent=None if self.many else 2)))


class FindingsView(View):
    """What is wrong with each run, in words."""

    def show(self, run: StreamRun) -> None:
        """Show the findings."""
        self.found = run.explain()
        if self.shown:
            self.out.print()
        for line in findings_lines(self.found, short=self.many):
            mark = (line.mark, STYLES[line.kind] + Style(bold=True))
            self.out.long_line(Text.assemble(mark, (line.text, "dim" if line.dim else "")))
        self.shown += 1

    def is_wrong(self, run: StreamRun) -> bool:  # noqa: ARG002 - it was explained when it was shown
        """Return whether there is a fault among what was found."""
        return self.found.has_fault


class FindingsJSONView(FindingsView):
    """The findings of each run as a JSON object. Of several runs, one a line."""

    def show(self, run: StreamRun) -> None:
        """Write the object."""
        self.found = run.explain()
        document = self.found.to_dict()
        self.out.raw(json_escaped(json.dumps(document, ensure_ascii=False, indent=None if self.many else 2)))


class ChunksView(View):
    """Each chunk on a line, as it comes."""

    def __init__(self, out: Output, *, many: bool) -> None:
        super().__init__(out, many=many)
        self.known: ResponseInfo | None = None

    def arriving(self, run: StreamRun, chunks: list[NormalizedChunk]) -> None:
        """Show the chunks."""
        ends = run.frame_ends
        for number, chunk in enumerate(chunks, start=self.shown):
            start = ends[number - 1] if number else 0
            self.out.long_line(chunk_line(number, start, ends[number], chunk, known=self.known))
            self.known = chunk.response or self.known
        self.shown += len(chunks)

    def show(self, run: StreamRun) -> None:
        """Show the chunks that were not shown when they came."""
        if self.many:
            self.out.long_line(Text(visible_line(run.source), "bold"))
        self.arriving(run, run.chunks[self.shown :])
        self.shown, self.known = 0, None
