"""What all plots share: the figure, its colours for light and dark ground, axis labels, and the legend by runs."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, MaxNLocator, NullLocator

from .labels import T, families, named, plain, shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.text import Text

    from ..display.palette import Kind

WIDTH = 7.6
"""Inches."""
DASHES: tuple[Any, ...] = ("solid", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
"""How the lines of the first, second … run in one Axes are drawn."""
_LEGEND_ROW = 0.185
"""Inches."""
MARKED = 200
"""Up to how many points each has a marker of its own."""

_EMPTY = "streamviz-empty"  # marks the words in an Axes that shows nothing

Style = Literal["auto", "light", "dark"]


class Theme(NamedTuple):
    """The colours that stand for no kind of thing."""

    ground: str
    text: str
    faint: str
    grid: str
    is_dark: bool


THEMES: dict[str, Theme] = {
    # A clear ground, and a grey with the same contrast on the white and on the dark ground of a notebook.
    "auto": Theme("none", "#7d7d7d", "#7d7d7d", "#80808040", is_dark=False),
    "light": Theme("#ffffff", "#24292f", "#656d76", "#e3e6ea", is_dark=False),
    "dark": Theme("#111111", "#e6e6e6", "#a0a0a0", "#333333", is_dark=True),
}


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that an Axes is in."""
    figure = ax.get_figure(root=True)
    if figure is None:
        raise ValueError("the Axes is in no figure any more")
    return figure


class PlotAxes(Axes):
    """The Axes of a figure that pyplot does not know: in a notebook it shows itself, as a picture."""

    def _repr_png_(self) -> tuple[bytes, dict[str, Any]]:
        figure = figure_of(self)
        file = io.BytesIO()
        # Twice as fine as it is large; without the name of the software, for the same plot shall be the same bytes.
        figure.savefig(file, format="png", dpi=192, facecolor=figure.get_facecolor(), metadata={"Software": None})
        width, height = figure.get_size_inches()
        return file.getvalue(), {"width": round(width * 96), "height": round(height * 96)}


class Canvas:
    """An Axes to draw one run into.

    Parameters
    ----------
    ax : Axes or None
        Where to draw; None makes a figure.
    style : {"auto", "light", "dark"}
        For which ground the colours are. ``auto`` sees it from the given Axes; a new figure has a clear ground then,
        and colours that can be read on light and on dark. The ground of a given Axes is never painted.
    height : float
        Of a new figure, in inches.
    layout : str, optional
        The layout engine of a new figure.
    """

    def __init__(
        self, ax: Axes | None, style: Style = "auto", *, height: float = 3.6, layout: str | None = "constrained"
    ) -> None:
        if style not in THEMES:
            raise ValueError(f"style is {style!r}; there are {', '.join(map(repr, THEMES))}")
        self.is_new = ax is None
        if ax is None:
            self.theme = THEMES[style]
            figure = Figure(figsize=(WIDTH, height), dpi=100, facecolor=self.theme.ground, layout=layout)  # type: ignore[arg-type]
            FigureCanvasAgg(figure)
            ax = figure.add_subplot(axes_class=PlotAxes, facecolor="none")
            self._dress(ax)
        else:
            self.theme = THEMES[style] if style != "auto" else _theme_of(ax)
        self.ax = ax
        self.is_own = isinstance(ax, PlotAxes)
        """Whether the figure was made here, by this call or an earlier one."""
        self.number = sum(isinstance(handle, Rectangle) and not handle.get_visible() for handle, *_ in self._entries())
        """How many runs the legend names already."""

    def _dress(self, ax: Axes) -> None:
        _, text, faint, grid, _ = self.theme
        ax.spines[["top", "right"]].set_visible(False)
        ax.spines[["left", "bottom"]].set_color(faint)
        ax.tick_params(
            which="both", color=faint, labelcolor=text, labelsize=9, labelfontfamily=list(families()), direction="out"
        )
        ax.grid(visible=True, axis="y", color=grid, linewidth=0.8)
        ax.set_axisbelow(True)
        ax.margins(x=0.02, y=0.06)

    def colour(self, kind: Kind) -> str:
        """Return the colour of a kind of thing on this ground."""
        from ..display.palette import PALETTE

        return PALETTE[kind].dark if self.theme.is_dark else PALETTE[kind].light

    @property
    def dashes(self) -> Any:
        """How this run's lines are drawn."""
        return DASHES[self.number % len(DASHES)]

    def from_zero(self) -> None:
        """Let the vertical axis begin at 0, whatever else comes into it."""
        for line in self.ax.lines:
            line.sticky_edges.y.append(0.0)
        self.ax.update_datalim(np.zeros((1, 2)), updatex=False)
        self.ax.autoscale_view(scalex=False)

    def set_height(self, inches: float) -> None:
        """Make a figure of our own as high as what is in it."""
        if self.is_own:
            figure_of(self.ax).set_figheight(inches)

    # -- words --------------------------------------------------------------------------------------------------------

    def text(self, x: float, y: float, words: str, *, mono: bool = False, **how: Any) -> Text:
        """Write words, which are made visible before."""
        how.setdefault("color", self.theme.text)
        how.setdefault("fontsize", 9)
        text = self.letters(self.ax.text(x, y, "", **how), words, mono=mono)
        text.set_in_layout(self.is_own)  # it must not push the Axes of others together
        return text

    @staticmethod
    def letters(text: T, words: str, *, mono: bool = False) -> T:
        """Fill a text with words, which are made visible before, and are never a formula."""
        text.set_text(shown(words, mono=mono))
        return plain(text, mono=mono)

    def axis_labels(self, x: str, y: str) -> None:
        """Name both axes, with their units."""
        colour: dict[str, Any] = {"color": self.theme.text} if self.is_own else {}
        for text in (self.ax.set_xlabel(x, **colour), self.ax.set_ylabel(y, **colour)):
            plain(text).set_fontsize(9.5)

    def counts(self, axis: Literal["x", "y"]) -> None:
        """Make an axis one of whole numbers, thousands apart."""
        one = self.ax.xaxis if axis == "x" else self.ax.yaxis
        one.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
        one.set_major_formatter(FuncFormatter(_count))

    def empty(self, name: str, words: str) -> None:
        """Say why there is nothing to see of a run: in the legend, and in the middle of an Axes that shows nothing."""
        if not self.ax.has_data():
            for axis in (self.ax.xaxis, self.ax.yaxis):
                axis.set_major_locator(NullLocator())
            self.text(
                0.5,
                0.5,
                words,
                transform=self.ax.transAxes,
                ha="center",
                va="center",
                color=self.theme.faint,
                gid=_EMPTY,
            )
        self.legend(name, [(Line2D([], [], linestyle="none"), words)])

    def legend(self, name: str, entries: Sequence[tuple[Artist, str]]) -> None:
        """Add a run to the legend: its name, and beneath it what was drawn of it."""
        if self.ax.has_data():
            for text in [text for text in self.ax.texts if text.get_gid() == _EMPTY]:
                text.remove()
        head = Rectangle((0, 0), 0, 0, visible=False)
        new = [(head, named(name), False), *((handle, shown(label), False) for handle, label in entries)]
        rows = self._entries() + new
        if self.is_own:
            place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.02), "frameon": False}
        else:  # beside it may be somebody else's Axes
            place = {"loc": "upper left", "framealpha": 0.8}
        legend = self.ax.legend(
            [handle for handle, *_ in rows],
            ["x"] * len(rows),  # a label that begins with an underscore would be left out
            labelcolor=self.theme.text,
            fontsize=8.5,
            handlelength=1.8,
            borderaxespad=0.4,
            labelspacing=0.45,
            **place,
        )
        if self.is_own:
            self.set_height(max(figure_of(self.ax).get_figheight(), 0.2 + _LEGEND_ROW * len(rows)))
        else:
            legend.set_in_layout(False)
        for text, (_, label, is_math) in zip(legend.get_texts(), rows, strict=True):
            text.set_text(label)
            plain(text).set_parse_math(is_math)

    def _entries(self) -> list[tuple[Artist, str, bool]]:
        """Return what the legend holds so far, the user's own entries as well."""
        legend = self.ax.get_legend()
        if legend is None:
            return []
        texts = legend.get_texts()
        return [
            (handle, text.get_text(), text.get_parse_math())
            for handle, text in zip(legend.legend_handles, texts, strict=True)
            if handle is not None
        ]


def _theme_of(ax: Axes) -> Theme:
    """Return the theme for the ground that an Axes has."""
    for ground in (ax.get_facecolor(), figure_of(ax).get_facecolor()):
        red, green, blue, alpha = to_rgba(ground)
        if alpha > 0.5:
            return THEMES["dark" if 0.299 * red + 0.587 * green + 0.114 * blue < 0.5 else "light"]
    return THEMES["auto"]


def _count(value: float, _: int | None = None) -> str:
    return f"{value:,.0f}"
