"""Lanes with a heading: how plots with words on the vertical axis stand several things one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.ticker import FixedFormatter, FixedLocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from .canvas import Canvas


def rows_of(ax: Axes) -> tuple[list[float], list[str]]:
    """Return the rows that an Axes has already, and what stands beside them; none where its ticks are not fixed."""
    formatter = ax.yaxis.get_major_formatter()
    if not isinstance(formatter, FixedFormatter):
        return [], []
    return [float(row) for row in ax.get_yticks()], list(formatter.seq)


class Lanes:
    """A group of lanes below those that the Axes has.

    Parameters
    ----------
    canvas : Canvas
        Where to draw.
    heading : str
        What stands above them, visible already.
    labels : sequence of str
        What stands beside each lane: words of our own only.
    """

    def __init__(self, canvas: Canvas, heading: str, labels: Sequence[str]) -> None:
        axis = canvas.ax.yaxis
        places, words = rows_of(canvas.ax)
        top = canvas.ax.get_ylim()[0] if places else 0.0
        self.places = [top + 1.1 + number for number in range(len(labels))]
        """The middle of each lane."""
        axis.set_major_locator(FixedLocator([*places, *self.places]))
        axis.set_major_formatter(FixedFormatter([*words, *labels]))
        canvas.ax.tick_params(axis="y", length=0)
        bottom = top + 0.7 + len(labels)
        canvas.ax.set_ylim(bottom, 0)
        if places and not canvas.is_new:
            canvas.set_height(0.6 + 0.3 * bottom)
        canvas.ax.spines["left"].set_visible(False)
        canvas.text(0.0, top + 0.4, heading, transform=canvas.ax.get_yaxis_transform(), va="center")
