"""Reductions of reshaped, ravelled and transposed arrays in memory, beside NumPy and dask.array.

    python benchmarks/planner/views.py
    python benchmarks/planner/views.py --only reshape --cells random

All three by turns in one run, each some times in a row, the array wrapped anew each time: least
milliseconds, ratios to NumPy's, and the tasks a slot of our plan.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask.array as da  # noqa: E402
import numpy as np  # noqa: E402

import dask_tapestry as dt  # noqa: E402
from dask_tapestry_kernels import compilation  # noqa: E402

MOST_RATIO: Final = 2.0  # of our time to NumPy's
MOST_TASKS: Final = 4.0  # a slot
ROUNDS: Final = 3  # of all three
WARM: Final = 2  # calls that ask for the kernels
Reduced = Callable[[Any, Any], Any]  # of a module and an array

# name: shape of the array, what is reduced
CASES: Final[dict[str, tuple[tuple[int, ...], Reduced]]] = {
    "reshape to 2D, sum(0)": ((6_250_000,), lambda m, x: x.reshape(2500, 2500).sum(axis=0)),
    "reshape to 2D, sum(1)": ((6_250_000,), lambda m, x: x.reshape(2500, 2500).sum(axis=1)),
    "reshape from 3D, sum(0)": ((100, 250, 250), lambda m, x: x.reshape(25_000, 250).sum(axis=0)),
    "reshape from 3D, max(1)": ((100, 250, 250), lambda m, x: x.reshape(25_000, 250).max(axis=1)),
    "ravel, sum": ((2500, 2500), lambda m, x: m.ravel(x).sum()),
    "ravel of 3D, std": ((100, 250, 250), lambda m, x: m.ravel(x).std()),
    "moveaxis, sum(0)": ((2500, 2500), lambda m, x: m.moveaxis(x, 0, -1).sum(axis=0)),
    "moveaxis of 3D, sum(0)": ((100, 250, 250), lambda m, x: m.moveaxis(x, 0, -1).sum(axis=0)),
    "moveaxis of 3D, mean(2)": ((100, 250, 250), lambda m, x: m.moveaxis(x, 0, -1).mean(axis=2)),
    "transpose, sum(0)": ((2500, 2500), lambda m, x: x.T.sum(axis=0)),
    "transpose, ravel, sum": ((2500, 2500), lambda m, x: m.ravel(x.T).sum()),
    "blocks of 10 x 10, mean": (
        (2500, 2500),
        lambda m, x: x.reshape(250, 10, 250, 10).mean(axis=(1, 3)),
    ),
}


@dataclass(frozen=True)
class Found:
    """Least seconds of a case, and the tasks a slot of our plan."""

    ours: float
    numpy: float
    dask: float
    tasks: float


def measure(shape: tuple[int, ...], reduced: Reduced, cells: str, repeats: int) -> Found:
    """Time one case in all three."""
    x = np.zeros(shape) if cells == "zeros" else np.random.default_rng(0).random(shape)
    plan = dt.plan(reduced(dt, dt.asarray(x))).core
    for _ in range(WARM):
        value = reduced(dt, dt.asarray(x)).compute()
    np.testing.assert_allclose(value, reduced(np, x))
    compilation.wait()
    least = {"ours": 1e9, "numpy": 1e9, "dask": 1e9}
    calls: dict[str, Callable[[], Any]] = {
        "ours": lambda: reduced(dt, dt.asarray(x)).compute(),
        "numpy": lambda: reduced(np, x),
        "dask": lambda: reduced(da, da.from_array(x)).compute(),
    }
    for _ in range(ROUNDS):
        for name, call in calls.items():
            for _ in range(repeats):
                start = time.perf_counter()
                call()
                least[name] = min(least[name], time.perf_counter() - start)
    tasks = sum(step.count for step in plan.steps.values()) / plan.resources.slots
    return Found(**least, tasks=tasks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    parser.add_argument("--cells", default="zeros", choices=("zeros", "random"))
    parser.add_argument("--repeats", type=int, default=7, help="in a row")
    arguments = parser.parse_args()
    print(f"{'':26}{'NumPy':>8} ms{'ours':>8} ms{'ratio':>8}{'dask.array':>11}{'tasks a slot':>14}")
    for name, (shape, reduced) in CASES.items():
        if arguments.only not in name:
            continue
        found = measure(shape, reduced, arguments.cells, arguments.repeats)
        ratio, other = found.ours / found.numpy, found.dask / found.numpy
        met = ratio <= MOST_RATIO and found.tasks <= MOST_TASKS
        print(
            f"{name:26}{1e3 * found.numpy:11.2f}{1e3 * found.ours:11.2f}{ratio:8.2f}{other:11.2f}"
            f"{found.tasks:14.1f}  {'met' if met else 'NOT MET'}",
            flush=True,
        )


if __name__ == "__main__":
    main()
