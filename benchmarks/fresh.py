"""What only a fresh process shows: how long the first call takes, and peak memory.

    python benchmarks/fresh.py first_call dask_tapestry exp_sum --scale 0.025
    python benchmarks/fresh.py first_call dask_tapestry exp_sum --shipped FOLDER
    python benchmarks/fresh.py peak dask_tapestry exp_sum

`benchmarks/machine.py` runs this for its rows; a JSON object is printed. First calls count what a
library compiles, not its import (`imports.py` has ours). In a FOLDER may lie what a wheel brings,
as `dask_tapestry_kernels.wheel.ship` compiles it: else nothing is brought. The peak is what the
process holds at most above what it held when the inputs were there, less the results: small calls
before it have loaded what there is to load, compiled kernels too. It reads Linux's counters.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

from benchmarks.peers import BENCHED, OURS, Peer, as_tuple, named  # noqa: E402
from tests.comparisons import Comparison  # noqa: E402

SHIPPED = "dask_tapestry_kernels.cpu.jit.shipped"
COMPILER = "dask_tapestry_kernels.wheel.ship"
TARGET = {"NUMBA_CPU_NAME": "x86-64-v3", "NUMBA_CPU_FEATURES": ""}  # as `wheel.build` has it
STATUS, REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def first_call(peer: Peer, comparison: Comparison, scale: float) -> dict[str, float]:
    """Seconds of the first call, of the second, and of one after all compiling is over."""
    arrays = [peer.give(x) for x in comparison.bench.large(scale)]
    begin = time.perf_counter()
    call = peer.program(comparison, arrays)
    call()
    first = time.perf_counter()
    call()
    second = time.perf_counter()
    peer.settle()
    settled = time.perf_counter()
    call()
    return {
        "first": first - begin,
        "second": second - first,
        "later": time.perf_counter() - settled,
    }


def status(counter: str) -> int:
    """A counter of this process's memory, in bytes."""
    return 1024 * int(re.search(rf"{counter}:\s+(\d+) kB", STATUS.read_text())[1])


def peak(peer: Peer, comparison: Comparison, scale: float) -> dict[str, int]:
    """Bytes that one call holds at most above its inputs and its results."""
    small = [peer.give(x) for x in comparison.bench.large(min(scale, 0.002))]
    peer.warm(peer.program(comparison, small))
    inputs = comparison.bench.large(scale)
    call = peer.program(comparison, [peer.give(x) for x in inputs])
    REFERENCES.write_text("5")  # the highest so far is what it is now
    before = status("VmRSS")
    results = as_tuple(call())
    above = status("VmHWM") - before
    made = sum(x.nbytes for x in results)
    return {"inputs": sum(x.nbytes for x in inputs), "results": made, "above": above - made}


def bring(folder: str) -> None:
    """Have what a wheel brings lie in a folder."""
    shipped = importlib.import_module(SHIPPED)
    shipped.read = partial(shipped.read, folder=Path(folder))


def compile_shipped(folder: str) -> None:
    """Compile into a folder what a wheel brings; it takes minutes."""
    command = [sys.executable, "-m", COMPILER, folder]
    roots = os.pathsep.join([str(ROOT / "kernels"), os.environ.get("PYTHONPATH", "")])
    subprocess.run(command, check=True, env=os.environ | TARGET | {"PYTHONPATH": roots})


def ask(
    what: str, peer: str, row: str, scale: float, shipped_in: str | None = None
) -> dict[str, Any]:
    """The same in a process of its own; ``{"error": why}`` where that fails."""
    command = [sys.executable, str(Path(__file__)), what, peer, row, "--scale", str(scale)]
    with TemporaryDirectory() as folder:  # first calls find nothing that was compiled before
        command += ["--shipped", shipped_in or f"{folder}/none"]
        own = {} if what == "peak" else {"DASK_TAPESTRY_CACHE": folder}
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=ROOT, env=os.environ | own
        )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("first_call", "peak"))
    parser.add_argument("peer")
    parser.add_argument("row", choices=BENCHED)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--shipped", metavar="FOLDER", help="where lies what a wheel brings")
    given = parser.parse_args()
    if given.shipped and given.peer == OURS.name:
        bring(given.shipped)
    ask_for = first_call if given.what == "first_call" else peak
    (peer,) = named(given.peer)
    print(json.dumps(ask_for(peer, BENCHED[given.row], given.scale)))


if __name__ == "__main__":
    main()
