import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks import spline_filter
from dask_tapestry_kernels.cpu.blocks.child import spline_lanes


@pytest.mark.parametrize("ends", ["mirror", "reflect", "wrap"])
def test_recursions_begin_as_those_of_numpy(ends):
    n, width, z = 6, 3, -0.3
    cells = np.random.default_rng(0).normal(size=(n + 1, width))
    first, last = (getattr(spline_lanes, f"{name}_{ends}").py_func for name in ("first", "last"))
    flat, own = cells.ravel().copy(), cells[:n].copy()
    first(flat, n, width, z, z ** (n if ends == "reflect" else n - 1))
    spline_filter.FIRST[ends](own, z)
    np.testing.assert_array_equal(flat.reshape(n + 1, width)[:n], own)
    last(flat, n, width, z)
    spline_filter.LAST[ends](own, z)
    np.testing.assert_array_equal(flat.reshape(n + 1, width)[:n], own)
