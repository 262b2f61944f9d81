import numpy as np
import pytest

from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.kernels.cpu.reduction.leaf_cells import cells_of, fold, fold_of, same_states, state_of


@pytest.mark.few(4)  # each monoid
@pytest.mark.parametrize(
    ("monoid", "dtype"),
    [("sum", "f8"), ("sum", "i1"), ("var", "f8"), ("argmin", "f8"), ("nanargmax", "f4")],
)
@pytest.mark.parametrize(("rows", "bricks"), [(32, 3), (32, 70), (7, 33), (100, 2)])
def test_bricks_of_a_band_have_the_bits_of_bricks_alone(monoid, dtype, rows, bricks):
    band = cells_of(np.random.default_rng(9), dtype, (rows, 32 * bricks + 5))
    state = state_of(monoid, dtype)
    names = state.names or (None,)
    parts = [np.empty((bricks, 1), state[name] if name else state) for name in names]
    item, compiled = band.itemsize, fold_of(monoid, band.dtype, state)
    strides = (band.strides[0], item)
    fold(compiled, band.ctypes.data, bricks, 32 * item, 32 * rows, strides, 1, parts)
    cells = band[:, : 32 * bricks].reshape(rows, bricks, 32).swapaxes(0, 1)
    with np.errstate(all="ignore"):
        expected = ARITHMETIC[monoid].leaf(cells.reshape(bricks, -1, 1).swapaxes(0, 1), state)
    for name, part in zip(names, parts, strict=True):
        assert same_states(part, expected[name] if name else expected)
