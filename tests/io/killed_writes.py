"""Writes that are killed again and again: `python -m tests.io.killed_writes --kills 50`.

With `PYTHONPATH=.:kernels`. A process computes and writes an array, on threads or on a cluster of
its own, and is killed at random moments together with its workers; each time it is started again,
by another plan. In the end the array must be exact, and a run may have written again no more than
the chunks that were in flight when the one before was killed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import zarr

import dask_tapestry as dt

ROOT = Path(__file__).resolve().parents[2]
SHAPE, SIDES = (60, 40), (5, 5)  # 96 chunks
AT_ONCE = 4  # blocks that threads or workers store at one time
KINDS = ("threads", "threads over", "threads region", "cluster", "cluster over")
JOB = """
import json, os, sys, time
import numpy as np
import dask_tapestry as dt
from dask_tapestry.io.sinks import zarr_sink
from dask_tapestry.io.targets import zarr_target

kind, path, log, pause, block_bytes, run = sys.argv[1:]

def slow(block):
    time.sleep(float(os.environ["PAUSE"]))
    return np.sin(block) * 3

def watch(log, run):
    write_box = zarr_sink.write_box
    def noted(location, selection, block, empty_chunks=None):
        write_box(location, selection, block, empty_chunks)
        with open(log, "a") as file:
            file.write(json.dumps([int(run), [(s.start, s.stop) for s in selection]]) + "\\n")
    zarr_sink.write_box = zarr_target.write_box = noted

def job():
    cells = np.arange(2400.0).reshape(60, 40)
    x = dt.map_blocks(slow, dt.asarray(cells).rechunk((5, 5)), dtype=float)
    y = x + dt.random.default_rng(7).normal(size=x.shape, chunks=(5, 5))
    with dt.config(block_bytes=block_bytes):
        if "region" in kind:
            dt.to_zarr(y, path, region=(slice(60), slice(40)), resume=True)
            return
        over = "over" in kind
        dt.compute(dt.to_zarr(y, path, chunks=(5, 5), resume=True, overwrite=over, compute=False))

if __name__ == "__main__":
    os.environ["PAUSE"] = pause
    if "cluster" in kind:
        from distributed import Client, LocalCluster
        options = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": ":0"}
        with LocalCluster(**options, silence_logs=50) as cluster, Client(cluster) as client:
            client.run(watch, log, run)
            print("begins", flush=True)
            job()
    else:
        watch(log, run)
        print("begins", flush=True)
        job()
    print("ended", flush=True)
"""


class Report(NamedTuple):
    """What came of it: chunks that each run wrote, kills, how many in all and again, defects."""

    runs: list[int]
    kills: int
    writes: int
    again: int
    wrong: list[str]


def killed_writes(kind: str, folder: Path, kills: int, seed: int, pause: float = 0.02) -> Report:
    """Kill a job of a kind up to `kills` times, then let it end, and look at what is there.

    A kind is ``"threads"`` or ``"cluster"``, with ``"over"`` or ``"region"`` behind it.
    """
    chance = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    path, log, script = folder / "x.zarr", folder / "log", folder / "job.py"
    script.write_text(JOB)
    log.touch()
    if "region" in kind:
        zarr.create_array(path, shape=SHAPE, chunks=SIDES, dtype="f8", fill_value=-1)
    for number in range(kills + 1):
        block_bytes = chance.choice(["300", "300", "1 kB", "5 kB"])
        process = _started([script, kind, path, log, pause, block_bytes, number])
        after = chance.uniform(0, 0.5) if number < kills else np.inf
        if not _killed(process, None if chance.random() < 0.2 else log, after):
            break
    _, errors = process.communicate(timeout=60)
    if process.returncode:
        return Report([], number, 0, 0, [f"run {number} failed: {errors[-3000:]}"])
    return Report(*_looked_at(path, log, number))


def _started(arguments: list[Any]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'kernels'}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _killed(process: subprocess.Popen[str], log: Path | None, after: float) -> bool:
    """Kill a process, and those that it started, some time after it begins; False if it ended.

    With `log` the time is that after the first chunk that it stores.
    """
    assert process.stdout is not None
    process.stdout.readline()
    size = log.stat().st_size if log else 0
    while log and log.stat().st_size == size and process.poll() is None:
        time.sleep(0.002)
    until = time.monotonic() + min(after, 120)
    while time.monotonic() < until:
        if process.poll() is not None:
            return False
        time.sleep(0.002)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return True


def _looked_at(path: Path, log: Path, kills: int) -> tuple[list[int], int, int, int, list[str]]:
    """How many chunks were written, and again, and what is wrong with array and numbers."""
    wrong = []
    cells = np.arange(2400.0).reshape(SHAPE)
    noise = dt.random.default_rng(7).normal(size=SHAPE, chunks=SIDES).compute()
    if not np.array_equal(dt.from_zarr(path).compute(), np.sin(cells) * 3 + noise):
        wrong.append("cells differ")
    wrong += [f"left beside it: {p.name}" for p in path.parent.iterdir() if "tapestry" in p.name]
    written, again, largest = set[tuple[int, ...]](), 0, {-1: 0}
    writes = [json.loads(line) for line in log.read_text().splitlines()]
    for run in sorted({run for run, _ in writes}):
        boxes = [_chunks(box) for known, box in writes if known == run]
        own = [chunk for box in boxes for chunk in box]
        repeated = len(written.intersection(own))
        if len(own) > len(set(own)):
            wrong.append(f"run {run} wrote a chunk twice")
        if repeated > AT_ONCE * max(largest.values()):
            wrong.append(f"run {run} wrote {repeated} chunks again")
        again, largest[run] = again + repeated, max(map(len, boxes))
        written.update(own)
    each = [sum(len(_chunks(box)) for run, box in writes if run == n) for n in range(kills + 1)]
    return each, kills, sum(each), again, wrong


def _chunks(box: list[list[int]]) -> list[tuple[int, ...]]:
    spans = zip(box, SIDES, strict=True)
    return list(product(*[range(lo // n, -(-hi // n)) for (lo, hi), n in spans]))


def main() -> None:
    """Kill each kind of write, and say what is wrong."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", default=",".join(KINDS))
    options = parser.parse_args()
    for kind in options.kind.split(","):
        left, seed = options.kills, options.seed
        while left > 0:
            with TemporaryDirectory() as folder:
                report = killed_writes(kind, Path(folder), min(left, 6), seed)
            print(kind, f"seed {seed}", report, flush=True)
            left, seed = left - max(1, report.kills), seed + 1


if __name__ == "__main__":
    main()
