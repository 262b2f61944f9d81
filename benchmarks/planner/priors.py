"""Priors: how often each kind of change pays in a search, from searches for many graphs.

    python benchmarks/planner/priors.py --graphs 60 --write

Searches for plans of random small graphs (`benchmarks/planner/search.py`) and of the named programs
(`benchmarks/planner/programs.py`), all kinds of changes being tried alike at first. A prior is the
share of trials of a kind that led to the frontier, relative to that of all trials; none is below a
tenth, so that each is tried. ``--write`` replaces ``dask_tapestry/planner/search/priors.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.planner.programs import NAMED  # noqa: E402
from benchmarks.planner.search import MACHINES, random_graph  # noqa: E402
from dask_tapestry.planner.machine.limits import Limits  # noqa: E402
from dask_tapestry.planner.machine.machine import Machine  # noqa: E402
from dask_tapestry.planner.rewriting.passes import simplified  # noqa: E402
from dask_tapestry.planner.search import mutators  # noqa: E402
from dask_tapestry.planner.search.budget import SearchBudget  # noqa: E402
from dask_tapestry.planner.search.choices import Choices  # noqa: E402
from dask_tapestry.planner.search.evolve import Evolution, Score  # noqa: E402
from dask_tapestry.planner.search.plan_evaluator import PlanEvaluator  # noqa: E402
from dask_tapestry.planner.search.pricing import Pricing  # noqa: E402
from dask_tapestry.rewrite.trace import Trace  # noqa: E402
from dask_tapestry.teg import Graph  # noqa: E402

LEAST = 0.1  # of a prior
FILE = Path(mutators.__file__).with_name("priors.json")


def scores(roots: Iterable[Any], resources: Any, costs: int, seed: int) -> list[Score]:
    """How often each mutator was tried in one search, and led to the frontier."""
    graph = simplified(Graph([root.node for root in roots]), Trace())
    space = PlanEvaluator(graph, Pricing(Machine.of(resources), Limits.of(resources)), resources)
    evolution = Evolution(space, seed)
    for score in evolution.scores:
        score.mutator = score.mutator._replace(prior=1.0)
    evolution.begin([space.state(Choices())])
    evolution.run(SearchBudget(costs, to_the_end=True))
    return evolution.scores


def priors(found: Iterable[Score]) -> Mapping[str, float]:
    """The prior of each mutator, from all searches."""
    tried: Counter[str] = Counter()
    won: Counter[str] = Counter()
    for score in found:
        tried[score.mutator.name] += score.tried
        won[score.mutator.name] += score.won
    usual = max(1, won.total()) / max(1, tried.total())
    return {
        name: round(max(LEAST, won[name] / max(1, tried[name]) / usual), 2)
        for name in sorted(tried)
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=60, help="random ones, besides those named")
    parser.add_argument("--costs", type=int, default=2000, help="of each search")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    found: list[Score] = []
    for seed in range(arguments.graphs):
        machines = MACHINES[seed % len(MACHINES)]
        found += scores([random_graph(seed)], machines, arguments.costs, seed)
    for name, make in NAMED.items():
        case = make()
        found += scores(case.roots, case.resources, arguments.costs, 0)
        print(name, flush=True)
    text = json.dumps({"priors": dict(priors(found))}, indent=1)
    print(text)
    if arguments.write:
        FILE.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
