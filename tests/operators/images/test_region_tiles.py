from math import prod

import pytest

import dask_tapestry as dt
from dask_tapestry.operators.images.region_tiles import region_tiles, tile_bytes, tiles_of
from dask_tapestry.operators.tuning import MOST_TILE_CELLS

SHAPES = ((1,), (10**9,), (4000, 4000), (3, 10**5, 10**5), (2000,) * 3, (7, 1, 10**8), (1, 1))


@pytest.mark.parametrize("shape", SHAPES)
def test_tiles_cover_the_array_in_raster_order(shape):
    tiled = region_tiles(shape)
    cut, cells = tiled.cut, tiled.side * prod(shape[tiled.cut + 1 :])
    assert tiled.grid[:-1] == shape[:cut]
    assert 0 <= tiled.grid[-1] * tiled.side - shape[cut] < tiled.side
    assert tiled.shape == (*shape[:cut], tiled.grid[-1] * tiled.side, *shape[cut + 1 :])
    assert cells <= MOST_TILE_CELLS


def test_large_arrays_have_large_tiles():
    assert region_tiles((10**9,)).side == 2**20
    assert region_tiles((10**11,)).side == 2**24
    assert tile_bytes(1000) == 11_000


def test_tiles_end_where_stored_chunks_do():
    for chunk, side in ((1000, 250), (100, 300), (349, 349), (997, 349), (4000, 250)):
        x = dt.placeholder((10_000, 3000), "f4", stored_chunks=(chunk, 500))
        assert tiles_of(x.node).side == side
    assert tiles_of(dt.ones((10_000, 3000)).node).side == 349
