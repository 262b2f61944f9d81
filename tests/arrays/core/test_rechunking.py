import dask.array as da
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError


@pytest.mark.parametrize(
    ("extent", "side", "expected"),
    [
        (220, 100, (110, 110)),
        (13, 4, (5, 5, 3)),
        (12, 4, (4, 4, 4)),
        (991, 495, (496, 495)),
        (3, 8, (3,)),
    ],
)
def test_balanced_chunks_are_about_equal(extent, side, expected):
    x = dt.arange(extent).rechunk(side, balance=True)
    assert x.chunks == (expected,)
    np.testing.assert_array_equal(x.compute(), np.arange(extent))


def test_chunks_that_cannot_be_balanced_stay():
    with pytest.warns(UserWarning, match="balanced"):
        x = dt.arange(10).rechunk((1, 1, 1, 1, 1, 1, 2, 2), balance=True)
    assert len(x.chunks[0]) == 8


def test_the_default_is_auto():
    assert dt.ones((4, 6), chunks=2).rechunk().chunks == ((4,), (6,))
    assert dt.ones(100).rechunk("auto", block_size_limit=80).chunks == ((10,) * 10,)


def test_a_dimension_that_is_not_there_is_named():
    with pytest.raises(ShapeError, match="4"):
        dt.ones((2, 3)).rechunk({4: 2})


@pytest.mark.parametrize("made", [da.ones, dt.ones])
def test_a_vector_takes_chunks_that_were_meant_for_a_matrix(made):
    assert made(6, chunks=2).rechunk((None, 6)).chunks == ((2, 2, 2),)
    with pytest.raises(ValueError, match="chunks"):
        made((6, 2), chunks=2).rechunk((None,))


def test_an_empty_dimension_may_have_chunks_of_no_cells():
    assert dt.ones((0, 3), chunks=(0, 3)).chunks == ((0,), (3,))
    assert dt.ones((), chunks=(1,)).chunks == ()
