import numpy as np

import dask_tapestry as dt
from dask_tapestry.diagnostics.bottleneck import limit
from dask_tapestry.diagnostics.plan_summaries import plan_summary, told_whole


def limits(x, **resources):
    given = {"workers": 4, "threads": 2, "memory": "8 GiB"} | resources
    return limit(told_whole(dt.plan(x, resources=dt.Resources(**given)).core))


def stored():
    return dt.placeholder((10**6, 1000), "f8", stored_chunks=(10**4, 1000))


def test_the_resource_that_takes_longest_is_named_with_figures():
    assert limits(stored().sum()).startswith("Limited by the store: ")
    assert "read 7.45 GiB" in limits(stored().sum())
    x = dt.asarray(np.ones((2000, 2000)))
    assert limits(x @ x @ x, workers=1).startswith("Limited by compute: ")
    x = dt.random.default_rng(0).random((4000, 4000))
    slow = limits(x.rechunk((500, -1)).rechunk((-1, 500)), bandwidth="1 MB/s")
    assert slow.startswith("Limited by the network: ")


def test_tasks_limit_what_is_cut_finely():
    text = limits(dt.ones((3000,)).rechunk((1,)))
    assert text.startswith("Limited by the scheduler")
    assert "3,000 task" in text


def test_nothing_limits_what_does_nothing():
    assert limit(plan_summary(dt.plan(dt.asarray([1.0])).core)).startswith(("Nothing", "Limited"))


def test_memory_that_is_nearly_filled_is_told():
    found = told_whole(dt.plan(stored().sum()).core)
    full = found._replace(memory_bytes=found.cost["peak_worker_bytes"])
    assert "that a plan may fill" in limit(full)
    held = full._replace(steps=tuple(s._replace(decided="memory") for s in full.steps))
    assert "Memory decided how step" in limit(held)


def test_a_link_to_devices_may_limit_a_job():
    with dt.config(host_parts=False):
        text = limits(stored().to_device("cuda") + 1, link_bandwidth="1 MB/s")
    assert text.startswith("Limited by the link to devices: ")
    assert "to cross it" in text
