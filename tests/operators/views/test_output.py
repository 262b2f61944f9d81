import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.user.user_outputs import UserOutputs
from dask_tapestry.operators.views.output import Output
from dask_tapestry.operators.views.rename import rename
from dask_tapestry.teg import Progression, Region
from dask_tapestry.teg.check import check
from dask_tapestry.teg.outputs import windows_of
from dask_tapestry.zspace import ZRange
from tests.operators.blocks import by_blocks, picked

X = np.random.default_rng(3).normal(size=(6, 5))


@dt.block_operator(
    index={"i": "parallel", "j": "atomic"},
    inputs={"x": "i j"},
    outputs={
        "twice": dt.IndexProjection([[2, 0], [0, 1]], [0, 0], [2, 1]),
        "order": "j i",
        "total": "i",
    },
)
def three(x):
    return np.repeat(x, 2, axis=0), np.argsort(x, axis=1).T, x.sum(axis=1)


TWICE, ORDER, TOTAL = (array.node for array in three(dt.asarray(X)))
NAMES = ["twice", "order", "total"]
VALUES = {
    "twice": np.repeat(X, 2, axis=0),
    "order": np.argsort(X, axis=1).T,
    "total": X.sum(axis=1),
}


def test_each_output_has_its_own_shape_and_one_node_computes_all():
    assert [node.type.shape for node in (TWICE, ORDER, TOTAL)] == [(12, 5), (5, 6), (6,)]
    (whole,) = {node.inputs[0] for node in (TWICE, ORDER, TOTAL)}
    assert isinstance(whole.operator, UserOutputs)
    assert [w.name for w in windows_of(whole.type)] == NAMES
    for node in (TWICE, ORDER, TOTAL):
        check(dt.Array(node).teg)


@pytest.mark.parametrize("node", [TWICE, ORDER, TOTAL])
@pytest.mark.parametrize("step", [2, 4, 12])
def test_boxes_of_any_size_make_the_whole(node, step):
    whole = node.inputs[0].operator.reference(X)
    made = by_blocks(node, (whole,), step)
    assert np.array_equal(made, VALUES[node.operator.output])


@given(st.data())
def test_a_region_takes_the_points_that_write_it(data):
    node = data.draw(st.sampled_from([TWICE, ORDER, TOTAL]))
    value, region = VALUES[node.operator.output], []
    for n in node.type.shape:
        start, step = data.draw(st.integers(0, n - 1)), data.draw(st.integers(1, 3))
        most = -(-(n - start) // step)
        region.append(Progression.of(start, step, data.draw(st.integers(1, most))))
    restriction = node.operator.restrict(node.input_types, Region(region))
    yields, ((points,),) = restriction.yields, restriction.inputs
    made = picked(three.__wrapped__(picked(X, [points]))[NAMES.index(node.operator.output)], ())
    assert np.array_equal(made, picked(value, yields))
    inner = yields.position(Region(region))
    assert np.array_equal(picked(made, inner), picked(value, region))


def test_dimension_names_follow_the_points():
    x = dt.Array(rename(dt.asarray(X).node, ("row", "column")))
    assert [y.node.type.dims for y in three(x)] == [("row", None), (None, "row"), ("row",)]


def test_demands_and_signature():
    (points,) = TWICE.operator.demand(TWICE.input_types, ZRange((3, 0), (7, 5)))
    assert (points.lo, points.hi) == ((1,), (4,))
    assert TWICE.operator.granularity(TWICE.input_types) == (2, 0)
    assert TWICE.operator.reads_once(TWICE.input_types) == (True,)
    assert str(dt.Array(TOTAL).teg).endswith("output(%1, total) : float64[6]\nreturn %2")
    assert Output("total") == TOTAL.operator
