import numpy as np

import dask_tapestry as dt


def test_they_are_numpys():
    for cells in (3, [1, 2], np.ones((2, 0, 3))):
        assert dt.ndim(cells) == np.ndim(cells)
        assert dt.shape(cells) == np.shape(cells) == np.shape(dt.asarray(cells))
