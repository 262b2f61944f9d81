"""Whole programs on arrays in memory, beside NumPy, dask.array, dask-array, JAX and numexpr.

    python benchmarks/machine.py
    python benchmarks/machine.py --only black_scholes,heat --repeats 3 --scale 0.1
    python benchmarks/machine.py --cubed --json machine.json
    python benchmarks/machine.py --cold --shipped --peers dask
    python benchmarks/machine.py --processor --fast --peers numpy,jax

The programs are the rows of `tests/comparisons/program_rows.py` and `kernel_rows.py`, which the
tests run too. All libraries run in one process, taking turns; each figure is the best of the
repeats, in seconds, graph building and planning included and compiling not. Every result is
compared with NumPy's before it is timed. The column `copy` is a plain copy on all cores that moves
as many bytes as the program must: inputs (for `anomaly` twice) and results, half of them read and
half written to fresh memory. With --processor the figures are seconds of the processor, all threads
together, which other work on the machine disturbs less. `benchmarks/report.py` makes the page of
what --json has written.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib.metadata
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import geometric_mean
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import numpy as np  # noqa: E402

from benchmarks import fresh  # noqa: E402
from benchmarks.peers import (  # noqa: E402
    OURS,
    PEERS,
    Cubed,
    Peer,
    as_tuple,
    chosen,
    difference,
    named,
)
from tests.comparisons import Comparison  # noqa: E402

SHORT = 0.02  # seconds: shorter calls are timed several at once
PATIENCE = 20.0  # seconds a peer and row: a peer that has taken them is not repeated
FIRST_CALLS = ("black_scholes", "exp_sum", "row_sum", "scale_sum 10_000 cells")
FIRST_SCALE = 0.025
Calls = dict[str, Callable[[], Any]]


def plain_copy(moved: int) -> Callable[[], Any]:
    """A copy into a fresh array, one slab a core, that reads and writes `moved` bytes in all."""
    source = np.ones(max(1, moved // 16))
    cores = os.process_cpu_count() if hasattr(os, "process_cpu_count") else os.cpu_count()
    pool = ThreadPoolExecutor(cores)
    slabs = [slice(source.size * n // cores, source.size * (n + 1) // cores) for n in range(cores)]

    def call() -> np.ndarray:
        target = np.empty_like(source)
        list(pool.map(lambda slab: np.copyto(target[slab], source[slab]), slabs))
        return target

    return call


def contenders(comparison: Comparison, peers: Sequence[Peer], scale: float) -> tuple[Calls, dict]:
    """The calls to time, their results checked; and what is said of the row beside its times."""
    inputs = comparison.bench.large(scale)
    expected = as_tuple(comparison.numpy(*inputs, **comparison.bench.arguments))
    sizes = sum(x.nbytes for x in inputs), sum(np.asarray(x).nbytes for x in expected)
    moved = comparison.bench.passes * sizes[0] + sizes[1]
    calls: Calls = {"copy": plain_copy(moved)}
    without = {}
    for peer in peers:
        try:
            refusal = peer.refusal(comparison) or tried(peer, comparison, inputs, expected, calls)
        except Exception as error:  # whatever a library raises is its answer
            refusal = f"{type(error).__name__}: {error}".splitlines()[0][:100]
        if refusal:
            without[peer.name] = refusal
            calls.pop(peer.name, None)
    about = {
        "inputs": sizes[0],
        "results": sizes[1],
        "moved": moved,
        "memory_bound": comparison.bench.memory_bound,
        "without": without,
    }
    return calls, about


def tried(
    peer: Peer, comparison: Comparison, inputs: Any, expected: Any, calls: Calls
) -> str | None:
    """Add the peer's call, and say how its result is wrong if it is."""
    call = peer.program(comparison, [peer.give(x) for x in inputs])
    wrong = difference(call(), expected)
    peer.settle()
    calls[peer.name] = call
    return wrong and f"wrong: {wrong}"


def best_times(
    calls: Calls, repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Best seconds of each call; they take turns."""
    best: dict[str, float] = {}
    loops = dict.fromkeys(calls, 1)
    spent = dict.fromkeys(calls, 0.0)
    for turn in range(repeats + 1):  # the first turn tells how many calls to time at once
        for name, call in calls.items():
            if turn > 1 and spent[name] > PATIENCE:
                continue
            seconds = timed(call, loops[name], clock)
            spent[name] += seconds * loops[name]
            best[name] = min(best.get(name, seconds), seconds)
            if not turn:
                loops[name] = max(1, min(1000, round(SHORT / max(seconds, 1e-9))))
    return best


def timed(
    call: Callable[[], Any], loops: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Seconds of one of `loops` calls in a row."""
    start = clock()
    for _ in range(loops):
        result = call()
    seconds = clock() - start
    del result
    return seconds / loops


def measure(
    name: str,
    comparison: Comparison,
    peers: Sequence[Peer],
    repeats: int,
    scale: float,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Any]:
    """One row: seconds of every peer that can run it."""
    calls, about = contenders(comparison, peers, scale)
    gc.collect()
    return {"name": name, "seconds": best_times(calls, repeats, clock), **about}


def ratios(row: dict[str, Any]) -> dict[str, float]:
    """Seconds of each peer over ours, and ours over the copy's as ``"copy"``."""
    seconds = row["seconds"]
    ours = seconds.get(OURS.name)
    if ours is None:
        return {}
    found = {name: s / ours for name, s in seconds.items() if name not in (OURS.name, "copy")}
    return {**found, "copy": ours / seconds["copy"]}


def means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Geometric means of the ratios, each over the rows that the peer ran."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, ratio in ratios(row).items():
            if name != "copy" or row["memory_bound"]:
                columns.setdefault(name, []).append(ratio)
    return {name: geometric_mean(column) for name, column in columns.items()}


def hardware() -> dict[str, Any]:
    """What the figures were measured on."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    wide = any("avx512f" in line for line in lines)
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": (models or [platform.processor()])[0] + (" with AVX-512" if wide else ""),
        "cores": os.cpu_count(),
        "memory": pages,
        "architecture": platform.machine(),
        "system": platform.system(),
        "python": platform.python_version(),
    }


def versions(peers: Sequence[Peer]) -> dict[str, str]:
    found = {}
    for package in {peer.package for peer in peers} | {"numpy", "dask"}:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "checkout"
    return dict(sorted(found.items()))


def commit() -> dict[str, Any]:
    """The checked-out commit and its time in milliseconds; nothing outside a checkout."""
    command = ["git", "log", "-1", "--format=%H %ct"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode:
        return {}
    name, seconds = done.stdout.split()
    return {"commit": name, "commit_time": 1000 * int(seconds)}


def shown(row: dict[str, Any], peers: Sequence[Peer]) -> str:
    """A line of the table on the terminal."""
    times = [row["seconds"].get(name) for name in ("copy", *[peer.name for peer in peers])]
    cells = "".join("         –" if t is None else f"{t:10.4f}" for t in times)
    return f"{row['name']:24}{cells}{ratios(row).get('copy', float('nan')):10.2f}"


def without(rows: Sequence[dict[str, Any]]) -> dict[tuple[str, str], list[str]]:
    """The rows that a peer cannot run, by peer and reason."""
    missing: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        for reason in row["without"].items():
            missing.setdefault(reason, []).append(row["name"])
    return missing


def measure_fresh(result: dict[str, Any], given: Any, rows: Any, peers: Sequence[Peer]) -> None:
    """Add first calls and peak memory, each measured in a process of its own."""
    with TemporaryDirectory() as folder:
        if given.shipped:
            fresh.compile_shipped(folder)
        for name in [name for name in rows if given.cold or name in FIRST_CALLS]:
            for peer in [p for p in peers if p.refusal(rows[name]) is None]:
                seconds = fresh.ask("first_call", peer.name, name, FIRST_SCALE, folder)
                result["first_calls"].append({"name": name, "peer": peer.name, **seconds})
                print("first call", name, peer.name, seconds, flush=True)
    for name in () if given.cold else rows:
        found = fresh.ask("peak", OURS.name, name, given.scale)
        result["memory"].append({"name": name, **found})
        print("peak", name, found, flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", help="rows whose names start as these do")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1.0, help="cells, as a share of the usual")
    parser.add_argument("--peers", help="as numpy,jax; the default is all that are installed")
    parser.add_argument("--cubed", action="store_true", help="with Cubed, which takes seconds")
    parser.add_argument("--processor", action="store_true", help="seconds of the processor")
    parser.add_argument("--fast", action="store_true", help="without first calls and memory")
    parser.add_argument("--cold", action="store_true", help="first calls of all rows, nothing else")
    parser.add_argument("--shipped", action="store_true", help="first calls as a wheel has them")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def main() -> None:
    given = arguments()
    asked = named(given.peers) if given.peers else PEERS
    peers = [OURS, *[p for p in asked if p is not OURS and p.is_installed()]]
    peers = [p for p in peers if given.cubed or not isinstance(p, Cubed)]
    rows = chosen(given.only)
    clock = time.process_time if given.processor else time.perf_counter
    words = [given.json.name if Path(word) == given.json else word for word in sys.argv[1:]]
    result: dict[str, Any] = {
        "command": shlex.join(["python", "benchmarks/machine.py", *words]),
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d"),
        "scale": given.scale,
        "hardware": hardware(),
        "versions": versions(peers),
        **commit(),
        "peers": [peer.name for peer in peers],
        "rows": [],
        "first_calls": [],
        "memory": [],
    }
    print(f"{'seconds':24}{'copy':>10}{''.join(f'{p.name:>10.10}' for p in peers)}{'/ copy':>10}")
    for name, comparison in () if given.cold else rows.items():
        result["rows"].append(measure(name, comparison, peers, given.repeats, given.scale, clock))
        print(shown(result["rows"][-1], peers), flush=True)
        keep(result, given.json)  # a run that is stopped leaves what it has measured
        gc.collect()
    print("geometric means over ours:", {k: round(v, 2) for k, v in means(result["rows"]).items()})
    for (name, why), missing in without(result["rows"]).items():
        print(f"{name}, {why}: {', '.join(missing)}")
    if not given.fast:
        measure_fresh(result, given, rows, peers)
    keep(result, given.json)


def keep(result: dict[str, Any], path: Path | None) -> None:
    """Write what has been measured."""
    if path:
        path.write_text(json.dumps(result, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
