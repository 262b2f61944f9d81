import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.sorting import weighted_order_statistics as module
from dask_tapestry.operators.sorting.weighed_sort import by_exchange, weighed_sort
from dask_tapestry.operators.sorting.weighted_order_statistics import (
    WeightedOrderStatistics,
    in_steps,
    loads_of,
)
from dask_tapestry.operators.tuning import WEIGHTED_LEAF_CELLS
from dask_tapestry.teg import apply
from tests.examples import examples

from .test_exchange_sort import bits, cells

LEVELS = (0.0, 0.25, 0.9)


def statistics(x, w, axis=-1, **options):
    operator = WeightedOrderStatistics(axis % np.ndim(x), LEVELS, np.dtype("f8"), **options)
    return apply(operator, dt.asarray(x).node, dt.asarray(w).node)


def test_weighted_ranks():
    x, w = dt.asarray(np.array([3.0, 1.0, 2.0])), dt.asarray(np.array([1, 1, 2]))
    operator = WeightedOrderStatistics(0, (0.0, 0.25, 0.3, 1.0), np.dtype("f8"))
    assert dt.Array(apply(operator, x.node, w.node)).compute().tolist() == [1, 1, 2, 3, 3]


@examples(15)
@given(
    n=st.integers(1, 300),
    runs=st.integers(2, 6),
    kind=st.sampled_from("?,i1,i4,u8,f2,f4,f8,g,M8[s],m8[D]".split(",")),
    seed=st.integers(0, 99),
    few=st.booleans(),
    leaf=st.sampled_from([4, 50, WEIGHTED_LEAF_CELLS]),
    loads=st.sampled_from(["u1", "f4", "f8"]),
    block_bytes=st.sampled_from([8, 300, 10**6]),
)
def test_every_sharding_has_the_bits_of_one_block(
    n, runs, kind, seed, few, leaf, loads, block_bytes
):
    x = cells((2, n), kind, seed, few)
    random = np.random.default_rng(seed)
    w = (random.random(x.shape) * random.choice([0, 1, 30], x.shape)).astype(loads)
    w[:, :] += ~w.any(-1, keepdims=True)
    node = statistics(x, w, leaf=leaf)
    whole = dt.Array(node).compute(scheduler="sync")
    lanes = weighed_sort(*in_lanes(node))
    with dt.config(block_bytes=block_bytes, max_tasks=10**6):
        for ordered in (lanes, by_exchange(lanes, runs)):
            made = dt.Array(in_steps(ordered, LEVELS, np.dtype("f8"), leaf))
            assert bits(made.compute(scheduler="sync")) == bits(whole)


def in_lanes(node, skip_nan=False):
    x, w = node.inputs
    return x, loads_of(x, w, skip_nan)


@pytest.mark.parametrize("skip", ["", "nan"])
@pytest.mark.parametrize("kind", ["f8", "i2", "M8[s]"])
def test_long_lanes_in_steps(monkeypatch, skip, kind):
    x, w = cells((60, 3), kind, 5, few=True), np.random.default_rng(0).random((60, 3))
    if kind == "f8":
        x[:, 1] = np.nan

    def made():
        options = {"weights": w, "method": "inverted_cdf", "axis": 0}
        return getattr(dt, f"{skip}quantile")(x, LEVELS, **options).compute()

    whole = made()
    monkeypatch.setattr(module, "LONG_WEIGHTED_LANE_BYTES", 0)
    assert bits(made()) == bits(whole)


@pytest.mark.parametrize("wrong", [[0.0, 0.0, 0], [1.0, np.inf, 0], [1.0, -1.0, 4], [1, np.nan, 1]])
def test_weights_that_cannot_be(wrong):
    node = statistics(np.arange(3.0), np.array(wrong))
    for value in (node, in_steps(weighed_sort(*in_lanes(node)), LEVELS, np.dtype("f8"))):
        with pytest.raises(ValueError, match="Weights"):
            dt.Array(value).compute()


@pytest.mark.exhaustive  # lanes without weights in `test_unordered_cells.py`
def test_lanes_of_no_worker():
    n = 3 * 10**7
    random = dt.random.default_rng(0)
    x, w = random.random(n), random.random(n)
    value = dt.quantile(x, [0.1, 0.5], weights=w, method="inverted_cdf")
    plan = dt.plan(value, resources=dt.Resources(16, 1, "512 MiB"))
    plan.verify()
    assert "merged" in plan.explain(all=True)
