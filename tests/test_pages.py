"""What the pages name is there: scripts and their options, files, and names of the library."""

import re

import numpy as np
import pytest

import dask_tapestry as dt
from tests.test_repository import ROOT, pages

TOLD = {  # files of examples, of the reader, and of what is made
    "/tapestry.json",
    "a/b.py",
    "build/gpu.json",
    "tests/a/test_b.py",
}
TOLD_NAMES = {"NAME", "name"}
PAGES = [page for page in pages() if page.parent.name != "changes"]
SCRIPT = re.compile(
    r"python (?:-m )?((?:benchmarks|docs|examples|tests)[\w/.]+)((?: --?[\w-]+(?: [\w.,/-]+)?)*)"
)


def ends_of_paths():
    """Every file of the checkout by each end of its path."""
    paths = [path.relative_to(ROOT).parts for path in ROOT.rglob("*.*") if path.is_file()]
    return {"/".join(parts[at:]) for parts in paths for at in range(len(parts))}


def script_of(name):
    """The file that ``python NAME`` or ``python -m NAME`` runs."""
    path = ROOT / (name if name.endswith(".py") else f"{name.replace('.', '/')}.py")
    return path if path.exists() else path.with_suffix("") / "__main__.py"


def missing_scripts(text):
    """Scripts of a page that are not there, and options that nothing beside them knows."""
    for name, options in SCRIPT.findall(text):
        script = script_of(name)
        if not script.exists():
            yield name
            continue
        known = "".join(path.read_text("utf-8") for path in script.parent.glob("*.py"))
        yield from (f"{name} {o}" for o in re.findall(r"--[\w-]+", options) if o not in known)


def missing_names(text):
    """Names of ``dt.`` in a page that the library has not."""
    for name in set(re.findall(r"\bdt\.([a-zA-Z_]\w*(?:\.[a-zA-Z_]\w*)?)", text)) - TOLD_NAMES:
        found = dt
        for part in name.split("."):
            found = getattr(found, part, None)
        if found is None and name != "newaxis":
            yield name


@pytest.fixture(scope="module")
def paths():
    return ends_of_paths() | TOLD


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_a_page_names_is_there(page, paths):
    text = page.read_text("utf-8")
    files = set(re.findall(r"`([\w/.-]+\.(?:py|toml|sh|json))`", text))
    if page.name == "first-operator.md":  # its files are written by the test of the page
        files = {name for name in files if not re.search("leaky_relu|squared_distance", name)}
    assert sorted(files - paths) == []
    assert sorted(missing_scripts(text)) == []
    assert sorted(missing_names(text)) == []


def test_what_is_not_there_is_found():
    text = "`python benchmarks/gone.py`, `python docs/figures.py --never`, `dt.summ`, `dt.sum`"
    assert list(missing_scripts(text)) == ["benchmarks/gone.py", "docs/figures.py --never"]
    assert list(missing_names(text)) == ["summ"]


OF_NUMPY_ITSELF = (  # its modules, switches and texts about itself, and names of dtypes in tables
    "core ctypeslib dtypes f2py get_include getbufsize geterrcall info little_endian row_stack "
    "sctypeDict setbufsize seterrcall show_config show_runtime test ufunc"
).split()


def test_the_names_of_numpy_that_are_told_to_be_missing_are_all_that_are():
    page = (ROOT / "docs/coming-from-dask.md").read_text()
    table = page.partition("| names of NumPy |")[2].partition("\n\n")[0]
    told = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)", table, re.MULTILINE))))
    assert told
    assert sorted(name for name in told if hasattr(dt, name)) == []
    missing = {name for name in dir(np) if not name.startswith("_") and not hasattr(dt, name)}
    assert missing - told - set(OF_NUMPY_ITSELF) == set()
