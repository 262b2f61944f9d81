from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.cells import selected_by
from dask_tapestry.operators.reductions import common_tile
from dask_tapestry.operators.reductions.joint_reductions import JointReductions
from dask_tapestry.operators.reductions.tiled_reductions import (
    TiledReductions,
    reduced_further,
    tiled_reductions,
)
from dask_tapestry.teg import apply
from dask_tapestry.teg.outputs import windows_of
from dask_tapestry.zspace import Cuts, ZRange
from tests.comparisons import same_bits
from tests.operators.blocks import block

RANDOM = np.random.default_rng(4)
X = RANDOM.normal(size=(130, 75)) * 10.0 ** RANDOM.integers(-5, 5, (130, 75))
CHUNKS = (4, 10)


@pytest.fixture
def x(tmp_path, small_lattices):
    dt.to_zarr(dt.asarray(X), tmp_path / "x", chunks=CHUNKS)
    return dt.from_zarr(tmp_path / "x")


def of_several(x):
    return [x.mean(0), x.std(1), x.max(), x.argmin(axis=1), x.sum()]


def passed(arrays):
    """The pass of some reductions of one array, and the reductions."""
    nodes = [a.node for a in arrays]
    whole = [node.operator for node in nodes]
    return apply(tiled_reductions(whole, nodes[0].input_types, 8), *nodes[0].inputs), whole


def in_blocks(node, cells, step):
    """The outputs of a pass, computed in blocks of `step` tiles along each axis."""
    found = None
    cuts = [Cuts.regular(n, step) for n in node.type.shape]
    for place in product(*[range(c.count) for c in cuts]):
        spans = [c.block(i) for c, i in zip(cuts, place, strict=True)]
        box = ZRange([a for a, _ in spans], [b for _, b in spans])
        made = block(node, (cells,), box)
        assert made.shape == box.shape
        assert made.nbytes == box.size * node.type.dtype.itemsize
        found = made.like(node.type.shape) if found is None else found
        found[box.slices()] = made
    return found


@pytest.mark.few(3)  # as unlike as so many can be
@pytest.mark.covering
@pytest.mark.parametrize("step", [1, 2, 100])
@pytest.mark.parametrize("begun", [0, 7])
@pytest.mark.parametrize("share", [1 / 4, 1 / 16])
def test_the_rest_of_each_tree_has_the_bits_of_the_reduction_alone(
    x, step, begun, share, monkeypatch
):
    monkeypatch.setattr(common_tile, "NODES_OF_TILE_SHARE", share)
    arrays = of_several(x[begun:, begun:])
    together, whole = passed(arrays)
    made = in_blocks(together, X[begun:, begun:], step)
    for name, operator, array in zip(together.operator.names, whole, arrays, strict=True):
        rest = reduced_further(together, name, operator, None)
        nodes = made[name]
        if rest.inputs[0].operator.name == "view":
            nodes = block(rest.inputs[0], (nodes,), rest.inputs[0].type.box)
        value = block(rest, (nodes,), rest.type.box)
        assert same_bits(value, array.compute())


@pytest.mark.parametrize("step", [1, 2, 100])
def test_selected_cells_are_folded_beside_all(x, step):
    mask = np.arange(130) % 24 < 5  # tiles without any, and tiles with some
    mean, spread = (selecting(a.node, mask) for a in (x.mean(0), x.std(0)))
    folds = [JointReductions((mean, spread)), mean, x.sum(1).node.operator]
    together = apply(tiled_reductions(folds, (x.node.type,), 8), x.node)
    made = in_blocks(together, X, step)
    for name, operator in zip(together.operator.names, folds, strict=True):
        rest = reduced_further(together, name, operator, None)
        value = block(rest, (made[name],), rest.type.box)
        whole = apply(operator, x.node)
        assert same_bits(value, block(whole, (X,), whole.type.box))
    np.testing.assert_allclose(mean.reference(X), X[mask].mean(0))


def selecting(node, mask):
    """A reduction that folds the cells of a mask alone."""
    whole = node.operator
    return replace(whole, tree=replace(whole.tree, selected=selected_by(mask, 0)))


def test_a_point_is_what_a_tile_writes(x):
    together, _ = passed([x.mean(0), x.sum(1), x.max()])
    assert together.operator.tile.sides == (8, 20)  # two chunks are a node
    assert str(together.type) == "(f0 float64[20], f1 float64[8], f2 float64)[17, 4]"
    assert together.operator.demand(together.input_types, ZRange((15, 1), (17, 4))) == (
        ZRange((120, 20), (130, 75)),
    )


def test_tiles_are_longer_where_nodes_take_nearly_as_much_as_cells(x, monkeypatch):
    monkeypatch.setattr(common_tile, "NODES_OF_TILE_SHARE", 1 / 16)
    together, _ = passed([x.mean(0), x.sum(1), x.max()])
    assert together.operator.tile.sides == (32, 40)
    assert together.type.dtype.itemsize < 32 * 40 * X.itemsize / 16


def test_some_outputs_may_be_kept(x):
    together, _ = passed([x.mean(0), x.sum(1), x.max()])
    some = together.operator.keeping({"f2", "f0"})
    assert some.names == ("f0", "f2")
    names = [w.name for w in windows_of(some.infer(*together.input_types))]
    assert names == ["f0", "f2"]
    assert (some.called, together.operator.called) == ("mean-max", "mean-sum-max")


def test_costs_are_of_all_cells_read_by_each(x):
    together, _ = passed([x.var(0), x.sum(1)])
    types, box = together.input_types, together.type.box
    assert together.operator.flops(types, box) == 2 * X.size
    one = together.operator.keeping({"f0"})
    assert 0 < one.scratch_bytes(types, box) <= together.operator.scratch_bytes(types, box)


def test_there_is_none_where_nodes_do_not_end_together():
    x = dt.placeholder((10**8, 3), "f8", stored_chunks=(1009, 3))
    y = dt.placeholder((10**8, 3), "f8", stored_chunks=(1013, 3))
    assert (
        tiled_reductions([x.sum(0).node.operator, y.max(0).node.operator], (x.node.type,), 8)
        is None
    )
    assert isinstance(
        tiled_reductions([x.sum(0).node.operator] * 2, (x.node.type,), 8), TiledReductions
    )
