"""A seed in which all is computed where it is read."""

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.fused_seed import with_all_fused
from tests.planner.graphs import stored
from tests.planner.spaces import space_of

WORKERS = dt.Resources(workers=50, threads=4, memory="16 GiB")


def recurrent(steps, width=128):
    """The states of a recurrent network after some steps, each of which reads the one before."""
    x = stored((20_000_000, 32, 64), "f4", (100_000, 32, 64))
    w, u = stored((64, 2 * width), "f4", (64, 2 * width)), stored((width, 2 * width), "f4")
    h = dt.zeros((x.shape[0], width), "f4")
    for step in range(steps):
        gates = x[:, step] @ w + h @ u
        h = dt.tanh(gates[:, :width]) * h + dt.exp(-gates[:, width:])
    return x, h


def test_steps_of_a_network_are_one():
    x, h = recurrent(4)
    space = space_of(h, resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    fused = with_all_fused(space, state)
    assert len(fused.placed) < len(state.placed)
    assert fused.seconds < 0.5 * state.seconds
    assert space.fits(fused)
    plan = dt.plan(h, resources=WORKERS)
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes
    assert plan.cost["bytes_moved"] < 0.01 * h.nbytes


def test_what_is_hardly_better_is_left_alone():
    x = stored((200_000, 20_000), "f8", (2000, 20_000))
    space = space_of((x - x.mean(0)).std(1), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    fused = with_all_fused(space, state)
    assert fused is state or fused.seconds < 0.5 * state.seconds


def test_what_workers_cannot_hold_is_not_taken():
    x = stored((4_000_000, 4096), "f4", (4000, 4096))
    y = x
    for _ in range(3):
        y = dt.sort(dt.exp(-y), axis=0)
    space = space_of(y, resources=dt.Resources(workers=4, threads=2, memory="4 GiB"))
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    fused = with_all_fused(space, state)
    assert fused is state or space.fits(fused)


def test_large_values_are_fused_and_nodes_of_folds_held():
    x, h = recurrent(3)
    space = space_of(h, h.mean(0), resources=WORKERS)
    state = space.state(Choices(forms=space.chosen_forms()[1]))
    fused = with_all_fused(space, state)
    assert fused.seconds <= state.seconds
    plan = dt.plan(h, h.mean(0), resources=WORKERS)
    assert plan.cost["bytes_read"] < 1.2 * x.nbytes


def test_nothing_is_held_in_the_place_of_what_is_fused():
    """Cells behind the products of a network are costly, and several steps read them."""
    n = 128
    x, w = stored((20_000_000, 32, 64), "f4", (100_000, 32, 64)), stored((64, 4 * n), "f4")
    u = stored((n, 4 * n), "f4")
    h = c = dt.zeros((x.shape[0], n), dtype="f4")
    for step in range(4):
        gates = 1 / (1 + dt.exp(-(x[:, step] @ w + h @ u)))
        c = gates[:, :n] * c + gates[:, n : 2 * n] * dt.tanh(gates[:, 2 * n : 3 * n])
        h = gates[:, 3 * n :] * dt.tanh(c)
    cost = dt.plan(h, c.mean(0), resources=WORKERS).cost
    assert cost["bytes_read"] < 2.1 * x.nbytes
    assert cost["bytes_moved"] < 0.1 * h.nbytes


def test_steps_on_many_small_matrices_are_one_where_workers_hold_little():
    few = dt.Resources(workers=2, threads=1, memory="500 MB")
    x = stored((1_000_000, 6, 6), "f8", (50_000, 6, 6))
    p, forward = x @ x.swapaxes(1, 2) + 6 * dt.eye(6), dt.eye(6) + 0.1 * dt.eye(6, k=1)
    for _ in range(3):
        p = forward @ p @ forward.T + dt.eye(6)
        gain = p[:, :, :2] @ dt.linalg.inv(p[:, :2, :2] + dt.eye(2))
        p = p - gain @ p[:, :2]
    plan = dt.plan(dt.trace(p, axis1=1, axis2=2).mean(), resources=few)
    assert plan.cost["bytes_read"] < 1.1 * x.nbytes
    assert plan.cost["bytes_written"] == 0
