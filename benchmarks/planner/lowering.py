"""What it takes to write out the tasks of plans, and how large plans are on their way there.

    python benchmarks/planner/lowering.py
    python benchmarks/planner/lowering.py --blocks 10000 --only aligned

Prints JSON. A plan's layers are pickled and unpickled, as on their way to a scheduler, then all
their tasks are written out: microseconds for each task on the average, and for each of the last
step alone. All layouts are fixed, so that figures do not depend on what a planner chooses.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from math import inf, isqrt
from typing import Any

from dask.core import flatten

import dask_tapestry as dt
from dask_tapestry.lower import step_spec
from dask_tapestry.lower.graph import Lowering
from dask_tapestry.lower.materialize import collection_paused, materialize
from dask_tapestry.lower.symbolic_layer import SymbolicLayer

SIDE = 64  # cells of a block along each axis
WIDE = 1024  # the same where slices are wanted: what a slice saves must outweigh its task
HUNDRED_THOUSAND = 100_000
MOST_SECONDS = 2.0  # to write them out
RESOURCES = {"workers": 4, "threads": 2, "memory": "1 TiB"}


@dataclass
class Figures:
    """What was measured of one plan.

    Attributes
    ----------
    tasks, slices, references
        Tasks in all, those of them that cut slices, and dependencies in all.
    plan_seconds, write_seconds
        Time to plan, and this process's own time to write the tasks out.
    us_a_task, us_a_last_task
        Microseconds for each task, and for each task of the last step.
    pickled_bytes
        The graph, pickled.
    """

    tasks: int
    slices: int
    references: int
    plan_seconds: float
    write_seconds: float
    us_a_task: float
    us_a_last_task: float
    pickled_bytes: int


def _held(blocks: int, side: int = SIDE, value: float = 1.0) -> dt.Array:
    """A matrix held in about `blocks` square blocks."""
    n = isqrt(blocks) * side
    return (dt.ones((n, n)) * value).rechunk((side, side))


def one_input(blocks: int) -> dt.Array:
    return (_held(blocks) + 1).rechunk((SIDE, SIDE))


def two_inputs(blocks: int) -> dt.Array:
    return (_held(blocks) + _held(blocks, value=2.0)).rechunk((SIDE, SIDE))


def three_inputs(blocks: int) -> dt.Array:
    x, y, z = (_held(blocks, value=v) for v in (1.0, 2.0, 3.0))
    return (x * y + z).rechunk((SIDE, SIDE))


def transposed(blocks: int) -> dt.Array:
    x = _held(blocks)
    return (x + x.T).rechunk((SIDE, SIDE))


def misaligned(blocks: int) -> dt.Array:
    """Each block reads parts of four blocks of either input."""
    n = isqrt(blocks) * SIDE
    lengths = (SIDE // 2, *[SIDE] * (isqrt(blocks) - 1), SIDE // 2)
    x = _held(blocks) + _held(blocks, value=2.0)
    assert sum(lengths) == n
    return x.rechunk((lengths, lengths))


def stencil(blocks: int) -> dt.Array:
    """Each block reads its own and thin edges of four others."""
    x = _held(blocks)
    inner = x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return inner.rechunk((SIDE, SIDE))


def stencil_in_slices(blocks: int) -> dt.Array:
    x = _held(blocks, WIDE)
    inner = x[1:-1, 1:-1] + x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]
    return inner.rechunk((WIDE, WIDE))


def reduction(blocks: int) -> dt.Array:
    """Each of few blocks reads a whole row of blocks."""
    return _held(blocks).sum(axis=1).rechunk((SIDE,))


def matmul(blocks: int) -> dt.Array:
    """Each block reads a row of blocks and a column of blocks: a grid of 16 by 16 takes part."""
    n = isqrt(blocks) * SIDE
    a = dt.ones((n, 16 * SIDE)).rechunk((SIDE, SIDE))
    b = (dt.ones((16 * SIDE, n)) * 2).rechunk((SIDE, SIDE))
    return (a @ b).rechunk((SIDE, SIDE))


def rechunk_rows(blocks: int) -> dt.Array:
    """Rows to columns of blocks of the same size: every block reads a part of every other."""
    n = max(4, isqrt(blocks))
    x = (dt.ones((n * SIDE, n * SIDE)) * 2).rechunk((SIDE, -1))
    return x.rechunk((-1, SIDE))


def rechunk_in_slices(blocks: int) -> dt.Array:
    n = max(4, isqrt(blocks))
    x = (dt.ones((n * WIDE, n * WIDE)) * 2).rechunk((WIDE, -1))
    return x.rechunk((-1, WIDE))


CASES: dict[str, Callable[[int], dt.Array]] = {
    "1 input, aligned": one_input,
    "2 inputs, aligned": two_inputs,
    "3 inputs, aligned": three_inputs,
    "x + x.T": transposed,
    "2 inputs, misaligned": misaligned,
    "stencil": stencil,
    "stencil, slices": stencil_in_slices,
    "reduction": reduction,
    "matmul, 16 deep": matmul,
    "rows to columns": rechunk_rows,
    "rows to columns, slices": rechunk_in_slices,
}


def layers_of(x: dt.Array) -> tuple[Any, float]:
    """A value's plan as layers, and the seconds it took to plan and write them."""
    start = time.perf_counter()
    plan = dt.plan(x, resources=dt.Resources(**RESOURCES))
    lowered = Lowering(plan.core, None).lower(final=False)
    return lowered, time.perf_counter() - start


def measure(x: dt.Array) -> Figures:
    """Write out all tasks of a value, as a scheduler that has just been sent its plan."""
    lowered, planned = layers_of(x)
    payload = pickle.dumps(lowered.graph)
    keys = list(flatten(lowered.keys))
    step_spec._loaded.clear()
    graph = pickle.loads(payload)
    start = time.process_time()
    tasks = materialize(graph, keys)
    wrote = time.process_time() - start
    step_spec._loaded.clear()
    last: SymbolicLayer = pickle.loads(payload).layers[keys[0][0]]
    with collection_paused():
        start = time.process_time()
        last_tasks = [last.task(key[1:]) for key in keys]
        alone = time.process_time() - start
    del last_tasks
    slices = sum("-slice-" in key[0] for key in tasks)
    return Figures(
        len(tasks),
        slices,
        sum(len(task.dependencies) for task in tasks.values()),
        round(planned, 4),
        round(wrote, 4),
        round(1e6 * wrote / len(tasks), 2),
        round(1e6 * alone / len(keys), 2),
        len(payload),
    )


def best(x: dt.Array, repeats: int) -> Figures:
    """The fastest of some measurements."""
    return min((measure(x) for _ in range(repeats)), key=lambda found: found.us_a_last_task)


def sizes() -> dict[str, int]:
    """Pickled bytes of one expression's graph for more and more blocks."""
    found = {}
    for blocks in (10**2, 10**4, 10**6):
        with dt.config(max_tasks=10 * blocks):
            lowered, _ = layers_of(two_inputs(blocks).sum(axis=0))
        found[f"{blocks} blocks"] = len(pickle.dumps(lowered.graph))
    return found


def hundred_thousand(repeats: int) -> dict[str, float]:
    """Seconds that a scheduler takes to write out 10**5 tasks that it was sent."""
    x = two_inputs((isqrt(HUNDRED_THOUSAND // 3) + 1) ** 2)  # as many tasks make each input
    lowered, _ = layers_of(x)
    payload = pickle.dumps(lowered.graph)
    keys = list(flatten(lowered.keys))
    least, count = inf, 0
    for _ in range(repeats):
        step_spec._loaded.clear()
        start = time.process_time()
        count = len(materialize(pickle.loads(payload), keys))
        least = min(least, time.process_time() - start)
    return {"tasks": count, "seconds": round(least, 3), "asked": MOST_SECONDS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=2500, help="blocks of a step, about")
    parser.add_argument("--repeats", type=int, default=3, help="of which the fastest is shown")
    parser.add_argument("--only", default="", help="cases whose name holds this text")
    arguments = parser.parse_args()
    report: dict[str, Any] = {
        name: asdict(best(case(arguments.blocks), arguments.repeats))
        for name, case in CASES.items()
        if arguments.only in name
    }
    if not arguments.only:
        report["pickled bytes"] = sizes()
        report["10**5 tasks"] = hundred_thousand(arguments.repeats)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
