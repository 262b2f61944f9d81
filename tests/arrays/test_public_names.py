"""Where the public names are joined."""

import pickle
import subprocess
import sys
from importlib import import_module

import pytest

import dask_tapestry as dt
from dask_tapestry.arrays import public_names
from dask_tapestry.arrays.core.name_homes import CHAPTERS


def test_every_name_of_the_surface_is_the_librarys():
    assert dt.__all__ is public_names.__all__
    assert all(getattr(dt, name) is getattr(public_names, name) for name in public_names.__all__)


def test_every_name_has_one_home():
    """A home that has a name is asked before those that follow it."""
    homes = [import_module(f"dask_tapestry.arrays.{home}") for home in CHAPTERS]
    names = [name for home in homes for name in home.__all__]
    assert len(set(names)) == len(names)
    assert {*names, *dt._SPACES} == {*dt.__all__, "xarray"}


@pytest.mark.few(1)  # a process each
@pytest.mark.parametrize("name", ["array", "config", "plan"])
def test_no_folder_takes_the_place_of_a_function(name):
    """Importing a package binds it to its parent: no folder of the library has a public name."""
    code = (
        "import dask_tapestry.lower.execute, dask_tapestry as dt, dask_tapestry.arrays.core.array\n"
    )
    code += f"assert callable(dt.{name}), dt.{name}"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_array_that_is_unpickled_first_has_its_methods():
    """As a worker does, whose process has imported nothing of this folder."""
    code = "import pickle, sys\n"
    code += "x = pickle.loads(sys.stdin.buffer.read())\n"
    code += "assert (x + 1).sum().compute() == 15"
    payload = pickle.dumps(dt.arange(5))
    subprocess.run([sys.executable, "-c", code], input=payload, check=True)
