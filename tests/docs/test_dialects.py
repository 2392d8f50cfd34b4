"""The page of dialects is what its script makes of the recordings."""

import runpy
from pathlib import Path

from support.material import MATERIAL, need

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date():
    need(MATERIAL / "recordings" / "index.jsonl")
    script = runpy.run_path(str(DOCS / "make_dialects.py"))
    made, committed = script["page"](MATERIAL), (DOCS / "dialects.md").read_text(encoding="utf-8")
    assert made.startswith("# Dialects\n")
    if script["mark"](MATERIAL) in committed:  # other recordings make another page
        assert committed == made
