import dask_tapestry as dt
from dask_tapestry.plan.search.choices import Choices
from dask_tapestry.plan.search.evaluate import evaluate, is_given
from dask_tapestry.teg import Graph
from dask_tapestry.zspace import Cuts
from tests.plan.graphs import stored
from tests.plan.search.test_pricing import pricing

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
