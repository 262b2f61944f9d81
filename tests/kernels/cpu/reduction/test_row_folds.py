from functools import partial
from itertools import product as product_of

import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder
from dask_tapestry.cells.reduction_tree import Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu.cells.interpreter import evaluate
from dask_tapestry_kernels.cpu.reduction.lane_folds import fold
from dask_tapestry_kernels.cpu.reduction.monoids import ARITHMETIC
from dask_tapestry_kernels.cpu.reduction.row_folds import RowFold, fold_rows, row_states
from dask_tapestry_kernels.fold_part import FoldPart
from tests.comparisons import same_bits

RANDOM = np.random.default_rng(4)
COLUMNS = 70
F4, F8 = np.dtype("f4"), np.dtype("f8")


def product(dtype=F8):
    builder = CellBuilder([dtype, dtype])
    return builder.finish(builder.call("multiply", (0, 1), dtype))


def part(monoid, n, dtype=F8, expression=None):
    value, state = MONOIDS[monoid].dtypes(dtype, None)
    return FoldPart(monoid, (0,), Tree((n,)), (0,), value, state, 0.0, None, None, expression)


def expected(told, cells):
    """Leaf by leaf, of all cells."""
    arithmetic = ARITHMETIC[told.monoid]
    leaves = [cells[start : start + 1024] for start in range(0, len(cells), 1024)]
    return np.stack([arithmetic.leaf(leaf, told.state) for leaf in leaves])


@pytest.mark.parametrize("n", [1, 31, 32, 63, 64, 100, 1024, 1057, 2500])
@pytest.mark.parametrize("columns", [COLUMNS, 3000])
def test_rows_have_the_bits_of_whole_leaves(n, columns):
    x, y = RANDOM.normal(size=(2, n, columns))
    for monoid in ("sum", "mean", "max", "prod", "var", "std"):
        told = part(monoid, n, expression=product())
        (states,) = row_states([x, y], [told])
        assert same_bits(states, expected(told, x * y))


@pytest.mark.parametrize("monoid", ["var", "std"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "i4", "u1"])
def test_spreads_of_cells_as_they_are(monoid, dtype):
    x = RANDOM.integers(0, 99, (1100, COLUMNS)).astype(dtype)
    told = part(monoid, len(x), x.dtype)
    (states,) = row_states([x], [told])
    assert same_bits(states, expected(told, x))


def test_several_formulas_read_the_rows_together():
    x, y = RANDOM.normal(size=(2, 1500, COLUMNS))
    parts = [part(name, 1500, expression=product()) for name in ("sum", "min", "mean")]
    for told, states in zip(parts, row_states([x, y], parts), strict=True):
        assert same_bits(states, expected(told, x * y))


@pytest.mark.parametrize("expression", [None, product()], ids=["cells", "products"])
def test_every_pair_of_folds_reads_the_rows_together(expression):
    """A spread beside a sum, before and after it, reads the rows for itself."""
    x, y = RANDOM.normal(size=(2, 1100, COLUMNS))
    blocks, cells = ([x], x) if expression is None else ([x, y], x * y)
    for names in product_of(("sum", "max", "mean", "var", "std"), repeat=2):
        parts = [part(name, 1100, expression=expression) for name in names]
        for told, states in zip(parts, row_states(blocks, parts), strict=True):
            assert same_bits(states, expected(told, cells)), names


def test_rows_in_a_wider_block_and_one_row_for_all():
    wide = RANDOM.normal(size=(1100, 2 * COLUMNS))
    x, y = wide[:, ::2], np.broadcast_to(wide[0, 1::2], (1100, COLUMNS))
    told = part("std", 1100, expression=product())
    (states,) = row_states([x, y], [told])
    assert same_bits(states, expected(told, x * y))


def test_other_ways_are_left_to_others():
    x = RANDOM.normal(size=(1100, COLUMNS))
    assert row_states([x], [part("sum", 1100)]) is None  # folded where it lies
    assert row_states([np.asfortranarray(x)], [part("var", 1100)]) is None
    assert row_states([x[:, :5]], [part("var", 1100)]) is None
    assert row_states([x], [part("argmax", 1100)]) is None
    assert row_states([x], [part("var", 1100), part("argmax", 1100)]) is None
    assert row_states([x.astype("c16")], [part("var", 1100, np.dtype("c16"))]) is None
    single = part("sum", 1100, expression=product(F4))._replace(state=F8)
    assert row_states([x.astype("f4")] * 2, [single]) is None


def test_rows_are_made_a_strip_at_a_time():
    x = RANDOM.normal(size=(1030, 1100))
    seen = []

    def make(out, *rows):
        seen.append(len(out))
        return evaluate(out, *rows, expression=product())

    (made,) = fold_rows([RowFold(np.add, make, F8)], [x, x])
    assert same_bits(made, fold(np.add, x * x))
    assert sum(seen) == 1030
    assert max(seen) == 32
    narrow = partial(evaluate, expression=product())
    (made,) = fold_rows([RowFold(np.add, narrow, F8)], [x[:, :3], x[:, :3]])
    assert same_bits(made, fold(np.add, x[:, :3] * x[:, :3]))
