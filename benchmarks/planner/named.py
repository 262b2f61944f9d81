"""Named plans: what the planner makes of programs whose best plans are known.

    python benchmarks/planner/named.py
    python benchmarks/planner/named.py --only "heat,matmul" --explain

For each program of `benchmarks/planner/programs.py` one line of its plan, then one for each figure
that is asked of it. Nothing is computed, and no tensor exists. Tasks, edges and bytes are counted
block by block (`benchmarks/planner/ledger.py`), not taken from the plan's cost.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.ledger import Ledger, ledger  # noqa: E402
from benchmarks.planner.programs import IDLE, NAMED, Ask, Case  # noqa: E402


@dataclass(frozen=True)
class Found:
    """A plan that was made, or why it could not be."""

    case: Case
    seconds: float
    plan: Any = None
    counted: Ledger | None = None
    error: str = ""

    def figures(self) -> Iterator[tuple[Ask, float]]:
        """What is asked and what the plan has; infinite where there is no plan."""
        for ask in (*self.case.asks, IDLE):
            yield ask, inf if self.counted is None else ask.figure(self.counted)


def find(make: Callable[[], Case]) -> Found:
    """Plan a case, verify the plan and count what it takes."""
    case = make()
    start = time.perf_counter()
    try:
        plan = dt.plan(*case.roots, resources=case.resources)
    except dt.TapestryError as error:
        return Found(case, time.perf_counter() - start, error=_brief(error))
    seconds = time.perf_counter() - start
    counted = ledger(plan.core)
    try:
        plan.verify()
    except dt.TapestryError as error:
        return Found(case, seconds, plan, counted, _brief(error))
    return Found(case, seconds, plan, counted)


def _brief(error: Exception) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0][:150]}"


def lines(name: str, found: Found) -> Iterator[str]:
    """The plan in one line, then each figure."""
    counted = found.counted
    text = f"{name}: {found.seconds:.3f} s"
    if counted is not None:
        cost = {what: found.plan.cost[f"bytes_{what}"] / 1e9 for what in ("read", "moved")}
        slices = sum(s.slices for s in counted.steps)
        text += (
            f", {counted.tasks:,} tasks ({slices:,.0f} slices), {counted.edges:,} edges, "
            f"read {counted.read / 1e9:,.1f} GB (foretold {cost['read']:,.1f}), "
            f"moved {counted.moved / 1e9:,.1f} GB (foretold {cost['moved']:,.1f})"
            f"{', from a sample' if counted.sampled else ''}"
        )
    yield text
    if counted is not None:
        yield "    " + "; ".join(map(_step, counted.steps))
    yield f"    {'met    ' if not found.error else 'NOT MET'} verified {found.error}"
    for ask, value in found.figures():
        met = "met    " if value <= ask.most else "NOT MET"
        yield f"    {met} {ask.what}: {value:,.3f} {ask.unit}, asked {ask.most:,g}"


def _step(traffic: Any) -> str:
    step = traffic.step
    grid = " x ".join(map(str, step.cuts))
    return f"{step.node.operator.name} of {len(step.program.instructions)} [{grid}]"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names, or parts of them, with commas")
    parser.add_argument("--explain", action="store_true", help="print the plans too")
    arguments = parser.parse_args()
    for name, make in NAMED.items():
        if any(part in name for part in arguments.only.split(",")):
            found = find(make)
            print("\n".join(lines(name, found)), flush=True)
            if arguments.explain and found.plan is not None:
                print(found.plan.explain())


if __name__ == "__main__":
    main()
