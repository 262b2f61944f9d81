"""Effects: writes, and their order."""

from dataclasses import dataclass

import dask
import dask.array as da
import numpy as np
import pytest
import zarr
from dask.base import is_dask_collection

import dask_tapestry as dt
from dask_tapestry.arrays.core.effect import Effect
from dask_tapestry.lower.layers import BarrierLayer, EndedLayer
from dask_tapestry.teg import Sink, apply, sequence_point

LOG = []


@dataclass(frozen=True)
class Logged(Sink):
    """A sink that writes down what is done to it."""

    name = "log"
    mark: str

    @property
    def chunks(self):
        return (1,)

    def prepare(self, type_, run):
        LOG.append((self.mark, "prepare"))

    def write(self, box, block):
        LOG.append((self.mark, "write"))

    def finish(self):
        LOG.append((self.mark, "finish"))


def logged(label, x, *after):
    """An effect that logs, after others."""
    points = tuple(
        sequence_point(a.node) if not a.node.is_sequence_point else a.node for a in after
    )
    return Effect(apply(Logged(label), x.node, after=points))


@pytest.fixture(autouse=True)
def _empty_log():
    LOG.clear()


def spans():
    """First and last entry of each label in the log."""
    labels = [label for label, _ in LOG]
    last = {label: i for i, label in enumerate(labels)}
    return {label: (labels.index(label), last[label]) for label in last}


SCHEDULERS = ["sync", "threads"]


def test_an_effect_is_a_collection_without_a_value():
    effect = logged("a", dt.ones(3))
    assert is_dask_collection(effect)
    assert effect.compute() is None
    assert dask.compute(effect, dt.ones(2).sum()) == (None, 2.0)
    assert "log" in repr(effect)
    assert "log" in str(effect.teg)


def test_a_store_is_prepared_written_and_finished():
    with dt.config(block_bytes=8):
        logged("a", dt.asarray(np.arange(5)) + 1).compute(scheduler="threads")
    steps = [step for _, step in LOG]
    assert steps[0] == "prepare"
    assert steps[-1] == "finish"
    assert steps[1:-1] == ["write"] * (len(steps) - 2)
    assert len(steps) > 4


@pytest.mark.parametrize("scheduler", SCHEDULERS)
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_after_orders_two_writes(scheduler, order):
    x = dt.arange(6).rechunk(2)
    first = logged("first", x)
    second = logged("second", x + 1, dt.sequence_point(first))
    asked = {"ab": (first, second), "ba": (second, first)}[order]
    dask.compute(*asked, scheduler=scheduler)
    found = spans()
    assert found["first"][1] < found["second"][0]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_what_comes_before_is_done_though_only_the_last_is_asked_for(scheduler):
    first = logged("first", dt.arange(4))
    middle = logged("middle", dt.arange(4) * 2, first)
    last = logged("last", dt.arange(4) + 1, dt.sequence_point(middle))
    last.compute(scheduler=scheduler)
    found = spans()
    assert found["first"][1] < found["middle"][0]
    assert found["middle"][1] < found["last"][0]


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_a_point_waits_for_all_it_names(scheduler):
    x = dt.arange(6)
    several = [logged(f"before {i}", x + i) for i in range(4)]
    last = logged("last", x, dt.sequence_point(*several))
    dt.compute(last, x.sum(), scheduler=scheduler)
    found = spans()
    assert len(found) == 5
    assert max(end for label, (_, end) in found.items() if label != "last") < found["last"][0]


def test_a_point_alone_does_what_it_names():
    dt.sequence_point(logged("a", dt.ones(2)), logged("b", dt.ones(3))).compute()
    assert set(spans()) == {"a", "b"}


def test_points_can_be_chained():
    first = logged("first", dt.ones(2))
    point = dt.sequence_point(dt.sequence_point(first))
    logged("last", dt.ones(2), point).compute()
    assert spans()["first"][1] < spans()["last"][0]


def test_shared_work_does_not_break_the_order():
    x = (dt.arange(10).rechunk(3) * 2).sum()
    y = dt.broadcast_to(x, (4,)) + dt.arange(4)
    first = logged("first", y)
    dask.compute(logged("second", y + 1, first), first, y)
    assert spans()["first"][1] < spans()["second"][0]


def test_a_read_of_what_was_written_before(tmp_path):
    first = dt.to_zarr(dt.arange(4), tmp_path / "a", compute=False)
    second = dt.to_zarr(
        dt.arange(5), tmp_path / "b", compute=False, after=[dt.sequence_point(first)]
    )
    third = dt.to_zarr(dt.arange(6), tmp_path / "c", compute=False, after=[second])
    assert not list(tmp_path.iterdir())
    third.compute()
    sizes = [zarr.open_array(tmp_path / name).shape for name in "abc"]
    assert sizes == [(4,), (5,), (6,)]


def test_a_failed_write_stops_what_follows():
    class Failing:
        shape, dtype = (3,), np.dtype("f8")

        def __getitem__(self, key):
            raise OSError("on fire")

    first = logged("first", dt.from_array(Failing()))
    second = logged("second", dt.ones(3), first)
    with pytest.raises(OSError, match="on fire"):
        dask.compute(second, scheduler="sync")
    assert "second" not in spans()
    assert ("first", "finish") not in LOG


def test_a_write_can_be_persisted():
    done = logged("a", dt.ones(3)).persist()
    assert isinstance(done, Effect)
    assert [step for _, step in LOG] == ["prepare", "write", "finish"]


def test_each_compute_writes_again():
    effect = logged("a", dt.ones(3))
    effect.compute()
    effect.compute()
    assert LOG.count(("a", "finish")) == 2


@dt.block_operator(index={"i": "parallel"}, inputs={"x": "i"}, outputs={"z": "i"})
def noted(x):
    """Its input; it writes down that it was called."""
    LOG.append(("noted", "call"))
    return x


CELLS = np.arange(12.0)
FOLLOWED = {
    "a formula": lambda: dt.arange(12.0) * 2,
    "an array in memory": lambda: dt.asarray(CELLS),
    "a stored array": lambda: dt.from_zarr(zarr.array(CELLS, chunks=(5,))),
    "an array of Dask's": lambda: dt.from_array(da.ones(12, chunks=5)),
    "a persisted array": lambda: dt.arange(12.0).rechunk(5).persist(),
    "a random field": lambda: dt.random.default_rng(0).normal(size=12),
    "cells of a mask": lambda: (lambda x: x[x > 3])(dt.arange(12.0)),
    "a sum": lambda: dt.arange(12.0).sum(),
    "a sort": lambda: dt.sort(dt.asarray(CELLS)[::-1]),
    "a part": lambda: noted(dt.arange(12.0))[2:7],
    "no cells": lambda: dt.ones((0, 3)),
}


@pytest.mark.few(6)  # as unlike as so many can be
@pytest.mark.parametrize("kind", FOLLOWED)
@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_any_array_can_be_followed(kind, scheduler):
    x = FOLLOWED[kind]()
    with dt.config(block_bytes=32):
        for after in ([x], [dt.sequence_point(x)], [dt.sequence_point(x, dt.ones(3)), x]):
            y = noted(dt.asarray(CELLS), after=after)
            np.testing.assert_array_equal(y[2:].compute(scheduler=scheduler), CELLS[2:])
            np.testing.assert_array_equal((y + y[::-1]).compute(scheduler=scheduler), [11.0] * 12)
            logged("last", dt.asarray(CELLS), *after).compute(scheduler=scheduler)
        dt.sequence_point(x).compute(scheduler=scheduler)


@pytest.mark.parametrize("scheduler", SCHEDULERS)
def test_an_array_is_computed_wholly_before_what_follows_it(scheduler):
    x = noted(dt.asarray(CELLS).rechunk(3)).rechunk(3)
    follower = logged("last", dt.ones(4), x)
    LOG.clear()  # of the call that tells its dtype
    with dt.config(block_bytes=24):
        dt.compute(x[:2], follower, scheduler=scheduler)
    calls = [i for i, (label, _) in enumerate(LOG) if label == "noted"]
    assert calls
    assert max(calls) < spans()["last"][0]
    assert len([one for one in LOG if one == ("noted", "call")]) >= 4


def test_sinks_follow_arrays(tmp_path):
    x = noted(dt.asarray(CELLS))
    target = np.zeros(12)
    LOG.clear()
    dt.to_zarr(dt.ones(3), tmp_path / "x", after=[x])
    dt.store(dt.ones(12), target, after=[x * 2])
    assert len(LOG) >= 2
    assert target.sum() == 12


def test_no_block_that_is_waited_for_has_to_travel():
    x = dt.ones((6, 4)).rechunk((2, 2))
    graph = dt.sequence_point(x).__dask_graph__()
    (barrier,) = [layer for layer in graph.layers.values() if isinstance(layer, BarrierLayer)]
    ended = {key[0] for key in barrier[barrier.name, 0].dependencies}
    assert [type(graph.layers[name]) for name in ended] == [EndedLayer]


@pytest.mark.parametrize("wrong", [3, "x", None, np.ones(3)])
def test_other_things_cannot_be_followed(wrong, tmp_path):
    with pytest.raises(TypeError, match="after= takes arrays, sinks and sequence points"):
        dt.sequence_point(wrong)
    with pytest.raises(TypeError, match="after= takes"):
        dt.to_zarr(dt.ones(3), tmp_path / "x", after=[wrong])


@pytest.mark.parametrize("way", ["persist", "graph"])
def test_a_sink_that_is_done_again_writes_what_is_there_now(tmp_path, way):
    cells = np.ones(4)
    write = dt.to_zarr(dt.asarray(cells) + 1, tmp_path / "x", overwrite=True, compute=False)
    for value in (1, 5):
        cells[:] = value
        if way == "persist":
            write.persist(scheduler="sync")
        else:
            graph = dt.plan(write).graph()
            dask.get(graph, next(k for k in graph if "finish" in k[0]))
        assert zarr.open_array(tmp_path / "x")[...].tolist() == [value + 1] * 4
