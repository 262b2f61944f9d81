import pickle
import re

import dask
import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.layers import (
    AliasLayer,
    BarrierLayer,
    EndedLayer,
    FinishLayer,
    GatherLayer,
    PrepareLayer,
    StepLayer,
    SymbolicLayer,
)
from dask_tapestry.zspace import Cuts


@pytest.fixture
def layer():
    """The rechunk step of a plan: 3 x 2 blocks."""
    return dt.ones((6, 4)).rechunk((2, 2)).dask.layers.values().__iter__().__next__()


def test_a_layer_is_not_written_out(layer):
    assert isinstance(layer, StepLayer)
    assert not layer.is_materialized()
    assert len(layer) == 6
    assert "StepLayer" in repr(layer)


def test_its_keys_are_name_and_index(layer):
    keys = [(layer.name, i, j) for i in range(3) for j in range(2)]
    assert list(layer) == keys
    assert layer.get_output_keys() == set(keys)


@pytest.mark.parametrize("index", [(3, 0), (0, 2), (-1, 0), (0,), (0, 0, 0), ("a", 0)])
def test_other_keys_are_not_in_it(layer, index):
    key = (layer.name, *index)
    assert key not in layer
    with pytest.raises(KeyError):
        layer[key]


def test_keys_of_other_layers_are_not_in_it(layer):
    assert ("other", 0, 0) not in layer
    assert layer.name not in layer


def test_a_task_computes_a_block(layer):
    task = layer[layer.name, 2, 1]
    np.testing.assert_array_equal(task({}), np.ones((2, 2)))


def test_it_travels(layer):
    far = pickle.loads(pickle.dumps(layer))
    assert (far.name, far.grid_shape) == (layer.name, layer.grid_shape)
    np.testing.assert_array_equal(far[layer.name, 0, 0]({}), np.ones((2, 2)))


def test_sources_are_marked_as_producers_of_data():
    x = dt.arange(8).rechunk(2)
    layers = (x + x.sum()).rechunk(4).dask.layers.values()
    marks = {layer.name.split("-")[0]: layer[next(iter(layer))].data_producer for layer in layers}
    assert marks["sum"] is False
    (source,) = x.dask.layers.values()
    assert source[next(iter(source))].data_producer


def test_names_are_letters_then_a_digest():
    names = (dt.ones((6, 4)) @ dt.ones((4, 2)) + 1).rechunk(2).sum().dask.layers
    for name in names:
        assert re.fullmatch(r"[a-z]+-[0-9a-f]+", name), name


def test_one_task_group_a_step():
    """Dask's dashboard shows groups of tasks, named by what precedes the digest."""
    x = dt.ones((6, 4)).rechunk(2)
    graph = dict(x.sum().dask)
    groups = {dask.utils.key_split(key) for key in graph}
    assert groups == {"ones", "sum"}


def test_a_gather_takes_blocks_in_order():
    cuts = (Cuts.regular(3, 2),)
    layer = GatherLayer("g", "x", cuts, pickle.loads(pickle.dumps(layer_out())))
    task = layer["g", 0]
    assert task.dependencies == {("x", 0), ("x", 1)}
    blocks = {("x", 0): np.array([1, 2]), ("x", 1): np.array([3])}
    np.testing.assert_array_equal(task(blocks), [1, 2, 3])


def layer_out():
    from dask_tapestry.lower.result_buffer import REMOTE

    return REMOTE


class Steps:
    """A sink that writes down what is done to it."""

    pending = None

    def __init__(self):
        self.done = []

    def prepare(self, type_, run):
        self.done.append("prepare")

    def finish(self):
        self.done.append("finish")


def test_a_store_is_prepared_after_what_must_end_before():
    sink = Steps()
    first = PrepareLayer("p", sink, None, "a run", (), None)
    assert first["p", 0].dependencies == set()
    later = PrepareLayer("p", sink, None, "a run", (("before", 0),), None)
    task = later["p", 0]
    assert task.dependencies == {("before", 0)}
    task({("before", 0): None})
    assert sink.done == ["prepare"]


def test_the_end_of_a_block_holds_no_cells():
    layer = pickle.loads(pickle.dumps(EndedLayer("e", "w", (Cuts.regular(4, 2),))))
    assert list(layer) == [("e", 0), ("e", 1)]
    task = layer["e", 1]
    assert task.dependencies == {("w", 1)}
    assert task({("w", 1): np.ones(2)}) is None


def test_a_store_is_finished_after_all_its_blocks():
    sink = Steps()
    task = FinishLayer("f", "w", (Cuts.regular(4, 2),), sink)["f", 0]
    assert task.dependencies == {("w", 0), ("w", 1)}
    task(dict.fromkeys(task.dependencies))
    assert sink.done == ["finish"]


def test_a_barrier_waits_for_all_it_names():
    task = BarrierLayer("b", (("x", 0), ("y", 0, 1)))["b", 0]
    assert task.dependencies == {("x", 0), ("y", 0, 1)}
    assert task(dict.fromkeys(task.dependencies)) is None


@pytest.mark.parametrize("cls", SymbolicLayer.__subclasses__())
def test_every_layer_pickles_without_its_tasks(cls):
    assert cls.__reduce__ is not object.__reduce__
    assert "is_materialized" not in vars(cls)


def test_an_alias_names_the_blocks_of_another_layer():
    alias = AliasLayer("mine", "theirs", (Cuts.regular(6, 4), Cuts.regular(2, 2)))
    far = pickle.loads(pickle.dumps(alias))
    assert list(far) == [("mine", 0, 0), ("mine", 1, 0)]
    task = far["mine", 1, 0]
    assert (task.key, set(task.dependencies)) == (("mine", 1, 0), {("theirs", 1, 0)})
