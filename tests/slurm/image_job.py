"""The image job on a real Slurm: killed in the middle, submitted again, compared.

    make slurm

Two nodes are emulated on this machine, by `local_slurm`. The job runs uninterrupted once, without
Slurm. Then each of the two examples is submitted, ended with `scancel` when a third of its chunks
are stored, and submitted again: stores must be the same, byte for byte of their cells, and chunks
that were complete must not have been written again.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import zarr

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "examples"), str(ROOT), str(ROOT / "kernels")]

from image_job import build, weights  # noqa: E402
from pictures import write_pictures  # noqa: E402

import dask_tapestry as dt  # noqa: E402
from tests.slurm.local_slurm import PACKAGES, local_slurm, missing  # noqa: E402

EXAMPLES = ROOT / "examples"
CLUSTER = (  # two jobs of a worker each, beside the job of the script
    "cluster.sh", ("--jobs", "2", "--threads", "1", "--memory", "1 GiB", "--interface", "lo"),
)  # fmt: skip
RUNNER = "runner.sh", ("--threads", "1", "--memory", "1 GiB")
Chunks = dict[Path, int]


class Job:
    """One folder with the job's input and stores, and what Slurm is told to do with it."""

    def __init__(self, folder: Path, pictures: Path, environment: dict[str, str]) -> None:
        folder.mkdir()
        (folder / "x.zarr").symlink_to(pictures)
        self.folder = folder
        paths = f"{ROOT}:{ROOT / 'kernels'}"
        own = {"PYTHON": sys.executable, "EXAMPLES": str(EXAMPLES), "PYTHONPATH": paths}
        self.environment = environment | own

    def submit(self, script: str, arguments: tuple[str, ...], *options: str) -> str:
        """Return the number of a job that Slurm was given."""
        command = ["sbatch", "--parsable", *options, str(EXAMPLES / "slurm" / script)]
        found = subprocess.run(
            [*command, str(self.folder), *arguments],
            env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert not found.returncode, found.stderr
        return found.stdout.strip()

    def chunks(self) -> Chunks:
        """The chunks of y.zarr that are stored, and when they were written."""
        found = (p for p in (self.folder / "y.zarr" / "c").rglob("*") if p.is_file())
        return {p: p.stat().st_mtime_ns for p in found if not p.name.endswith("partial")}

    def jobs(self) -> list[str]:
        """Lines of ``squeue``: number, name and state of each job."""
        command = ["squeue", "-h", "-o", "%i %j %T"]
        found = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, check=False
        )
        return found.stdout.splitlines()

    def cancel_all(self) -> None:
        """End all jobs, at once and with SIGKILL: no process has time for last words."""
        for line in self.jobs():
            command = ["scancel", "--full", "--signal=KILL", line.split()[0]]
            subprocess.run(command, env=self.environment, capture_output=True, check=False)
        self.wait(lambda: not self.jobs(), "the jobs to end", 60)

    def log(self) -> str:
        """What the jobs of the script have printed."""
        return "\n".join(p.read_text() for p in sorted(self.folder.glob("image-job-*.log")))

    def wait(self, is_so: Callable[[], bool], what: str, seconds: float) -> None:
        """Wait until something is so."""
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise TimeoutError(f"waited {seconds} s for {what}\n{self.jobs()}\n{self.log()}")
            time.sleep(0.02)


def killed_and_resumed(job: Job, form: tuple[str, tuple[str, ...]], whole: Path) -> None:
    """Submit a job, end it when a third of its chunks are there, submit it again, compare."""
    count = len(_files(whole / "y.zarr" / "c"))
    begin = time.monotonic()
    number = job.submit(*form)
    job.wait(lambda: len(job.chunks()) >= count // 3, "a third of the chunks", 120)
    job.cancel_all()
    told = time.monotonic() - begin
    resumed(job, form, whole, f"{form[0]}: job {number} was cancelled after {told:.1f} s")


def resumed(job: Job, form: tuple[str, tuple[str, ...]], whole: Path, told: str) -> None:
    """Submit a job that was killed again, and compare what it leaves with an uninterrupted run."""
    before, count = job.chunks(), len(_files(whole / "y.zarr" / "c"))
    assert 0 < len(before) < count, f"it was killed with {len(before)} chunks of {count}"
    begin = time.monotonic()
    number = job.submit(*form)
    complete = "both stores are complete"
    job.wait(lambda: job.log().count(complete) == 1, f"job {number}", 120)
    seconds = time.monotonic() - begin
    job.cancel_all()
    after = job.chunks()
    again = sum(after[path] != when for path, when in before.items())
    same_stores(job.folder, whole)
    print(
        f"{told} with {len(before)} of {count} chunks of y stored; job {number} went on for "
        f"{seconds:.1f} s, wrote {count - len(before)} more and {again} again; both stores are as "
        "those of the uninterrupted run",
        flush=True,
    )
    assert again <= 4, "more chunks were written again than were in flight"


def same_stores(folder: Path, whole: Path) -> None:
    """Compare all cells of both stores with those of an uninterrupted run: y's bits, z's values."""
    for name in ("y", "z"):
        found, right = (zarr.open_array(f / f"{name}.zarr", mode="r")[...] for f in (folder, whole))
        assert found.dtype == right.dtype
        if name == "y":
            assert (found.view("uint16") == right.view("uint16")).all()
        else:  # a product: within rounding
            np.testing.assert_allclose(found, right, rtol=1e-4, atol=1e-4)
    for name in ("y", "z"):
        assert dt.from_zarr(folder / f"{name}.zarr").size  # it says that it is complete


def _files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


@contextmanager
def scratch() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="tapestry-slurm-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--images", type=int, default=1600)
    arguments = parser.parse_args()
    if missing():
        sys.exit(f"this machine has no {', '.join(missing())}; {PACKAGES}")
    begin = time.monotonic()
    with scratch() as folder:
        write_pictures(str(folder / "x.zarr"), arguments.images)
        whole = folder / "whole"
        whole.mkdir()
        (whole / "x.zarr").symlink_to(folder / "x.zarr")
        start = time.monotonic()
        dt.compute(*build(whole, *weights()))
        print(f"uninterrupted, on threads: {time.monotonic() - start:.1f} s", flush=True)
        start = time.monotonic()
        with local_slurm(folder / "slurm") as environment:
            print(f"Slurm with two nodes is up after {time.monotonic() - start:.1f} s", flush=True)
            for name, form in (("cluster", CLUSTER), ("runner", RUNNER)):
                killed_and_resumed(Job(folder / name, folder / "x.zarr", environment), form, whole)
    print(f"all in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
