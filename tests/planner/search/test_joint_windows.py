"""Steps that read one source, each for itself, become one; nothing is computed."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.plan_json import dumps, loads
from dask_tapestry.teg.outputs import windows_of
from tests.covering import beyond
from tests.planner.graphs import stored

SMALL = dt.Resources(2, 2, "500 MiB")


def sorted_beside_mean():
    x = stored((1_000_000, 1000), "f8", (1000, 1000))
    return x, dt.sort(x, axis=1)[:, ::50], x.mean(axis=0)


def nearest_rows():
    """The sums and counts of a step of k-means, and the distances."""
    x = stored((62_480_000, 16), "f8", (64_000, 16))
    rows = np.linspace(-1, 1, 8 * 16).reshape(8, 16)
    distances = ((x[:, None, :] - rows[None]) ** 2).sum(axis=2)
    one_hot = (distances.argmin(axis=1)[:, None] == np.arange(8)).astype("f8")
    return x, one_hot.T @ x, one_hot.sum(axis=0), distances.min(axis=1).sum()


@pytest.mark.parametrize("job", [sorted_beside_mean, beyond(nearest_rows)])
def test_unlike_operators_read_once(job):
    x, *roots = job()
    plan = dt.plan(*roots, resources=SMALL)
    plan.verify()
    assert plan.cost["bytes_read"] < 1.01 * x.nbytes
    assert "jointwindows" in [node.operator.name for node in plan.core.steps]
    assert loads(dumps(plan.core), [root.node for root in roots]).cost == plan.core.cost


def test_what_is_as_large_as_the_source_is_not_held_for_the_sake_of_a_pass():
    """Cells that are written are computed where they are: else they wait in memory for that."""
    machines = dt.Resources(1000, 8, "64 GiB")
    images = dt.placeholder((10**7, 256, 256, 3), "u1", (64, 256, 256, 3))
    weights, bias = dt.placeholder((196_608, 64), "f4"), dt.placeholder((64,), "f4")
    scaled = images.astype("f2") / 255
    scores = dt.nn.relu(dt.nn.linear(scaled.reshape(len(images), -1), weights, bias))
    sinks = [
        dt.to_zarr(x, f"{name}.zarr", compute=False) for name, x in (("y", scaled), ("z", scores))
    ]
    plan = dt.plan(*sinks, resources=machines)
    plan.verify()
    assert "jointwindows" not in [node.operator.name for node in plan.core.steps]
    assert plan.cost["peak_worker_bytes"] < 2**30


@pytest.mark.few(1)  # in little memory
@pytest.mark.parametrize("memory", ["60 MiB", "100 MiB"])
def test_what_is_read_as_windows_of_several_values_is_no_window(memory):
    """Folds that share a pass over tiles have several outputs: these are no cells of an array."""
    x = stored((300_000, 64), "f8", (10_000, 64))
    works = dt.sort(x, axis=1)[:, ::16], x.mean(axis=0), (x > 1).sum(axis=1).max()
    plan = dt.plan(*works, x.argmin(axis=1)[::100], resources=dt.Resources(2, 1, memory))
    together = [node for node in plan.core.steps if node.operator.name == "jointwindows"]
    assert together
    assert not any(windows_of(read.type) for node in together for read in node.inputs)
