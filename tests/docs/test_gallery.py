"""The gallery is what its script makes."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_up_to_date_and_its_pictures_are_there_and_small():
    script = runpy.run_path(str(DOCS / "make_gallery.py"))
    pictures = script["pictures"]()
    assert (DOCS / "gallery.md").read_text(encoding="utf-8") == script["page"](pictures)
    files = {f"{picture.name}-{style}.png" for picture in pictures for style in script["STYLES"]}
    assert {path.name for path in (DOCS / "gallery").iterdir()} == files
    assert sum((DOCS / "gallery" / name).stat().st_size for name in files) < 1_000_000


def test_a_picture_is_the_same_bytes_each_time():
    script = runpy.run_path(str(DOCS / "make_gallery.py"))
    for picture in script["pictures"]():
        first, second = (script["png"](picture.draw("light")) for _ in range(2))
        assert first == second
        assert b"Software" not in first
