import numpy as np

import dask_tapestry as dt
from dask_tapestry.operators.layouts.rechunk import rechunk
from dask_tapestry.teg import Progression, Region
from dask_tapestry.zspace import Cuts


def test_the_layout_is_the_plans():
    x = dt.ones((5, 6)).rechunk(((1, 4), 3))
    assert x.chunks == ((1, 4), (3, 3))
    assert np.array_equal(x.compute(), np.ones((5, 6)))


def test_a_restricted_layout_is_cut_where_it_was():
    node = rechunk(dt.ones(10).node, (Cuts.of_lengths([3, 1, 6]),))
    region = Region([Progression(1, 2, 4)])
    restricted = node.operator.restrict(node.input_types, region)
    assert list(restricted.operator.cuts[0].lengths()) == [1, 1, 2]
    assert restricted.inputs == (region,)


def test_other_layouts_are_other_nodes():
    x = dt.asarray(np.ones(6))
    assert x.rechunk(2).node is not x.rechunk(3).node
    assert x.rechunk(2).node is x.rechunk((2, 2, 2)).node
