import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.patterns.indexed_dims import index_vectors


def test_vectors_and_dimensions():
    indices, dims = index_vectors([[1, 2]], {2: None, 0: None}, 3)
    assert indices.type.shape == (1, 2)
    assert dims == (2, 0)


def test_every_dimension_has_a_column():
    with pytest.raises(dt.ShapeError, match=r"last axis of 2"):
        index_vectors([[1]], [0, 1], 2)
