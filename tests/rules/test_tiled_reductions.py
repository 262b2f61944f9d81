import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.reductions.tiled_reductions import TiledReductions
from dask_tapestry.rules.joint_reductions import join_reductions
from dask_tapestry.rules.tiled_reductions import in_one_pass, reductions_of_shared_cells
from dask_tapestry.teg import Graph

SHAPE = (6000, 4000)


@pytest.fixture
def x():
    return dt.placeholder(SHAPE, "f8", stored_chunks=(2000, 2000))


@pytest.fixture
def y():
    return dt.placeholder(SHAPE, "f8", stored_chunks=(500, 2000))


def together(*arrays):
    """How many reductions share each pass that there may be."""
    graph = join_reductions(Graph([a.node for a in arrays]))
    return sorted(len(group) for group in reductions_of_shared_cells(graph))


def test_what_a_pass_becomes(x):
    graph = Graph([x.mean(0).node, x.max().node])
    (group,) = reductions_of_shared_cells(graph)
    done = in_one_pass(group)
    assert str(Graph([done[node] for node in group])).splitlines()[1:] == [
        "%1 = tiledreductions(%0) : (f0 float64[2000], f1 float64)[3, 2]  "
        "# mean of float64(%0), axes=(0,), to level 0; max of float64(%0), axes=(0, 1), to level 0",
        "%2 = output(%1, f0) : float64[3, 4000]",
        "%3 = reduce(%2, mean, axes=(0,), from level 0) : float64[4000]",
        "%4 = output(%1, f1) : float64[3, 2]",
        "%5 = reduce(%4, max, axes=(0, 1), from level 0) : float64[]",
        "return %3, %5",
    ]


def test_cells_beyond_the_array_are_read_by_none():
    x = dt.placeholder((5500, 4000), "f8", stored_chunks=(1000, 1000))[300:]
    group = (x.sum(0).node, x.mean(1).node)
    values = in_one_pass(group)
    (nodes,) = values[group[1]].inputs
    assert nodes.operator.name == "view"
    assert (nodes.inputs[0].type.shape, nodes.type.shape) == ((6000, 2), (5200, 2))


def test_reductions_of_shared_cells(x, y):
    assert together(x.sum(0), x.sum(1)) == [2]
    assert together((x * y).sum(1), x.mean(0), dt.sqrt(y).argmax(axis=1), x.max()) == [4]
    assert together((x * np.arange(4000.0)).sum(1), x.max(0)) == [2]
    assert together(x.mean(0), x.std(0), x.mean(1)) == [2]  # two are joined before
    assert together(x.sum(0), y.sum(1)) == []
    assert together(x.sum(0), x.mean(0)) == []


def test_what_needs_another_is_in_another_pass(x):
    centred = x - x.mean(0)
    assert together(centred.max(1), x.mean(0)) == []
    assert together(x.mean(0), x.sum(), centred.max(1), centred.min()) == [2, 2]


def test_cells_in_memory_are_folded_one_reduction_after_the_other():
    x = dt.asarray(np.ones((60, 40)))
    assert together(x.sum(0), x.sum(1)) == []
    assert together((x * 2).sum(0), (x + 1).sum(1)) == []


def test_cells_that_are_drawn_are_drawn_once():
    x = dt.random.default_rng(0).normal(size=SHAPE)
    assert together(x.sum(0), x.sum(1)) == [2]


def test_cells_of_other_kinds_and_extents_are_not():
    objects = dt.placeholder((60, 40), "O")
    assert together(objects.sum(0), objects.sum(1)) == []
    x = dt.placeholder((60, 0), "f8")
    assert together(x.sum(0), x.sum(1)) == []
    x = dt.placeholder((60, 40), "f8", stored_chunks=(10, 10))
    assert together(x[1:].sum(0), x.sum(1)) == []


def test_what_is_annotated_otherwise_is_not(x):
    with dask.annotate(workers=["a"]):
        one = x.sum(0)
    with dask.annotate(workers=["b"]):
        other = x.sum(1)
    assert together(one, other) == []


def test_nodes_that_do_not_end_together_are_in_several_passes():
    x = dt.placeholder((10**8, 30), "f8", stored_chunks=(1009, 30))
    y = dt.placeholder((10**8, 30), "f8", stored_chunks=(1013, 30))
    assert together(*[f for z in (x, y) for f in (z.sum(0), z.sum(1), z.max())]) == [3, 3]


def test_the_pass_has_the_lines_of_all(x):
    group = (x.mean(0).node, x.max().node)
    value = in_one_pass(group)[group[0]]
    tiles = value.inputs[0].inputs[0]
    assert isinstance(tiles.operator, TiledReductions)
    assert tiles.line.word == "mean, max"
    assert value.line.word == "mean"


def test_tiles_are_longer_where_few_bytes_are_read_for_a_cell():
    def cells_along_time(dtype):
        x = dt.placeholder((1000, 512, 512), dtype, stored_chunks=(10, 512, 512))
        deviations = x.astype("f8") - dt.placeholder((512, 512), "f8")
        (group,) = reductions_of_shared_cells(
            Graph([deviations.std(0).node, (deviations > 1).sum((1, 2)).node])
        )
        tiles = next(iter(in_one_pass(group).values()))
        while not isinstance(tiles.operator, TiledReductions):
            (tiles,) = tiles.inputs
        return tiles.operator.tile.sides[0]

    assert cells_along_time("u1") > cells_along_time("u2") > cells_along_time("f8")
