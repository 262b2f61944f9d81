"""Measured seconds of each way to gather and scatter rows, beside what the cost model predicts.

    python benchmarks/planner/strategies.py --on cluster --json strategies.json
    python benchmarks/planner/strategies.py --only "gather 1e+06" --repeats 2

A sweep over the rows of a table, how many places are asked for or updated, and how these lie: at
random, in order, mostly in a few rows, all in one. For each case every strategy is forced: the
table sent to all (replicate), owners that look at all places (mask), places sent to their owners
(shuffle); of the forms the size that the planner prefers. A case is right where the strategy that
was predicted to be best is measured to be best, or within `NOISE` of it.

Places are those of `benchmarks/planner/places.py`. With `--json`, what was measured is added to
what the file has, so that cases may be measured in turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import distributed
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.measured_programs import Data  # noqa: E402
from benchmarks.planner.places import PLACES, Place, timed  # noqa: E402
from benchmarks.planner.regret import fits  # noqa: E402
from dask_tapestry.arrays.planning.plan import Plan  # noqa: E402
from dask_tapestry.operators.indexing import gather, scatter  # noqa: E402
from dask_tapestry_kernels import compilation  # noqa: E402

WIDTH = 16  # cells of a row: two cache lines
ROWS = (100_000, 300_000, 1_000_000)
COUNTS = (10_000, 100_000, 1_000_000)
SKEWS = ("random", "sorted", "few", "one")
NOISE = 1.05  # times the best: as fast as it
ASKED = 0.9  # of the cases
REPEATS = 3
BUDGET = 6.0  # seconds that the runs of one case may take together
HOPELESS = 3.0  # times the best: a strategy that takes so long is run once more only

Rows = dict[str, dict[str, float]]  # predicted and measured seconds of each strategy


class Case(NamedTuple):
    """What is gathered or scattered."""

    what: str
    rows: int
    count: int
    skew: str

    def __str__(self) -> str:
        return f"{self.what} {self.rows:.0e} {self.count:.0e} {self.skew}"


def cases() -> Iterator[Case]:
    """All of the sweep."""
    for what in ("gather", "scatter"):
        for rows in ROWS:
            for count in COUNTS:
                for skew in SKEWS:
                    yield Case(what, rows, count, skew)


def places_of(rows: int, count: int, skew: str) -> np.ndarray[Any, Any]:
    """Numbers of rows, a column."""
    generator = np.random.default_rng(0)
    if skew == "few":
        found = generator.zipf(1.3, count) % rows
    else:
        found = generator.integers(0, rows, count)
    if skew == "sorted":
        found = np.sort(found)
    return np.zeros_like(found)[:, None] if skew == "one" else found[:, None]


def value_of(case: Case, data: Data) -> dt.Array:
    """The rows that are looked up, or the table with rows added."""
    table = data.array(case.rows, WIDTH)
    rows, (count,) = table.shape[0], data.sides(case.count)
    places = dt.asarray(places_of(rows, count, case.skew))
    if data.on_cluster:
        places = places.persist()
        distributed.wait(places)
    if case.what == "gather":
        return dt.patterns.gather(table, places, [0], [1])
    updates = data.array(case.count, WIDTH, key=1)
    return dt.patterns.scatter(table, updates[:, None], places, [0], "kAdd")


@contextmanager
def without_forms() -> Iterator[None]:
    """Let no gather and no scatter have other forms."""
    modules = (gather, scatter)
    kept = [module.WORTH_SHUFFLING_BYTES for module in modules]
    try:
        for module in modules:
            module.WORTH_SHUFFLING_BYTES = inf  # type: ignore[misc, assignment]
        yield
    finally:
        for module, worth in zip(modules, kept, strict=True):
            module.WORTH_SHUFFLING_BYTES = worth  # type: ignore[misc]


def strategies(x: dt.Array, place: Place) -> dict[str, Plan]:
    """A plan of each strategy, of its best size; none for one that takes too much memory."""
    with without_forms():
        found = {"replicate": [x.plan(resources=place.resources)]}
    for form in x.node.operator.forms(x.node.input_types):
        made = [dt.Array(form.make(x.node, size)) for size in form.sizes]
        found[form.name] = [one.plan(resources=place.resources) for one in made]
    fitting = {name: [plan for plan in plans if fits(plan)] for name, plans in found.items()}
    return {
        name: min(plans, key=lambda plan: plan.cost["seconds"])
        for name, plans in fitting.items()
        if plans
    }


def measured(x: dt.Array, place: Place, repeats: int, budget: float) -> Rows:
    """Predicted and measured seconds of each strategy; of several runs the least."""
    plans = strategies(x, place)
    rows: Rows = {
        name: {"predicted": plan.cost["seconds"], "seconds": inf} for name, plan in plans.items()
    }
    end = time.perf_counter() + budget
    for turn in range(repeats + 1):
        best = min(row["seconds"] for row in rows.values())
        for name, plan in plans.items():
            row = rows[name]
            if turn < 2 or row["seconds"] < HOPELESS * best:
                took = timed(place, plan)
                row["seconds"] = min(row["seconds"], took) if turn else inf  # 0: kernels are loaded
        if turn and time.perf_counter() > end:
            break
    return rows


def is_right(rows: Rows) -> bool:
    """Whether the strategy that was predicted to be best is, or is as fast."""
    predicted = min(rows.values(), key=lambda row: row["predicted"])
    return predicted["seconds"] <= NOISE * min(row["seconds"] for row in rows.values())


def shown(name: str, rows: Rows) -> str:
    """A line for a case."""
    told = ", ".join(
        f"{strategy} {1e3 * row['predicted']:.0f} -> {1e3 * row['seconds']:.0f}"
        for strategy, row in rows.items()
    )
    return f"{'right' if is_right(rows) else 'WRONG'}  {name:28} {told} ms"


def report(found: dict[str, Rows]) -> str:
    """How often the prediction was right, of the cases that have a choice."""
    open_ = [rows for rows in found.values() if len(rows) > 1]
    right = sum(map(is_right, open_))
    lost = [
        min(rows.values(), key=lambda row: row["predicted"])["seconds"]
        / min(row["seconds"] for row in rows.values())
        for rows in open_
    ]
    share = right / max(1, len(open_))
    return (
        f"the predicted best is the measured best in {right} of {len(open_)} cases "
        f"({share:.0%}, asked {ASKED:.0%}); at worst it takes {max(lost, default=1):.2f} times it"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="parts of names of cases, with commas")
    parser.add_argument("--on", choices=PLACES, default="threads")
    parser.add_argument("--json", type=Path, help="file to add what is measured to")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds a case")
    parser.add_argument("--size", type=float, default=1.0, help="part of the usual sizes")
    given = parser.parse_args()
    kept = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    found: dict[str, Rows] = kept.setdefault(given.on, {})
    chosen = [c for c in cases() if any(part in str(c) for part in given.only.split(","))]
    with (
        tempfile.TemporaryDirectory() as folder,
        compilation.mode("wait"),
        PLACES[given.on]() as place,
    ):
        data = Data(Path(folder), given.on == "cluster", given.size)
        for case in chosen:
            found[str(case)] = measured(value_of(case, data), place, given.repeats, given.budget)
            print(shown(str(case), found[str(case)]), flush=True)
            if given.json:
                given.json.write_text(json.dumps(kept, indent=1))
    print(report(found))


if __name__ == "__main__":
    main()
