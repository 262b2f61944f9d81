"""Plans as text; seconds, which depend on the rates of machines, are left out where compared."""

import re

import numpy as np

import dask_tapestry as dt
from dask_tapestry.diagnostics.explain import COSTS

FOUR = dt.Resources(workers=4, threads=2, memory="8 GiB")


def explained(*arrays):
    """The plan as text, with estimated times left out."""
    text = dt.plan(*arrays, resources=FOUR).explain()
    return re.sub(r" · test_explain.py:[\d, ]+", " ", re.sub(r"[\d.]+ (us|ms|s)\b", "…", text))


def stored():
    return dt.placeholder((400, 100), "f8", (100, 100))


def test_a_cell_expression():
    text = explained((stored() + 1) * 2)
    assert text.startswith(
        "plan for 4 workers, 2 threads, 8.00 GiB each\n"
        "  1 task in 1 step, about …; read 312.50 kiB, move 0 B, write 0 B, "
    )
    assert (
        "step 1: placeholder, add, multiply -> float64[400, 100]\n"
        "  1 block: [400, 100] (one block suffices)\n"
        "  about …: compute …, store …, tasks …\n"
        "  312.50 kiB read, 625.00 kiB held by a block"
    ) in text


def test_a_layout_that_the_user_fixed():
    text = explained(stored().rechunk((200, -1)).sum(axis=0))
    assert "  3 tasks in 2 steps, about …; read 312.50 kiB, move " in text
    assert (
        "step 1: placeholder, rechunk -> float64[400, 100]\n"
        "  2 blocks: [2x200, 100] (as the user asked)\n"
    ) in text
    assert "step 2: sum -> float64[100]\n  1 block, 2 edges: [100] (one block suffices)\n" in text
    assert text.endswith("  reads step 1")


def test_a_result_without_dimensions_is_one_cell():
    assert "  1 block: [one cell] (one block suffices)" in explained(dt.ones(10).sum())


def test_what_comes_from_outside_is_named():
    assert "  reads memory int64[3]" in explained(dt.asarray([1, 2, 3]) + 1)


def test_alike_sources_are_counted():
    text = explained(dt.concatenate([dt.asarray(np.full(3, i)) for i in range(1000)]))
    assert text.endswith("  reads 1,000 of memory int64[3]")


def test_what_is_written(tmp_path):
    text = explained(dt.to_zarr(stored(), tmp_path / "x", chunks=(200, 100), compute=False))
    assert "write 312.50 kiB" in text
    assert "step 1: placeholder, to_zarr -> float64[400, 100]" in text
    assert "312.50 kiB read, 312.50 kiB written, " in text


def test_what_decided_and_what_came_second():
    x = dt.placeholder((10**6, 100), "f8", (10**4, 100))
    text = explained(x.sum(axis=1))
    assert " (store)\n" in text
    assert re.search(r"  next best: \[.+\], (… slower|a block would hold |.+ tasks instead)", text)


def test_resources_of_the_user_are_named():
    @dt.block_operator(
        index={"i": "parallel"},
        inputs={"x": "i"},
        outputs={"y": "i"},
        costs={"license": {"i": 2}},
    )
    def licensed(x):
        return x

    plan = dt.plan(licensed(dt.ones(10)), resources=FOUR)
    assert set(plan.cost) - COSTS == {"license"}
    assert "; license 20" in plan.explain()


def test_every_plan_has_the_costs_that_are_no_users():
    assert set(dt.plan(stored() + 1).cost) == COSTS


def test_it_is_said_why_stored_chunks_are_read_again():
    x = dt.placeholder((14_000, 14_000), "f8", (100, 14_000))
    columns = dt.to_zarr(x, "nowhere", chunks=(14_000, 100), compute=False)
    told = {}
    for memory in ("1 GB", "8 GB"):
        small = dt.Resources(workers=2, threads=1, memory=memory, temporary_store=False)
        told[memory] = dt.plan(columns, resources=small).explain()
    assert "reads each stored byte 4.0 times: to be exchanged, 0.91 GiB would be" in told["1 GB"]
    assert "each stored byte" not in told["8 GB"]


def test_a_step_on_a_device(device_kernels):
    device_kernels.names = {"map"}
    text = explained(dt.cumsum(stored().to_device("cuda") + 1, axis=0))
    assert "step 1: placeholder, to_device, add, cumsum" in text
    assert "  1 block on cuda: [" in text
    assert "  0.92 MiB between host and device" in text
    assert "  computes scan on the host: the device has no kernel" in text


def test_a_step_that_waits_for_the_link_to_a_device():
    slow = dt.Resources(workers=4, threads=2, memory="8 GiB", link_bandwidth="1 MB/s")
    with dt.config(host_parts=False):
        text = dt.plan(stored().to_device("cuda") + 1, resources=slow).explain()
    assert "  8 blocks on cuda: [8x50, 100] (link)" in text
    assert re.search(r"about \d+ ms: .*, link \d+ ms", text)


def test_nothing_is_said_of_devices_where_there_is_none():
    assert "cuda" not in explained(stored() + 1)
    assert "device" not in explained(stored() + 1)


def test_results_that_workers_cannot_hold_come_in_rounds():
    few = dt.Resources(workers=8, threads=2, memory="4 GiB")
    x = dt.placeholder((200_000, 100_000), "f8", (5000, 5000))
    told = str(dt.plan(dt.exp(x), resources=few))
    assert "in several rounds, as workers have 2.80 GiB each" in told
    assert "in several rounds" not in str(dt.plan(dt.exp(x[:20_000]), resources=few))
