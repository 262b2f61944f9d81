"""Columns of formulas folded as they are evaluated have the bits of cells folded in memory."""

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry_kernels.cpu import compiled, rows
from dask_tapestry_kernels.cpu.column_states import FEW_COLUMNS, MOST_FORMULAS, column_states
from dask_tapestry_kernels.cpu.folding import Formula
from dask_tapestry_kernels.cpu.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduce import _leaf_states
from dask_tapestry_kernels.cpu.tape import evaluate
from tests.kernels.leaf_cells import cells_of, same_states, state_of

MONOIDS = ["sum", "mean", "max", "argmin", "nanargmax", "ptp", "nanmean", "any"]


@pytest.fixture(autouse=True)
def every_kernel_compiled():
    with compiled.mode("wait"):
        yield


def formula(function, *operands, dtypes, result=None):
    """``function`` of operands, each the number of a parameter or a constant."""
    builder = CellBuilder(tuple(map(np.dtype, dtypes)))
    values = [o if isinstance(o, int) else builder.constant(np.float64(o)) for o in operands]
    return builder.finish(builder.call(function, values, np.dtype(result or dtypes[0])))


def native(expression):
    row = rows.row_of(expression)
    return Formula(
        compiled.required(row.source, rows.ARITY, rows.text(expression)).address, row.scalars
    )


def check(monoid, blocks, expressions, rank=1):
    cell = expressions[0].dtype
    state, sides = state_of(monoid, cell.str), Tree(blocks[0].shape[:rank]).sides(0)
    found = column_states(blocks, monoid, cell, sides, state, [native(e) for e in expressions])
    assert found is not None
    for one, expression in zip(found, expressions, strict=True):
        cells = evaluate(None, *blocks, expression=expression)
        with np.errstate(all="ignore"):
            expected = _leaf_states(cells, ARITHMETIC[monoid], sides, state)
        assert same_states(one, expected)


@pytest.mark.parametrize("kept", [FEW_COLUMNS, 33, 64, 531, 1100])
@pytest.mark.parametrize("length", [2, 31, 33, 1024, 2500])
def test_any_number_of_rows_and_columns(length, kept):
    random = np.random.default_rng(3)
    blocks = [cells_of(random, "f8", (length, kept)) for _ in range(2)]
    product = formula("multiply", 0, 1, dtypes=("f8", "f8"))
    check("sum", blocks, [product])


@pytest.mark.parametrize("dtype", ["f8", "f4", "i1", "u4", "c16"])
@pytest.mark.parametrize("monoid", MONOIDS)
def test_monoids_and_dtypes(monoid, dtype):
    if monoid.startswith("nan") and dtype[0] in "iu":
        return
    blocks = [cells_of(np.random.default_rng(5), dtype, (1500, 70))]
    check(monoid, blocks, [formula("add", 0, 0, dtypes=(dtype,))])


@pytest.mark.parametrize("count", [2, 3, 5, MOST_FORMULAS])
def test_formulas_that_are_folded_together(count):
    """Some have constants, which are operands of their own."""
    random = np.random.default_rng(6)
    blocks = [cells_of(random, "f8", (1100, 300)) for _ in range(2)]
    kinds = ("multiply", 0, 1), ("multiply", 0, 0), ("add", 1, 2.5), ("subtract", 1, 0)
    expressions = [formula(*kinds[i % 4], dtypes=("f8", "f8")) for i in range(count)]
    check("mean", blocks, expressions)


def test_rows_that_lie_apart_or_backwards_and_axes_that_are_one():
    random = np.random.default_rng(8)
    whole = cells_of(random, "f8", (2000, 5, 60))
    square = formula("multiply", 0, 0, dtypes=("f8",))
    check("sum", [whole[::-2]], [square])
    check("sum", [whole[:, :3]], [square])
    check("max", [np.broadcast_to(whole[:1], whole.shape)], [square])


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
    assert states(np.ones((64, 64)), monoid="var") is None
    assert states(np.ones((64, 64)), sides=(8192,)) is None
    assert states(np.ones((64, 64, 2)), sides=(32, 32)) is None
    assert states(np.ones((64, 64)), formulas=[square] * (MOST_FORMULAS + 1)) is None
