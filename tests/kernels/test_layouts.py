"""Compiled kernels have the interpreter's bits, however blocks lie in memory."""

from random import Random

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction.formula_states import column_states
from dask_tapestry_kernels.cpu.reduction.leaf_states import leaf_states
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.reduce import _leaf_states
from dask_tapestry_kernels.cpu.scan import scan
from tests.comparisons import same_bits
from tests.compiling import however_few
from tests.covering import seeds_of
from tests.kernels.cpu.reduction.formula_columns import native
from tests.kernels.cpu.reduction.leaf_cells import same_states, state_of
from tests.kernels.layouts import laid_out, shape_of

F8 = np.dtype("f8")
DTYPES = (("f8", "f8"), ("f8", "i4"), ("f4", "f8"), ("i1", "f8"), ("f8", "?"))
MONOIDS = ("sum", "var", "argmin")
SCANS = (("add", "f8"), ("maximum", "f8"), ("add", "i8"))


def added(dtypes):
    """The sum of two operands as float64, plus a constant."""
    builder = CellBuilder(tuple(map(np.dtype, dtypes)))
    values = [i if kind == "f8" else builder.cast(i, F8) for i, kind in enumerate(dtypes)]
    total = builder.call("add", values, F8)
    return builder.finish(builder.call("add", (total, builder.constant(np.float64(0.5))), F8))


def both(call):
    """What is computed by the interpreter, and by compiled kernels."""
    made = []
    with np.errstate(all="ignore"), however_few():
        for mode in ("off", "wait"):
            with compile_service.mode(mode):
                made.append(call())
    return made


@pytest.mark.parametrize("seed", seeds_of(range(0, 160, 40), 2))
def test_leaves_of_formulas(seed):
    for number in range(seed, seed + 40):
        random = Random(number)
        rank = random.choice([1, 1, 1, 2, 2, 3])
        shape, dtypes = shape_of(random, rank + random.choice([0, 1, 1, 1, 2])), DTYPES[number % 5]
        blocks = [laid_out(random, dtype, shape) for dtype in dtypes]
        monoid, sides = random.choice(MONOIDS), Tree(shape[:rank]).sides(0)
        state, formula = state_of(monoid, "f8"), native(added(dtypes))
        with np.errstate(all="ignore"):
            cells = evaluate(None, *blocks, expression=added(dtypes))
            expected = _leaf_states(cells, ARITHMETIC[monoid], sides, state)
        with compile_service.mode("wait"):
            found = [leaf_states(blocks, monoid, F8, sides, state, formula)]
            several = [formula] * random.choice([1, 2, 5, 11, 20])
            found += column_states(blocks, monoid, F8, sides, state, several) or []
            found += [leaf_states([cells], monoid, F8, sides, state)]
        where = number, monoid, shape, [block.strides for block in blocks]
        assert all(same_states(one, expected) for one in found), where


@pytest.mark.parametrize("seed", range(0, 160, 80))
def test_cells_of_formulas(seed):
    for number in range(seed, seed + 80):
        random = Random(number)
        shape, dtypes = shape_of(random, random.choice([1, 2, 2, 3, 3, 4])), DTYPES[number % 5]
        blocks = [laid_out(random, dtype, shape) for dtype in dtypes]
        interpreted, compiled = both(
            lambda b=blocks, d=dtypes: evaluate(None, *b, expression=added(d))
        )
        assert same_bits(interpreted, compiled), (number, shape, [b.strides for b in blocks])


@pytest.mark.parametrize("seed", range(0, 160, 80))
def test_scans(seed):
    for number in range(seed, seed + 80):
        random = Random(number)
        function, dtype = SCANS[number % 3]
        shape = shape_of(random, random.choice([1, 2, 2, 3]))
        axis, leaf = random.randrange(len(shape)), random.choice([1, 2, 8, 33, 64, 100, 1024, 1500])
        block, state = laid_out(random, dtype, shape), np.dtype(dtype)
        skip = random.randrange(min(shape[axis], leaf)) if random.random() < 0.3 else 0
        how = {"function": function, "axis": axis, "leaf": leaf, "state": state}
        one = {"dtype": state, "skip": skip, **how}
        for call in (
            lambda b=block, o=one: scan.scan(None, b, **o),
            lambda b=block, h=how: scan.leaf_totals(None, b, **h),
            lambda b=block, h=how: scan.leaf_scan(None, b, **h),
        ):
            assert same_bits(*both(call)), (number, shape, block.strides, how)
