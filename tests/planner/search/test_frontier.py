"""Plans of which none is better than another in everything."""

from dask_tapestry.planner.search import moves
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.frontier import ParetoFrontier, full_cost, quick_cost
from dask_tapestry.planner.search.tuning import SLOWEST_RATIO
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import gram, space_of

Y = stored((100_000, 10_000)) + 1

RESOURCES = ("seconds", "bytes_read", "bytes_moved", "tasks", "peak_worker_bytes")


def states(space):
    first = space.state(Choices())
    yield first
    for priced in first.placed.values():
        yield from map(space.state, moves.recut(first, priced))
    for node in space.graph.nodes:
        yield from map(space.state, moves.reform(space, first, node))


def test_no_point_is_better_than_another_in_everything():
    space = space_of(gram(), resources=FOUR)
    frontier = ParetoFrontier(space)
    taken = [frontier.add(state) for state in states(space)]
    assert any(taken)
    points = list(frontier)
    assert [p.cost["seconds"] for p in points] == sorted(p.cost["seconds"] for p in points)
    for one in points:
        for other in points:
            better = [other.cost[name] < one.cost[name] for name in RESOURCES]
            worse = [other.cost[name] > one.cost[name] for name in RESOURCES]
            assert one is other or not any(better) or any(worse)


def test_the_same_plan_is_taken_once():
    space = space_of(Y)
    frontier, state = ParetoFrontier(space), space.state(Choices())
    assert frontier.add(state)
    assert not frontier.add(state)
    assert frontier.distance(quick_cost(state)) == 0


def test_what_is_far_too_slow_is_no_point():
    space = space_of(Y)
    frontier, state = ParetoFrontier(space), space.state(Choices())
    (node,) = state.placed
    slow = space.state(
        Choices(grids={node: tuple(c.regular(c.extent, 200) for c in state.placed[node].grid)})
    )
    assert slow.seconds > SLOWEST_RATIO * state.seconds
    assert frontier.add(slow)  # it is the fastest so far
    assert frontier.add(state)
    assert [p.state for p in frontier] == [state]
    assert frontier.distance(quick_cost(slow)) > 0


def test_costs_name_all_resources():
    space = space_of(Y)
    assert set(full_cost(space, space.state(Choices()))) >= set(RESOURCES)
    assert set(RESOURCES) - set(quick_cost(space.state(Choices()))) == {"peak_worker_bytes"}


def test_slices_are_not_counted_for_it(monkeypatch):
    x = stored((20_000, 20_000), "f8", (500, 20_000))
    space = space_of((x + x.T).sum(axis=0), x.rechunk((20_000, 400)), resources=FOUR)
    state = space.state(Choices())
    steps = space.sketch(state).steps.values()
    assert any(step.estimate.slices for step in steps)
    assert ParetoFrontier(space_of(Y)).add(space_of(Y).state(Choices()))
    with monkeypatch.context() as patched:
        patched.setattr("dask_tapestry.planner.cost.exact_costs.counted", None)
        usual = space.usual_peak(state)
    assert 0.5 < usual / space.fullest(state).bytes < 2
