from dataclasses import replace

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evaluate import evaluate
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored
from tests.planner.search.test_pricing import pricing


def test_a_state_counts_all_its_steps_and_knows_who_reads_what():
    total = stored().sum(axis=1)
    graph = Graph([(total + total[::-1]).node])
    state = evaluate(graph, Choices(), pricing())
    first, last = state.placed
    assert first is total.node
    assert state.readers == {first: (last,), last: ()}
    assert state.seconds == sum(p.cost.seconds for p in state.placed.values())
    assert state.rank[:5] == (0, 0, 0, 0, state.seconds)


def test_memory_that_is_short_goes_before_time():
    small = dt.Resources(workers=4, threads=2, memory="1 MiB")
    graph = Graph([dt.sort(stored((4, 10**6), "f8", (1, 10**6)), axis=1).node])
    assert evaluate(graph, Choices(), pricing(small)).shortfall > 0


def test_a_plan_is_as_good_as_one_that_takes_and_carries_hardly_less():
    graph = Graph([(stored() + 1).sum().node])
    state = evaluate(graph, Choices(), pricing())
    assert state.carried == sum(p.cost.carried for p in state.placed.values()) > 0
    assert state.is_as_good_as(state)

    def times(**fields):
        placed = {
            node: replace(
                p, cost=replace(p.cost, **{f: n * getattr(p.cost, f) for f, n in fields.items()})
            )
            for node, p in state.placed.items()
        }
        return replace(state, placed=placed)

    assert times(seconds=1.02, read=1.02).is_as_good_as(state)
    assert not times(seconds=1.2).is_as_good_as(state)
    assert not times(read=1.2).is_as_good_as(state)
    assert not times(compute=9.0, store=9.0).is_as_good_as(state)
    assert state.is_as_good_as(times(seconds=1.2, read=1.2))
