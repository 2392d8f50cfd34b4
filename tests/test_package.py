"""The package as a whole: a light import, a complete public list."""

import ast
import subprocess
import sys
from pathlib import Path

import streamviz as sv

HEAVY = {
    "pandas",
    "matplotlib",
    "ipywidgets",
    "anywidget",
    "httpx",
    "httpx2",
    "dask",
    "IPython",
    "typer",
    "rich",
    "asyncio",
}


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, streamviz; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert HEAVY.isdisjoint(loaded)


def test_all_lists_every_public_name_in_order():
    tree = ast.parse(Path(sv.__file__).read_text(encoding="utf-8"))
    imported = {a.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for a in node.names}
    assert sv.__all__ == sorted(imported | {"__version__"})
    assert all(hasattr(sv, name) for name in sv.__all__)


def test_imports_go_one_way():
    layers = {
        "limits": 0, "diagnostics": 0, "errors": 1, "framing": 2, "chunks": 2, "repair": 2, "providers": 3,
        "assembly": 3, "recording": 3, "controller": 4, "sources": 4, "history": 4,
        "tables": 4, "plots": 4, "provenance": 4, "timing": 4, "findings": 4, "corruption": 4, "whatifs": 4,
        "comparing": 4, "neutral": 4, "fixtures": 4, "export": 4, "otel": 4, "views": 5, "run": 6, "events": 6,
        "detection": 6, "samples": 6, "display": 6,
        "cli": 7, "__main__": 8,
    }  # fmt: skip
    root = Path(sv.__file__).parent
    for path in root.rglob("*.py"):
        inside = path.relative_to(root).with_suffix("").parts
        if inside == ("__init__",):
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # what is imported on use is no dependency
            if isinstance(node, ast.ImportFrom) and node.level >= len(inside) and node.level > 1 - (len(inside) == 1):
                target = (node.module or "").partition(".")[0]
                if node.level == len(inside) and target:
                    assert layers[target] <= layers[inside[0]], f"{path} imports {target}"
