import gc

import dask
import dask.array as da
import numpy as np
import pytest
from dask.graph_manipulation import bind, checkpoint, clone, wait_on

import dask_tapestry as dt
from dask_tapestry.lower.result_layout import find_layout, register_layout
from dask_tapestry.zspace import Cuts

CELLS = np.arange(30.0).reshape(6, 5)
CUTS = (Cuts.regular(6, 4), Cuts.regular(5, 5))


def test_a_layout_is_known_while_it_is_held():
    first = register_layout("name", CUTS, "a")
    assert register_layout("name", CUTS, "b") is first
    assert find_layout(["other", "name"], "a") is find_layout(["name"], "b") is first
    assert find_layout(["other"], "a") is None
    assert find_layout(["name"], "c") is None
    del first
    gc.collect()
    assert find_layout(["name"], "a") is None


def arrays():
    """Arrays whose graphs have one layer, several, and layers of other collections."""
    x = dt.asarray(CELLS)
    return {
        "a formula": x + 1,
        "several blocks": (x + 1).rechunk((2, 5)),
        "several steps": x.rechunk((4, 2)) - x.mean(axis=0),
        "a number": x.sum(),
        "of Dask's": dt.from_array(da.from_array(CELLS, chunks=(3, 3)) * 2) - 1,
        "persisted": (x * 3).rechunk((2, 5)).persist(),
        "random": dt.random.default_rng(0).normal(size=(6, 5)).rechunk((4, 3)),
        "no cells": x[:0],
    }


@pytest.fixture(params=list(arrays()))
def x(request):
    with dt.config(block_bytes=64):
        yield arrays()[request.param]


def forget():
    """Lose what other expressions held."""
    gc.collect()


@pytest.mark.parametrize("scheduler", ["sync", "threads"])
def test_clones_have_the_same_value(x, scheduler):
    value = x.compute()
    forget()
    other = clone(x)
    assert other.chunks == x.chunks
    assert other.name != x.name or not x.size
    np.testing.assert_array_equal(other.compute(scheduler=scheduler), value)
    np.testing.assert_array_equal((other + x).compute(scheduler=scheduler), value + value)
    np.testing.assert_array_equal(clone(other).compute(scheduler=scheduler), value)


def test_what_is_bound_comes_after(x):
    value, done = x.compute(), []

    def note(block):
        done.append("late")
        return block

    before = dask.delayed(lambda: done.append("before"))()
    bound = bind(dt.map_blocks(note, x, dtype=x.dtype, meta=np.empty(x.shape, x.dtype)), before)
    np.testing.assert_array_equal(bound.compute(), value)
    if x.size:
        assert "late" not in done[: done.index("before")]
    np.testing.assert_array_equal(bind(x, dt.ones(4)).compute(), value)


def test_what_is_not_cloned_is_shared():
    x = (dt.asarray(CELLS) + 1).rechunk((2, 5)).persist()
    y = clone(x * 2, omit=x)
    assert x.name in y.dask.layers
    np.testing.assert_array_equal(y.compute(), (CELLS + 1) * 2)


@pytest.mark.few(4)  # as unlike as so many can be
def test_waiting_and_checkpoints(x):
    value = x.compute()
    assert checkpoint(x, x + 1).compute() is None
    np.testing.assert_array_equal(wait_on(x).compute(), value)
    first, second = wait_on(x, x + 1)
    np.testing.assert_array_equal((first + second).compute(), value + (value + 1))


def test_optimized_arrays_have_their_values(x):
    value = x.compute()
    (first, second) = dask.optimize(x, x + 1)
    forget()
    np.testing.assert_array_equal(first.compute(), value)
    np.testing.assert_array_equal(second.compute(), value + 1)


@pytest.mark.few(4)  # as unlike as so many can be
def test_persisted_layouts_outlive_any_number_of_plans(x):
    value = x.compute()
    rebuild, state = x.__dask_postpersist__()
    held = x.persist()
    for n in range(20):
        (dt.ones(3) * n).sum().compute()
    forget()
    for kept in (held, held.persist(), dask.persist(held, x + 1)[0]):
        assert kept.chunks == held.chunks
        np.testing.assert_array_equal(kept.compute(), value)
    keys = list(dask.core.flatten(x.__dask_keys__()))
    graph = dict(zip(keys, dask.get(x.__dask_graph__(), keys), strict=True))
    forget()
    np.testing.assert_array_equal(rebuild(graph, *state).compute(), value)


def test_a_graph_without_its_blocks_is_refused():
    rebuild, state = dt.ones(3).__dask_postpersist__()
    with pytest.raises(dt.PlanError, match="no layer"):
        rebuild({("other", 0): 1}, *state)


def test_effects_are_bound_and_held(tmp_path):
    done = []
    before = dask.delayed(lambda: done.append("before"))()
    write = dt.to_zarr(dt.ones(3), tmp_path / "x", compute=False)
    bind(write, before).compute()
    assert done == ["before"]
    assert dt.from_zarr(tmp_path / "x").sum().compute() == 3
    held = dt.to_zarr(dt.ones(3), tmp_path / "y", compute=False).persist()
    dt.to_zarr(dt.zeros(3), tmp_path / "y", overwrite=True)
    dt.to_zarr(dt.ones(2), tmp_path / "z", after=[held])
    assert dt.from_zarr(tmp_path / "y").sum().compute() == 0
    clone(dt.to_zarr(dt.ones(3), tmp_path / "w", compute=False)).compute()
    wait_on(dt.to_zarr(dt.ones(3), tmp_path / "v", compute=False)).compute()
    assert checkpoint(held).compute() is None
    assert {"w", "v"} <= {path.name for path in tmp_path.iterdir()}
