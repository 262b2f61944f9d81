"""The image job on more and more images: what a worker holds at most, beside what is predicted.

    python benchmarks/cluster/images.py --images 1600,3200,6400,12800 --json images.json

Each number of images is computed on a fresh cluster of two workers with one thread and 1 GB each,
first for 200 images, so that kernels are loaded. The peak is that of the worker that takes most,
above what it took before, read from Linux's counters; *blocks* are the tasks of each step.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT), str(ROOT / "kernels")]  # at the end: an installed library comes first

import dask_tapestry as dt  # noqa: E402
from benchmarks.cluster.compare import OURS, library  # noqa: E402
from benchmarks.cluster.memory import run, workers  # noqa: E402
from benchmarks.cluster.works import IMAGE, WORKS, Stored, create  # noqa: E402

FIRST = 200  # images of the first run on a cluster
CHUNK = 100  # images
LATEST = 400.0  # seconds after which a number of images is given up


class Row(NamedTuple):
    """A number of images: bytes that a worker was predicted to hold and held, seconds, blocks."""

    images: int
    predicted: int
    measured: int
    seconds: float
    blocks: tuple[int, ...]

    def __str__(self) -> str:
        sizes = f"{self.measured / 1e6:5.0f} of {self.predicted / 1e6:5.0f} MB"
        return f"{self.images:6} images  {sizes}  {self.seconds:6.1f} s  blocks {self.blocks}"


def job(folder: Path, images: int) -> list[Any]:
    """The two writes, of so many images."""
    place = folder / str(images)
    place.mkdir(exist_ok=True)
    create(place, "images", Stored((images, *IMAGE), (min(CHUNK, images), *IMAGE), "u1"))
    return WORKS["images"].make(library(OURS, place))


def measured(folder: Path, images: int) -> Row:
    """Run the job on a fresh cluster; see the module's text."""
    with workers() as client:
        run(client, job(folder, FIRST), LATEST)
        sinks = job(folder, images)
        plan = dt.plan(*sinks)
        begin = time.perf_counter()
        held = run(client, sinks, LATEST)
        seconds = time.perf_counter() - begin
    blocks = tuple(step.count for step in plan.core.steps.values())
    predicted = round(plan.cost["peak_worker_bytes"])
    return Row(images, predicted, held, seconds, blocks)


def main() -> None:
    """Measure what the command line says, and print a line for each number of images."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--images", default="1600,3200,6400,12800", help="numbers, with commas")
    parser.add_argument("--json", type=Path, help="file to write what is measured to")
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as name:
        for images in map(int, options.images.split(",")):
            rows.append(measured(Path(name), images))
            print(rows[-1], flush=True)
            shutil.rmtree(Path(name) / str(images))
    if options.json:
        options.json.write_text(json.dumps([row._asdict() for row in rows], indent=1))


if __name__ == "__main__":
    main()
