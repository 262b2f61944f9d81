import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.row_order import RowOrder
from dask_tapestry.teg import apply


@pytest.mark.parametrize("shape", [(9, 3), (0, 3), (4, 0), (1, 1)])
def test_rows_come_as_words_do(shape):
    x = np.random.default_rng(0).integers(0, 2, shape)
    order = dt.Array(apply(RowOrder(), dt.asarray(x).node)).compute()
    rows = [tuple(row) for row in x]
    assert order.tolist() == sorted(range(len(rows)), key=rows.__getitem__)
