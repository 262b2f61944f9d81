import numpy as np

import dask_tapestry as dt
from dask_tapestry.lower.materialize import materialize


def test_the_graph_of_another_collection_may_stand_on_ours():
    d = dt.ones((4, 4)).rechunk(2).to_dask_array() + 1
    np.testing.assert_array_equal((dt.from_dask_array(d) * 3).compute(), np.full((4, 4), 6.0))


def test_materialize_refuses_no_key_and_writes_none_twice():
    graph = dt.arange(10).rechunk(2).dask
    (layer,) = graph.layers.values()
    wanted = [(layer.name, 1), (layer.name, 1), (layer.name, 3)]
    assert sorted(materialize(graph, wanted)) == [(layer.name, 1), (layer.name, 3)]
