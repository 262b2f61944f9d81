"""Whether plans tell what their blocks take, and how long it takes to tell and to verify it.

    python benchmarks/planner/traffic.py
    python benchmarks/planner/traffic.py --steps 200 --plans 50 --only matmul

Prints JSON: of random small steps, how many have other totals than those counted block by block; of
random small plans, how many tell other tasks, slices or edges than are written out; and for the
named plans, milliseconds of the processor to verify them and to count what they take.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.programs import NAMED  # noqa: E402
from tests.planner.enumerated import any_saving, same_but_main, small_traffic  # noqa: E402
from tests.planner.written_out import SAVES, misjudged, random_plan  # noqa: E402


def steps(count: int) -> dict[str, Any]:
    """So many random steps: those compared, and the seeds of those whose totals differ."""
    compared, differ, seed = 0, [], 0
    with any_saving() as saving:
        while compared < count:
            pair = small_traffic(seed, saving)
            if pair is not None:
                compared += 1
                differ += [seed] if not same_but_main(*pair) else []
            seed += 1
    return {"compared": compared, "differ": differ}


def plans(count: int) -> dict[str, Any]:
    """So many random plans: the seeds of those of which other tasks are written out."""
    differ = []
    with any_saving() as saving:
        for seed in range(count):
            random = Random(seed)
            saving(random.choice(SAVES))
            differ += [seed] if list(misjudged(random_plan(random))) else []
    return {"compared": count, "differ": differ}


def named(name: str) -> dict[str, Any]:
    """Milliseconds to verify a named plan, and to count what its steps take."""
    case = NAMED[name]()
    plan = dt.plan(*case.roots, resources=case.resources)
    verify = _milliseconds(plan.verify)
    count = _milliseconds(lambda: plan.cost)
    return {
        "verify_ms": verify,
        "count_ms": count,
        "counted": all(step.cost.counted for step in plan.core.steps.values()),
    }


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return round(1000 * (time.process_time() - start), 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--plans", type=int, default=300)
    parser.add_argument("--only", default="", help="part of the names of named plans")
    arguments = parser.parse_args()
    found = {
        "steps": steps(arguments.steps),
        "plans": plans(arguments.plans),
        "named": {name: named(name) for name in NAMED if arguments.only in name},
    }
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
