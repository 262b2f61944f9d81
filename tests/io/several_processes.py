"""Several processes on one store: `python -m tests.io.several_processes --steps 10000`.

With `PYTHONPATH=.:kernels`. Readers, writers of regions and overwriters use one array at a time;
some are killed at random moments. What they tell is compared with what may be seen. On a machine
that has much else to do, a process may be killed in the moment that `write_marks.py` names: then
a row is torn at rest, of a chunk that was stored late and not marked.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import dask_tapestry as dt
from tests.io.object_server import object_server
from tests.io.store_model import defects, may_be_incomplete
from tests.io.store_steps import CHUNKS, ROWS, SHAPE, run

KINDS = ("reader", "reader", "reader", "overwriter", "0:3", "3:6", "3:6", "4:9")
PROCESSES = get_context("forkserver")
LOADED = ("dask", "tests.io", "zarr", "numcodecs", "fsspec", "s3fs", "aiobotocore")


class Report(NamedTuple):
    """What came of a run: steps by kind and outcome, and what is wrong."""

    steps: Counter[str]
    killed: int
    wrong: list[str]


def idle() -> None:
    """Do nothing."""


def several_processes(
    url: str,
    options: Any,
    log: Path,
    seconds: float,
    seed: int,
    lives: float = 0.4,
    kinds: Sequence[str] = KINDS,
) -> Report:
    """Have processes use the array at `url` for some seconds, and check what they tell.

    Every `lives` seconds or so one is killed, and another takes its part.
    """
    chance, number = random.Random(seed), seed * 1000
    dt.to_zarr(dt.zeros(SHAPE), url, chunks=CHUNKS, storage_options=options, overwrite=True)
    dt.from_zarr(url, storage_options=options).compute()
    PROCESSES.set_forkserver_preload([name for name in sys.modules if name.startswith(LOADED)])
    importing = PROCESSES.Process(target=idle)  # the server of forks imports what is preloaded
    importing.start()
    importing.join()
    until, killed = time.monotonic() + seconds, 0

    def started(kind: str) -> Any:
        nonlocal number
        number += 1
        arguments = (url, options, kind, number, str(log), until)
        process = PROCESSES.Process(target=run, args=arguments, daemon=True)
        process.start()
        return process

    running = {place: started(kind) for place, kind in enumerate(kinds)}
    try:
        while time.monotonic() < until:
            time.sleep(chance.uniform(0.3, 1.7) * lives)
            place = chance.randrange(len(kinds))
            if kinds[place] != "reader" and time.monotonic() < until:
                running[place].kill()
                running[place].join()
                running[place], killed = started(kinds[place]), killed + 1
        for process in running.values():
            process.join(60)
    finally:
        for process in running.values():
            process.kill()
            process.join()
    events = [json.loads(line) for line in log.read_text().splitlines()]
    outcomes = Counter(
        f"{kind} of {event[kind]}"
        for event in events
        for kind in ("done", "failed")
        if kind in event
    )
    wrong = [*defects(events), *_defects_at_rest(url, options, events)]
    return Report(outcomes, killed, wrong)


def _defects_at_rest(url: str, options: Any, events: list[dict[str, Any]]) -> list[str]:
    """Return what is wrong with the array that is left, and with what makes it whole again."""
    now = time.monotonic()
    read = {"done": "reader", "begun": now, "at": now + 1, "first": 0, "process": 0}
    wrong = []
    try:
        found = dt.from_zarr(url, storage_options=options).compute()
    except dt.StoreError as error:
        if not may_be_incomplete(events):
            wrong.append(f"nothing is missing, and: {error}")
        if isinstance(error, dt.StoreNotFoundError):
            dt.to_zarr(dt.zeros(SHAPE), url, chunks=CHUNKS, storage_options=options)
    else:
        rows = [sorted(set(row.tolist())) for row in found]
        wrong += [f"at rest, {one}" for one in defects([*events, {**read, "seen": rows}])]
    for lo, hi in ((0, 5), (5, ROWS)):
        region = (slice(lo, hi), slice(None))
        dt.to_zarr(dt.full((hi - lo, SHAPE[1]), -1.0), url, region=region, storage_options=options)
    healed = dt.from_zarr(url, storage_options=options).compute()
    return wrong if (healed == -1).all() else [*wrong, "what is written again is not there"]


def main() -> int:
    """Run until there are enough steps; 1 if anything is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--url", help="of an array; by default folders that are made and deleted")
    parser.add_argument("--objects", action="store_true", help="a server of objects, as S3")
    parser.add_argument("--lives", type=float, default=0.4, help="seconds between two kills")
    parser.add_argument("--options", default="null", help="JSON: of the file system of the URL")
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    steps, killed, seed, wrong = Counter[str](), 0, chosen.seed, list[str]()
    while steps.total() < chosen.steps and not wrong:
        with TemporaryDirectory() as folder, object_server() as server:
            url = server.url if chosen.objects else chosen.url or f"{folder}/x.zarr"
            options, log = json.loads(chosen.options), Path(folder, "log")
            found = several_processes(url, options, log, 20, seed, chosen.lives)
        steps, killed, seed = steps + found.steps, killed + found.killed, seed + 1
        wrong += found.wrong
        print(seed, dict(sorted(steps.items())), f"{killed} killed", *found.wrong[:5], sep="\n  ")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
