"""Effects that outlive what followed them."""

import gc
from weakref import ref

import dask
import numpy as np
import pytest
import zarr

import dask_tapestry as dt
from dask_tapestry.planner.build import build_plan
from dask_tapestry.rules.effects import (
    effects_of,
    followed_points,
    followers,
    following,
    keep_effects,
    replaced,
)
from dask_tapestry.teg import Graph
from dask_tapestry.teg.check import check

CELLS = np.arange(12.0)


@dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
def same(x):
    """Its input."""
    return x


@pytest.fixture
def path(tmp_path):
    return tmp_path / "written"


@pytest.fixture
def y(path):
    """A value that follows a write."""
    return same(dt.asarray(CELLS), after=[dt.to_zarr(dt.ones(4), path, chunks=2, compute=False)])


def assigned(x, key, value):
    """`x` as a new value after an assignment."""
    made = x.copy()
    made[key] = value
    return made


NOTHING_READ = {
    "no cell": lambda y: y[:0],
    "a number of no cell": lambda y: y[:0].sum(),
    "another choice": lambda y: dt.where(False, y, 0),
    "the edge of a pad": lambda y: dt.pad(y, 3)[:2],
    "another part of a stack": lambda y: dt.stack([y, dt.ones(12)])[1],
    "another part of a concat": lambda y: dt.concatenate([dt.asarray(CELLS), y])[:12] + 1,
    "what is laid out": lambda y: y[:0].rechunk(5),
    "what follows in turn": lambda y: same(dt.ones(3), after=[same(y[:0], after=[y])])[:0],
    "a sink": lambda y: dt.to_zarr(y[:0], zarr.storage.MemoryStore(), compute=False),
    "all cells assigned": lambda y: assigned(y, slice(None), 3),
    "all cells assigned from memory": lambda y: assigned(y, slice(None), CELLS),
    "all cells assigned backwards": lambda y: assigned(y, slice(None, None, -1), CELLS),
    "no cells assigned": lambda y: assigned(dt.ones(12), slice(2, 2), y[:0]),
    "no cells assigned in memory": lambda y: assigned(dt.asarray(CELLS), slice(2, 2), y[:0]),
    "the imaginary part": lambda y: y.imag,
    "a sequence point": lambda y: dt.sequence_point(y[:0]),
    "whether any of no cells": lambda y: same(dt.zeros(0), after=[y]).any(),
    "the sum of no cells": lambda y: same(dt.zeros(0), after=[y]).reshape(3, 0).sum(axis=1),
    "a product over no cells": lambda y: (
        same(dt.zeros(0), after=[y]).reshape(3, 0) @ dt.zeros((0, 2))
    ),
    "no cells beside others": lambda y: dt.concatenate([same(dt.zeros(0), after=[y]), CELLS]),
    "no cells on the way": lambda y: (same(dt.zeros(0), after=[y]) * 2).sum() + 1,
    "padded no cells": lambda y: dt.pad(same(dt.zeros(0), after=[y]), 2),
}


@pytest.mark.few(11)  # as unlike as so many can be
@pytest.mark.parametrize("read", NOTHING_READ)
@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_a_write_is_done_though_no_cell_that_follows_it_is_read(y, path, read, scheduler):
    x = NOTHING_READ[read](y)
    found = x.compute(scheduler=scheduler)
    np.testing.assert_array_equal(zarr.open_array(path)[...], np.ones(4))
    if isinstance(x, dt.Array):
        np.testing.assert_array_equal(found, NOTHING_READ[read](dt.asarray(CELLS)).compute())


@pytest.mark.parametrize("read", NOTHING_READ)
def test_the_planned_graph_is_legal(y, read):
    check(build_plan([NOTHING_READ[read](y).node]).graph)


def test_a_write_is_done_by_each_way_to_compute(y, path):
    ways = [
        lambda x: dask.compute(dt.ones(3), x),
        lambda x: dt.compute(x, dt.ones(3).sum()),
        lambda x: dask.persist(x),
        lambda x: dt.plan(x).compute(),
        lambda x: dask.compute(*x.to_delayed()),
        lambda x: dask.compute(x.to_dask_array()),
    ]
    for number, way in enumerate(ways):
        place = path.with_name(f"{number}")
        way(same(CELLS, after=[dt.to_zarr(dt.ones(4), place, compute=False)])[:0])
        np.testing.assert_array_equal(zarr.open_array(place)[...], np.ones(4))


def test_each_result_does_what_it_led_to_alone(y, path):
    other = dt.asarray(CELLS) + 1
    plan = build_plan([other.node, y[:0].node])
    assert not plan.graph.roots[0].after
    assert len(plan.graph.roots[1].after) == 1


def test_what_is_still_reached_is_not_followed_twice(y):
    graph = Graph([y.node])
    points = followed_points(graph)
    assert points == y.node.after
    assert keep_effects(graph, points, Graph([y.node, *points])) == graph


def test_a_graph_without_effects_stays_as_it_is():
    graph = (dt.ones(3) + 1).teg
    assert not followed_points(graph)
    assert keep_effects(graph, (), graph) is graph


def test_what_takes_the_place_of_others_follows_what_they_followed(y):
    zeros, plain = dt.zeros(3).node, dt.arange(3).node
    assert following(zeros, [plain]) is zeros
    assert following(zeros, []) is zeros
    assert following(y.node, [(y + 1).node]) is y.node
    now = following(zeros, [plain, (y + 1).node])
    assert now.operator == zeros.operator
    assert now.after == y.node.after


def test_writes_that_were_looked_at_can_go(path):
    def looked_at():
        sink = dt.to_zarr(dt.ones(12) + 3, path, compute=False).node
        assert effects_of([sink]) == {sink}
        return ref(sink)

    sink = looked_at()
    gc.collect()
    assert sink() is None


def test_tensors_that_follow_effects_are_found_and_replaced(y):
    value, plain = (y[:4] * 2 + dt.ones(4)).node, dt.arange(12.0).node
    effects = effects_of([y.node])
    assert len(effects) == 1
    assert not effects_of([plain])
    assert followers(value, effects, ()) == (y.node,)
    assert followers(value, effects, [y.node]) == ()
    assert followers(value, (), ()) == ()
    assert replaced(value, {y.node: plain}) is (dt.arange(12.0)[:4] * 2 + dt.ones(4)).node
