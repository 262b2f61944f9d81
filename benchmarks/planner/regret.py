"""Measured seconds of chosen plans beside forced ones, and beside what the cost model predicts.

    python benchmarks/planner/regret.py --only "matmul,sort" --json regret.json
    python benchmarks/planner/regret.py --on cluster --json regret.json

Each program of `benchmarks/planner/measured_programs.py` is run as the planner would run it and in
the layouts of `benchmarks/planner/layouts.py`, one after the other, again and again; the least
seconds of each count. Each turn has another order, so that none always follows the same: workers
take longer after one of hundreds of tasks. The regret is the chosen plan's seconds beside the best
of all. The rank correlation is Spearman's, of predicted and measured seconds of all pairs of
program and layout.

Plans run on all threads of this machine; with `--on cluster` on two workers of one thread each,
where arrays and results stay; with `--on one` on one thread, whose seconds of the processor count,
so that it matters little what else runs. With `--json`, what was measured is added to what the file
has, so that programs may be measured in turns.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from contextlib import suppress
from math import inf
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.planner.layouts import layouts  # noqa: E402
from benchmarks.planner.measured_programs import PROGRAMS, Data  # noqa: E402
from benchmarks.planner.places import PLACES, Place, timed  # noqa: E402
from benchmarks.planner.rates import rank_correlation  # noqa: E402
from dask_tapestry.arrays.planning.plan import Plan  # noqa: E402
from dask_tapestry.errors import MemoryLimitError  # noqa: E402
from dask_tapestry_kernels import compilation  # noqa: E402

REPEATS = 5
BUDGET = 12.0  # seconds that the runs of one program may take together
HOPELESS = 3.0  # times the best: a layout that takes so long is run once more only
ASKED = {"correlation": 0.9, "median": 1.05, "worst": 1.3}

Row = dict[str, Any]  # a layout with its predicted and its measured seconds


def measured(x: Any, place: Place, repeats: int, budget: float) -> list[Row]:
    """The chosen layout of `x`, then forced ones, with predicted and measured seconds."""
    found = [(name, Plan(core, (x,))) for name, core in layouts([x.node], place.resources)]
    plans = [(name, plan) for name, plan in found if fits(plan)]
    rows: list[Row] = [
        {
            "layout": name,
            "predicted": plan.cost["seconds"],
            "simulated": plan.simulate().seconds,
            "tasks": plan.cost["tasks"],
            "seconds": inf,
        }
        for name, plan in plans
    ]
    end = time.perf_counter() + budget
    for turn in range(repeats + 1):
        best = min(row["seconds"] for row in rows)
        for number in Random(turn).sample(range(len(rows)), len(rows)):
            row, (_, plan) = rows[number], plans[number]
            if turn < 2 or row["seconds"] < HOPELESS * best:
                took = timed(place, plan)
                row["seconds"] = min(row["seconds"], took) if turn else inf  # 0: kernels are loaded
        if turn and time.perf_counter() > end:
            break
    return rows


def fits(plan: Plan) -> bool:
    """Whether a layout fits into the workers' memory."""
    with suppress(MemoryLimitError):
        plan.verify()
        return True
    return False


def regret(rows: list[Row]) -> float:
    """The chosen plan's seconds beside the least of all."""
    return float(rows[0]["seconds"] / min(row["seconds"] for row in rows))


def correlation(found: dict[str, list[Row]], predicted: str = "predicted") -> float:
    """Spearman's, of predicted and measured seconds of all layouts."""
    rows = [row for rows in found.values() for row in rows]
    return rank_correlation([r[predicted] for r in rows], [r["seconds"] for r in rows])


def report(found: dict[str, list[Row]]) -> str:
    """What was found of each program, and the figures."""
    lines = [f"{'program':20} {'chosen':>8} {'best':>8} {'regret':>6} {'foretold':>8}  best layout"]
    for name, rows in sorted(found.items(), key=lambda item: regret(item[1])):
        best = min(rows, key=lambda row: row["seconds"])
        chosen = rows[0]
        lines.append(
            f"{name:20} {1e3 * chosen['seconds']:5.0f} ms {1e3 * best['seconds']:5.0f} ms "
            f"{regret(rows):6.2f} {1e3 * chosen['predicted']:5.0f} ms  {best['layout']}"
        )
    regrets = [regret(rows) for rows in found.values()]
    pairs = sum(map(len, found.values()))
    simulated = correlation(found, "simulated")
    lines.append(
        f"rank correlation of {pairs} pairs: {correlation(found):.3f} "
        f"(simulated: {simulated:.3f}), asked {ASKED['correlation']}"
    )
    lines.append(
        f"regret: median {median(regrets):.2f}, asked {ASKED['median']}; "
        f"worst {max(regrets):.2f}, asked {ASKED['worst']}"
    )
    return "\n".join(lines)


def details(rows: list[Row]) -> str:
    """Each layout of a program."""
    return "\n".join(
        f"    {row['layout']:24} foretold {1e3 * row['predicted']:7.1f} ms, simulated "
        f"{1e3 * row['simulated']:7.1f}, took {1e3 * row['seconds']:7.1f}, {row['tasks']:.0f} tasks"
        for row in rows
    )


def chosen_programs(only: str) -> list[str]:
    """Names of programs that have one of the parts, which commas separate."""
    return [name for name in PROGRAMS if any(part in name for part in only.split(","))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="names of programs, or parts, with commas")
    parser.add_argument("--on", choices=PLACES, default="threads")
    parser.add_argument("--json", type=Path, help="file to add what is measured to")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--budget", type=float, default=BUDGET, help="seconds a program")
    parser.add_argument("--brief", action="store_true", help="do not list the layouts")
    parser.add_argument("--size", type=float, default=1.0, help="part of the usual sizes")
    given = parser.parse_args()
    kept = json.loads(given.json.read_text()) if given.json and given.json.exists() else {}
    found = kept.setdefault(given.on, {})
    with (
        tempfile.TemporaryDirectory() as folder,
        compilation.mode("wait"),
        PLACES[given.on]() as place,
    ):
        for name in chosen_programs(given.only):
            data = Data(Path(folder), given.on == "cluster", given.size)
            x = PROGRAMS[name](data)
            found[name] = measured(x, place, given.repeats, given.budget)
            if not given.brief:
                print(f"{name}: {regret(found[name]):.2f}\n{details(found[name])}", flush=True)
            if given.json:
                given.json.write_text(json.dumps(kept, indent=1))
    print(report(found))


if __name__ == "__main__":
    main()
