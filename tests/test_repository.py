"""The rules of the house, over all files at once: each failure lists every place."""

import ast
import importlib
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dask_tapestry.teg import Operator

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "dask_tapestry"
KERNELS = ROOT / "kernels"
MAX_LINES = 400
OPERATORS = "dask_tapestry.operators"
SOURCE_SUFFIXES = {".css", ".cu", ".html", ".js", ".py", ".pyi", ".yaml"}
UNTESTED_BY_NAME = {
    "__init__.py",
    "__main__.py",
    "conftest.py",
    "tuning.py",
}  # constants: test_constants


def sources() -> list[Path]:
    """Return every source file of the two packages."""
    paths = [path for folder in (PACKAGE, KERNELS) for path in folder.rglob("*")]
    return sorted(path for path in paths if path.suffix in SOURCE_SUFFIXES)


def pages() -> list[Path]:
    """Return every Markdown page."""
    return sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def listed(misses: list[str]) -> str:
    """Return the misses as a message, one a line."""
    return f"{len(misses)} misses\n" + "\n".join(misses)


def relative(path: Path) -> str:
    """Return a path as it reads from the root of the repository."""
    return path.relative_to(ROOT).as_posix()


def test_files_are_short():
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in sources()}
    misses = [f"{relative(path)}: {n} lines" for path, n in lengths.items() if n > MAX_LINES]
    assert not misses, listed(misses)


def untested(package: Path, tests: Path) -> Iterator[str]:
    """Yield the modules of a package without a test of their name in the mirrored folder."""
    for module in sorted(package.rglob("*.py")):
        test = tests / module.parent.relative_to(package) / f"test_{module.name.lstrip('_')}"
        if module.name not in UNTESTED_BY_NAME and not test.exists():
            yield f"{relative(module)}: no {relative(test)}"


def test_every_module_has_a_test_of_its_name():
    misses = [*untested(PACKAGE, ROOT / "tests")]
    misses += untested(KERNELS / "dask_tapestry_kernels", ROOT / "tests" / "kernels")
    assert not misses, listed(misses)


def test_nothing_is_left_to_do():
    mark = re.compile(r"\b(TODO|FIXME)\b")
    misses = [
        f"{relative(path)}:{number}: {line.strip()}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if mark.search(line)
    ]
    assert not misses, listed(misses)


NAME_OPERATORS = {  # what makes operators of functions
    "dask_tapestry/arrays/user_functions/blockwise.py",
    "dask_tapestry/arrays/user_functions/reduction.py",
}


def operator_classes(module: Path) -> set[str]:
    """Return the names of the operator classes that a module imports."""
    source = module.read_text("utf-8")
    imports = [
        node
        for node in ast.walk(ast.parse(source if OPERATORS in source else ""))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(OPERATORS)
    ]
    found = [(node.module, name.name) for node in imports for name in node.names]
    values = {name: getattr(importlib.import_module(owner), name) for owner, name in found}
    return {name for name, value in values.items() if is_operator(value)}


def is_operator(value: Any) -> bool:
    """Say whether `value` is a class of operators."""
    return inspect.isclass(value) and issubclass(value, Operator)


def test_no_search_may_end_in_a_stop_iteration():
    """``next`` of a search has a default, or is `first_of`, whose error says what is missing."""
    bare = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for path in sources()
        if path.suffix == ".py" and "next(" in path.read_text("utf-8")
        for call in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "next"
        and len(call.args) == 1
        and isinstance(call.args[0], ast.GeneratorExp)
    ]
    assert not bare, listed(bare)


def test_operators_are_named_by_themselves_and_by_rules():
    """All others read what operators declare: `dask_tapestry/teg/operator.py` says what."""
    others = [
        module
        for module in sorted(PACKAGE.rglob("*.py"))
        if module.relative_to(PACKAGE).parts[0] not in ("operators", "rules")
    ]
    named = {relative(module): operator_classes(module) for module in others}
    misses = [
        f"{path}: {', '.join(sorted(names))}"
        for path, names in named.items()
        if names and path not in NAME_OPERATORS
    ]
    assert not misses, listed(misses)


def is_constant(value: Any) -> bool:
    """Say whether `value` has no docstring of its own to carry: pi, newaxis, float32, a dtype."""
    if isinstance(value, np.dtype) or (inspect.isclass(value) and issubclass(value, np.generic)):
        return True
    return not (callable(value) or isinstance(value, ModuleType))


def public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    """Yield the names in `__all__` and their values, then those of the namespaces among them."""
    for name in module.__all__:
        value = getattr(module, name)
        yield name, value
        if isinstance(value, ModuleType) and hasattr(value, "__all__"):
            yield from ((f"{name}.{inner}", getattr(value, inner)) for inner in value.__all__)


def undocumented_methods(cls: type) -> Iterator[str]:
    """Yield the public methods of a class that neither it nor a base documents."""
    for name, member in vars(cls).items():
        is_method = callable(member) or isinstance(member, property | classmethod | staticmethod)
        if is_method and not name.startswith("_") and not inspect.getdoc(getattr(cls, name)):
            yield name


def test_every_public_name_has_an_example():
    misses = []
    for name, value in public(importlib.import_module("dask_tapestry")):
        if is_constant(value):
            continue
        if not value.__doc__:
            misses.append(f"{name}: no docstring")
        elif ">>>" not in value.__doc__:
            misses.append(f"{name}: no example")
        if inspect.isclass(value):
            misses += [f"{name}.{method}: no docstring" for method in undocumented_methods(value)]
    assert not misses, listed(misses)


def test_the_version_is_a_literal_in_one_place():
    """The build reads it without importing the package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert "version" not in project
    body = ast.parse((PACKAGE / "__init__.py").read_text("utf-8")).body
    names = [ast.unparse(node.targets[0]) for node in body if isinstance(node, ast.Assign)]
    values = [node.value for node in body if isinstance(node, ast.Assign)]
    version = dict(zip(names, values, strict=True)).get("__version__")
    assert isinstance(version, ast.Constant), "dask_tapestry/__init__.py: __version__ = 'x.y.z'"


def test_links_between_pages_lead_somewhere():
    link = re.compile(r"\]\((?!\w+:|#)([^)#\s]+)")
    misses = [
        f"{relative(page)}: {target}"
        for page in pages()
        for target in link.findall(page.read_text("utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not misses, listed(misses)
