"""Private Dask API is used in one place, so that a new release of Dask changes one file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
LOWER = Path("dask_tapestry/lower")
PRIVATE = LOWER / "dask_private.py"
SOURCES = sorted(
    path.relative_to(ROOT)
    for folder in ("dask_tapestry", "kernels")
    for path in (ROOT / folder).rglob("*.py")
)


def is_private(name: str) -> bool:
    """Say whether a dotted name leads through something with a leading underscore."""
    parts = name.split(".")
    return any(part.startswith("_") and not part.startswith("__") for part in parts)


def dask_names(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and dotted name of all that `source` takes from dask or distributed."""
    has_names = re.search(r"\b(dask|distributed)\b", source)  # those of most files are not parsed
    for node in ast.walk(ast.parse(source)) if has_names else ():
        match node:
            case ast.Import():
                names = [alias.name for alias in node.names]
            case ast.ImportFrom(level=0):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
            case ast.Attribute() | ast.Constant(value=str()):  # import_module("dask._expr")
                names = [ast.unparse(node).strip("'\"")]
            case _:
                continue
        for name in names:
            if name.split(".")[0] in {"dask", "distributed"} and " " not in name:
                yield node.lineno, name


def offences(path: Path, source: str) -> list[str]:
    """Return what `source`, were it at `path`, takes from Dask and should not."""
    found = []
    for line, name in dask_names(source):
        if is_private(name) and path != PRIVATE:
            found.append(f"{path}:{line}: {name} belongs in {PRIVATE}")
        elif name.startswith("dask.highlevelgraph") and LOWER not in path.parents:
            found.append(f"{path}:{line}: {name} belongs in {LOWER}")
    return found


def test_private_dask_is_used_in_one_file():
    found = [line for path in SOURCES for line in offences(path, (ROOT / path).read_text("utf-8"))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "source",
    [
        "from dask._task_spec import Task",
        "from dask import _expr",
        "import dask._expr as e",
        "import dask\n\nx = dask._expr.Expr",
        "import_module('dask._expr')",
        "from dask.core import _reverse",
        "import distributed._stories",
    ],
)
def test_a_private_import_is_found(source):
    assert offences(Path("dask_tapestry/planner/search/grid.py"), source)
    assert offences(Path("dask_tapestry/lower/layer.py"), source)
    assert not offences(PRIVATE, source)


def test_highlevelgraph_is_for_the_lowering():
    source = "from dask.highlevelgraph import HighLevelGraph"
    assert offences(Path("dask_tapestry/planner/plan.py"), source)
    assert not offences(Path("dask_tapestry/lower/layer.py"), source)


@pytest.mark.parametrize(
    "source",
    ["import dask", "from dask import config", "'dask._expr is private'", "from ._x import dask"],
)
def test_public_imports_and_prose_are_free(source):
    assert not offences(Path("dask_tapestry/planner/search/grid.py"), source)
