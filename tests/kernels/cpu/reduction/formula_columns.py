"""Formulas of columns, folded by compiled code and, as cells in memory, by NumPy."""

import numpy as np

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry_kernels.cpu.cells import rows
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.formula_states import column_states, still_in_rows
from dask_tapestry_kernels.cpu.reduction.leaf_states import Formula
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from tests.kernels.cpu.reduction.leaf_cells import same_states, state_of


def formula(function, *operands, dtypes, result=None):
    """``function`` of operands, each the number of a parameter or a constant."""
    builder = CellBuilder(tuple(map(np.dtype, dtypes)))
    values = [o if isinstance(o, int) else builder.constant(np.float64(o)) for o in operands]
    return builder.finish(builder.call(function, values, np.dtype(result or dtypes[0])))


def native(expression, still=()):
    row = rows.row_of(expression, still)
    kernel = compile_service.required(row.source, rows.ARITY, rows.text(expression))
    return Formula(kernel.address, row.scalars, expression, still or None)


def check(monoid, blocks, expressions, rank=1):
    cell = expressions[0].dtype
    state, sides = state_of(monoid, cell.str), Tree(blocks[0].shape[:rank]).sides(0)
    still = still_in_rows(blocks, sides)
    formulas = [native(expression, still) for expression in expressions]
    found = column_states(blocks, monoid, cell, sides, state, formulas)
    assert found is not None
    for one, expression in zip(found, expressions, strict=True):
        cells = evaluate(None, *blocks, expression=expression)
        with np.errstate(all="ignore"):
            expected = _leaf_states(cells, ARITHMETIC[monoid], sides, state)
        assert same_states(one, expected)
