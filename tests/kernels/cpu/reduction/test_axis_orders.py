import numpy as np
import pytest

from dask_tapestry.cells import CellBuilder, Tree
from dask_tapestry.operators.reductions.monoids import MONOIDS
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.reduction.axis_orders import (
    kept_axes,
    kept_backwards,
    memory_order,
    widest_first,
)
from tests.comparisons import same_bits

X = np.random.default_rng(3).normal(size=(300, 8, 40))


def reduced(x, name, axes, target):
    result, state = MONOIDS[name].dtypes(x.dtype, None)
    tree = Tree(tuple(x.shape[axis] for axis in axes))
    told = {"monoid": name, "axes": axes, "tree": tree, "origin": (0,) * len(axes), "ddof": 0.0}
    told |= {"dtype": result, "state": state, "source": None, "target": target}
    return KERNELS["reduce"](None, x, **told)


def test_axes_are_ordered_by_memory():
    x = X.transpose(2, 0, 1)
    assert kept_axes([x], (1,)) == [2, 0]
    assert kept_axes([np.broadcast_to(X[0, 0], X.shape), X], (0,)) == [1, 2]
    assert memory_order([x]) == [1, 2, 0]


def test_the_operand_that_moves_along_most_axes_comes_first():
    f8 = np.dtype("f8")
    builder = CellBuilder((f8, f8, f8))
    less = builder.finish(builder.call("subtract", (0, 1), f8))
    weight, row, cells = (np.broadcast_to(x, X.shape) for x in (X[:, :1, :1], X[0, 0], X))
    blocks, (turned,) = widest_first([weight, row, cells], [less])
    assert all(block is one for block, one in zip(blocks, (cells, weight, row), strict=True))
    assert str(turned) == "subtract($1, $2)"
    assert widest_first(given := [cells, weight], [less])[0] is given


def test_axes_run_backwards_where_all_blocks_do():
    x = X[:, ::-1, ::-1]
    assert kept_backwards([x], (0,)) == (1, 2)
    assert kept_backwards([x], (1,)) == (2,)
    assert kept_backwards([x, X], (0,)) == ()
    assert kept_backwards([x, np.broadcast_to(x[:, :1], X.shape)], (0,)) == (1, 2)


@pytest.mark.covering
@pytest.mark.parametrize("name", ["sum", "var", "argmax", "max"])
@pytest.mark.parametrize("axes", [(0,), (1,), (0, 2), (2, 0)])
@pytest.mark.parametrize("target", [None, 0])
def test_columns_backwards_have_the_bits_of_columns_forward(name, axes, target):
    for cut in (np.s_[:, ::-1], np.s_[:, :, ::-1], np.s_[::-1, ::-1, ::-1]):
        forward = np.ascontiguousarray(X[cut])
        backward = np.ascontiguousarray(forward[cut])[cut]
        assert same_bits(
            reduced(backward, name, axes, target), reduced(forward, name, axes, target)
        )
