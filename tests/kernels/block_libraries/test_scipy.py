"""What blocks of SciPy's may be; the rest is in `tests/kernels/test_block_format.py`."""

import numpy as np
import pytest
import scipy.sparse

from dask_tapestry_kernels.block_libraries.scipy import LIBRARY

CELLS = np.array([[0.0, 1.5, 0], [0, 0, -2]])


@pytest.mark.parametrize(
    ("ndim", "code", "takes"), [(2, "d", True), (1, "d", False), (3, "d", False), (2, "e", False)]
)
def test_it_takes_matrices(ndim, code, takes):
    assert LIBRARY.takes("csr_array", ndim, np.dtype(code)) is takes


@pytest.mark.parametrize("kind", ["lil_array", "coo_matrix", "csc_array"])
def test_any_class_can_be_sliced(kind):
    array = getattr(scipy.sparse, kind)(CELLS)
    np.testing.assert_array_equal(LIBRARY.indexable(array)[1:, 1:].toarray(), CELLS[1:, 1:])
    assert LIBRARY.fill_of(array) == 0
