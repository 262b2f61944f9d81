import numpy as np
import pytest

from dask_tapestry_kernels.parameters.stencil_tiles import CACHE, CALL_CELLS, tile_of


@pytest.mark.parametrize("shape", [(6000, 6000), (100,), (70, 80, 90), (3, 5, 1, 40)])
@pytest.mark.parametrize("steps", [1, 4, 16])
def test_tiles_fit_the_cache_where_they_can(shape, steps):
    more, sides = tile_of(shape, (1,) * len(shape), steps, 8)
    assert more >= 1 / (1 + CALL_CELLS / 512)
    assert all(1 <= side <= n for side, n in zip(sides, shape, strict=True))
    if len(shape) < 3:
        cells = np.prod([side + 2 * (steps - 1) for side in sides])
        assert 2 * 8 * cells <= 1.1 * CACHE
