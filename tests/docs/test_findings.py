"""The pages of findings are what their script makes."""

import re
import runpy
from pathlib import Path

from streamviz.findings import OWN_PAGES, RULES

DOCS = Path(__file__).parents[2] / "docs"


def test_the_pages_are_up_to_date():
    made = runpy.run_path(str(DOCS / "make_findings.py"))["pages"]()
    committed = {path.name: path.read_text(encoding="utf-8") for path in (DOCS / "findings").glob("*.md")}
    assert committed == made


def test_every_code_has_its_place_and_every_link_its_page():
    index = (DOCS / "findings" / "index.md").read_text(encoding="utf-8")
    for code in RULES:
        assert (f"[{code}]({code}.md)" in index) if code in OWN_PAGES else f"\n### {code}\n" in index
    assert all((DOCS / "findings" / target).exists() for target in re.findall(r"\]\(([^)]+)\)", index))
