"""Every named program builds, on tensors that take no memory, and asks for something."""

import numpy as np
import pytest

import dask_tapestry as dt
from benchmarks.planner.programs import NAMED, attended


@pytest.mark.parametrize("name", NAMED)
def test_a_program_builds_from_placeholders(name):
    case = NAMED[name]()
    assert case.resources.workers > 1
    assert len({ask.what for ask in case.asks}) == len(case.asks)


def test_attention_is_that_of_numpy():
    q, k, v = (np.random.default_rng(n).normal(size=(5, 3)) for n in range(3))
    scores = np.exp(q @ k.T / np.sqrt(3))
    wanted = scores / scores.sum(axis=1, keepdims=True) @ v
    found = attended(*map(dt.asarray, (q, k, v))).compute()
    np.testing.assert_allclose(found, wanted)
