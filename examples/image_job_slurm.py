"""The image job on a Slurm cluster.

Run it on a login node, or inside a small batch job:

    python examples/image_job_slurm.py /shared/images --jobs 16 --queue normal

The folder must hold x.zarr and be visible to every node. Each job is one worker. The plan is made
from the declared resources, before the first worker has started.
"""

import argparse
from pathlib import Path

import numpy as np
from dask_jobqueue import SLURMCluster
from distributed import Client, progress
from image_job import build

import dask_tapestry as dt

THREADS = 8
MEMORY = "64 GiB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--queue", default=None)
    parser.add_argument("--walltime", default="01:00:00")
    parser.add_argument("--script", action="store_true", help="print the batch script and stop")
    arguments = parser.parse_args()

    rng = np.random.default_rng(0)
    w = rng.standard_normal((256 * 256 * 3, 64), dtype="float32") / 443
    b = rng.standard_normal(64, dtype="float32")

    cluster = SLURMCluster(
        queue=arguments.queue,
        cores=THREADS,
        processes=1,
        memory=MEMORY,
        walltime=arguments.walltime,
        # A worker leaves before Slurm ends it; what it had not finished runs elsewhere.
        worker_extra_args=["--lifetime", "55m", "--lifetime-stagger", "4m"],
        # One BLAS thread for each worker thread, or the two multiply.
        job_script_prologue=["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"],
    )
    if arguments.script:
        print(cluster.job_script())
        return

    resources = dt.Resources(workers=arguments.jobs, threads=THREADS, memory=MEMORY)
    with cluster, Client(cluster) as client, dt.config(resources=resources):
        cluster.scale(jobs=arguments.jobs)
        sinks = build(arguments.folder, w, b)
        plan = dt.plan(*sinks)
        print(plan.explain())
        (arguments.folder / "plan.html").write_text(plan._repr_html_(), encoding="utf-8")
        futures = client.compute(sinks)
        progress(futures, notebook=False)
        client.gather(futures)


if __name__ == "__main__":
    main()
