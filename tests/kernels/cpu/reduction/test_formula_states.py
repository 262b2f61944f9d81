"""Columns of formulas folded as they are evaluated have the bits of cells folded in memory."""

import numpy as np
import pytest

from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.column_widths import columns_read_again
from dask_tapestry_kernels.cpu.reduction.formula_states import FEW_COLUMNS, column_states
from tests.kernels.cpu.reduction.formula_columns import check, formula, native
from tests.kernels.cpu.reduction.leaf_cells import cells_of, state_of

MONOIDS = ["sum", "mean", "max", "argmin", "nanargmax", "ptp", "nanmean", "any", "var", "nanstd"]

DTYPES = ["f8", "f4", "i1", "u4", "c16"]
QUICK = [*[(monoid, "f8") for monoid in MONOIDS], *[("sum", dtype) for dtype in DTYPES[1:]]]
QUICK += [("argmin", "i1"), ("nanmean", "c16"), ("nanargmax", "f4")]
SLOW = [
    pytest.param(monoid, dtype, marks=pytest.mark.exhaustive)
    for monoid in MONOIDS
    for dtype in DTYPES
    if (monoid, dtype) not in QUICK and not (monoid.startswith("nan") and dtype[0] in "iu")
]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compile_service.mode("wait"):
        yield


@pytest.mark.parametrize(("monoid", "dtype"), [*QUICK, *SLOW])
def test_monoids_and_dtypes(monoid, dtype):
    blocks = [cells_of(np.random.default_rng(5), dtype, (1500, 70))]
    check(monoid, blocks, [formula("add", 0, 0, dtypes=(dtype,))])


def test_rows_that_lie_apart_or_backwards_and_axes_that_are_one():
    random = np.random.default_rng(8)
    whole = cells_of(random, "f8", (2000, 5, 60))
    square = formula("multiply", 0, 0, dtypes=("f8",))
    check("sum", [whole[::-2]], [square])
    check("sum", [whole[:, :3]], [square])
    check("max", [np.broadcast_to(whole[:1], whole.shape)], [square])


@pytest.mark.parametrize("more", [-1, 0, 1, 40])
def test_variances_of_more_columns_than_are_read_again_at_a_time(more):
    some = columns_read_again(1024, 8, 10**6)
    blocks = [cells_of(np.random.default_rng(4), "f8", (1100, 2 * some + more)) for _ in range(2)]
    formulas = [formula(name, 0, 1, dtypes=("f8", "f8")) for name in ("subtract", "multiply")]
    check("var", blocks, formulas)
    check("var", [blocks[0], np.broadcast_to(blocks[1][:1], blocks[0].shape)], formulas[:1])


def test_what_does_not_lie_in_columns_is_left_to_others():
    square = native(formula("multiply", 0, 0, dtypes=("f8",)))
    f8 = np.dtype("f8")

    def states(cells, monoid="sum", sides=(1024,), formulas=(square,)):
        return column_states([cells], monoid, f8, sides, state_of(monoid, "f8"), formulas)

    assert states(np.ones((64, 64)).T) is None
    assert states(np.ones((64, 128))[:, ::2]) is None
    assert states(np.ones((64, FEW_COLUMNS - 1))) is None
    assert states(np.ones((0, 64))) is None
    assert states(np.ones((1, 64))) is None
    assert states(np.ones((64, 64)), sides=(8192,)) is None
    assert states(np.ones((64, 64, 2)), sides=(32, 32)) is None
