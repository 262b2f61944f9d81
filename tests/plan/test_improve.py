"""What single changes of choices make better."""

import dask_tapestry as dt
from dask_tapestry.plan.choices import Choices
from dask_tapestry.plan.evaluate import evaluate
from dask_tapestry.plan.improve import MOST_COSTS, again, budget, improve, moves
from dask_tapestry.teg import Graph

from .graphs import stored
from .test_pricing import pricing

WIDE = dt.Resources(workers=64, threads=4, memory="64 GiB")


def seed(*ys, resources=WIDE):
    return evaluate(Graph([y.node for y in ys]), Choices(), pricing(resources))


def network(layers):
    x = stored((10_000_000, 1024), "f4", (20_000, 1024))
    for _ in range(layers):
        x = dt.maximum(x @ stored((1024, 1024), "f4", (1024, 1024)), 0)
    return x


def test_layers_of_a_network_become_one_step():
    state = seed(network(3))
    assert len(state.placed) == 3
    better = improve(state, pricing(WIDE), lambda state: True)
    assert len(better.placed) == 1
    assert better.seconds < state.seconds
    (step,) = better.placed.values()
    assert step.cost.moved == 0


def test_what_blocks_read_again_and_again_is_held():
    x = stored((50_000, 50_000), "f8", (2000, 2000))
    state = seed(x @ x.T + 1)
    (step,) = state.placed.values()
    assert x.node in again(step)
    assert any(x.node in choices.held for choices in moves(state))


def test_nothing_gets_worse():
    for y in (network(2), stored() @ stored((1000, 500)), stored().sum(axis=1) * stored()[:, 0]):
        state = seed(y)
        assert improve(state, pricing(WIDE), lambda state: True).rank <= state.rank


def test_short_work_is_not_searched():
    state = seed(stored((100, 100)) + 1)
    assert budget(state) == 0
    assert improve(state, pricing(WIDE), lambda state: True) is state
    assert budget(seed(network(3))) <= MOST_COSTS
