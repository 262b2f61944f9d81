import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.arrays.linalg.matrix_functions import lapack_dtype, matrices


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f4", "f8", "c8", "c16"])
def test_dtypes_are_numpys(dtype):
    assert lapack_dtype(np.dtype(dtype)) == np.linalg.inv(np.eye(2, dtype=dtype)).dtype


@pytest.mark.parametrize("dtype", ["f2", "g", "G", "M8[s]", "U2"])
def test_what_lapack_cannot_take_is_refused(dtype):
    with pytest.raises(dt.DTypeError, match="unsupported in linalg"):
        dt.linalg.inv(np.zeros((2, 2), dtype))


def test_matrices_have_two_dimensions_or_more():
    with pytest.raises(dt.LinAlgError, match="1-dimensional"):
        matrices(np.ones(3))
    with pytest.raises(dt.LinAlgError, match="square"):
        matrices(np.ones((2, 3)), square=True)
    first, second = matrices(np.ones((2, 2), "f4"), np.ones((2, 2), "i4"))
    assert first.dtype == second.dtype == np.float64


def test_stacks_are_cut_and_matrices_are_whole():
    x = dt.ones((1000, 50, 50))
    found = dt.linalg.inv(x)
    plan = dt.plan(found, resources=dt.Resources(8, 1, "1 GiB"))
    plan.verify()
    assert len(plan.chunks(found)[0]) >= 8
    assert [len(lengths) for lengths in plan.chunks(found)[1:]] == [1, 1]
    assert len(dt.plan(found[3:5]).chunks(0)[0]) == 1


def test_errors_of_lapack_name_the_line():
    with pytest.raises(np.linalg.LinAlgError, match=r"(?s)Singular.*built at.*test_matrix_func"):
        dt.linalg.inv(np.zeros((2, 2))).compute()
