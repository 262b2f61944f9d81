import numpy as np

import dask_tapestry as dt
from dask_tapestry.planner.machine.limits import Limits
from dask_tapestry.planner.machine.machine import Machine
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.evaluate import evaluate, is_given
from dask_tapestry.planner.search.pricing import Pricing
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import Cuts
from tests.planner.graphs import stored
from tests.planner.search.test_pricing import pricing

X = stored()
GRAPH = Graph([(X + X.T[0].sum()).node])


def test_choices_say_what_is_held_and_how_it_is_cut():
    grid = (Cuts.regular(100_000, 4000), Cuts.regular(1000, 500))
    state = evaluate(GRAPH, Choices(held=frozenset([X.node]), grids={X.node: grid}), pricing())
    assert state.placed[X.node].grid == grid
    assert X.node not in evaluate(GRAPH, Choices(fused=frozenset([X.node])), pricing()).placed


def test_a_grid_that_may_not_be_is_not_taken(tmp_path):
    sink = dt.to_zarr(X, tmp_path / "x", chunks=(1500, 1000), compute=False).node
    odd = {sink: (Cuts.regular(100_000, 1000), Cuts.regular(1000, 1000))}
    (step,) = evaluate(Graph([sink]), Choices(grids=odd), pricing()).placed.values()
    assert step.grid[0].step % 1500 == 0


def test_persisted_blocks_are_given():
    kept = dt.ones(10).rechunk(5).persist()
    assert is_given(kept.node)
    state = evaluate(Graph([(kept + 1).node]), Choices(), pricing())
    assert list(state.placed) == [(kept + 1).node]
    assert state.placed[(kept + 1).node].held == (kept.node.operator.layout,)


GROUPS = dt.Resources(groups=[(4, 8, "256 GiB", "big"), (60, 2, "4 GiB", "small")])


def of_groups(resources=GROUPS):
    return Pricing(Machine.of(resources), Limits.of(resources))


def sorted_at_once(rows):
    """A sum of something that no block is a part of, of so many times 16 kB."""
    whole = dt.block_operator(
        index={"i": "atomic", "j": "atomic"}, inputs={"x": "i j"}, outputs={"z": "i j"}, dtype="f8"
    )(np.sort)
    return whole(stored((rows, 2000)))


def test_what_fits_on_large_workers_alone_is_computed_there():
    big, small = sorted_at_once(100_000), sorted_at_once(1000)
    graph = Graph([big.node, small.node, (X + 1).node])
    state = evaluate(graph, Choices(), of_groups())
    assert [state.placed[n].place for n in graph.roots] == ["big", "", ""]
    assert state.rank.is_allowed
    assert state.places == ("big", "small")
    alike = dt.Resources(64, 2, "4 GiB")
    assert not evaluate(graph, Choices(), of_groups(alike)).rank.is_allowed


def test_a_place_is_taken_that_is_chosen_or_asked_for():
    node = (X + 1).node
    for place in ("big", "small", ""):
        state = evaluate(Graph([node]), Choices(places={node: place}), of_groups())
        assert state.placed[node].place == place
    asked = dt.from_array(np.ones((3, 4)), workers=["small"]).node
    state = evaluate(Graph([asked]), Choices(places={asked: "big"}), of_groups())
    assert state.placed[asked].place == "small"


def test_steps_are_as_they_are_asked_for():
    """Of plans before, a step is taken that reads the same and is asked for so, and no other."""
    known = pricing()
    rows = (Cuts.regular(100_000, 4000), Cuts.regular(1000, 1000))
    cells = (Cuts.regular(100_000, 4000), Cuts.regular(1000, 500))
    first, other, again = (
        evaluate(GRAPH, Choices(held=frozenset([X.node]), grids={X.node: one}), known)
        for one in (rows, cells, rows)
    )
    assert (first.placed[X.node].grid, other.placed[X.node].grid) == (rows, cells)
    for node, step in again.placed.items():
        assert step == first.placed[node]
    fresh = evaluate(GRAPH, Choices(held=frozenset([X.node]), grids={X.node: cells}), pricing())
    assert {n: (p.grid, p.held, p.cost) for n, p in fresh.placed.items()} == {
        n: (p.grid, p.held, p.cost) for n, p in other.placed.items()
    }


def made_of(*held):
    grid = (Cuts.regular(100_000, 1000), Cuts.regular(1000, 1000))
    choices = Choices(held=frozenset(x.node for x in held), grids={x.node: grid for x in held})
    last = held[-1].node
    return evaluate(Graph([last]), choices, pricing()).placed[last].cost.moved


def test_what_is_made_of_a_value_block_by_block_lies_beside_it():
    x, other = (dt.exp(dt.placeholder((100_000, 1000), "f8") + n) for n in (0, 1))
    y = dt.sin(x)
    z = dt.cos(y)
    assert made_of(x, y, x * y) == 0
    assert made_of(x, y, z, x + y * z) == 0
    assert made_of(x, other, x * other) > x.nbytes / 2
    assert made_of(x, dt.sin(x[::-1]), x * dt.sin(x[::-1])) > x.nbytes / 2
