"""Spaces of plans that several tests search."""

import dask_tapestry as dt
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator
from dask_tapestry.teg import Graph
from tests.planner.graphs import stored
from tests.planner.search.test_pricing import pricing

WIDE = dt.Resources(workers=64, threads=4, memory="64 GiB")
COSTS = 5000  # more than any search in these tests takes


def space_of(*ys, resources=WIDE):
    """The plans of some arrays."""
    return PlanEvaluator(Graph([y.node for y in ys]), pricing(resources), resources)


def network(layers):
    """Layers that are best computed in one step."""
    x = stored((10_000_000, 1024), "f4", (20_000, 1024))
    for _ in range(layers):
        x = dt.maximum(x @ stored((1024, 1024), "f4", (1024, 1024)), 0)
    return x


def gram(rows=400_000, columns=1000):
    """A product of a tall matrix with itself, which is best computed in parts."""
    x = stored((rows, columns), "f8", (10_000, columns))
    return x.T @ x
