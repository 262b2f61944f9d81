import numpy as np

import dask_tapestry as dt


def test_they_are_numpys():
    for cells in (3, [1, 2], np.ones((2, 0, 3))):
        assert dt.ndim(cells) == np.ndim(cells)
        assert dt.size(cells) == np.size(cells)
        assert dt.shape(cells) == np.shape(cells) == np.shape(dt.asarray(cells))


def test_the_size_along_axes_is_numpys():
    x = np.ones((2, 0, 3))
    for axis in (0, -1, (0, 2), (1, 2), ()):
        assert dt.size(x, axis) == dt.size(dt.asarray(x), axis) == np.size(x, axis)
