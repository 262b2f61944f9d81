"""The image job on workers that Slurm, PBS or SGE starts: dask-jobqueue's clusters.

    python examples/slurm/cluster.py /shared/images --jobs 16 --queue normal
    sbatch examples/slurm/cluster.sh /shared/images --jobs 16     # this script as a job itself

The folder must hold x.zarr and be visible to every node. Each job is one worker. The plan is made
from the declared resources, before the first worker has started. The same command again goes on
where one was killed, by whom and when ever. `jobqueue.yaml` beside this file has the site's part.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

import dask_jobqueue
from distributed import Client

sys.path.insert(0, str(Path(__file__).parents[1]))
from image_job import build, weights

import dask_tapestry as dt

CLUSTERS = {"slurm": "SLURMCluster", "pbs": "PBSCluster", "sge": "SGECluster"}


def arguments_of() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--system", choices=CLUSTERS, default="slurm")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--least", type=int, help="adapt between so many jobs and --jobs")
    parser.add_argument("--threads", type=int, default=8, help="of a job")
    parser.add_argument("--memory", default="64 GiB", help="of a job")
    parser.add_argument("--minutes", type=int, default=60, help="the time limit of a job")
    parser.add_argument("--queue", help="the partition, or queue")
    parser.add_argument("--interface", help="the network to use, such as ib0")
    parser.add_argument("--script", action="store_true", help="print the batch script and stop")
    return parser.parse_args()


def cluster_of(arguments: argparse.Namespace) -> Any:
    """A cluster without workers yet; what is not said here comes from jobqueue.yaml."""
    seconds = 60 * arguments.minutes
    said = {"queue": arguments.queue, "interface": arguments.interface}
    return getattr(dask_jobqueue, CLUSTERS[arguments.system])(
        cores=arguments.threads,
        processes=1,
        memory=arguments.memory,
        walltime=f"{arguments.minutes // 60:02}:{arguments.minutes % 60:02}:00",
        # A worker leaves before its job ends: what it holds is copied, what it had not finished
        # runs elsewhere. Not all leave at once; with --least, others are asked for instead.
        worker_extra_args=[
            *("--lifetime", f"{seconds * 9 // 10}s"),
            *("--lifetime-stagger", f"{seconds // 20}s"),
        ],
        # One BLAS thread for each worker thread, or the two multiply.
        job_script_prologue=["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"],
        **{name: value for name, value in said.items() if value is not None},
    )


def main() -> None:
    arguments = arguments_of()
    cluster = cluster_of(arguments)
    if arguments.script:
        print(cluster.job_script())
        return

    declared = dt.Resources(arguments.jobs, arguments.threads, arguments.memory)
    with cluster, Client(cluster) as client, dt.config(resources=declared):
        if arguments.least is None:
            cluster.scale(jobs=arguments.jobs)
        else:
            cluster.adapt(minimum_jobs=arguments.least, maximum_jobs=arguments.jobs)
        sinks = build(arguments.folder, *weights(), resume=True)
        plan = dt.plan(*sinks)
        print(plan.explain())
        plan.visualize(str(arguments.folder / "plan.html"))
        print("waiting for the first worker; squeue tells why it does not start", flush=True)
        client.wait_for_workers(1)
        futures = client.compute(sinks)
        dt.progress(futures)
        client.gather(futures)
        print("both stores are complete")


if __name__ == "__main__":
    main()
