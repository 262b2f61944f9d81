import numpy as np
import pytest

from dask_tapestry_kernels.cpu.blocks.window_tiles import cells_at, tile_sides, window_tiles


@pytest.mark.parametrize("cells", [1, 50, 10**6])
@pytest.mark.parametrize("steps", [(1, 1), (2, 3)])
def test_tiles_cover_the_result_once_and_see_their_windows(cells, steps):
    window, shape = (3, 2), (23, 1100)
    x = np.arange(70 * 4000).reshape(70, 4000)
    out = np.zeros(shape, int)
    for seen, made in window_tiles(x, out, window, steps, cells):
        made += cells_at(seen, (2, 1), steps, made.shape)
    expected = x[2 : 2 + 23 * steps[0] : steps[0], 1 : 1 + 1100 * steps[1] : steps[1]]
    np.testing.assert_array_equal(out, expected)


def test_tiles_are_long_where_windows_are():
    assert tile_sides((4000, 4000), (1, 31), 2**15)[1] == 4000
    rows, columns = tile_sides((4000, 4000), (61, 61), 2**12)
    assert rows >= 4 * 61
    assert columns >= 4 * 61
    assert tile_sides((), (), 9) == ()


def test_without_windows_there_are_no_cells():
    assert cells_at(np.ones(0), (0,), (1,), (0,)).shape == (0,)
    assert cells_at(np.array(3), (), (), ()).shape == ()
