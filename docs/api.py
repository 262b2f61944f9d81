"""Write docs/api/, the pages of the reference, one for each chapter of the array folder.

python docs/api.py

`make docs` calls it. A chapter's names are those that its modules list in ``__all__`` and that `dt`
has; what lies outside the chapters is listed in `BESIDE`.
"""

import importlib
import inspect
import pkgutil
from pathlib import Path

import dask_tapestry as dt
from dask_tapestry import errors

ARRAY = "dask_tapestry.array"  # `dt.array` is a function
FOLDER = Path(__file__).resolve().parent / "api"
CHAPTERS = (
    *("core", "creation", "elementwise", "shape", "indexing", "manipulation", "statistics"),
    *("sorting", "linalg", "random", "user_functions", "storage", "planning"),
)
NAMESPACES = ("linalg", "nn", "random", "special")  # `dt.linalg.norm`, not `dt.norm`
BESIDE = {
    "core": ("Array", "resolve_shapes"),
    "planning": ("Resources", "config"),
    "user_functions": ("IndexProjection", "ZAffineMap", "ZPoint", "ZRange", "ZVector"),
    "errors": tuple(errors.__all__),
    "constants": ("e", "inf", "nan", "newaxis", "pi"),
}
TITLES = {"errors": "Errors", "constants": "Constants"}


def modules(chapter):
    """The modules of a chapter, by name."""
    package = importlib.import_module(f"{ARRAY}.{chapter}")
    if not hasattr(package, "__path__"):
        return [package]
    names = sorted(found.name for found in pkgutil.iter_modules(package.__path__))
    return [importlib.import_module(f"{package.__name__}.{name}") for name in names]


def names(module):
    """What a module makes public, as `dt` has it: ``ones``, ``linalg.norm``."""
    for space in NAMESPACES:
        if getattr(dt, space) is module:
            return [f"{space}.{name}" for name in module.__all__]
    listed = [name for name in getattr(module, "__all__", ()) if name in dt.__all__]
    return [name for name in listed if getattr(dt, name) is getattr(module, name)]


def chapter_sections(chapter):
    """Pairs of a heading and public names for a chapter."""
    found = [("", list(BESIDE.get(chapter, ())))]
    if chapter in CHAPTERS:
        found += [(first_line(module), names(module)) for module in modules(chapter)]
    return [(heading, public) for heading, public in found if public]


def first_line(module):
    """What a module says of itself."""
    return inspect.getdoc(module).splitlines()[0].rstrip(".")


def title(chapter):
    """The heading of a chapter's page."""
    if chapter in TITLES:
        return TITLES[chapter]
    return chapter.replace("_", " ").capitalize()


def entry(name):
    """The directive that documents one name."""
    value = dt
    for part in name.split("."):
        value = getattr(value, part)
    if not callable(value):
        return f".. py:data:: {name}\n   :value: {value!r}\n\n   As ``numpy.{name}``.\n"
    if not isinstance(value, type):
        return f".. autofunction:: dask_tapestry::{name}\n"
    hidden = "   :exclude-members: with_traceback, add_note\n"
    members = hidden if issubclass(value, Exception) else "   :members:\n   :undoc-members:\n"
    return f".. autoclass:: dask_tapestry::{name}\n{members}"


def page(chapter):
    """The page of one chapter as reStructuredText."""
    text = [title(chapter), "=" * len(title(chapter)), "", ".. currentmodule:: dask_tapestry", ""]
    if chapter in CHAPTERS:
        text += [inspect.getdoc(importlib.import_module(f"{ARRAY}.{chapter}")), ""]
    for heading, public in chapter_sections(chapter):
        if heading:
            text += [heading, "-" * len(heading), ""]
        text += [entry(name) for name in public]
    return "\n".join(text)


def write():
    """Write every page, and the one that lists them."""
    FOLDER.mkdir(exist_ok=True)
    chapters = dict.fromkeys((*CHAPTERS, *BESIDE))
    for chapter in chapters:
        (FOLDER / f"{chapter}.rst").write_text(page(chapter), "utf-8")
    listed = "\n".join(f"   {chapter}" for chapter in chapters)
    head = "Reference\n=========\n\nThe public names, by chapter.\n\n"
    index = f"{head}.. toctree::\n   :maxdepth: 1\n\n{listed}\n"
    (FOLDER / "index.rst").write_text(index, "utf-8")


if __name__ == "__main__":
    write()
