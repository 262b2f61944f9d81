"""What blocks of pydata's sparse may be; the rest is in `tests/kernels/test_block_format.py`."""

import numpy as np
import pytest
import sparse

from dask_tapestry_kernels.block_libraries.sparse import LIBRARY
from tests.covering import beyond

CELLS = np.array([[0.0, 1.5, 0], [0, 0, -2]])


@pytest.mark.parametrize(
    ("name", "ndim", "code", "takes"),
    [("COO", 3, "e", True), ("COO", 0, "d", False), ("GCXS", 2, "e", False)],
)
def test_what_it_takes(name, ndim, code, takes):
    assert LIBRARY.takes(name, ndim, np.dtype(code)) is takes


@pytest.mark.parametrize("name", ["COO", beyond("GCXS"), "DOK"])
def test_arrays_are_joined_in_their_class(name):
    one = LIBRARY.holding(CELLS, "sparse", name, 0.0)
    both = LIBRARY.joined([one, one], 1, None)
    assert type(both) is type(one)
    np.testing.assert_array_equal(both.todense(), np.concatenate([CELLS, CELLS], 1))


def test_a_fill_value_is_told():
    assert LIBRARY.fill_of(sparse.COO.from_numpy(CELLS, fill_value=1.5)) == 1.5
    assert LIBRARY.indexable(CELLS) is CELLS
