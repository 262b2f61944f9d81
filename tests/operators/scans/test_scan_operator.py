import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.scans.scan import scan
from dask_tapestry.operators.tuning import SCAN_LEAF_CELLS
from dask_tapestry.teg import TensorType, apply
from dask_tapestry.zspace import ZRange
from tests.comparisons import same_bits
from tests.operators.blocks import block

RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(500, 3)) * 10.0 ** RANDOM.integers(-8, 8, (500, 3))


def on(x, axis, function):
    """A scan's node and that of its pieces, which takes what is carried as its second input."""
    node = scan(dt.asarray(x).node, function, axis)
    carry = node.operator.turns(node.input_types).carry
    shape = tuple(1 if d == axis else n for d, n in enumerate(x.shape))
    total = dt.zeros(shape, dtype=carry.dtype).node
    return node, apply(carry.operator, *node.inputs, total), np.empty(shape, carry.dtype)


@pytest.mark.covering
@pytest.mark.parametrize("function", ["add", "maximum", "multiply"])
@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i1", "c16", "?"])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("leaves", [1, 3])
def test_pieces_in_order_have_the_bits_of_the_whole(function, dtype, axis, leaves):
    x = np.moveaxis(X.clip(-10, 10).astype(dtype), 0, axis)
    node, piece, total = on(x, axis, function)
    value = np.empty(x.shape, node.type.dtype)
    with np.errstate(all="ignore"):
        for lo in range(0, 500, leaves * SCAN_LEAF_CELLS):
            box = node.type.box.replace(axis, lo, min(lo + leaves * SCAN_LEAF_CELLS, 500))
            value[box.slices()] = block(piece, (x, total), box)
        assert same_bits(value, block(node, (x,), node.type.box))


def test_a_piece_reads_its_own_cells_and_one_of_each_line():
    _, piece, _ = on(X, 0, "add")
    box = ZRange((128, 1), (384, 2))
    assert piece.operator.demand(piece.input_types, box) == (box, ZRange((0, 1), (1, 2)))
    assert piece.operator.granularity(piece.input_types) == (SCAN_LEAF_CELLS, 1)
    assert piece.operator.runs_along == 0


def test_totals_are_carried_with_all_digits():
    half = scan(dt.ones(X.shape, dtype="f2").node, "add", 0)
    assert half.operator.turns(half.input_types).carry.dtype == np.float32
    types = *half.input_types, TensorType((1, 3), np.dtype("f4"))
    carry = half.operator.turns(half.input_types).carry
    assert carry.operator.infer(*types) == half.type
