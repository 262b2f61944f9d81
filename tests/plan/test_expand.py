import numpy as np
import pytest
from dask_tapestry.plan.expand import (
    expand,
    is_read_twice,
    product_part,
    reduction_levels,
    scan_is_cut,
    shard_bytes,
)

import dask_tapestry as dt
from dask_tapestry.teg import Graph

from .graphs import FOUR, MIB, aim_of, stored

AIM = aim_of()
WHOLE = aim_of(count=1, smallest=2**36, largest=2**36, limit=2**36, most=1)


def levels(x, aim=AIM):
    return reduction_levels(x.node, aim)


def part(x, aim=AIM):
    return product_part(x.node, aim)


def names(x, aim=AIM):
    graph = expand(Graph([x.node]), aim, None)
    return [f"{n.operator.name}({n.operator.text()})" for n in graph.nodes if n.inputs]


def test_shards_are_enough_for_the_workers_and_no_smaller_than_worth_it():
    assert shard_bytes(32 * 10 * MIB, AIM) == 10 * MIB
    assert shard_bytes(MIB, AIM) == MIB
    assert shard_bytes(10**12, AIM) == 64 * MIB
    assert shard_bytes(10**13, AIM) == 10**13 // 20_000, "not too many"
    assert shard_bytes(10**15, AIM) == 2**30, "a quarter of what a task may hold"


def test_a_large_reduction_is_cut_along_what_it_folds():
    (level,) = levels(stored().sum())
    assert level > 0
    assert names(stored().sum()) == [
        f"reduce(sum, axes=(0, 1), to level {level})",
        f"reduce(sum, axes=(0, 1), from level {level})",
    ]


@pytest.mark.parametrize("x", [dt.ones((100, 100)).sum(), dt.zeros((0, 5)).sum()])
def test_a_small_reduction_stays_whole(x):
    assert levels(x) == ()


def test_rows_that_fit_stay_whole():
    assert levels(stored().sum(axis=1)) == ()


def test_nothing_is_cut_without_workers_to_feed():
    assert levels(stored().sum(), WHOLE) == ()
    assert part(stored((100, 10**6)) @ stored((10**6, 100)), WHOLE) == 0


def test_very_many_partial_results_are_combined_in_two_steps():
    huge = dt.placeholder((2**46,), "u1")
    assert len(levels(huge.sum())) == 2
    first, second = levels(huge.sum())
    assert second > first


def test_what_is_cut_is_not_cut_again():
    graph = expand(Graph([stored().sum().node]), AIM, None)
    assert expand(graph, AIM, None) == graph


def test_other_operators_are_left_alone():
    assert levels(stored() + 1) == ()
    assert part(stored() + 1) == 0


def test_a_product_with_many_rows_stays_whole():
    assert part(stored() @ stored((1000, 50), chunks=(1000, 50))) == 0


def test_a_product_over_a_long_dimension_is_cut_along_it():
    x, w = stored((20, 10**8), "f8", None), stored((10**8, 30), "f8", None)
    size = part(x @ w)
    assert 0 < size < 10**8
    assert (20 + 30) * 8 * size <= 64 * MIB * 2
    assert names(x @ w)[0].startswith(f"matmul(parts of {size})")
    assert names(x @ w)[1].startswith("reduce(sum, axes=(0,)")


@pytest.mark.parametrize("reduction", ["sum", "mean", "var", "std", "min", "argmax", "prod"])
def test_cut_and_whole_agree_to_the_bit(reduction):
    cells = np.random.default_rng(0).normal(size=(3000, 40)) * 1e3
    x = getattr(dt.asarray(cells), reduction)()
    with dt.config(block_bytes=20_000, resources=dt.Resources(1, 8, "1 GiB")):
        cut = dt.plan(x)
    whole = dt.plan(x, resources=dt.Resources(1, 1, "1 GiB"), method="none")
    assert cut.cost["tasks"] > whole.cost["tasks"] == 1
    np.testing.assert_array_equal(cut.compute(), whole.compute())


@pytest.mark.parametrize("chunks", [None, (1000, 1000)])
def test_a_product_over_a_long_dimension_reads_its_factors_about_once(chunks):
    x, w = stored((1000, 10**6), "f8", chunks), stored((10**6, 1000), "f8", chunks)
    cost = dt.plan(x @ w, resources=FOUR).cost
    assert cost["bytes_read"] <= 4 * (x.nbytes + w.nbytes)
    assert cost["tasks"] >= FOUR.slots


def test_a_cut_product_is_within_rounding():
    generator = np.random.default_rng(0)
    x, w = generator.normal(size=(3, 30_000)), generator.normal(size=(30_000, 4))
    with dt.config(block_bytes=40_000, resources=dt.Resources(1, 8, "1 GiB")):
        plan = dt.plan(dt.asarray(x) @ dt.asarray(w))
    assert any("parts" in node.operator.text() for node in plan.teg)
    np.testing.assert_allclose(plan.compute(), x @ w, rtol=1e-10)


def scanned(shape, axis, chunks=None, aim=AIM):
    return scan_is_cut(dt.cumsum(stored(shape, "f8", chunks), axis=axis).node, aim)


def test_a_long_scan_is_cut_along_its_axis():
    assert scanned((10**9,), 0)
    assert names(dt.cumsum(stored((10**8,), "f8", (10**6,))), aim_of(slots=8)) == [
        "leafscan(add, axis=0)",
        "leafends(axis=0)",
        "scan(add, axis=0)",
        "afterleaf(add, axis=0)",
    ]


TWICE = ["leaftotals(add, axis=0)", "scan(add, axis=0)", "scanafter(add, axis=0)"]


def test_a_scan_reads_twice_what_lies_in_memory_or_what_memory_does_not_take():
    here = dt.asarray(np.zeros(10**7))
    near, far = aim_of(local=True), aim_of()
    assert names(dt.cumsum(here), near) == TWICE
    assert names(dt.cumsum(here[::-1]), near)[1:] == TWICE
    assert names(dt.cumsum(here), far)[0] == "leafscan(add, axis=0)"
    assert names(dt.cumsum(dt.sqrt(here)), near)[1] == "leafscan(add, axis=0)"
    assert names(dt.cumsum(stored((10**10,), "f8", (10**6,)))) == TWICE
    product = dt.cumsum(stored((4000, 10)) @ stored((10, 4000)), axis=0)
    assert is_read_twice(product.node, far), "it is held as it is"


def test_a_scan_stays_whole_where_chunks_across_it_keep_slots_busy():
    x = dt.cumsum(stored((4096, 4096), "f8", (1024, 1024)), axis=0)
    assert len(names(x, aim_of(count=16, slots=4))) == 1
    assert len(names(x, aim_of(count=16, slots=3))) == 1
    assert len(names(x, aim_of(count=16, slots=8))) == 4
    assert len(names(x, aim_of(count=16, slots=4, limit=2**26))) > 1, "memory"


def test_a_scan_whose_other_axes_give_enough_shards_stays_whole():
    assert not scanned((10**5, 10**4), 1)
    assert not scanned((10_000,), 0), "it is small"
    assert scanned((10**5, 10**4), 0, (10**3, 10**4)), "each stored chunk would be read by many"
    assert scanned((10**9, 2), 0), "there are only two shards"
    assert not scan_is_cut((stored() + 1).node, AIM)


@pytest.mark.parametrize("order", ["C", "F"])
def test_short_runs_in_memory_are_not_cut_shorter(order):
    """Columns of rows that lie one after the other are folded in slabs of rows."""
    here = aim_of(local=True)
    x = dt.asarray(np.ones((4096, 4096), order=order))
    across, along = (0, 1) if order == "C" else (1, 0)
    assert len(levels(x.sum(axis=across), here)) == 1
    assert len(levels((x * x + 1).mean(axis=across), here)) == 1
    assert levels(x.sum(axis=along), here) == ()
    assert levels(x.sum(axis=across)) == (), "elsewhere blocks are moved whole"
    assert levels(x[::2].sum(axis=across), here) == (), "a selection may lie in any way"


def test_long_runs_in_memory_are_cut():
    x = dt.asarray(np.ones((16, 2**20)))
    assert levels(x.sum(axis=0), aim_of(local=True)) == ()


def centred(x):
    return x - x.mean(axis=0)


RANDOM = dt.random.default_rng(0).random((10**4, 10**3))
SIXTY_FOUR = dt.Resources(workers=64, threads=4, memory="2 GiB")
SIXTEEN = dt.Resources(workers=16, threads=2, memory="2 GiB")
LINE = dt.placeholder((10**9,), "f8")
OBSERVED = stored((80_000, 10_000), chunks=(800, 10_000))
PLANNED = {
    "sum of a line in rows": (SIXTY_FOUR, lambda: LINE.reshape(10**5, 10**4).sum(axis=0)),
    "std of a line in rows": (SIXTY_FOUR, lambda: LINE.reshape(10**5, 10**4).std(axis=0)),
    "product with itself": (SIXTEEN, lambda: OBSERVED.T @ OBSERVED),
    "of centred cells": pytest.param(
        (SIXTEEN, lambda: centred(OBSERVED).T @ centred(OBSERVED)),
        marks=pytest.mark.xfail(
            strict=True,
            raises=dt.MemoryLimitError,
            reason="both factors are held beside what they are made of: what is held, and what is "
            "computed twice, is not a choice that the plan compares by cost yet",
        ),
    ),
    "spread of sorted lanes": pytest.param(
        (
            dt.Resources(workers=1, threads=1, memory="100 MB"),
            lambda: centred(dt.sort(RANDOM, axis=1)).std(axis=0),
        ),
        marks=pytest.mark.xfail(
            strict=True,
            raises=dt.MemoryLimitError,
            reason="a sorted value that two steps read is held, though sorting it twice would fit",
        ),
    ),
}


@pytest.mark.parametrize("job", PLANNED.values(), ids=PLANNED)
def test_jobs_that_fit_are_planned(job):
    resources, make = job
    plan = dt.plan(make(), resources=resources)
    plan.verify()
    assert plan.cost["tasks"] < 20_000
