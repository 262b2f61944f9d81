"""The search beside the best of all plans, on random small graphs.

    python benchmarks/planner/search.py --graphs 200 --json search.json

For each graph the predicted seconds of the plan that is found within a budget, over those of the
best plan (``method="exhaustive"``): the median and the worst of these. Nothing is computed. The
jobs take milliseconds, for which no search is worth its time: without a budget their plans are the
seeds that it starts from, which the last line compares.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.planner.search import exhaustive  # noqa: E402

MACHINES = (
    dt.Resources(workers=1, threads=2, memory="2 GiB"),
    dt.Resources(workers=2, threads=1, memory="1 GiB"),
    dt.Resources(workers=2, threads=2, memory="2 GiB", bandwidth="200 MB/s"),
)


BUDGET = 2.0  # seconds of the search
exhaustive.MOST_CHOICES = 200  # so that comparing all plans of a graph takes seconds


class Compared(NamedTuple):
    """Predicted seconds of a graph's plans: found within the budget, without one, and the best."""

    seed: int
    graph: str
    found: float
    quick: float
    best: float

    @property
    def ratio(self) -> float:
        return self.found / self.best


def random_graph(seed: int) -> Any:
    """An expression of two to four operators on one or two stored tensors."""
    rng = np.random.default_rng(seed)
    x = _stored(rng)
    for _ in range(int(rng.integers(2, 5))):
        x = _applied(x, rng)
    return x


def _stored(rng: np.random.Generator) -> Any:
    rows, columns = (int(rng.choice([600, 2000, 5000])) for _ in range(2))
    chunks = tuple(max(1, n // int(rng.choice([1, 2, 5]))) for n in (rows, columns))
    return dt.placeholder((rows, columns), str(rng.choice(["f4", "f8"])), chunks)


def _applied(x: Any, rng: np.random.Generator) -> Any:
    """One more operator."""
    kind = str(rng.choice(["cells", "sum", "centre", "product", "shift", "turn"]))
    if kind == "cells" or x.ndim < 2:
        return dt.exp(x) + 1
    axis = int(rng.integers(0, 2))
    match kind:
        case "sum":
            return x.sum(axis=axis)
        case "centre":
            return x - x.mean(axis=axis, keepdims=True)
        case "product":
            return x @ dt.placeholder((x.shape[1], 400), "f8", (400, 400))
        case "shift":
            return x[1:] - x[:-1] if axis == 0 else x[:, 1:] * x[:, :-1]
        case _:
            return x.T


def compare(seed: int) -> Compared | None:
    """Both plans of a graph; None where it has too many to compare."""
    x = random_graph(seed)
    machines = MACHINES[seed % len(MACHINES)]
    try:
        best = _seconds(dt.plan(x, resources=machines, method="exhaustive"))
    except dt.PlanError:
        return None
    found = _seconds(dt.plan(x, resources=machines, budget=BUDGET))
    quick = _seconds(dt.plan(x, resources=machines))
    return Compared(seed, _brief(x), found, quick, min(best, found, quick))


def _seconds(plan: Any) -> float:
    """As the search compares plans."""
    return sum(step.estimate.seconds for step in plan.core.steps.values())


def _brief(x: Any) -> str:
    return " ".join(node.operator.name for node in x.teg)


def compared(graphs: int) -> Iterator[Compared]:
    """As many graphs as can be compared."""
    seed = count = 0
    while count < graphs:
        found = compare(seed)
        seed += 1
        if found is not None:
            count += 1
            yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=200)
    parser.add_argument("--json", default="", help="where to write all ratios")
    arguments = parser.parse_args()
    found, start = [], time.perf_counter()
    for one in compared(arguments.graphs):
        found.append(one)
        if one.ratio > 1.05:
            print(f"{one.ratio:.3f} seed {one.seed}: {one.graph}", flush=True)
    ratios = [one.ratio for one in found]
    print(
        f"{len(ratios)} graphs: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}, "
        f"{sum(r > 1.05 for r in ratios)} above 1.05; {time.perf_counter() - start:.0f} s"
    )
    quick = [one.quick / one.best for one in found]
    print(f"without a search: median {statistics.median(quick):.3f}, worst {max(quick):.3f}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps([one._asdict() for one in found], indent=1))


if __name__ == "__main__":
    main()
