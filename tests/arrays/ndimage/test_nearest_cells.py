import numpy as np

import dask_tapestry as dt
from dask_tapestry.arrays.ndimage.nearest_cells import NearestCells

X = np.array([[1, 1, 0, 1], [1, 1, 1, 1]], bool)
NONE = np.ones((2, 3), bool)


def nearest(x, **options):
    return NearestCells.of(dt.asarray(x).node, (1.0,) * x.ndim, "euclidean", **options)


def test_coordinates_and_distances():
    found = nearest(X)
    assert found.places.compute().tolist() == [[2] * 4] * 2
    assert found.indices().compute().tolist() == [[[0] * 4] * 2, [[2] * 4] * 2]
    assert found.euclidean().compute()[0].tolist() == [2, 1, 0, 1]
    assert found.steps(np.dtype("u1"), 9).compute()[1].tolist() == [2, 1, 1, 1]


def test_what_is_missing():
    assert nearest(NONE).indices().compute()[:, 0, 0].tolist() == [-1, 0]
    assert nearest(NONE, backwards=True).indices().compute()[:, 1, 1].tolist() == [0, 0]
    assert nearest(NONE, own=True).indices().compute()[:, 1, 2].tolist() == [1, 2]
    assert (nearest(NONE).euclidean(7.0).compute() == 7).all()
    assert (nearest(NONE).steps(np.dtype("i4"), -1).compute() == -1).all()
