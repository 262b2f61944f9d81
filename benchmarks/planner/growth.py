"""How the time for one node grows with the number of nodes, from the user's line to the layers.

    python benchmarks/planner/growth.py
    python benchmarks/planner/growth.py --counts 1000,10000

Microseconds of the processor for each node of a chain; what is asked for is that they stay within a
factor of two.
"""

from __future__ import annotations

import argparse
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from dask_tapestry.lower.graph import Lowering  # noqa: E402
from dask_tapestry.memory.garbage_collection import collection_paused  # noqa: E402
from dask_tapestry.teg import Graph  # noqa: E402

USUAL = dt.Resources(workers=64, threads=4, memory="16 GiB")
GROWTH = 2.0  # times the least time for a node that another count may take


def chain(count: int) -> dt.Array:
    """Operators in a row, which are neither all folded into one another nor all of one step."""
    x = y = dt.placeholder((10_000, 1000), "f8", (1000, 1000))
    for number in range(count):
        y = y[::-1] if number % 10 == 9 else y + number if number % 2 else dt.sqrt(y)
    return y + x


def stages(count: int) -> dict[str, float]:
    """Seconds of each stage for a chain of `count` operators."""
    found: dict[str, float] = {}

    def timed(name: str, call: Callable[[], Any]) -> Any:
        with collection_paused():  # it takes longer the more a process holds, whatever is timed
            start = time.thread_time()
            result = call()
            found[name] = time.thread_time() - start
        return result

    y = timed("build", lambda: chain(count))
    graph = Graph([y.node])
    timed("order", lambda: graph.nodes)
    timed("hash", lambda: hash(graph) or graph == Graph([y.node]))
    timed("print", lambda: str(graph))
    payload = timed("pickle", lambda: pickle.dumps(graph))
    timed("unpickle", lambda: pickle.loads(payload))
    plan = timed("plan", lambda: dt.plan(y, resources=USUAL))
    timed("print the plan", lambda: str(plan))
    timed("verify", plan.core.verify)
    timed("lower", lambda: pickle.dumps(Lowering(plan.core, None).lower(final=True).graph))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--counts", default="1000,10000,100000", help="operators, with commas")
    counts = [int(count) for count in parser.parse_args().counts.split(",")]
    stages(counts[0])  # what a process does once
    every = {count: stages(count) for count in counts}
    print(f"{'µs a node':16}" + "".join(f"{count:>12,}" for count in counts))
    for name in every[counts[0]]:
        each = [1e6 * every[count][name] / count for count in counts]
        met = "" if max(each) <= GROWTH * each[0] else "   NOT MET"
        print(f"{name:16}" + "".join(f"{us:12.2f}" for us in each) + met, flush=True)


if __name__ == "__main__":
    main()
