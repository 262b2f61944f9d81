"""What importing the library brings in, in a fresh process."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import dask_tapestry as dt
from tests.process_copies import printed_by_copies

ROOT = Path(__file__).parent.parent
ARRAY = ROOT / "dask_tapestry" / "arrays"
PATHS = [str(ROOT), str(ROOT / "kernels")]


def modules_after(code):
    """Names of the modules that a fresh process has loaded after `code`."""
    program = f"import sys; sys.path[:0] = {PATHS}\n{code}\nimport json\n"
    program += "print(json.dumps(sorted(sys.modules)))"
    command = [sys.executable, "-W", "error", "-c", program]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1]))


@pytest.fixture(scope="module")
def imported():
    return modules_after("import dask_tapestry; dask_tapestry.ones")


@pytest.mark.parametrize("name", ["distributed", "numba", "cupy", "zarr", "xarray", "pandas"])
def test_it_does_not_bring_in(imported, name):
    assert name not in imported


@pytest.fixture(scope="module")
def computed():
    return modules_after("import dask_tapestry as dt; (dt.asarray([1.0, 2.0]) + 1).compute()")


@pytest.mark.parametrize("chapter", "ma linalg patterns random sorting statistics storage".split())
def test_a_sum_of_cells_brings_in_no_other_chapter(computed, chapter):
    assert "dask_tapestry.arrays.elementwise.ufuncs" in computed
    assert f"dask_tapestry.arrays.{chapter}" not in computed


@pytest.mark.parametrize(
    "name", ["importlib.metadata", "numpy.ma", "numpy.random", "numba", "distributed"]
)
def test_a_sum_of_cells_does_not_bring_in(computed, name):
    assert name not in computed


FIRST = [
    "dt.linalg.norm(x)",
    "dt.ma.masked_invalid(x)",
    "dt.from_array(np.ma.masked_invalid([1, np.nan]))",
    "np.add(x, np.ma.masked_invalid([1, np.nan]))",
    "np.fft.fft(x)",
    "np.linalg.norm(x)",
    "np.concatenate([x, x])",
    "np.lib.stride_tricks.sliding_window_view(x, 2)",
    "np.add.accumulate(x)",
    "np.add.reduce(x)",
    "np.add.reduceat(x, [0, 1])",
    "np.add.at(x, [0], 1)",
    "np.frompyfunc(abs, 1, 1)(x)",
    "dt.add.accumulate(x)",
    "x @ x",
    "x[0] + x.T + x.sum() + x.real + x.reshape(2, 1).ravel()",
    "x.map_blocks(abs)",
    "x.__setitem__(0, 1)",
    "x.__deepcopy__({})",
    "round(x)",
    "dt.float32(1) + dt.pi",
    "dt.Array.mean(x)",
    "dt.Resources()",
]


def test_what_is_asked_for_first_brings_in_what_it_needs():
    """Of each the first thing that is asked of a process which has made an array."""
    made = "import numpy as np, dask_tapestry as dt; x = dt.asarray([1.0, 2.0])"
    assert len(printed_by_copies(made, FIRST)) == len(FIRST)


def test_the_import_alone_brings_in_no_more_than_it_needs():
    assert not {"numpy", "dask", "dask_tapestry.arrays"} & modules_after("import dask_tapestry")


def test_what_runs_on_a_worker_does_not_bring_in_what_users_call():
    modules = modules_after("import dask_tapestry.lower.execute")
    assert "dask_tapestry.lower.execute" in modules
    assert "dask_tapestry.arrays" not in modules


def test_a_picture_of_chunks_does_not_bring_in_dask_arrays():
    assert "dask.array" not in modules_after("import dask_tapestry as dt; dt.ones(9)._repr_html_()")


def test_dask_arrays_are_brought_in_when_asked_for(imported):
    assert "dask.array" not in imported


@pytest.mark.parametrize("name", ["distributed", "cupy", "zarr"])
def test_a_plan_does_not_bring_in(name):
    code = "import dask_tapestry as dt; dt.plan(dt.ones((9, 9)).sum(axis=0)).graph()"
    assert name not in modules_after(code)


@pytest.mark.parametrize(
    "chapter", sorted(path.parent.name for path in ARRAY.glob("*/__init__.py"))
)
def test_a_chapter_exports_what_its_modules_do(chapter):
    """It lists the names itself, or has a namespace that does: `linalg`, `special`."""
    if chapter == "compatibility":  # whose names are in the namespaces of others
        return
    package = import_module(f"dask_tapestry.arrays.{chapter}")
    members = [getattr(package, name) for name in package.__all__]
    spaces = [package, *(member for member in members if isinstance(member, ModuleType))]
    exported = {id(getattr(space, name)) for space in spaces for name in space.__all__}
    for path in (ARRAY / chapter).glob("[!_]*.py"):
        module = import_module(f"{package.__name__}.{path.stem}")
        for name in getattr(module, "__all__", ()):
            assert id(getattr(module, name)) in exported, f"{path.stem}.{name}"


def test_only_the_interface_is_listed():
    modules = {name for name in dir(dt) if isinstance(getattr(dt, name), ModuleType)}
    spaces = (
        "errors fft image lib linalg ma ndimage nn overlap patterns random special stablehlo stats "
        "stencil strings xarray"
    )
    assert modules == set(spaces.split())


def test_a_name_that_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'dask_tapestry' has no attribute 'sun'"):
        _ = dt.sun


def test_every_public_name_is_there_and_documented():
    assert len(set(dt.__all__)) == len(dt.__all__)
    for name in dt.__all__:
        value = getattr(dt, name)
        if callable(value):
            assert value.__doc__, name
