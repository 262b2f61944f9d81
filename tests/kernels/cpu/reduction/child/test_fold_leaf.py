import numpy as np
import pytest

from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu.reduction.fold_sources import fold_source
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from tests.kernels.cpu.reduction.leaf_cells import (
    cells_of,
    fold,
    fold_of,
    folded,
    same_states,
    state_of,
)

DTYPES = ["?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16", "m8[s]", "M8[D]"]
SHAPES = [(3, 1024, 1), (2, 1000, 1), (4, 33, 1), (3, 31, 1), (2, 1, 1), (1, 64, 3), (2, 100, 70),
          (1, 1024, 40), (1, 40, 600), (2, 5, 33),
          (2, 1024, 513)]  # fmt: skip
QUICK = [("sum", "f8"), ("sum", "i1"), ("min", "f4"), ("max", "f2"), ("any", "?"), ("mean", "u1"),
         ("prod", "c16"), ("var", "f8"), ("nanvar", "c8"), ("ptp", "i8"), ("argmin", "f8"),
         ("nanargmax", "f4")]  # fmt: skip
EVERY = [
    (monoid, dtype)
    for monoid in MONOIDS
    for dtype in DTYPES
    if (state := state_of(monoid, dtype)) is not None
    and fold_source(monoid, np.dtype(dtype), state) is not None
    and (monoid, dtype) not in QUICK
]


def check(monoid, dtype):
    random = np.random.default_rng(3)
    state = state_of(monoid, dtype)
    for shape in SHAPES * 3:
        cells = cells_of(random, dtype, shape)
        apart = np.zeros((*shape[:2], shape[2] + 5), dtype)
        apart[:, :, : shape[2]] = cells
        with np.errstate(all="ignore"):
            expected = ARITHMETIC[monoid].leaf(cells.swapaxes(0, 1), state)
        assert same_states(folded(monoid, cells, state), expected)
        if shape[2] > 1:
            assert same_states(folded(monoid, apart[:, :, : shape[2]], state), expected)


@pytest.mark.few(6)  # one text holds any monoid
@pytest.mark.parametrize(("monoid", "dtype"), QUICK)
def test_states_have_the_bits_of_numpys_way(monoid, dtype):
    check(monoid, dtype)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("monoid", "dtype"), EVERY)
def test_states_of_every_monoid_and_dtype(monoid, dtype):
    check(monoid, dtype)


@pytest.mark.few(2)  # one conversion serves all
@pytest.mark.parametrize(
    ("cell", "state"), [("i8", "f4"), ("f8", "f4"), ("u1", "i1"), ("f4", "c16")]
)
def test_cells_are_converted_as_numpy_does(cell, state):
    cells = cells_of(np.random.default_rng(5), cell, (2, 500, 3))
    with np.errstate(all="ignore"):
        expected = ARITHMETIC["sum"].leaf(cells.swapaxes(0, 1), np.dtype(state))
    assert same_states(folded("sum", cells, np.dtype(state)), expected)


@pytest.mark.parametrize("stride", [32, 64, -50])
def test_rounds_may_lie_apart(stride):
    rows = np.random.default_rng(6).normal(size=(40, 70))
    first = rows if stride > 0 else rows[::-1]
    image = first[:, 1:33] if stride != 32 else np.ascontiguousarray(first[:, 1:33])
    out, f8, strides = np.empty(1), np.dtype("f8"), (image.strides[0], 8)
    fold(fold_of("sum", f8, f8), image.ctypes.data, 1, 0, image.size, strides, 1, [out])
    expected = ARITHMETIC["sum"].leaf(image.reshape(-1, 1, 1), f8)
    assert same_states(out.reshape(1, 1), expected)
