"""Write ``tables.md``: every table of a run, with its columns, as the schemas say."""

from pathlib import Path

from streamviz.views import SCHEMAS

PAGE = Path(__file__).parent / "tables.md"


def page() -> str:
    """Return the page."""
    lines = [
        "# Tables",
        "",
        "Each table of a run is a pandas data frame: `run.frames_table()` and so on. An empty run gives an empty frame",
        "of the same columns and dtypes. `Int64` and `boolean` may be missing (`<NA>`), `float64` is NaN then. Times",
        "are seconds since the request was sent, and missing where no times were recorded. All tables go into Parquet",
        "files and to polars as they are.",
    ]
    for schema in SCHEMAS:
        lines += ["", f"## {schema.name}", "", f"`run.{schema.name}_table()`. {schema.doc}", ""]
        lines += ["| column | dtype | |", "| --- | --- | --- |"]
        lines += [f"| `{c.name}` | `{c.dtype}` | {c.doc.replace('|', chr(92) + '|')} |" for c in schema.columns]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
