"""How what is read moves with the blocks of the output."""

import dask_tapestry as dt
from dask_tapestry.planner.fusion.group import group_of
from dask_tapestry.steps.access_strides import AxisStride, movement
from dask_tapestry.zspace import Cuts

X = dt.asarray(dt.ones((40, 60)).compute())
W = dt.asarray(dt.ones((60, 30)).compute())


def moves(y):
    return movement(group_of(y.node, {y.node}).program)


def test_weights_do_not_move_with_the_rows():
    x, w = moves(X @ W)
    assert (x.dims, w.dims) == ({0}, {1})
    assert x.paces == {0: AxisStride(0, 1, 0)}
    assert w.paces == {1: AxisStride(1, 1, 0)}


def test_transposes_and_strides_move_otherwise():
    (turned,) = moves(X.T + 1)
    assert turned.paces == {1: AxisStride(0, 1, 0), 0: AxisStride(1, 1, 0)}
    (strided,) = moves(X[1::3] + 1)
    assert strided.paces[0] == AxisStride(0, 3, 1)


def test_cuts_follow_both_ways():
    (move,) = moves(X[1::3].T + 1)
    grid = (Cuts.regular(60, 20), Cuts.regular(13, 5))
    pulled = move.pulled((40, 60), grid)
    assert pulled == (Cuts.regular(40, 15, 16), Cuts.regular(60, 20))
    assert move.pushed((60, 13), pulled) == grid


def test_what_does_not_move_is_whole():
    x, _ = moves(X @ W)
    grid = (Cuts.regular(40, 10), Cuts.regular(30, 10))
    assert [c.count for c in x.pulled((40, 60), grid)] == [4, 1]
    assert [c.count for c in x.pushed((40, 30), (Cuts.regular(40, 8), Cuts.regular(60, 6)))] == [
        5,
        1,
    ]


def test_an_empty_output_reads_nothing_that_moves():
    assert moves(X[:0] + 1)[0].dims == frozenset()


def test_of_several_boxes_the_first_one_tells():
    x = dt.placeholder((60, 60), "f8")
    (both,) = movement(group_of((x + x.T).node, {x.node}).program)
    assert both.paces == {0: AxisStride(0, 1, 0), 1: AxisStride(1, 1, 0)}


def test_windows_that_wrap_move_as_in_the_middle():
    wide = dt.pad(X, [(3, 3), (3, 3)], mode="wrap")
    around = wide[:-6, 3:-3] + wide[6:, 3:-3] + wide[3:-3, :-6] + wide[3:-3, 6:]
    (move,) = moves(around)
    assert move.dims == {0, 1}
    u = dt.asarray(X.compute())
    for _ in range(5):
        u = u + 0.5 * dt.roll(u, 1, 0) + dt.roll(u, -1, 1)
    (steps,) = [n for n in u.plan().core.graph if n.operator.name == "stencilsteps"][-1:]
    found = movement(group_of(steps, {x for x in u.plan().core.graph if not x.inputs}).program)
    assert [one.paces for one in found if one.dims] == [
        {0: AxisStride(0, 1, 0), 1: AxisStride(1, 1, 0)}
    ]
