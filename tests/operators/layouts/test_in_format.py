import numpy as np
import scipy.sparse
import sparse

import dask_tapestry as dt
from dask_tapestry.operators.layouts.in_format import in_format
from dask_tapestry_kernels.block_format import BlockFormat

COO = BlockFormat.of(sparse.COO.from_numpy(np.eye(2)))
CSR = BlockFormat.of(scipy.sparse.csr_array(np.eye(2)))


def test_a_value_is_held_in_a_format_and_in_another():
    x = dt.eye(6, chunks=(4, 2))
    for known, kind in ((COO, sparse.COO), (CSR, scipy.sparse.csr_array)):
        made = dt.Array(in_format(x.node, known))
        assert type(made.compute()) is kind
        assert made.chunks == x.chunks
        again = dt.Array(in_format(made.node, COO))
        assert type(again.compute()) is sparse.COO
        np.testing.assert_array_equal(made[1:3], np.eye(6)[1:3])


def test_a_format_that_cannot_hold_a_value_leaves_it():
    for x in (dt.ones(3), dt.ones((2, 3), "S1")):
        made = in_format(x.node, CSR)
        assert made.format is None
        np.testing.assert_array_equal(dt.Array(made).compute(), x.compute(), strict=True)


def test_asarray_makes_arrays_like_another():
    for like in (
        scipy.sparse.csr_array(np.eye(2)),
        dt.from_array(scipy.sparse.csr_array(np.eye(2))),
    ):
        for made in (dt.asarray([[1, 0]], like=like), dt.asarray(dt.eye(3), like=like)):
            assert type(made.compute()) is scipy.sparse.csr_array
    assert type(dt.asarray([1, 2], like=np.ones(2)).compute()) is np.ndarray


def test_dask_is_handed_the_blocks_that_were_declared():
    x = dt.Array(in_format(dt.eye(6, chunks=3).node, COO))
    for y in (x, x.sum(axis=0), np.ones_like(x), x * 2):
        d = y.to_dask_array()
        assert type(d._meta) is sparse.COO
        (first, *_) = d.to_delayed().ravel()
        assert type(first.compute()) is sparse.COO
