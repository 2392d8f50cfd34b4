"""How a run is looked at: the tables, plots and answers that `StreamRun` has as methods.

Each is a function of its own module that takes the run first; here they become methods. What they need beside the
standard library is imported when one is called.
"""

from __future__ import annotations

from functools import cached_property

from . import export, findings, otel, plots, provenance, tables, whatifs
from . import timing as _timing

SCHEMAS = (*tables.SCHEMAS, *_timing.SCHEMAS, *findings.SCHEMAS)
"""Every table of a run, as documented columns."""


class RunViews:
    """The views of a run, as methods."""

    frames_table = tables.frames_table
    chunks_table = tables.chunks_table
    deltas_table = tables.deltas_table
    blocks_table = tables.blocks_table
    calls_table = tables.calls_table
    fragments_table = tables.fragments_table
    repairs_table = tables.repairs_table
    usage_table = tables.usage_table
    diagnostics_table = tables.diagnostics_table

    origin = provenance.origin
    origins = provenance.origins
    chunk_at = provenance.chunk_at
    find = provenance.find
    hexdump = provenance.hexdump

    to_html = export.to_html
    to_json = export.to_json
    to_dict = export.to_dict
    to_otel = otel.to_otel

    timing = cached_property(_timing.timing)
    timing_table = _timing.timing_table
    gaps_table = _timing.gaps_table
    transport = _timing.transport

    explain = findings.explain
    findings_table = findings.findings_table

    cut = whatifs.cut
    resplit = whatifs.resplit
    corrupt = whatifs.corrupt
    drop = whatifs.drop
    without_end = whatifs.without_end

    plot_usage = plots.plot_usage
    plot_timeline = plots.plot_timeline
    plot_gaps = plots.plot_gaps
    plot_growth = plots.plot_growth
    plot_fragments = plots.plot_fragments
    plot_repair = plots.plot_repair
