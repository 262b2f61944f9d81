import dask
import numpy as np
import pytest
from distributed import Client, LocalCluster

import dask_tapestry as dt
from dask_tapestry.planner import build, cache


def test_a_loop_has_the_bits_of_the_same_loop_by_hand():
    first = np.random.default_rng(0).standard_normal((30, 40))
    by_hand = dt.asarray(first)
    for number in range(6):
        by_hand = dt.roll(by_hand, 1, 0) * 0.5 + by_hand.mean() + number

    def step(x, t):
        return dt.roll(x, 1, 0) * 0.5 + x.mean() + t

    expected = by_hand.compute()
    np.testing.assert_array_equal(dt.iterate(step, first, 6).compute(), expected)
    with dt.config(block_bytes=300):
        np.testing.assert_array_equal(dt.iterate(step, first, 6).compute(), expected)
    with dask.config.set(scheduler="synchronous"):
        np.testing.assert_array_equal(dt.iterate(step, first, 6).compute(), expected)


def test_conjugate_gradients_end_when_they_have_converged():
    numbers = np.random.default_rng(1).standard_normal((40, 40))
    matrix, right = numbers @ numbers.T + 40 * np.eye(40), np.ones(40)
    a = dt.asarray(matrix)

    def step(x, r, p, rr, count):
        q = a @ p
        far = rr / (p @ q)
        r_next = r - far * q
        rr_next = r_next @ r_next
        return x + far * p, r_next, r_next + rr_next / rr * p, rr_next, count + 1

    first = np.zeros(40), right, right, np.float64(right @ right), np.int64(0)
    x, *_, rr, count = dt.iterate(step, first, 400, until=lambda x, r, p, rr, count: rr < 1e-20)
    assert float(rr.compute()) < 1e-20
    assert 5 < int(count.compute()) < 60
    np.testing.assert_allclose(matrix @ x.compute(), right, atol=1e-9)


def test_power_iteration_finds_the_largest_eigenvalue():
    matrix = np.diag([1.0, 5.0, 2.0]) + 0.1
    a = dt.asarray(matrix)

    def step(v, value):
        w = a @ v
        return w / dt.linalg.norm(w), v @ w

    _, value = dt.iterate(step, (np.ones(3) / 3**0.5, np.float64(0)), 100)
    np.testing.assert_allclose(float(value.compute()), np.linalg.eigvalsh(matrix)[-1])


def test_a_step_is_called_once_and_planned_twice(monkeypatch):
    calls, plans = [], []
    build_plan = build.build_plan

    def counted(*args, **options):
        plans.append(args)
        return build_plan(*args, **options)

    monkeypatch.setattr(cache, "build_plan", counted)

    def step(x, t):
        calls.append(x)
        return dt.roll(x, 1) + t

    dt.iterate(step, np.zeros(1237), 50)
    assert len(calls) == 1
    assert len(plans) <= 2  # of the array in memory, and of blocks


def test_without_steps_the_state_comes_back():
    state = dt.arange(3)
    assert dt.iterate(lambda x: x + 1, state, 0) is state
    assert dt.iterate(lambda x, y: (y, x), (state, state), 0) == (state, state)
    (one,) = dt.iterate(lambda x: x + 1, (state,), 2)
    assert one.compute().tolist() == [2, 3, 4]


def test_until_is_asked_of_the_first_state_and_then_every_so_often():
    assert dt.iterate(lambda x: x + 1, np.int64(7), until=lambda x: x >= 7).compute() == 7
    assert dt.iterate(lambda x: x + 1, np.int64(0), until=lambda x: x >= 7).compute() == 7
    assert dt.iterate(lambda x: x + 1, np.int64(0), until=lambda x: x >= 7, every=4).compute() == 8
    assert dt.iterate(lambda x: x + 1, np.int64(0), 5, until=lambda x: x >= 7).compute() == 5


def test_names_and_chunks_of_the_state_stay():
    state = dt.zeros((6, 4), chunks=(3, 2)).rename("y", "x")
    found = dt.iterate(lambda x: dt.asarray(np.ones((6, 4))) + x.rename(None, None), state, 3)
    assert found.dims == ("y", "x")
    assert found.chunks == ((3, 3), (2, 2))


@pytest.mark.parametrize("dtype", ["?", "i1", "u8", "f2", "f4", "c8", "c16"])
@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (2, 3, 1)])
def test_every_dtype_and_shape(dtype, shape):
    state = np.ones(shape, dtype)
    found = dt.iterate(lambda x: (x + x).astype(x.dtype), state, 2).compute()
    expected = (state + state + state + state).astype(dtype)
    np.testing.assert_array_equal(found, expected)
    assert found.dtype == expected.dtype
    assert found.shape == shape


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({}, dt.ArgumentError, "the loop has no end"),
        ({"steps": -1}, dt.ArgumentError, "steps"),
        ({"steps": 2.5}, TypeError, "steps"),
        ({"steps": 2, "until": lambda x: x.sum() > 1, "every": 0}, dt.ArgumentError, "every"),
        ({"steps": 2, "every": 2}, dt.ArgumentError, "until or checkpoint"),
        ({"steps": 2, "checkpoint": "there"}, dt.ArgumentError, "every="),
        ({"steps": 2, "until": 3}, TypeError, "until must be a function"),
        ({"steps": 2, "until": lambda x: x > 1}, TypeError, r"returned bool\[3\]"),
        ({"steps": 2, "until": lambda x: x.sum()}, TypeError, r"0-d bool.* returned float64\[\]"),
    ],
)
def test_wrong_arguments(options, error, text):
    with pytest.raises(error, match=text):
        dt.iterate(lambda x: x + 1, np.ones(3), **options)


def test_it_runs_on_a_cluster():
    with LocalCluster(2, processes=False, dashboard_address=":0") as cluster, Client(cluster):
        found = dt.iterate(lambda x, t: dt.roll(x, 1) + t, dt.arange(50, chunks=20), 5)
        value = found.compute()
    np.testing.assert_array_equal(value, np.roll(np.arange(50), 5) + 10)
