"""The code cells of a public notebook or page, as Python that runs without IPython."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

MAGIC = re.compile(r"^(\s*)%{1,2}(time|timeit|prun)\b *")  # what follows it is Python
OTHER = re.compile(r"^\s*(%|!|\?)|^[\w.]+\?\s*$")  # shells, help, displays
FENCED = re.compile(r"^```\{code-cell\}[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
TAGS = re.compile(r"\A(:[^\n]*\n)+\n*")  # options of a fenced cell


def cells_of(path: Path) -> list[str]:
    """Texts of the code cells of a notebook (`.ipynb`) or of a MyST page (`.md`), in order."""
    text = path.read_text(encoding="utf8")
    if path.suffix == ".md":
        found = [TAGS.sub("", cell) for cell in FENCED.findall(text)]
    else:
        cells = json.loads(text)["cells"]
        found = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return [cell for cell in map(plain, found) if cell.strip()]


def plain(cell: str) -> str:
    """The cell without IPython's own lines: what `%time` times stays, shells and displays go."""
    lines = [MAGIC.sub(r"\1", line) for line in cell.splitlines()]
    return "\n".join(line for line in lines if not OTHER.match(line))


def without_imports(cell: str, modules: Sequence[str]) -> str:
    """The cell without lines that import one of the modules."""
    lines = re.compile(rf"^\s*(import|from) ({'|'.join(map(re.escape, modules))})\b")
    return "\n".join(line for line in cell.splitlines() if not lines.match(line))


def imported_from(cell: str, library: str) -> str:
    """The cell with `dask.array` imported from `library`: the one change to a script."""
    cell = re.sub(r"^(\s*)import dask\.array as", rf"\1import {library} as", cell, flags=re.M)
    parent, _, name = library.rpartition(".")
    source = f"from {parent} import {name} as" if parent else f"import {name} as"
    return re.sub(r"^(\s*)from dask import array as", rf"\1{source}", cell, flags=re.M)
