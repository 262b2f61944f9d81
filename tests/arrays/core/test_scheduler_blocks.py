import dask
import numpy as np
import pytest
from dask.graph_manipulation import clone

import dask_tapestry as dt
from dask_tapestry.arrays.core.scheduler_blocks import layout_in, persisted_node


def test_results_lie_under_the_name_of_the_array():
    x = dt.arange(5.0, chunks=3) + 1
    keys = x.__dask_keys__()
    results = dict(zip(keys, dask.get(dict(x.dask), keys), strict=True))
    layout = layout_in(results, x.node, x.name)
    kept = dt.Array(persisted_node(results, layout, x.node))
    assert kept.chunks == ((3, 2),)
    np.testing.assert_array_equal(kept.compute(), np.arange(1.0, 6.0))
    assert layout_in({("other", 0): 1}, x.node, x.name) is None


def test_blocks_under_another_name():
    x = dt.arange(5.0, chunks=3)
    layout = layout_in({}, x.node, "old", {"old": "new"})
    assert (layout.name, layout.cuts) == ("new", x.nominal_cuts)
    np.testing.assert_array_equal(clone(x + 1).compute(), np.arange(1.0, 6.0))


def test_a_graph_without_the_blocks():
    x = dt.arange(5.0, chunks=3) + 1
    rebuild, args = x.__dask_postpersist__()
    with pytest.raises(dt.PlanError, match="holds the blocks"):
        rebuild({("other", 0): np.ones(3)}, *args)


def test_what_is_kept_already_stays():
    x = (dt.arange(5.0, chunks=3) + 1).persist()
    np.testing.assert_array_equal(x.persist().compute(), np.arange(1.0, 6.0))
