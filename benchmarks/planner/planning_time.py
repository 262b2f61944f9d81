"""How long planning takes, and how it grows.

    python benchmarks/planner/planning_time.py
    python benchmarks/planner/planning_time.py --only "chain" --profile

Each figure is the best of some repeats, in milliseconds of the processor. Graphs are built anew
each time, on tensors of new identity, so that no plan is found again except where that is timed.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import numpy as np  # noqa: E402

import dask_tapestry as dt  # noqa: E402
from benchmarks.planner.programs import NAMED  # noqa: E402
from dask_tapestry.planner.cache import plan_of  # noqa: E402

USUAL = dt.Resources(workers=64, threads=4, memory="16 GiB")
Prepared = Callable[[], Any]  # what is timed, once


def ten_operators() -> Prepared:
    x = dt.placeholder((10_000, 10_000), "f8", (1000, 1000))
    y = dt.sqrt(dt.abs((x * 2 + 1) / 3 - x) + 4) * x - 5
    y = dt.where(y > 0, y, -y)
    return lambda: dt.plan(y, resources=USUAL)


def found_again() -> Prepared:
    x = dt.asarray(np.zeros(10_000))
    roots = [(dt.sin(x) * 2 + 1).node]
    plan_of(roots)
    return lambda: plan_of(roots)


def zarr_again() -> Prepared:
    folder = tempfile.mkdtemp()
    dt.to_zarr(dt.ones((1000, 1000), chunks=(100, 1000)), f"{folder}/x")
    y = dt.from_zarr(f"{folder}/x") * 2 + 1
    sink = dt.to_zarr(y, f"{folder}/y", compute=False)
    plan_of([sink.node])
    return lambda: plan_of([sink.node])


def named(name: str) -> Callable[[], Prepared]:
    def prepare() -> Prepared:
        case = NAMED[name]()
        return lambda: dt.plan(*case.roots, resources=case.resources)

    return prepare


def chain(count: int) -> Callable[[], Prepared]:
    """Operators in a row, of kinds that are neither folded into one another nor all of one step."""

    def prepare() -> Prepared:
        x = y = dt.placeholder((10_000, 1000), "f8", (1000, 1000))
        for number in range(count):
            y = y[::-1] if number % 10 == 9 else y + number if number % 2 else dt.sqrt(y)
        return lambda: dt.plan(y + x, resources=USUAL)

    return prepare


def layers(count: int) -> Callable[[], Prepared]:
    """`count` operators with reductions and products among them, which are held."""

    def prepare() -> Prepared:
        y = dt.placeholder((100_000, 100), "f8", (1000, 100))
        for number in range(count // 5):
            y = (y - y.mean(axis=0)) * 0.5 + number
        return lambda: dt.plan(y, resources=USUAL)

    return prepare


def descent(count: int) -> Callable[[], Prepared]:
    """`count` steps of a gradient descent: products whose blocks each reader wants otherwise."""

    def prepare() -> Prepared:
        a, b = dt.placeholder((20_000, 100), "f8"), dt.placeholder((20_000,), "f8")
        w = dt.zeros(100)
        for _ in range(count):
            w = w - 1e-3 * (a.T @ (a @ w - b))
        return lambda: dt.plan(w, resources=USUAL)

    return prepare


def joint_means(count: int) -> Callable[[], Prepared]:
    """`count` means of four stored arrays along either axis, all at once."""

    def prepare() -> Prepared:
        x = [dt.placeholder((4000, 4000), "f8") for _ in range(4)]
        means = [(x[n % 4] * n + x[(n + 1) % 4]).mean(n % 2) for n in range(count)]
        return lambda: dt.plan(*means, resources=USUAL)

    return prepare


def reshapes(count: int) -> Callable[[], Prepared]:
    """An array that is reshaped and transposed again and again: blocks read thousands of boxes."""

    def prepare() -> Prepared:
        x = dt.placeholder((1000, 1000, 1000), "f8", (100, 100, 1000))
        for _ in range(count):
            x = x.reshape(1_000_000, 1000).T.reshape(1000, 1000, 1000) + 1
        y = x.rechunk((100, 1000, 100))
        return lambda: dt.plan(y, resources=USUAL)

    return prepare


def masks(count: int) -> Callable[[], Prepared]:
    """Means over time of what each of `count` masks chooses: programs that are alike."""

    def prepare() -> Prepared:
        x = dt.placeholder((6000, 721, 1440), "f4", (24, 721, 1440))
        means = [x[np.arange(6000) // 30 % count == n].mean(axis=0) for n in range(count)]
        return lambda: dt.plan(*means, resources=USUAL)

    return prepare


def building(count: int) -> Callable[[], Prepared]:
    """The graph alone: nodes made, interned and put in order."""

    def prepare() -> Prepared:
        def build() -> Any:
            y = dt.placeholder((10_000, 1000), "f8", (1000, 1000))
            for number in range(count):
                y = y + number if number % 2 else dt.sqrt(y)
            return y.teg.nodes

        return build

    return prepare


# name: what prepares it, milliseconds asked, repeats
TIMED: dict[str, tuple[Callable[[], Prepared], float | None, int]] = {
    "ten elementwise operators": (ten_operators, 3, 20),
    "a plan found again": (found_again, 0.3, 200),
    "a plan found again, Zarr to Zarr": (zarr_again, 0.3, 50),
    "attention 8192": (named("attention 8192"), 30, 5),
    "MLP of 24 layers": (named("MLP of 24 layers"), 1000, 1),
    "1000 operators in a row": (chain(1000), 5000, 1),
    "1000 operators, 200 reductions": (layers(1000), 5000, 1),
    "30 steps of a descent": (descent(30), None, 1),
    "100 steps of a descent": (descent(100), None, 1),
    "200 means at once": (joint_means(200), 1000, 1),
    "12 means of what masks choose": (masks(12), None, 1),
    "reshaped and transposed 3 times": (reshapes(3), None, 1),
    "building 10**4 nodes": (building(10_000), None, 1),
    "building 10**5 nodes": (building(100_000), None, 1),
    "chain of 10**4": (chain(10_000), None, 1),
    "chain of 10**5": (chain(100_000), None, 1),
}


def best(prepare: Callable[[], Prepared], repeats: int, again: bool) -> float:
    """Least milliseconds; `again` repeats one call, else each is prepared anew."""
    times = []
    call = prepare()
    for turn in range(repeats):
        call = call if again or not turn else prepare()
        start = time.thread_time()
        call()
        times.append(1000 * (time.thread_time() - start))
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="names, or parts of them, with commas")
    parser.add_argument("--profile", action="store_true", help="where the time goes, of one call")
    arguments = parser.parse_args()
    for name, (prepare, most, repeats) in TIMED.items():
        if not any(part in name for part in arguments.only.split(",")):
            continue
        found = best(prepare, repeats, again="again" in name)
        asked = "" if most is None else f"asked {most:g}: {'met' if found <= most else 'NOT MET'}"
        print(f"{name:36} {found:10.3f} ms  {asked}", flush=True)
        if arguments.profile:
            call = prepare()
            with cProfile.Profile() as profile:
                call()
            pstats.Stats(profile).sort_stats("cumtime").print_stats(45)


if __name__ == "__main__":
    main()
