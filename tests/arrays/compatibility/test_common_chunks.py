import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError


def test_edges_of_all_are_edges():
    chunks, (x, y, rest) = dt.unify_chunks(
        dt.ones((100, 10), chunks=(20, 5)), "ij", dt.ones((10, 100), chunks=(4, 50)), "jk", 7, None
    )
    assert chunks == {"i": (20,) * 5, "j": (4, 1, 3, 2), "k": (50, 50)}
    assert x.chunks == (chunks["i"], chunks["j"])
    assert y.chunks == (chunks["j"], chunks["k"])
    assert rest == 7


def test_values_and_dimensions_of_length_one_stay():
    cells = np.arange(3)[:, None]
    chunks, (x, _) = dt.unify_chunks(cells, "ij", dt.ones((3, 4), chunks=2), "ij", warn=False)
    assert chunks == {"i": (2, 1), "j": (2, 2)}
    assert x.chunks == ((2, 1), (1,))
    np.testing.assert_array_equal(x.compute(), cells)


def test_nothing_has_no_chunks():
    assert dt.unify_chunks() == ({}, [])
    assert dt.unify_chunks(0, None) == ({}, [0])


def test_lengths_and_indices_must_fit():
    with pytest.raises(ShapeError, match="lengths 3 and 4"):
        dt.unify_chunks(dt.ones(3), "i", dt.ones(4), "i")
    with pytest.raises(ShapeError, match="2 indices"):
        dt.unify_chunks(dt.ones(3), "ij")
