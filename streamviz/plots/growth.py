"""The plot of how the answer grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..run import StreamRun
    from .canvas import Style
    from .when import Against

ARGUMENTS = {"tool_call": "tool call arguments", "server_tool": "server tool arguments"}


def plot_growth(
    run: StreamRun, ax: Axes | None = None, *, against: Against | None = None, style: Style = "auto"
) -> Axes:
    r"""Draw how many characters of text, thinking and arguments there were after each chunk.

    One line a kind of block, all blocks and choices together; it falls where an authoritative text replaced a longer
    one. The last value stands in the legend.

    Parameters
    ----------
    run, ax, against, style
        See `plot_usage`.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        See `plot_usage`.

    Examples
    --------
    >>> import streamviz as sv
    >>> frame = 'data: {"choices":[{"delta":{"content":"%s"}}]}\n\n'
    >>> run = sv.read("".join(frame % text for text in ("Hel", "lo", "!")).encode())
    >>> run.plot_growth().lines[0].get_ydata()
    array([3, 5, 6])
    """
    from ..display.palette import BLOCK_WORDS
    from .canvas import Canvas
    from .when import When

    canvas, when = Canvas(ax, style), When(run, against)
    when.label_axes(canvas, "characters so far")
    grown = growth(run)
    if not grown:
        canvas.empty(run.name, "no text, thinking or arguments came")
        return canvas.ax
    canvas.counts("y")
    entries = []
    for kind, (chunks, characters) in grown.items():
        word, colour = BLOCK_WORDS[kind]
        words = ARGUMENTS.get(kind, word)
        look: dict[str, Any] = {"color": canvas.colour(colour), "linestyle": canvas.dashes, "linewidth": 1.8}
        if kind not in ("text", "thinking", "tool_call"):  # these have their colour from another
            look["alpha"] = 0.6
        look |= {"marker": "o", "markersize": 4, "markevery": [-1]}  # where it ends; of one step nothing else is seen
        [line] = canvas.ax.plot(when.at(chunks), characters, drawstyle="steps-post", label=words, **look)
        entries.append((int(characters[-1]), line, words))
    entries.sort(key=lambda entry: -entry[0])
    canvas.from_zero()
    canvas.legend(run.name, [(line, f"{words}  {last:,}") for last, line, words in entries])
    return canvas.ax


def growth(run: StreamRun) -> dict[str, tuple[Any, Any]]:
    """Return, by kind of block, the chunks that changed its length, and how long all blocks of it were then."""
    import numpy as np

    history = run.history
    blocks = np.array(history.blocks, dtype=np.int64)
    ends = np.array(history.starts, dtype=np.int64) + np.fromiter(map(len, history.texts), np.int64, len(blocks))
    firsts = np.array(history.first_rows, dtype=np.int64)
    chunks = np.repeat(np.arange(len(firsts) - 1), firsts[1:] - firsts[:-1])
    order = np.argsort(blocks, kind="stable")
    before = np.concatenate([[0], ends[order][:-1]])
    before[np.flatnonzero(np.diff(blocks[order], prepend=-2))] = 0
    added = np.empty_like(ends)
    added[order] = ends[order] - before
    kinds = np.array([*history.kinds, ""], dtype=object)[blocks]  # where no block took it: the last one
    grown = {}
    for kind in dict.fromkeys(history.kinds):
        rows = (kinds == kind) & (added != 0)
        if rows.any():
            at, last = np.unique(chunks[rows][::-1], return_index=True)
            total = np.cumsum(added[rows])
            grown[kind] = (at, total[rows.sum() - 1 - last])
    return grown
