"""The image job on a Slurm cluster.

Run it on a login node, or inside a small batch job:

    python examples/image_job_slurm.py /shared/images --jobs 16 --queue normal

The folder must hold x.zarr and be visible to every node. Each job is one worker. The plan is made
from the declared resources, before the first worker has started. dask-jobqueue comes with
`pip install '.[jobqueue]'`.
"""

import argparse
from pathlib import Path

import numpy as np
from dask_jobqueue import SLURMCluster
from distributed import Client, progress
from image_job import build

import dask_tapestry as dt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--threads", type=int, default=8, help="of a job")
    parser.add_argument("--memory", default="64 GiB", help="of a job")
    parser.add_argument("--minutes", type=int, default=60, help="the time limit of a job")
    parser.add_argument("--queue", default=None)
    parser.add_argument("--interface", default=None, help="the network to use, such as ib0")
    parser.add_argument("--script", action="store_true", help="print the batch script and stop")
    arguments = parser.parse_args()

    rng = np.random.default_rng(0)
    w = rng.standard_normal((256 * 256 * 3, 64), dtype="float32") / 443
    b = rng.standard_normal(64, dtype="float32")

    seconds = 60 * arguments.minutes
    cluster = SLURMCluster(
        queue=arguments.queue,
        cores=arguments.threads,
        processes=1,
        memory=arguments.memory,
        walltime=str(arguments.minutes),
        interface=arguments.interface,
        # A worker leaves before Slurm ends it; what it had not finished runs elsewhere.
        worker_extra_args=[
            "--lifetime",
            f"{seconds * 9 // 10}s",
            "--lifetime-stagger",
            f"{seconds // 20}s",
        ],
        # One BLAS thread for each worker thread, or the two multiply.
        job_script_prologue=["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"],
    )
    if arguments.script:
        print(cluster.job_script())
        return

    resources = dt.Resources(arguments.jobs, arguments.threads, arguments.memory)
    with cluster, Client(cluster) as client, dt.config(resources=resources):
        cluster.scale(jobs=arguments.jobs)
        sinks = build(arguments.folder, w, b)
        plan = dt.plan(*sinks)
        print(plan.explain())
        plan.visualize(str(arguments.folder / "plan.html"))
        print("waiting for the first worker; squeue tells why it does not start")
        client.wait_for_workers(1)
        futures = client.compute(sinks)
        progress(futures, notebook=False)
        client.gather(futures)


if __name__ == "__main__":
    main()
