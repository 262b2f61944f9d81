import subprocess
import sys
from importlib import import_module
from types import ModuleType

import dask.array as da
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.compatibility.dask_modules import DASKS, OURS, DaskModule

SHARED = "core creation fft image lib linalg ma overlap random reductions routines".split()
SHARED += "slicing stats ufunc utils wrap".split()


@pytest.mark.parametrize("name", SHARED)
def test_modules_of_dask_are_imported_from_here(name):
    """By ``import``, of which Python asks finders, and as attributes."""
    da_module, dt_module = import_module(f"dask.array.{name}"), getattr(dt, name)
    assert import_module(f"dask_tapestry.{name}") is dt_module
    assert isinstance(da_module, ModuleType)


@pytest.mark.few(1)  # a process each
@pytest.mark.parametrize(
    "line",
    [
        "from dask_tapestry.linalg import svd as found; theirs = dt.linalg.svd",
        "import dask_tapestry.random as found; theirs = dt.random",
        "from dask_tapestry.core import Array as found; theirs = dt.Array",
        "from dask_tapestry.chunk import getitem as found; theirs = da.chunk.getitem",
        "from dask_tapestry import reductions as found; theirs = dt.reductions",
    ],
)
def test_a_fresh_process_imports_them(line):
    code = f"{line.partition(';')[0]}\nimport dask.array as da, dask_tapestry as dt\n"
    code += f"{line.partition(';')[2].strip()}\nassert found is theirs\n"
    code += "import dask_tapestry.arrays.linalg, dask_tapestry.arrays.random"
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


def test_what_is_nowhere_is_not_imported():
    for name in ("nothing", "core.nothing", "optimization"):
        with pytest.raises(ModuleNotFoundError):
            import_module(f"dask_tapestry.{name}")


@pytest.mark.parametrize("name", DASKS)
def test_names_are_ours_or_take_no_arrays(name):
    module, dasks = getattr(dt, name), import_module(f"dask.array.{name}")
    for one in dir(module):
        found = getattr(module, one)
        assert one in OURS.get(name, ()) or hasattr(dasks, one)
        assert (found is getattr(dasks, one)) >= (one in DASKS[name])
        assert one in DASKS[name] or found is not getattr(dasks, one, None) or not callable(found)


def test_other_names_tell_what_does():
    with pytest.raises(AttributeError, match=r"dask\.array\.core\._vindex takes x\.to_dask_array"):
        _ = dt.core._vindex
    with pytest.raises(AttributeError, match="did you mean 'slices_from_chunks'"):
        _ = dt.core.slices_from_chunk
    assert not hasattr(DaskModule("core"), "__wrapped__")


def test_chunks_of_ours_are_taken():
    x = dt.ones((4, 6), chunks=(2, 4))
    assert dt.core.slices_from_chunks(x.chunks) == da.core.slices_from_chunks(x.chunks)
    assert dt.core.normalize_chunks(3, shape=(5,)) == ((3, 2),)
    assert dt.utils.meta_from_array(x).dtype == x.dtype
    assert isinstance(dt.utils.svd_flip(x.T, x)[0], dt.Array)
