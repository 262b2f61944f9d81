import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster
from hypothesis import given
from hypothesis import strategies as st

import dask_tapestry as dt
from dask_tapestry.operators.sorting.exchange_sort import (
    exchange_sort,
    key_dtype,
    rounds_of,
    run_counts,
)
from dask_tapestry.operators.sorting.sort import argsort, by_exchange, sort
from dask_tapestry.operators.tuning import FEWEST_PROBES
from dask_tapestry_kernels.cpu.blocks.order_keys import order_keys
from tests.examples import examples
from tests.operators.in_forms import forms_of

KINDS = "?,i1,i4,u8,f2,f4,f8,g,c8,c16,G,M8[s],m8[D],S2,U1".split(",")
GIB = dt.Resources(4, 2, "1 GiB")


def cells(shape, kind, seed, few):
    """Cells with ties, NaN, NaT and zeros of both signs."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 4 if few else 10**6, shape)
    if np.dtype(kind).kind in "fc":
        y = (x % 1000 - 500).astype(kind)
        if np.dtype(kind).kind == "c":
            y.imag = random.choice([0.0, -0.0, 1, -1, np.nan], shape)
        y[x % 7 == 0] = -0.0
        y[x % 11 == 1] = np.nan
        return y
    if np.dtype(kind).kind in "mM":
        return np.where(x % 5 == 0, np.iinfo("i8").min, x).astype("i8").astype(kind)
    return (x % 100 if kind == "i1" else x).astype(kind)


def bits(cells):
    """Those that mean something: cells of extended precision have unused ones."""
    return (order_keys(cells) if cells.dtype.char in "gG" else cells).tobytes()


@examples(20)
@given(
    n=st.integers(1, 400),
    runs=st.integers(2, 7),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 99),
    few=st.booleans(),
    lanes=st.sampled_from([(), (2,), (2, 2)]),
    block_bytes=st.sampled_from([8, 300, 10**6]),
    workers=st.integers(1, 3),
)
def test_every_sharding_sorts_to_the_same_bits(
    n, runs, kind, seed, few, lanes, block_bytes, workers
):
    x = cells((*lanes, n), kind, seed, few)
    given_ = dt.asarray(x).node
    made = [dt.Array(exchange_sort(given_, runs, places)) for places in (False, True)]
    whole = dt.Array(sort(given_, -1)).compute(scheduler="sync")
    machines = dt.Resources(workers, 1, "1 GiB")
    with dt.config(block_bytes=block_bytes, max_tasks=10**6, resources=machines):
        plan = dt.plan(*made)
        got, order = plan.compute(scheduler="sync")
    assert bits(got) == bits(whole)
    assert np.array_equal(order, np.argsort(x, axis=-1, kind="stable"))


@pytest.mark.parametrize("axis", [0, 1])
def test_sorts_take_that_form_along_any_axis(axis):
    x = np.random.default_rng(1).normal(size=(3, 20_000)).swapaxes(0, 1 - axis)
    for make, expected in ((sort, np.sort(x, axis)), (argsort, np.argsort(x, axis, kind="stable"))):
        node = make(dt.asarray(x).node, axis)
        form = forms_of(node)["exchange"]
        value = dt.Array(by_exchange(node, form.sizes[-1]))
        assert value.node.type == node.type
        assert np.array_equal(value.compute(), expected)


def test_which_sorts_have_the_form():
    assert run_counts(1000, 8) == ()
    assert run_counts(10**11, 8)[-1] == 4096
    assert run_counts(10, 2**20) == (2, 4)
    kinds = [key_dtype(np.dtype(d)) for d in ("f2", "f8", "M8[s]", "S3", "?", "c8", "c16")]
    assert kinds == [np.dtype(d) for d in ("i2", "i8", "u8", "S3", "?", "S10", "S18")]
    for dtype in ("c16", "f8", "U3"):
        node = sort(dt.placeholder((10**5,), dtype).node, 0)
        assert list(forms_of(node)) == ["exchange"]


def test_rounds_are_few_and_follow_from_shapes_alone():
    for runs in (2, 64, 1024):
        for length in (5000, 10**8):
            found = rounds_of(runs, length)
            assert FEWEST_PROBES <= found.sampled <= length
            assert all(FEWEST_PROBES <= count <= 1024 for count in found.probes)
            assert len(found.probes) <= (2 if length > 10**6 else 4)
            assert found.open <= length / 24


def test_a_plan_moves_each_cell_once():
    x = dt.random.default_rng(0).random(10**8)
    machines = dt.Resources(8, 2, "4 GiB")
    plan = dt.plan(dt.sort(x), resources=machines)
    plan.verify()
    assert plan.cost["bytes_moved"] <= 1.05 * x.nbytes


@pytest.mark.parametrize("kind", ["equal", "sorted", "reversed", "heavy"])
def test_skew_changes_nothing(kind):
    n = 50_000
    x = {
        "equal": np.zeros(n),
        "sorted": np.arange(n) * 1.0,
        "reversed": np.arange(n)[::-1] * 1.0,
        "heavy": np.where(np.arange(n) % 10, 3.0, np.arange(n)),
    }[kind]
    with dt.config(resources=GIB):
        made = [dt.Array(exchange_sort(dt.asarray(x).node, 8, places)) for places in (False, True)]
        plans = [dt.plan(one) for one in made]
        assert np.array_equal(plans[0].compute(), np.sort(x))
        assert np.array_equal(plans[1].compute(), np.argsort(x, kind="stable"))


@pytest.mark.cluster
def test_it_sorts_between_processes():
    x = np.random.default_rng(2).integers(0, 1000, 400_000).astype("f8")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        made = [dt.Array(exchange_sort(dt.asarray(x).node, 4, places)) for places in (False, True)]
        got, order = dask.compute(*made)
        parts = dt.Array(exchange_sort(dt.asarray(x).node, 4))[1000:1010].compute()
    assert np.array_equal(got, np.sort(x))
    assert np.array_equal(order, np.argsort(x, kind="stable"))
    assert np.array_equal(parts, np.sort(x)[1000:1010])
