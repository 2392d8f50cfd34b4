"""The plot of a repair: the text as it was sent, with what was removed and inserted marked in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ..assembly.tool_calls import ToolCall
from ..repair import RepairReport
from ..tables.calls import calls_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from matplotlib.axes import Axes

    from ..run import StreamRun
    from .canvas import Canvas, Style

Mark = Literal["kept", "removed", "inserted", "left out"]

COLUMNS = 84
"""Letters in a line of a new figure."""
LINES = 18
"""Lines that are drawn at most."""
CONTEXT = 60
"""How much of what stayed is shown on each side of an edit."""
_SIZE = 9.0
_ROW = 0.222
"""Height of a row of a new figure, in inches."""


class Piece(NamedTuple):
    """A stretch of the text."""

    mark: Mark
    text: str
    position: int
    """Where it stands in the text as sent, in characters."""


def plot_repair(
    run: StreamRun | RepairReport | ToolCall,
    ax: Axes | None = None,
    *,
    call: int = 0,
    context: int = CONTEXT,
    style: Style = "auto",
) -> Axes:
    r"""Draw the arguments as they were sent, with every edit marked in them.

    What was removed is struck through, what was inserted is underlined. Of a long text only what stands around the
    edits is drawn; the vertical axis says at which character a line begins.

    Parameters
    ----------
    run : StreamRun, ToolCall or RepairReport
        What was repaired.
    ax, style
        See `plot_usage`.
    call : int
        Of a run, the number of the call: its row in `StreamRun.calls_table`.
    context : int
        How many characters of what stayed are shown on each side of an edit.

    Returns
    -------
    Axes

    Raises
    ------
    IndexError
        The run has calls, and not that one.

    Examples
    --------
    >>> import streamviz as sv
    >>> from streamviz.plots import plot_repair
    >>> ax = plot_repair(sv.repair_json("{'a': 1,}"))
    >>> [letters.get_text() for letters in ax.patches if letters.get_gid() == "inserted"]
    ['"', '"']
    """
    from .canvas import Canvas

    name, report = _report(run, call)
    canvas = Canvas(ax, style, height=1.0)
    pieces = list(_window(report, max(context, 1))) if report is not None else []
    page = _Page(canvas)
    lines, rest = _lines(pieces, page.columns())
    page.write(_heading(name, report), lines, rest)
    return canvas.ax


def _report(run: StreamRun | RepairReport | ToolCall, call: int) -> tuple[str, RepairReport | None]:
    """Return what the thing is called, and its repair; None where there is none."""
    from .labels import named

    if isinstance(run, RepairReport):
        return "", run
    if isinstance(run, ToolCall):
        return named(run.name or "a call without a name", 26), run.repair
    calls = [one for _, one in calls_of(run)]
    if not calls:
        return f"{named(run.name)}: the run has no tool call", None
    if not -len(calls) <= call < len(calls):
        raise IndexError(f"there is no call {call}; the run has {len(calls)}")
    return f"{named(run.name)}, {named(calls[call].name or 'a call without a name', 26)}", calls[call].repair


def _heading(name: str, report: RepairReport | None) -> str:
    if report is None:
        return name
    edits = len(report.edits)
    words = f"{report.status}, {edits or 'no'} edit{'' if edits == 1 else 's'}"
    return f"{name}: {words}" if name else words


def _window(report: RepairReport, context: int) -> Iterator[Piece]:
    """Yield the text in pieces, with what is far from any edit left out."""
    done = 0
    last = len(report.edits) - 1
    for number, edit in enumerate(report.edits):
        yield from _kept(report.raw, done, edit.position, context if number else 0, context)
        for mark, text in (("removed", edit.removed), ("inserted", edit.inserted)):
            yield from _changed(mark, text, edit.position, context)  # type: ignore[arg-type]
        done = edit.position + len(edit.removed)
        if number == last:
            yield from _kept(report.raw, done, len(report.raw), context, 0)
    if not report.edits:
        yield from _kept(report.raw, 0, len(report.raw), 4 * context, 2 * context)


def _kept(raw: str, start: int, end: int, before: int, after: int) -> Iterator[Piece]:
    """Yield what stayed between two edits: its beginning and its end, where it is long."""
    if end - start <= before + after + _NO_GAIN:
        yield Piece("kept", raw[start:end], start)
        return
    yield Piece("kept", raw[start : start + before], start)
    yield Piece("left out", f" … {end - start - before - after:,} characters … ", start + before)
    yield Piece("kept", raw[end - after : end], end - after)


def _changed(mark: Mark, text: str, position: int, context: int) -> Iterator[Piece]:
    if len(text) <= 2 * context + _NO_GAIN:
        yield Piece(mark, text, position)
        return
    yield Piece(mark, text[:context], position)
    yield Piece("left out", f" … {len(text) - 2 * context:,} characters {mark} … ", position)
    yield Piece(mark, text[-context:], position + len(text) - context if mark == "removed" else position)


_NO_GAIN = 24
"""Leaving out so many characters gains nothing: the words that say so are as long."""


class Line:
    """One line of the picture."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.width = 0
        self.runs: list[tuple[Mark, int, str]] = []
        """Stretches with one mark: mark, column, letters as they are shown."""

    def add(self, mark: Mark, letters: str, width: int) -> None:
        """Add a letter."""
        if self.runs and self.runs[-1][0] == mark:
            _, column, before = self.runs[-1]
            self.runs[-1] = (mark, column, before + letters)
        else:
            self.runs.append((mark, self.width, letters))
        self.width += width


def _lines(pieces: list[Piece], columns: int) -> tuple[list[Line], int]:
    """Break the text into lines of so many letters; return them, and how many characters there was no room for."""
    from rich.cells import cell_len

    from .labels import shown

    lines: list[Line] = []
    for number, (mark, text, position) in enumerate(pieces):
        for at, character in enumerate(text):
            letters = "↵" if character == "\n" else shown(character, mono=True)
            width = max(cell_len(letters), 1)
            moves = mark in ("kept", "removed")
            if not lines or lines[-1].width + width > columns or lines[-1].runs[-1][2].endswith("↵"):
                if len(lines) == LINES:
                    return lines, len(text) - at + sum(len(piece.text) for piece in pieces[number + 1 :])
                lines.append(Line(position + at if moves else position))
            lines[-1].add(mark, letters, width)
    return lines, 0


class _Page:
    """Lines of fixed-width letters in an Axes: a row is a number on the vertical axis, all else is in points."""

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def columns(self) -> int:
        """Return how many letters a line has."""
        from .canvas import PlotAxes, figure_of
        from .letters import ADVANCE

        ax = self.canvas.ax
        if isinstance(ax, PlotAxes):
            return COLUMNS
        return max(int(ax.get_window_extent().width / figure_of(ax).dpi * 72 / (ADVANCE * _SIZE)), 16)

    def place(self, row: float) -> Any:
        """Return the transform from points, counted from the left edge and the middle of a row."""
        from matplotlib.transforms import Affine2D, ScaledTranslation

        from .canvas import figure_of

        ax = self.canvas.ax
        points = Affine2D().scale(1 / 72) + figure_of(ax).dpi_scale_trans
        return points + ScaledTranslation(0, row, ax.get_yaxis_transform())  # type: ignore[arg-type]  # any transform will do

    def write(self, heading: str, lines: list[Line], rest: int) -> None:
        """Write the heading, the lines below it, and what the marks mean; all of it below what is there."""
        from matplotlib.ticker import FixedFormatter, FixedLocator

        from .lanes import rows_of

        canvas, ax = self.canvas, self.canvas.ax
        rows, words = rows_of(ax)
        top = ax.get_ylim()[0] if rows else 0.0
        canvas.text(0, top + 0.6, heading, transform=ax.get_yaxis_transform(), va="center", fontsize=9.5)
        for number, line in enumerate(lines):
            for mark, column, letters in line.runs:
                self._letters(mark, column, letters, top + 1.8 + number)
        bottom = top + 2.0 + len(lines)
        self._key(lines, rest, bottom)
        bottom += 0.6
        ax.yaxis.set_major_locator(FixedLocator([*rows, *(top + 1.8 + n for n in range(len(lines)))]))
        ax.yaxis.set_major_formatter(FixedFormatter([*words, *(f"{line.position:,}" for line in lines)]))
        ax.set_ylim(bottom, 0)
        canvas.axis_labels("", "character")
        ax.yaxis.label.set(rotation=0, ha="right", va="center", fontsize=9)
        ax.yaxis.set_label_coords(-0.01, 1 - 0.6 / bottom)  # beside the heading, above the numbers
        ax.set_xticks([])
        ax.grid(visible=False)
        ax.spines[:].set_visible(False)
        ax.tick_params(axis="y", length=0)
        canvas.set_height(_ROW * bottom)

    def _letters(self, mark: Mark, column: int, letters: str, row: float, *, gid: str | None = None) -> int:
        """Write letters of one mark; return the column behind them."""
        from matplotlib.lines import Line2D
        from matplotlib.patches import Rectangle
        from rich.cells import cell_len

        from .letters import ADVANCE, Letters

        canvas = self.canvas
        place = self.place(row)
        x, width = column * ADVANCE * _SIZE, cell_len(letters) * ADVANCE * _SIZE
        if mark in ("removed", "inserted"):
            colour = canvas.colour("error" if mark == "removed" else "usage")
            low, high = -0.62 * _SIZE, 0.66 * _SIZE
            ground = Rectangle((x, low), width, high - low, transform=place, color=colour, alpha=0.25, linewidth=0)
            height = 0.0 if mark == "removed" else low
            stroke = Line2D([x, x + width], [height, height], transform=place, color=colour, linewidth=1.4)
            stroke.set_solid_capstyle("butt")
            for artist in (ground, stroke):
                canvas.ax.add_artist(artist)
                artist.set_in_layout(canvas.is_own)
        colour = canvas.theme.faint if mark == "left out" else canvas.theme.text
        drawn = Letters(letters, (x, -0.32 * _SIZE), _SIZE, place, colour)
        drawn.set_gid(gid or mark)
        canvas.ax.add_artist(drawn)
        drawn.set_in_layout(canvas.is_own)
        return column + cell_len(letters)

    def _key(self, lines: list[Line], rest: int, row: float) -> None:
        """Say what the marks mean, in the marks themselves, and how much there was no room for."""
        marks: dict[Mark, None] = {mark: None for line in lines for mark, *_ in line.runs}
        column = 0
        for mark in ("removed", "inserted"):
            if mark in marks:
                column = self._letters(mark, column, mark, row, gid="key") + 2
        if rest:
            self._letters("left out", column, f"… and {rest:,} characters more", row, gid="key")
