"""Results of which rewriting has left nothing that lies on a device."""

import numpy as np
import pytest

import dask_tapestry as dt
from dask_tapestry.planner.memory.memory import WorkerMemory
from tests.cupy_stand_in import transfers

CELLS = np.arange(60.0).reshape(6, 10)
LEFT = {
    "no cells": lambda np, x: x[:0],
    "a sum of none": lambda np, x: (x[:0] * 2).sum(axis=0),
    "a constant": lambda np, x: np.where(True, 1.5, x),
    "the host's cells": lambda np, x: np.concatenate([x[:0], CELLS]),
    "a formula of the host's": lambda np, x: np.concatenate([x[:0], CELLS]) * 2 + 1,
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_left_of_them_is_planned_on_their_device(name, device_kernels):
    x = dt.asarray(CELLS).to_device("cuda")
    made = LEFT[name](dt, x)
    plan = made.plan()
    plan.verify()
    dt.verify(plan, made)
    told = sum(step.cost.crossed for step in plan.core.steps.values())
    transfers.clear()
    found = made.compute()
    assert sum(size for _, size in transfers) == told
    assert type(found).__module__ == "cupy"
    np.testing.assert_array_equal(found.get(), LEFT[name](np, CELLS))


def test_they_have_no_more_room_there_than_a_device_has():
    x = dt.zeros((2, 1000), device="cuda:1")
    small = dt.Resources(workers=1, memory="1 GiB", gpus=2, gpu_memory="10 MB", local=True)
    with pytest.raises(dt.MemoryLimitError, match="on one cuda:1 device of a worker"):
        dt.concatenate([x[:0], dt.ones((2000, 1000))]).plan(resources=small)
    plan = dt.concatenate([x[:0], dt.ones((1000, 1000))]).plan(resources=small)
    assert WorkerMemory(plan.core).fullest().device == "cuda:1"
