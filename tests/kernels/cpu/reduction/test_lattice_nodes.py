from math import prod

import numpy as np
import pytest

from dask_tapestry.cells import Tree
from dask_tapestry.cells.lattice import Lattice
from dask_tapestry_kernels.cpu import KERNELS
from dask_tapestry_kernels.cpu.jit import compile_service
from dask_tapestry_kernels.cpu.reduction import lattice_nodes
from dask_tapestry_kernels.cpu.reduction.lattice_nodes import (
    cells_by_size,
    memory_order,
    side_by_side,
)

RANDOM = np.random.default_rng(23)
X = RANDOM.normal(size=(130, 70, 9))
VARIANCE = [("mean", "f8"), ("m2", "f8")]
STATES = {"sum": "f8", "mean": "f8", "max": "f8", "var": VARIANCE}
LATTICES = [
    ((0,), Lattice((40,), (-15,))),
    ((1,), Lattice((16,), (0,))),
    ((2,), Lattice((4,), (-1,))),
    ((0, 1), Lattice((40, 16), (-7, -3))),
    ((0, 1), Lattice((130, 10), (0, 0))),
    ((2, 0), Lattice((2, 50), (0, -49))),
]


def folded(x, axes, tree, monoid, origin=None, target=None):
    return KERNELS["reduce"](
        None,
        x,
        monoid=monoid,
        axes=axes,
        tree=tree,
        origin=origin or (0,) * len(axes),
        dtype=np.dtype("f8"),
        state=np.dtype(STATES[monoid]),
        ddof=0.0,
        source=None,
        target=target,
    )


@pytest.mark.covering
@pytest.mark.parametrize("mode", ["wait", "off"])
@pytest.mark.parametrize("monoid", STATES)
@pytest.mark.parametrize(("axes", "lattice"), LATTICES)
def test_cells_at_once_have_the_bits_of_cells_one_by_one(axes, lattice, monoid, mode, monkeypatch):
    tree = Tree(tuple(X.shape[axis] for axis in axes), 64, lattice)
    blocks = [X, np.asfortranarray(X), np.broadcast_to(X[:, :, :1], X.shape)]
    for target in (None, 0, 1):
        for x in blocks:
            with compile_service.mode(mode):
                monkeypatch.setattr(lattice_nodes, "AT_ONCE", 2**30)
                together = folded(x, axes, tree, monoid, target=target)
                monkeypatch.setattr(lattice_nodes, "AT_ONCE", 0)
                apart = folded(x, axes, tree, monoid, target=target)
            assert together.tobytes() == apart.tobytes()


def test_a_shard_yields_the_nodes_it_owns():
    tree = Tree((130, 70), 64, Lattice((40, 16), (-7, -3)))
    whole = folded(X, (0, 1), tree, "sum", target=0)
    part = folded(X[33:113, 13:61], (0, 1), tree, "sum", origin=(33, 13), target=0)
    assert part.tobytes() == whole[1:3, 1:4].tobytes()


@pytest.mark.parametrize("offset", [0, -3])
@pytest.mark.parametrize("extent", [1, 9, 10, 11, 47])
def test_alike_cells_cover_a_block(extent, offset):
    tree = Tree((extent, 7), 64, Lattice((10, 3), (offset, 0)))
    groups = list(cells_by_size(tree, (0, 0), (extent, 7)))
    counts = np.zeros((extent, 7), int)
    for group in groups:
        cells = side_by_side(counts, group)
        assert cells.shape[:2] == group.sides
        cells += 1
    assert (counts == 1).all()
    cells = sum(prod(p.stop - p.start for p in group.places) for group in groups)
    assert cells == prod(tree.counts(0))
    assert len(groups) <= 6


def test_columns_come_in_the_order_of_memory():
    x = np.zeros((2, 3, 4)).transpose(1, 2, 0)
    assert memory_order(x, 1) == (0, 2, 1)
    assert memory_order(x, 0) == (2, 0, 1)
