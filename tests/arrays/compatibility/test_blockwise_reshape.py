import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.errors import ShapeError, SignatureError

CELLS = np.arange(54).reshape(6, 3, 3)


def x():
    return dt.from_array(CELLS, chunks=(3, 2, (2, 1)))


@pytest.mark.parametrize(
    ("shape", "chunks"),
    [
        ((18, 3), ((6, 3, 6, 3), (2, 1))),
        ((6, 9), ((3, 3), (4, 2, 2, 1))),
        (54, ((12, 6, 6, 3, 12, 6, 6, 3),)),
        ((6, -1), ((3, 3), (4, 2, 2, 1))),
    ],
)
def test_blocks_are_reshaped_one_by_one_and_back(shape, chunks):
    found = dt.reshape_blockwise(x(), shape)
    assert found.chunks == chunks
    blocks = [block.compute().ravel() for block in x().blocks.ravel()]
    for ours, theirs in zip(found.blocks.ravel(), blocks, strict=True):
        np.testing.assert_array_equal(ours.compute().ravel(), theirs)
    back = dt.reshape_blockwise(found, CELLS.shape, chunks=x().chunks)
    assert back.chunks == x().chunks
    np.testing.assert_array_equal(back.compute(), CELLS)


@pytest.mark.parametrize("shape", [(3, 0), (0, 3), (2, 0, 4), (0, 0)])
def test_no_cells_are_reshaped(shape):
    found = dt.reshape_blockwise(dt.asarray(np.zeros(shape)), 0)
    assert found.shape == found.compute().shape == (0,)


def test_the_same_shape_is_the_same_array():
    array = x()
    assert dt.reshape_blockwise(array, CELLS.shape) is array


def test_what_does_not_fit_is_refused():
    for error, shape, chunks in (
        (SignatureError, (2, 3, 3, 3), None),
        (NotImplementedError, (3, 2, 9), None),
        (ShapeError, (5, 9), None),
        (ShapeError, (18, 3), x().chunks),
        (ShapeError, (6, 3, 3, 1), ((3, 4), (3,), (3,), (1,))),
    ):
        with pytest.raises(error):
            dt.reshape_blockwise(x(), shape, chunks)
