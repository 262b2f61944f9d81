import numpy as np
import pytest
import scipy.sparse
import sparse

import dask_tapestry as dt
from dask_tapestry.arrays.core.block_format_like import held_as, held_like
from dask_tapestry_kernels.block_format import with_all_cells

COO = sparse.COO.from_numpy(np.zeros((1, 1)))
CSR = scipy.sparse.csr_array(np.zeros((1, 1)))


@pytest.mark.parametrize("made", [dt.from_array, dt.asarray])
@pytest.mark.parametrize(("shape", "meta"), [((6,), COO), ((6, 4), COO), ((6, 4), CSR)])
def test_blocks_are_held_as_meta_tells(made, shape, meta):
    cells = np.arange(np.prod(shape), dtype="i4").reshape(shape)
    x = made(cells, chunks=3, meta=meta)
    assert type(x._meta) is type(meta)
    assert x.dtype == np.int32
    assert type((x * 2).compute()) is type(meta)
    assert np.array_equal(with_all_cells((x * 2).compute()), cells * 2)


def test_sparse_blocks_are_held_in_another_class():
    x = dt.from_array(COO, meta=CSR)
    assert type(x.compute()) is scipy.sparse.csr_array
    assert type(dt.from_array(np.eye(3), meta=x).compute()) is scipy.sparse.csr_array


@pytest.mark.parametrize("meta", [None, np.ndarray, np.empty(0), np.float64(1), dt.ones(3)])
def test_meta_of_numpy_changes_nothing(meta):
    x = dt.arange(3, dtype="i4")
    assert held_as(x, meta) is x
    assert held_like(x, meta) is x


@pytest.mark.parametrize(
    ("x", "meta"),
    [
        (np.zeros((2, 2, 2)), CSR),
        (np.array(["a"]), COO),
        (COO, np.ndarray),
        (np.ones(3), np.ma.masked_array([1])),
        (np.ones(3), "float64"),
    ],
)
def test_classes_that_cannot_hold_the_cells(x, meta):
    with pytest.raises(dt.ArgumentError, match="meta= tells of blocks"):
        dt.from_array(x, meta=meta)
