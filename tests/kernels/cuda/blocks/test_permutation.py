import numpy as np
import pytest

from dask_tapestry_kernels.cuda import KERNELS
from dask_tapestry_kernels.cuda.jit import runtime
from dask_tapestry_kernels.jit.object_cache import Compiled
from tests.kernels.cuda.fake_cupy import FakeCupy


@pytest.fixture
def cupy(monkeypatch):
    monkeypatch.setattr(runtime, "cubin_of", lambda program, sm: Compiled(program.what, b""))
    return FakeCupy().install(monkeypatch)


@pytest.mark.parametrize(("as_table", "what"), [(True, "random numbers"), (False, "permutation")])
def test_a_permutation_is_one_launch_for_any_places(cupy, as_table, what):
    told = {"key": (1, 2), "draw": (3, 0), "extent": 50, "places": range(4, 40, 9)}
    made = KERNELS["permutation"](None, as_table=as_table, **told)
    assert (made.shape, made.dtype) == ((4,), np.int64)
    (launch,) = cupy.launches
    assert launch[0].startswith(what)
