import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower import tile_run
from dask_tapestry.memory.buffer_pool import POOL
from dask_tapestry_kernels import compilation
from tests.comparisons import same_bits, values

from .test_tiling import PROGRAMS, smooth


@pytest.mark.few(4)  # as unlike as so many can be
@pytest.mark.parametrize("slab", [1, 3000, 2**22])
@pytest.mark.parametrize("name", PROGRAMS)
def test_slabs_serve_while_no_kernel_is_there(name, slab, monkeypatch):
    monkeypatch.setattr(tile_run, "SLAB_BYTES", slab)
    x = values((61, 47), "f8")
    y = dt.asarray(x)
    with np.errstate(all="ignore"):
        expected = PROGRAMS[name](x)
    with compilation.mode("off"):
        assert same_bits(PROGRAMS[name](y).compute(), expected)
        blocks = PROGRAMS[name](y).rechunk((13, 9))
        assert same_bits(blocks.persist().compute(), expected)
        assert same_bits(PROGRAMS[name](y)[:0].compute(), expected[:0])


def test_slabs_hold_little(monkeypatch):
    """A block of formulas takes slabs of memory, not a block for each value."""
    taken = []
    whole = POOL.array
    monkeypatch.setattr(POOL, "array", lambda shape, *a: taken.append(shape) or whole(shape, *a))
    y = dt.asarray(np.ones((4000, 1000)))
    with compilation.mode("off"), dt.config(resources=dt.Resources(threads=1)):
        smooth(smooth(smooth(y))).compute()
    assert max(shape[0] for shape in taken[1:]) <= tile_run.SLAB_BYTES // 8000 + 4
