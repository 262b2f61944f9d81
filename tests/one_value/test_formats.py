"""Values do not depend on what blocks are held in, nor on where they are cut."""

import numpy as np
import pytest
import scipy.sparse
import sparse
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry_kernels.block_format import with_all_cells
from tests.examples import examples

CELLS = np.random.default_rng(3).standard_normal((7, 9))
CELLS[CELLS < 0.6] = 0
FORMATS = {
    "COO": sparse.COO.from_numpy,
    "filled with 1": lambda b: sparse.COO.from_numpy(b, fill_value=1.0),
    "GCXS": sparse.GCXS.from_numpy,
    "csr_array": scipy.sparse.csr_array,
    "csc_matrix": scipy.sparse.csc_matrix,
}
FUNCTIONS = {
    "the blocks": lambda x: x,
    "formulas": lambda x: dt.expm1(2 * x) - abs(x),
    "formulas that fill": lambda x: (x + 1) / 3,
    "with NumPy's": lambda x: x * np.arange(9.0) + x,
    "comparisons": lambda x: x > 0.7,
    "other dtypes": lambda x: x.astype("c8"),
    "slices": lambda x: x[1:6:2, ::-1],
    "rows": lambda x: x[3],
    "a cell": lambda x: x[2, 4],
    "functions to one cell": lambda x: x.rechunk(9).map_blocks(np.sum, drop_axis=(0, 1)),
    "chosen rows": lambda x: x[[5, 0, 5]],
    "transposes": lambda x: x.T * 2,
    "new axes": lambda x: x[:, None] + x,
    "side by side": lambda x: dt.concatenate([x, 2 * x], axis=1),
    "upon another": lambda x: dt.stack([x, x]),
    "side by side with NumPy's": lambda x: dt.concatenate([x, dt.ones((2, 9))]),
    "sums": lambda x: x.sum(axis=1),
    "spreads": lambda x: dt.std(x),
    "largest": lambda x: dt.argmax(x, axis=0),
    "totals": lambda x: x.cumsum(axis=1),
    "products": lambda x: dt.tensordot(x, x, axes=(1, 1)).round(9),
    "sorts": lambda x: dt.sort(x, axis=0),
    "medians": lambda x: dt.median(x, axis=1),
    "shapes": lambda x: x.reshape(9, 7),
    "masks": lambda x: x[x > 0.7],
    "choices": lambda x: dt.where(x > 0.7, x, -1.0),
    "functions": lambda x: x.map_blocks(lambda b: b * 3),
    "functions to cells": lambda x: x.map_blocks(with_all_cells),
    "assignments": lambda x: assigned(x),
    "assignments to what a mask chooses": lambda x: assigned(x, x > 0.7),
    "alike": lambda x: np.full_like(x, 2.5),
}


def assigned(x, key=np.s_[2, :4]):
    y = x.copy()
    y[key] = 5.0
    assert type(y._meta) is type(x._meta)
    return y


@pytest.mark.few(16)  # as unlike as so many can be
@pytest.mark.parametrize("held", FORMATS)
@pytest.mark.parametrize("function", FUNCTIONS)
@given(st.integers(1, 7), st.integers(1, 9), st.sampled_from(["sync", "threads"]))
@examples(2)
def test_cells_are_those_of_numpy_arrays(held, function, rows, columns, scheduler):
    x = dt.from_array(CELLS, chunks=(rows, columns))
    made = FUNCTIONS[function](x.map_blocks(FORMATS[held]))
    expected = FUNCTIONS[function](x).compute()
    value = made.compute(scheduler=scheduler)
    assert isinstance(value, type(made._meta)) or not made.ndim
    np.testing.assert_array_equal(with_all_cells(value), expected, strict=True)


@pytest.mark.few(16)  # as unlike as so many can be
@pytest.mark.covering(together=1)
@pytest.mark.parametrize("held", FORMATS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_kept_blocks_and_dasks_have_the_cells(held, function):
    x = dt.from_array(CELLS, chunks=(4, 3))
    y = x.map_blocks(FORMATS[held]).persist()
    made, expected = FUNCTIONS[function](y), FUNCTIONS[function](x).compute()
    np.testing.assert_array_equal(np.asarray(made), expected, strict=True)
    if made.ndim:
        np.testing.assert_array_equal(with_all_cells(made.to_dask_array().compute()), expected)
