"""Late chapters: a name imports its module alone, and a module takes no function's place."""

import subprocess
import sys
from importlib import import_module

import pytest

from dask_tapestry.arrays.core.name_homes import CHAPTERS

LATE = sorted({home.partition(".")[0] for home in CHAPTERS if "." in home})
LATE = [name for name in LATE if hasattr(import_module(f"dask_tapestry.arrays.{name}"), "__all__")]


def run(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("chapter", LATE)
def test_a_chapter_has_all_its_names(chapter):
    found = import_module(f"dask_tapestry.arrays.{chapter}")
    assert all(getattr(found, name) is not None for name in found.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        found.nothing  # noqa: B018


@pytest.mark.parametrize(
    ("name", "others"),
    [("mean", "medians histograms covariances"), ("median", "histograms covariances gradients")],
)
def test_a_name_imports_its_own_module(name, others):
    program = f"""
import sys
import numpy as np, dask_tapestry as dt
getattr(dt, {name!r})(dt.asarray(np.ones(3)))
print([x for x in {others.split()!r} if f"dask_tapestry.arrays.statistics.{{x}}" in sys.modules])
"""
    assert run(program) == "[]"


@pytest.mark.few(1)  # a process each
@pytest.mark.parametrize("name", ["sorting.sort", "statistics.bincount", "indexing.take"])
def test_a_module_takes_no_functions_place(name):
    chapter, _, function = name.partition(".")
    program = f"""
import dask_tapestry.arrays.{name}
from dask_tapestry.arrays import {chapter}
from dask_tapestry.arrays.{chapter} import {function}
import dask_tapestry as dt
assert callable({function}) and {chapter}.{function} is {function}
print("Parameters" in {function}.__doc__, "{{" in {function}.__doc__)
"""
    assert run(program) == "True False"
