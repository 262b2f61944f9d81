"""docs/source-index.md says where everything is now, and its words are those of the sources."""

import ast
import importlib.util
import re
from types import ModuleType

import pytest

import dask_tapestry as dt
from tests.test_repository import ROOT

DOCS = ROOT / "docs"


@pytest.fixture(scope="module")
def index():
    spec = importlib.util.spec_from_file_location("source_index", DOCS / "source_index.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def listed(index):
    """The names of the page, but those of Array's methods: errors are searched for everywhere."""
    names = {name for names in index.public_names().values() for name in names}
    return names | {name.strip("`") for name, *_ in index.error_rows()}


def test_the_page_is_up_to_date(index):
    written = index.PAGE.read_text("utf-8")
    assert index.page() == written, "run `python docs/source_index.py`"


SPACES = ["", *dt._SPACES]


@pytest.mark.parametrize("space", SPACES)
def test_every_public_name_is_there(listed, space):
    """What ``dt.`` and its namespaces have, but modules; errors have a section of their own."""
    holder = getattr(dt, space) if space else dt
    names = {n for n in holder.__all__ if not isinstance(getattr(holder, n), ModuleType)}
    assert names - listed == set()


def test_every_method_is_there(index):
    listed = {name for names, _ in index.method_rows() for name in re.findall(r"`(\w+)`", names)}
    public = {name for name in vars(dt.Array) if not name.startswith("_")}
    assert public - listed == set()


def test_methods_of_classes_that_users_hold_are_there(index):
    listed = {name.strip("`"): methods for name, methods, _ in index.class_rows()}
    assert {"`explain`", "`verify`", "`save`"} <= set(listed["Plan"].split(", "))
    assert "`filled`" in listed["MaskedArray"].split(", ")
    assert "`poisson`" in listed["RandomCounts"].split(", ")


def test_every_file_and_setting_is_said(index):
    assert not [name for name, path in index.both().items() if not index.sentence(path)]
    assert {key.strip("`") for key, *_ in index.setting_rows()} == set(dt.settings.DEFAULTS)


def test_every_kernel_has_a_file_that_names_it(index):
    rows = list(index.kernel_rows())
    unnamed = {"copycells", "tiledmap"}  # which workers call, for no operator
    assert {name.strip("`") for name, operators, *_ in rows if not operators} == unnamed


def named_in(package):
    """The names in single backticks in what a package says of itself."""
    said = ast.get_docstring(ast.parse(package.read_text("utf-8"))) or ""
    return re.findall(r"(?<!`)`([a-z][a-z0-9_]*)`(?!`)", said)


def test_packages_name_modules_that_they_have(index):
    """Or what is public, as functions that a chapter is about."""
    known = {name for names in index.public_names().values() for name in names} | {dt.__name__}
    for package in index.LIBRARY.rglob("__init__.py"):
        own = {p.stem if p.suffix == ".py" else p.name for p in package.parent.rglob("*")}
        strange = [name for name in named_in(package) if name not in own | known]
        assert not strange, package
    assert "schedule_walk" in named_in(index.LIBRARY / "lower" / "__init__.py")


IN_KEYS = {  # outside of `child/` and `elementary/`: their text is in the keys of compiled kernels
    "cpu/reduction/leaf_tables.py",
    "cuda/jit/toolkit.py",
    "formulas/feistel.py",
    "jit/serving.py",
}


def named_by(sentence, stem):
    """Whether a sentence has a word of a file's name, or one that begins like it."""
    words = re.findall(r"[a-z0-9]+", sentence.lower())
    return any(word[:4] == part[:4] for word in words for part in stem.split("_"))


def test_a_sentence_names_its_file(index):
    """Who looks for the words of a file's name finds them in what it says of itself."""
    told = {
        name: path
        for name, path in index.both().items()
        if path.stem not in ("__init__", "__main__", "tuning")
        and not {"child", "elementary"} & set(path.parts)
    }
    strange = {n for n, path in told.items() if not named_by(index.sentence(path), path.stem)}
    assert strange <= IN_KEYS


def test_a_sentence_names_no_function_of_another_file(index):
    names = index.public_names()
    everywhere = {name for file in names for name in names[file]}
    for file, own in names.items():
        told = re.findall(r"`(\w+)`", index.sentence(index.LIBRARY / file))
        assert not [name for name in told if name in everywhere and name not in own], file


def test_texts_of_warnings_are_those_of_the_sources(index):
    texts = {file.strip("`"): said for said, _, file in index.warning_rows()}
    assert "is predicted to take {term}" in texts["planner/long_jobs.py"]
    assert "cannot be balanced" in texts["arrays/core/rechunking.py"]


def test_a_sentence_that_says_something_else_is_seen():
    assert named_by("Stored chunks, decoded.", "chunk_decoders")
    assert not named_by("Stored chunks, decoded.", "replan")
