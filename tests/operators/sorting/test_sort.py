import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.operators.sorting.exchange_sort import rounds_of
from dask_tapestry.operators.sorting.sort import argsort, sort
from dask_tapestry.teg import Graph, Region
from dask_tapestry.zspace import ZRange
from tests.operators.in_forms import form_names, formed

X = np.random.default_rng(1).normal(size=(6, 8))


def test_fewer_lanes_are_sorted_when_fewer_are_read():
    x = dt.asarray(X)
    assert "sort(%1, axis=1) : float64[2, 8]" in str(dt.sort(x)[1:3, :3].plan().teg)
    assert np.array_equal(dt.sort(x)[1:3, ::3].compute(), np.sort(X)[1:3, ::3])


def test_a_lane_is_computed_as_a_whole():
    node = sort(dt.asarray(X).node, 0)
    assert node.operator.granularity(node.input_types) == (0, 1)
    (read,) = node.operator.demand(node.input_types, ZRange((2, 3), (4, 5)))
    assert read == ZRange((0, 3), (6, 5))
    region = Region.box(ZRange((2, 3), (4, 5)))
    assert node.operator.restrict(node.input_types, region).yields.shape == (6, 2)


def test_lanes_are_cut_and_nothing_is_sorted_twice():
    x = dt.placeholder((10_000, 10_000), "f8", (1000, 1000))
    plan = dt.plan(dt.sort(x), resources=dt.Resources(4, 2, "8 GiB"))
    assert {len(lengths) for lengths in plan.chunks(0)} > {1}
    assert len(plan.chunks(0)[1]) == 1
    assert [n.operator.name for n in plan.teg] == ["placeholder", "sort"]
    assert plan.cost["bytes_read"] <= 2 * x.nbytes  # half chunks fill the last wave


@pytest.mark.parametrize("descending", [False, True])
def test_equal_cells_keep_their_order_in_both_directions(descending):
    x = np.array([2, 1, 2, 1, 3, 2])
    order = dt.asarray(x)
    places = argsort(order.node, 0, descending=descending)
    expected = np.argsort(-x if descending else x, kind="stable")
    assert np.array_equal(dt.Array(places).compute(), expected)


def test_descending_is_the_reverse():
    assert dt.sort([1.0, np.nan, 2.0], descending=True).compute()[1:].tolist() == [2, 1]


def test_runs_are_split_where_probes_tell():
    x = dt.asarray(np.arange(9_999.0))
    names = [node.operator.name for node in Graph([formed(sort(x.node, 0), "exchange", 2)]).nodes]
    assert names[-3:] == ["exchange", "merged", "slice"]
    assert names.count("probe") - 1 == names.count("narrow") == len(rounds_of(2, 5000).probes)


def test_what_is_cut_is_not_cut_again():
    for made in (sort, argsort):
        cut = formed(made(dt.asarray(np.ones((2, 10_000))).node, 1), "exchange", 2)
        assert not any(map(form_names, Graph([cut]).nodes))
    assert form_names(argsort(dt.zeros((0, 5)).node, 1)) == ()


@pytest.mark.few(2)  # as unlike as so many can be
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_a_long_lane_in_memory_is_sorted_in_ranges_of_ranks(threads):
    cells = np.random.default_rng(0).normal(size=2_000_003).round(2) * 0
    cells[::3] = np.random.default_rng(1).normal(size=len(cells[::3]))
    cells[::5], cells[::1001] = -0.0, np.nan
    x = dt.asarray(cells)
    machine = dt.Resources(workers=1, threads=threads, memory="8 GiB")
    p = dt.plan(dt.sort(x), dt.argsort(x), resources=machine)
    assert (len(p.chunks(dt.sort(x))[0]) > 1) == (threads > 1)
    ordered, order = p.compute()
    assert np.array_equal(order, np.argsort(cells, kind="stable"))
    np.testing.assert_array_equal(ordered, np.sort(cells))
    zero = ordered == 0
    assert (np.diff(np.signbit(ordered[zero]).astype(int)) <= 0).all()
    assert np.signbit(ordered[zero]).sum() == (np.signbit(cells) & (cells == 0)).sum()


def test_a_flattened_value_is_sorted_in_runs_of_whole_tiles():
    x = dt.placeholder((100_000, 100_000), "f8", (1000, 1000)).reshape(-1)
    names = [n.operator.name for n in Graph([formed(sort(x.node, 0), "exchange", 64)]).nodes]
    assert "permute" in names
    places = [n.operator.name for n in Graph([formed(argsort(x.node, 0), "exchange", 64)]).nodes]
    assert "permute" not in places
