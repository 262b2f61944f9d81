import pickle

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.materialize import materialize
from dask_tapestry.lower.slices import SliceLayer, take_slice

TWO = dt.Resources(workers=2, threads=1, memory="2 GiB")


def test_a_slice_owns_its_cells():
    block = np.arange(12.0).reshape(3, 4)
    cut = take_slice(block, (slice(1, 2), slice(0, 3)), (3, 4))
    np.testing.assert_array_equal(cut, block[1:2, :3])
    assert cut.base is None
    with pytest.raises(dt.ShapeError, match=r"shape \(3, 4\) is given where .* tell of \(2, 4\)"):
        take_slice(block, (slice(1, 2), slice(0, 3)), (2, 4))


@pytest.fixture
def transposed():
    """A value whose blocks each need a part of every block of another."""
    x = dt.asarray(np.arange(1_000_000.0).reshape(1000, 1000)).rechunk((500, -1))
    y = (x.T + 1).rechunk((500, -1))
    return y, dt.plan(y, resources=TWO)


def test_slices_are_tasks_of_their_own_and_the_value_is_the_same(transposed):
    _, plan = transposed
    lowered = Lowering(plan.core, None).lower(final=False)
    keys = [key for row in lowered.keys[0] for key in row]
    tasks = materialize(lowered.graph, keys)
    cut = [key for key in tasks if "-slice-" in key[0]]
    assert cut
    values = {}
    for key in sorted(tasks, key=lambda k: bool(tasks[k].dependencies)):
        if tasks[key].dependencies <= values.keys():
            values[key] = tasks[key](values)
    done = plan.compute(scheduler="sync")
    cells = np.arange(1_000_000.0).reshape(1000, 1000)
    np.testing.assert_array_equal(done, cells.T + 1)
    assert {values[key].shape for key in cut} == {(500, 500)}
    assert all(values[key].base is None for key in cut)


def test_a_layer_lists_its_slices_and_pickles_small(transposed):
    lowered = Lowering(transposed[1].core, None).lower(final=False)
    layers = [x for x in lowered.graph.layers.values() if isinstance(x, SliceLayer)]
    listed = {key for layer in layers for key in layer}
    assert listed
    for layer in layers:
        again = pickle.loads(pickle.dumps(layer))
        assert list(again) == list(layer)
        assert len(layer) == len(list(layer))
        with pytest.raises(KeyError):
            layer[("other", 0)]


def test_keys_outside_a_layer_are_not_in_it(transposed):
    lowered = Lowering(transposed[1].core, None).lower(final=False)
    layer = next(x for x in lowered.graph.layers.values() if isinstance(x, SliceLayer))
    name, *index = next(iter(layer))
    assert (name, *index) in layer
    assert (name, 99, *index[1:]) not in layer
    assert (name, *index[:-1]) not in layer


def test_a_layer_is_listed_once_for_all_lengths(transposed):
    lowered = Lowering(transposed[1].core, None).lower(final=False)
    layer = next(x for x in lowered.graph.layers.values() if isinstance(x, SliceLayer))
    assert len(layer) == len(set(layer))
    type(layer).__iter__, kept = None, type(layer).__iter__
    try:
        assert layer.grid_shape == (len(layer),)
    finally:
        type(layer).__iter__ = kept
