from dask_tapestry_kernels.parameters.region_tiles import Tiled


def test_where_a_tile_lies():
    tiled = Tiled((5, 6, 7), (5, 3), 2)
    assert tiled.number((3, 2)) == 11
    assert tiled.ends((3, 2)) == [(3, 4), (4, 6), (0, 7)]
    assert tiled.slices_in((3, 2)) == (slice(3, 4), slice(4, 6))
