"""Write docs/api/, the pages of the reference, one for each chapter of the folder of arrays.

python docs/api.py

`make docs` calls it. A chapter's names are those of its ``__all__``; what lies outside the chapters
is listed in `BESIDE`.
"""

import importlib
import inspect
import pkgutil
from pathlib import Path
from types import ModuleType

import numpy as np

import dask_tapestry as dt
from dask_tapestry import errors

ARRAYS = "dask_tapestry.arrays"


def of_numpy(value):
    """Whether a value is a class of NumPy's: a dtype under its name."""
    return isinstance(value, type) and issubclass(value, np.generic | np.dtype)


FOLDER = Path(__file__).resolve().parent / "api"
CHAPTERS = (
    *(
        "core",
        "creation",
        "elementwise",
        "shape",
        "masks",
        "indexing",
        "manipulation",
        "statistics",
    ),
    *(
        "sorting",
        "grouping",
        "linalg",
        "polynomials",
        "fft",
        "image",
        "lib",
        "ma",
        "ndimage",
        "nn",
        "overlap",
        "patterns",
        "random",
    ),
    *(
        "stablehlo",
        "stats",
        "stencil",
        "strings",
        "loops",
        "user_functions",
        "storage",
        "planning",
        "array_api",
        "calibration",
        "jobs",
        "datasets",
        "progress",
    ),
    "xarray",
)
NAMESPACES = (
    "fft",
    "image",
    "lib",
    "ma",
    "ndimage",
    "nn",
    "overlap",
    "patterns",
    "random",
    "stablehlo",
    "stats",
    "stencil",
    "strings",
    "xarray",
)
BESIDE = {
    "core": ("unify_chunks",),
    "indexing": ("shuffle",),
    "shape": ("reshape_blockwise",),
    "planning": ("Resources", "config"),
    "user_functions": ("IndexProjection", "ZAffineMap", "ZPoint", "ZRange", "ZVector"),
    "overlap": ("map_overlap",),
    "patterns": ("extract_slice", "parallel_insert_slice", "perform_concurrently", "subview"),
    "errors": tuple(errors.__all__),
    "constants": tuple(
        "e euler_gamma False_ index_exp inf nan newaxis pi s_ ScalarType True_ typecodes".split()
    ),
    "of_numpy": tuple(
        "base_repr binary_repr busdaycalendar datetime_data errstate format_float_positional "
        "format_float_scientific get_printoptions geterr isscalar iterable mintypecode ndarray "
        "ndenumerate ndindex printoptions set_printoptions seterr typename".split()
    ),
    "dtypes": tuple(name for name in dt.__all__ if of_numpy(getattr(dt, name))),
}
TITLES = {
    "errors": "Errors",
    "constants": "Constants",
    "of_numpy": "NumPy's own",
    "dtypes": "Dtypes",
}


def is_numpys(value):
    """Whether a function or class is NumPy's own, which NumPy documents."""
    return (getattr(value, "__module__", "") or "").partition(".")[0] == "numpy"


def package(chapter):
    """The module of a chapter."""
    return importlib.import_module(f"{ARRAYS}.{chapter}")


def public(space, prefix=""):
    """Names of a module and of the namespaces in it, as `dt` has them: ``ones``, ``nn.relu``."""
    for name in space.__all__:
        value = getattr(space, name)
        if isinstance(value, ModuleType):
            yield from public(value, f"{prefix}{name}.")
        else:
            yield prefix + name


def headings(chapter):
    """Each module of a chapter that has public names: what it says of itself, by its name."""
    found = package(chapter)
    names = sorted(m.name for m in pkgutil.iter_modules(getattr(found, "__path__", ())))
    modules = [importlib.import_module(f"{found.__name__}.{name}") for name in names]
    return {module.__name__: first_line(module) for module in modules}


def sections(chapter):
    """The public names of a chapter under the headings of the modules that define them."""
    told = headings(chapter) if chapter in CHAPTERS else {}
    found = {"": list(BESIDE.get(chapter, ()))}
    if chapter in CHAPTERS:
        prefix = f"{chapter}." if chapter in NAMESPACES else ""
        for name in public(package(chapter), prefix):
            heading = told.get(getattr(value_of(name), "__module__", ""), "")
            found.setdefault(heading, []).append(name)
    return {heading: names for heading, names in found.items() if names}


def value_of(name):
    """What `dt` has under a name with dots."""
    value = dt
    for part in name.split("."):
        value = getattr(value, part)
    return value


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
    value = value_of(name)
    if not callable(value) or of_numpy(value):
        return f".. py:data:: {name}\n   :value: {value!r}\n\n   As ``numpy.{name}``.\n"
    if is_numpys(value):
        kind = "class" if isinstance(value, type) else "function"
        return f".. py:{kind}:: {name}\n\n   As ``numpy.{name}``, which it is.\n"
    if not isinstance(value, type):
        return f".. autofunction:: dask_tapestry::{name}\n"
    hidden = "   :exclude-members: with_traceback, add_note\n"
    members = hidden if issubclass(value, Exception) else "   :members:\n   :undoc-members:\n"
    return f".. autoclass:: dask_tapestry::{name}\n{members}"


def page(chapter):
    """The page of one chapter as reStructuredText."""
    text = [title(chapter), "=" * len(title(chapter)), "", ".. currentmodule:: dask_tapestry", ""]
    if chapter in CHAPTERS:
        text += [first_line(package(chapter)) + ".", ""]
    for heading, names in sections(chapter).items():
        if heading:
            text += [heading, "-" * len(heading), ""]
        text += [entry(name) for name in names]
    return "\n".join(text)


def pages():
    """The text of every page, and of the one that lists them, by file name."""
    chapters = dict.fromkeys((*CHAPTERS, *BESIDE))
    listed = "\n".join(f"   {chapter}" for chapter in chapters)
    head = "Reference\n=========\n\nThe public names, by chapter.\n\n"
    found = {f"{chapter}.rst": page(chapter) for chapter in chapters}
    return found | {"index.rst": f"{head}.. toctree::\n   :maxdepth: 1\n\n{listed}\n"}


def write():
    """Write the pages that have changed, and remove those that are no more."""
    FOLDER.mkdir(exist_ok=True)
    found = pages()
    for path in FOLDER.glob("*.rst"):
        if path.name not in found:
            path.unlink()
    for name, text in found.items():
        path = FOLDER / name
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


if __name__ == "__main__":
    write()
