"""The best of all plans."""

import pytest

import dask_tapestry as dt
from dask_tapestry.planner.search.choices import Choices
from dask_tapestry.planner.search.exhaustive import all_choices, exhaustive
from dask_tapestry.planner.search.search import search
from dask_tapestry.teg import Graph
from tests.planner.graphs import FOUR, stored
from tests.planner.spaces import space_of

X = stored((4000, 300), "f8", (1000, 300))
TWO = dt.Resources(workers=2, threads=1, memory="1 GiB")  # few slots, so few grids


def test_all_forms_and_all_sets_of_held_values_are_compared():
    y = X.T @ X + 1
    space = space_of(y, resources=FOUR)
    (product,) = [n for n in space.graph.nodes if n.operator.name == "matmul"]
    (form,) = product.operator.forms(product.input_types)
    found = list(all_choices(space))
    assert len({c.key for c in found}) == len(found)
    assert {c.forms[product][0].size for c in found if c.forms} == set(form.sizes)
    assert any(X.node in c.held for c in found)


@pytest.mark.few(2)  # drawn jobs are compared too
@pytest.mark.parametrize("y", [X.sum(axis=0), X.T @ X, (X - X.mean(axis=0)).max(axis=1)])
def test_nothing_is_better(y):
    found = search(Graph([y.node]), TWO).state
    best = search(Graph([y.node]), TWO, "exhaustive").state
    assert best.rank <= found.rank
    space = space_of(y, resources=TWO)
    assert exhaustive(space, space.state(Choices())).seconds == pytest.approx(best.seconds)


def test_large_graphs_are_refused():
    y = stored((50_000, 50_000))
    for _ in range(12):
        y = dt.exp(y @ y)
    with pytest.raises(dt.PlanError, match="combinations"):
        y.plan(resources=FOUR, method="exhaustive")
